"""`tilecheck rules`: the list of rules."""

from __future__ import annotations

import click

from tilecheck.cli.exit_status import EXIT_CLEAN

__all__ = ["command"]


@click.command(name="rules")
def command() -> int:
    """List all rules."""
    from tilecheck.rules.catalog import RULES

    for known in RULES.values():
        click.echo(f"{known.code}  {known.name:<24}  {known.severity:<8} {known.summary}")
    return EXIT_CLEAN
