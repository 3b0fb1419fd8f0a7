"""Findings as errors of mypy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mypy.nodes import EllipsisExpr, MypyFile

from tilecheck.mypy_plugin._consts import MARKER
from tilecheck.mypy_plugin.codes import FAILURE, code_of
from tilecheck.mypy_plugin.errorcodes import ERROR_CODES
from tilecheck.mypy_plugin.markers import is_marked, receiver

if TYPE_CHECKING:
    from mypy.plugin import CheckerPluginInterface, MethodContext

    from tilecheck.mypy_plugin.build import Build
    from tilecheck.mypy_plugin.findings import Finding

__all__ = ["report", "report_at_marker", "report_unmarked"]


def report_at_marker(ctx: MethodContext, build: Build) -> None:
    """Report the findings of a module, if this is the call that was put into it."""
    if receiver(ctx.context) == MARKER:
        report(ctx.api, build.findings_to_report(ctx.api.path))


def report_unmarked(api: CheckerPluginInterface, build: Build) -> None:
    """Report the findings of a module that could not be marked. mypy drops repeated messages."""
    tree = getattr(api, "tree", None)
    if isinstance(tree, MypyFile) and not is_marked(tree) and tree.path not in build.in_functions:
        report(api, build.findings_to_report(api.path))


def report(api: CheckerPluginInterface, findings: Sequence[Finding]) -> None:
    """Report findings in the module that is being checked, each with its notes."""
    for finding in findings:
        place = EllipsisExpr()  # on every line of an expression `# type: ignore` counts
        place.set_line(finding.line, finding.column, finding.end_line, finding.end_column)
        code = ERROR_CODES[FAILURE if finding.rule is None else code_of(finding.rule)]
        error = api.msg.fail(finding.message, place, code=code)
        for note in finding.notes:
            api.msg.note(note, place, code=code, parent_error=error)
