"""`tilecheck explain`: why each obligation of a kernel has its verdict."""

from __future__ import annotations

from typing import Any

import click

from tilecheck.cli.commands.common import refuse, settings_of, studied

__all__ = ["explain"]


def explain(target: str, line: int | None, output_format: str, settings: dict[str, Any]) -> int:
    """Print the explanation."""
    from tilecheck.explain.build import explain as explained
    from tilecheck.explain.json import render_explanation_json
    from tilecheck.explain.text import render_explanation

    study = studied(target, settings_of([target.partition("::")[0]], settings))
    found = explained(study, line)
    if line is not None and not found.obligations and not found.costs:
        lines = sorted({o.span.line for o in study.report.obligations})
        raise refuse(f"nothing on line {line} of `{study.model.name}` must be proved; there are obligations on lines "
                     f"{', '.join(map(str, lines))}" if lines else f"`{study.model.name}` has no obligations")
    render = render_explanation_json if output_format == "json" else render_explanation
    click.echo(render(found), nl=False)
    return 0
