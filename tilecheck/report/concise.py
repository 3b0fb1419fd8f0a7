"""One line a finding: `path:line:col: CODE message`."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.report.formats import View
from tilecheck.report.frame import Sources, no_sources
from tilecheck.report.places import describe_place
from tilecheck.report.summary import render_statistics


def render(view: View) -> str:
    """The report, one line a finding."""
    return render_concise(view.report, view.sources, view.statistics)


def render_concise(report: Report, sources: Sources = no_sources, statistics: bool = False) -> str:
    """The report, one line a finding; columns count from 1."""
    lines = [_line(diagnostic, sources) for diagnostic in report.diagnostics]
    if statistics and lines:
        lines.append(render_statistics(report))
    return "\n".join(lines) + "\n" if lines else ""


def _line(diagnostic: Diagnostic, sources: Sources) -> str:
    message = " ".join(diagnostic.message.split())
    return f"{describe_place(diagnostic.span, sources)}: {diagnostic.code} {message}"
