"""A finding in sentences, for reports without source frames."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.diagnostics import Diagnostic

__all__ = ["sentences"]


def sentences(diagnostic: Diagnostic) -> Iterator[str]:
    """The message of a finding, its notes with their lines, and its help."""
    yield diagnostic.message
    for note in diagnostic.notes:
        span = note.span
        if span is None:
            yield note.message
        else:
            file = "" if span.file == diagnostic.span.file else f"{span.file}, "
            yield f"{note.message} ({file}line {span.line})"
    if diagnostic.help:
        yield f"help: {diagnostic.help}"
