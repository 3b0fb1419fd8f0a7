"""Edits of a text, and fixes that consist of them: plain data."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal, TypeAlias

from msgspec import Struct

from tilecheck.repair.line_offsets import line_starts
from tilecheck.syntax.tree import Span

__all__ = ["Applicability", "Edit", "Fix", "OverlapError", "apply_edits", "offsets_of", "overlap"]

Applicability: TypeAlias = Literal["safe", "unsafe"]
"""`safe`: wherever the code was defined it does what it did, as fast. `unsafe`: a person decides, because it may do
something else or be slower."""


class Edit(Struct, frozen=True):
    """Replace what a span covers by a text; an empty span inserts.

    Spans are those of findings: of the text as the checker decodes it, with lines that end in a newline character only,
    lines from 1 and columns from 0 in characters. New text has such line ends as well.
    """

    span: Span
    text: str


class Fix(Struct, frozen=True):
    """One way to remove a finding. Several fixes of one finding are alternatives.

    code       the rule of the finding
    title      what it does, as a sentence fragment in the imperative
    edits      in one file, without overlap, in order
    only       a guess: applied only if no other alternative removes the finding
    declares   the kernel for which the fix declares a clause of the contract
    """

    code: str
    title: str
    applicability: Applicability
    edits: tuple[Edit, ...]
    only: bool = False
    declares: str | None = None


class OverlapError(ValueError):
    """Two edits change the same place."""


def offsets_of(text: str, edits: Iterable[Edit]) -> list[tuple[int, int, str]]:
    """(start, end, new text) of edits in order, as offsets into a text. Raises `OverlapError`."""
    starts = line_starts(text)
    found = sorted({(starts[e.span.line - 1] + e.span.column, starts[e.span.end_line - 1] + e.span.end_column, e.text)
                    for e in edits})
    for before, after in pairwise(found):
        if overlap(before[:2], after[:2]):
            raise OverlapError("two edits change the same place")
    return found


def overlap(a: tuple[int, int], b: tuple[int, int]) -> bool:
    """Whether two ranges share a character, or two insertions a place."""
    return a == b or (a[0] < b[1] and b[0] < a[1])


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """The text with edits made. Equal edits count once. Raises `OverlapError`."""
    out: list[str] = []
    at = 0
    for start, end, new in offsets_of(text, edits):
        out += (text[at:start], new)
        at = end
    return "".join((*out, text[at:]))
