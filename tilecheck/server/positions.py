"""Places in a text as editors count them, and as the checker does.

The checker counts characters of decoded text without form feeds at line starts. Editors count code units of the text
that they show: UTF-16 unless something else was agreed on.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from tilecheck.server.messages import Place
from tilecheck.syntax.text import FORM_FEEDS
from tilecheck.syntax.tree import Span

__all__ = ["ENCODINGS", "Text"]

_ENDS: Final = re.compile("\r\n|\r|\n")

ENCODINGS: Final[Mapping[str, Callable[[str], int]]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}
"""How many units a text has."""


class Text:
    """The lines of a text, with conversions of places."""

    def __init__(self, text: str, encoding: str) -> None:
        self.lines = _ENDS.split(text)
        self._units = ENCODINGS[encoding]

    def place(self, line: int, column: int) -> Place:
        """The place of the checker's line (from 1) and column (from 0)."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        before = text[: column + _count_skipped(text)]
        return line - 1, len(before) if before.isascii() else self._units(before)

    def span(self, span: Span) -> tuple[Place, Place]:
        return self.place(span.line, span.column), self.place(span.end_line, span.end_column)

    def column(self, place: Place) -> int:
        """The checker's column of a place; that of the end of the line for a place behind it."""
        line, units = place
        text = self.lines[line] if line < len(self.lines) else ""
        if text.isascii():
            return max(0, min(units, len(text)) - _count_skipped(text))
        seen = 0
        for number, character in enumerate(text):
            if seen >= units:
                return max(0, number - _count_skipped(text))
            seen += self._units(character)
        return max(0, len(text) - _count_skipped(text))

    def line_end(self, line: int) -> Place:
        """The end of a line (from 1)."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        return line - 1, self._units(text)

    def line_start(self, line: int) -> Place:
        """Where the text of a line (from 1) begins behind its indentation; 0 in a line of spaces."""
        text = self.lines[line - 1] if line <= len(self.lines) else ""
        stripped = text.lstrip()
        return line - 1, len(text) - len(stripped) if stripped else 0


def _count_skipped(line: str) -> int:
    """Characters at the start of a line that the checker does not count."""
    found = FORM_FEEDS.match(line) if "\f" in line else None
    return found.end() if found else 0
