"""Findings as errors of mypy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from mypy.errorcodes import ErrorCode
from mypy.nodes import Context, MypyFile

from tilecheck.mypy_plugin._consts import MARKER
from tilecheck.mypy_plugin.codes import FAILURE, RULES_OF
from tilecheck.mypy_plugin.markers import is_marked, receiver

if TYPE_CHECKING:
    from mypy.plugin import CheckerPluginInterface, MethodContext

    from tilecheck.mypy_plugin.build import Build
    from tilecheck.mypy_plugin.findings import Finding

__all__ = ["ERROR_CODES", "is_marker", "report", "report_unmarked"]


def _description(code: str, rules: Sequence[str]) -> str:
    return "What tilecheck could not check" if code == FAILURE else f"Findings of tilecheck: {', '.join(rules)}"


ERROR_CODES: Final[Mapping[str, ErrorCode]] = {
    code: ErrorCode(code, _description(code, rules), "Tilecheck") for code, rules in RULES_OF.items()
}


def report(api: CheckerPluginInterface, findings: Sequence[Finding]) -> None:
    """Report the findings of the module that is being checked, each with its notes."""
    for finding in findings:
        place = Context(finding.line, finding.column)
        place.end_line, place.end_column = finding.end_line, finding.end_column
        code = ERROR_CODES[finding.code]
        error = api.msg.fail(finding.message, place, code=code)
        for note in finding.notes:
            api.msg.note(note, place, code=code, parent_error=error)


def is_marker(ctx: MethodContext) -> bool:
    """Whether this is the call that was put into the module."""
    return receiver(ctx.context) == MARKER


def report_unmarked(api: CheckerPluginInterface, build: Build) -> None:
    """Report the findings of a module that could not be marked."""
    tree = getattr(api, "tree", None)
    if isinstance(tree, MypyFile) and not is_marked(tree) and tree.path not in build.in_functions:
        report(api, build.findings(api.path))
