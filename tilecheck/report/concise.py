"""One line a finding: `path:line:col: CODE message`."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Report
from tilecheck.report.formats import View
from tilecheck.report.summary import render_statistics


def render(view: View) -> str:
    """The report, one line a finding."""
    return render_concise(view.report, view.statistics)


def render_concise(report: Report, statistics: bool = False) -> str:
    """The report, one line a finding; columns count from 1."""
    lines = [_line(diagnostic) for diagnostic in report.diagnostics]
    if statistics and lines:
        lines.append(render_statistics(report))
    return "\n".join(lines) + "\n" if lines else ""


def _line(diagnostic: Diagnostic) -> str:
    span = diagnostic.span
    message = " ".join(diagnostic.message.split())
    return f"{span.file}:{span.line}:{span.column + 1}: {diagnostic.code} {message}"
