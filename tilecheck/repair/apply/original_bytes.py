"""Edits of a file as it is on disk: its encoding, byte order mark, line ends and form feeds stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tilecheck.repair.edits import Edit, OverlapError, overlap
from tilecheck.syntax.text import FORM_FEEDS, SourceError, decode, encoding_of
from tilecheck.syntax.tree import Span

__all__ = ["change_bytes"]

_LINE: Final = re.compile("[^\r\n]*(\r\n|\r|\n|$)")


def change_bytes(data: bytes, file: str, edits: Iterable[Edit]) -> bytes:
    """The bytes of a file with edits applied. New text gets the line ends of the line it goes to.

    Raises `SourceError` when the file cannot be decoded or the new text not be encoded as the file is, and
    `OverlapError`.
    """
    decode(data, file)  # says what is wrong, and where
    encoding = encoding_of(data)
    raw = data.decode(encoding)
    lines = _Lines(raw)
    out: list[str] = []
    at = 0
    before = (-1, -1)
    for start, end, new in sorted({lines.locate_edit(edit) for edit in edits}):
        if overlap(before, (start, end)):
            raise OverlapError("two edits change the same place")
        out += (raw[at:start], new)
        at, before = end, (start, end)
    text = "".join((*out, raw[at:]))
    try:
        return text.encode(encoding)
    except UnicodeEncodeError as error:
        raise SourceError(file, f"the change cannot be written as {error.encoding}") from None


class _Lines:
    """Where the lines of undecorated text begin in what is on disk, and how they end there."""

    def __init__(self, raw: str) -> None:
        skipped = len(raw) - len(raw.removeprefix("\ufeff"))
        self.starts: list[int] = []
        self.ends: list[str] = []
        at = skipped
        while True:
            found = _LINE.match(raw, at)
            assert found is not None  # it matches the empty string
            body = raw[at : found.start(1)]
            feed = FORM_FEEDS.match(body)
            self.starts.append(at + (feed.end() if feed else 0))
            self.ends.append(found[1])
            if not found[1]:
                break
            at = found.end()

    def locate_edit(self, edit: Edit) -> tuple[int, int, str]:
        span: Span = edit.span
        start = self.starts[span.line - 1] + span.column
        end = self.starts[span.end_line - 1] + span.end_column
        return start, end, edit.text.replace("\n", self._end_of(span.line))

    def _end_of(self, line: int) -> str:
        """The end of a line; of the last one, that of the line before."""
        near = (self.ends[line - 1], self.ends[line - 2] if line > 1 else "")
        return next((end for end in near if end), "\n")
