"""Locations in a text before and after edits of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping

from tilecheck.repair.edits import Edit, apply_edits, offsets_of
from tilecheck.repair.line_offsets import line_starts
from tilecheck.syntax.tree import Span

__all__ = ["Moves", "locate_after"]


class Moves:
    """The moves that edits of one text make."""

    def __init__(self, text: str, edits: Iterable[Edit]) -> None:
        found = tuple(edits)
        self.changes = offsets_of(text, found)
        self.before = line_starts(text)
        self.after = line_starts(apply_edits(text, found))

    def place(self, line: int, column: int) -> tuple[int, int]:
        """The new line and column of a location. A replaced location moves to the start of its replacement; insertions
        go before it."""
        offset = self.before[line - 1] + column
        shift = 0
        for start, end, new in self.changes:
            if end <= offset and not (start == offset < end):
                shift += len(new) - (end - start)
            elif start < offset:
                shift -= offset - start
        at = offset + shift
        line = bisect_right(self.after, at)
        return line, at - self.after[line - 1]


def locate_after(moves: Mapping[str, Moves], span: Span) -> tuple[str, int, int]:
    """The file, line and column at which a span begins after a change."""
    found = moves.get(span.file)
    return (span.file, *(found.place(span.line, span.column) if found is not None else (span.line, span.column)))
