"""The formats of a report by name. A format is one module of this package, imported on demand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

if TYPE_CHECKING:
    from tilecheck.diagnostics import Report, Severity

__all__ = ["FORMATS", "View", "render"]

FORMATS: Final[Mapping[str, str]] = {
    "text": "tilecheck.report.text",
    "concise": "tilecheck.report.concise",
    "json": "tilecheck.report.json",
    "github": "tilecheck.report.github",
    "gitlab": "tilecheck.report.gitlab",
    "junit": "tilecheck.report.junit",
    "sarif": "tilecheck.report.sarif",
}
"""The module of each format; its `render` takes a `View`."""


class View(Struct, frozen=True):
    """A report with display options. A format ignores the options that it does not support.

    sources        the lines of a file by its path
    verbosity      -1 for findings only, 1 for proofs as well
    fail_level     the least severity that makes a run fail
    has_baseline   whether findings were compared with a baseline
    """

    report: Report
    sources: Callable[[str], Sequence[str]]
    colour: bool = False
    verbosity: int = 0
    statistics: bool = False
    fail_level: Severity = "error"
    has_baseline: bool = False


def render(name: str, view: View) -> str:
    """The report in one of the formats."""
    from importlib import import_module

    text: str = import_module(FORMATS[name]).render(view)
    return text
