"""`tilecheck contract`: the launch contract of each kernel."""

from __future__ import annotations

from typing import Any

import click

from tilecheck.cli import options
from tilecheck.cli.commands.check import check_paths
from tilecheck.cli.configure import load_settings
from tilecheck.cli.exit_status import EXIT_ABNORMAL, EXIT_CLEAN, UsageError

__all__ = ["command"]


@click.command(name="contract")
@click.argument("targets", nargs=-1, required=True, metavar="PATH[::KERNEL]...", type=click.Path())
@options.add_settings
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(targets: tuple[str, ...], output_format: str, **given: Any) -> int:
    """Print the preconditions of each kernel's proof, and the verdict for each write.

    At the seen launches in PATH a clause is `discharged`, `broken` or `open`. Otherwise it is `declared` by the
    author, or `unseen` if there is no seen launch.
    """
    from tilecheck.report.contract import render_contracts, render_contracts_json, select_kernels

    split = [target.rpartition("::") if "::" in target else (target, "", "") for target in targets]
    paths = [path for path, _, _ in split]
    report, _ = check_paths(list(dict.fromkeys(paths)), load_settings(paths, given))
    kernels = select_kernels(report, [(path, name) for path, _, name in split])
    render = render_contracts_json if output_format == "json" else render_contracts
    click.echo(render(kernels), nl=False)
    for failure in report.failures:
        click.echo(f"error: {failure.file}: {failure.message}", err=True)
    missing = [name for path, _, name in split if name and not select_kernels(report, [(path, name)])]
    if missing:
        raise UsageError(f"there is no kernel named '{missing[0]}'")
    return EXIT_ABNORMAL if report.failures else EXIT_CLEAN
