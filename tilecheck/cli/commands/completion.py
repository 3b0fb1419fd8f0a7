"""`tilecheck completion`: what a shell needs to complete our commands, options and rules."""

from __future__ import annotations

from typing import Final

import click

__all__ = ["command"]

_SHELLS: Final = ("bash", "zsh", "fish")


@click.command(name="completion")
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> int:
    """Print the script that completes `tilecheck` in a shell.

    Put `eval "$(tilecheck completion bash)"` into ~/.bashrc, likewise for zsh into ~/.zshrc; for fish,
    `tilecheck completion fish > ~/.config/fish/completions/tilecheck.fish`.
    """
    from click.shell_completion import get_completion_class

    from tilecheck.cli.app import cli

    made = get_completion_class(shell)
    if made is None:
        raise click.ClickException(f"no completion is known for {shell}")
    click.echo(made(cli, {}, "tilecheck", "_TILECHECK_COMPLETE").source())
    return 0
