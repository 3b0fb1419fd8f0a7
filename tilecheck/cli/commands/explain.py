"""`tilecheck explain`: why each obligation of a kernel has its verdict."""

from __future__ import annotations

from typing import Any

import click

from tilecheck.cli import options
from tilecheck.cli.commands.common import load_kernel
from tilecheck.cli.configure import load_settings
from tilecheck.cli.exit_status import UsageError

__all__ = ["command"]


@click.command(name="explain")
@click.argument("target", metavar="PATH::KERNEL", type=click.Path())
@options.add_settings
@click.option("--line", type=click.IntRange(min=1), metavar="N", help="Only obligations on this line.")
@click.option("--steps", is_flag=True, help="Also list the proof steps as the prover recorded them.")
@click.option("--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(target: str, line: int | None, steps: bool, output_format: str, **given: Any) -> int:
    """Explain the verdict of each obligation of a kernel, and list declarations that would prove the open ones.

    PATH may be a folder: launches in all of its files are seen.
    """
    return _print_explanation(target, line, steps, output_format, given)


def _print_explanation(
    target: str, line: int | None, steps: bool, output_format: str, settings: dict[str, Any],
) -> int:
    """Print the explanation."""
    from tilecheck.explain.build import explain as explain_kernel
    from tilecheck.explain.json import render_explanation_json
    from tilecheck.explain.text import render_explanation

    study = load_kernel(target, load_settings([target.partition("::")[0]], settings))
    found = explain_kernel(study, line)
    if line is not None and not found.obligations and not found.costs:
        lines = sorted({o.span.line for o in study.report.obligations})
        raise UsageError(f"no obligation of `{study.model.name}` is on line {line}; its obligations are on lines "
                         f"{', '.join(map(str, lines))}" if lines else f"`{study.model.name}` has no obligations")
    text = render_explanation_json(found) if output_format == "json" else render_explanation(found, steps)
    click.echo(text, nl=False)
    return 0
