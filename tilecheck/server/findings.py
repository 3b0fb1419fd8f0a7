"""Findings as an editor shows them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic, Failure
from tilecheck.server.drift import Drift
from tilecheck.server.messages import Finding, Place, Related
from tilecheck.server.positions import Text
from tilecheck.syntax.tree import Span

__all__ = ["finding_of", "finding_of_failure", "message_of", "move_finding"]

Texts = Callable[[str], Text]
"""The text of a file by its path."""


def finding_of(diagnostic: Diagnostic, texts: Texts) -> Finding:
    """A finding with its notes: those that stand on source are places to go to, the others follow the message."""
    start, end = texts(diagnostic.span.file).span(diagnostic.span)
    related = tuple(
        _build_related(note.span, note.message, texts) for note in diagnostic.notes if note.span is not None
    )
    return Finding(start, end, diagnostic.severity, diagnostic.code, message_of(diagnostic), related)


def message_of(diagnostic: Diagnostic) -> str:
    """The message, a line for each note that stands nowhere, and the help."""
    out = [diagnostic.message]
    out += [f"note: {note.message}" for note in diagnostic.notes if note.span is None]
    if diagnostic.help:
        out.append(f"help: {diagnostic.help}")
    return "\n".join(out)


def _build_related(span: Span, message: str, texts: Texts) -> Related:
    return Related(span.file, *texts(span.file).span(span), message)


def finding_of_failure(failure: Failure, text: Text) -> Finding:
    """The finding for a failure of the check, on its line, or on the first line if it has none."""
    line = failure.line or 1
    return Finding(text.line_start(line), text.line_end(line), "error", None, failure.message)


def move_finding(finding: Finding, path: str, drift: Drift, text: Text) -> Finding:
    """A finding of an earlier text of a file, where its lines are now."""
    related = tuple(
        replace(other, **_range(other.start, other.end, drift, text)) if other.path == path else other
        for other in finding.related)
    return replace(finding, related=related, **_range(finding.start, finding.end, drift, text))


def _range(start: Place, end: Place, drift: Drift, text: Text) -> dict[str, Any]:
    first, last = _move_place(start, drift, text), _move_place(end, drift, text)
    return {"start": first, "end": max(first, last)}


def _move_place(place: Place, drift: Drift, text: Text) -> Place:
    line = drift.line(place[0] + 1)
    return line - 1, min(place[1], text.line_end(line)[1])
