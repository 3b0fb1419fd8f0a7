"""Findings as mypy shows them: an error with its notes, and nothing that only the checker knows."""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tilecheck.diagnostics import Diagnostic, Failure, Note, Report

__all__ = ["Finding", "by_file"]


class Finding(NamedTuple):
    """One error. Lines count from 1, columns from 0, as in a span.

    rule  its code; None for a failure of the check
    """

    line: int
    column: int
    end_line: int
    end_column: int
    rule: str | None
    message: str
    notes: tuple[str, ...] = ()


def by_file(report: Report) -> dict[str, tuple[Finding, ...]]:
    """The findings of each file, by its absolute path."""
    found: defaultdict[str, list[Finding]] = defaultdict(list)
    for diagnostic in report.diagnostics:
        found[os.path.abspath(diagnostic.span.file)].append(_finding(diagnostic))
    for failure in report.failures:
        found[os.path.abspath(failure.file)].append(_report_failure(failure))
    return {file: tuple(findings) for file, findings in found.items()}


def _finding(diagnostic: Diagnostic) -> Finding:
    span = diagnostic.span
    message = f"{diagnostic.code} {_line(diagnostic.message)}"
    return Finding(span.line, span.column, span.end_line, span.end_column, diagnostic.code, message,
                   tuple(_notes(diagnostic)))


def _notes(diagnostic: Diagnostic) -> Iterator[str]:
    from tilecheck.report.text import restates, witness_lines

    if diagnostic.witness is not None:
        first, *more = witness_lines(diagnostic, diagnostic.witness)
        yield f"witness: {first}"
        yield from more
    for note in diagnostic.notes:
        if note.span is not None or not restates(note, diagnostic.witness):
            yield _place(note, diagnostic) + _line(note.message)
    if diagnostic.help:
        yield f"help: {_line(diagnostic.help)}"


def _place(note: Note, diagnostic: Diagnostic) -> str:
    if note.span is None:
        return ""
    file = f"{note.span.file}:" if note.span.file != diagnostic.span.file else "line "
    return f"{file}{note.span.line}: "


def _report_failure(failure: Failure) -> Finding:
    line = failure.line or 1
    return Finding(line, 0, line, 1, None, f"not checked: {_line(failure.message)}")


def _line(text: str) -> str:
    return " ".join(text.split())


Found = Mapping[str, tuple[Finding, ...]]
