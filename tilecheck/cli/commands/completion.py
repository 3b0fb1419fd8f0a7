"""`tilecheck completion`: the script that completes commands, options and rules in a shell."""

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

    completion = get_completion_class(shell)
    if completion is None:
        raise click.ClickException(f"no completion is known for {shell}")
    root = click.get_current_context().find_root().command
    click.echo(completion(root, {}, "tilecheck", "_TILECHECK_COMPLETE").source())
    return 0
