"""Workflow commands, which GitHub shows as annotations on the lines of a pull request."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, Failure
from tilecheck.report.formats import View
from tilecheck.report.places import relative_path
from tilecheck.report.prose import sentences
from tilecheck.rules.catalog import NAMES

__all__ = ["render"]

_KINDS: Final = {"error": "error", "warning": "warning", "note": "notice"}
_WORKSPACE: Final = ("GITHUB_WORKSPACE",)

_DATA: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A"})
_PROPERTY: Final = str.maketrans({"%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"})
"""Escapes of line breaks and separators. An unescaped line break in a message could inject a command."""


def render(view: View) -> str:
    """One command a line, for each finding and each file that could not be checked."""
    lines = [_finding(diagnostic) for diagnostic in view.report.diagnostics]
    lines += [_failure(failure) for failure in view.report.failures]
    return "".join(f"{line}\n" for line in lines)


def _finding(diagnostic: Diagnostic) -> str:
    span, code = diagnostic.span, diagnostic.code
    place = {"file": relative_path(span.file, _WORKSPACE), "line": span.line, "endLine": span.end_line}
    if span.line == span.end_line:  # GitHub rejects columns for ranges of several lines
        place |= {"col": span.column + 1, "endColumn": span.end_column + 1}
    title = f"{code} {NAMES[code]}" if code in NAMES else code
    where = f" in {diagnostic.kernel}" if diagnostic.kernel else ""
    first, *rest = sentences(diagnostic)
    return _command(_KINDS[diagnostic.severity], {**place, "title": f"{title}{where}"}, "\n".join((first, *rest)))


def _failure(failure: Failure) -> str:
    place = {"file": relative_path(failure.file, _WORKSPACE)}
    line = {} if failure.line is None else {"line": failure.line}
    return _command("error", {**place, **line, "title": "not checked"}, failure.message)


def _command(kind: str, properties: Mapping[str, object], message: str) -> str:
    listed = ",".join(f"{name}={str(value).translate(_PROPERTY)}" for name, value in properties.items())
    return f"::{kind} {listed}::{message.translate(_DATA)}"
