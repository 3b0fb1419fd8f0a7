"""`tilecheck rule`: the pages of rules."""

from __future__ import annotations

import click

from tilecheck.cli import options
from tilecheck.cli.exit_status import EXIT_CLEAN, UsageError

__all__ = ["command"]


@click.command(name="rule")
@click.argument("rules", nargs=-1, metavar="CODE|NAME...", shell_complete=options.rule_names)
@click.option("--all", "every", is_flag=True, help="Explain all rules.")
def command(rules: tuple[str, ...], every: bool) -> int:
    """Explain rules: the errors that they find, their effect, and the remedy."""
    from tilecheck.rules.catalog import RULES
    from tilecheck.rules.pages import PageError, page

    names = tuple(RULES) if every else rules
    if not names:
        raise UsageError("name a rule, such as TC101 or overlapping-write, or pass --all")
    try:
        click.echo("\n".join(page(name) for name in names), nl=False)
    except PageError as error:
        raise UsageError(str(error)) from error
    return EXIT_CLEAN
