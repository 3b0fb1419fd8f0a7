"""Code blocks of Markdown pages, and what their comments expect."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

_FENCE = re.compile(r"^(`{3,})(\w*)\s*$")
_EXPECTED = re.compile(r"#\s*error:\s*(TC\d+(?:\s*,\s*TC\d+)*)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, the line it begins on and the text line before it."""

    language: str
    text: str
    line: int
    before: str

    @property
    def expected(self) -> set[tuple[int, str]]:
        """The (line, code) pairs that `# error: CODE` comments ask for."""
        return {
            (number, code.strip())
            for number, line in enumerate(self.text.split("\n"), 1)
            for found in _EXPECTED.finditer(line)
            for code in found.group(1).split(",")
        }


def blocks(path: Path) -> Iterator[Block]:
    """The fenced blocks of a page."""
    return blocks_of(path.read_text(encoding="utf-8"))


def blocks_of(text: str) -> Iterator[Block]:
    """The fenced blocks of a text."""
    language: str | None = None
    body: list[str] = []
    before, opening, start = "", "", 0
    for number, line in enumerate(text.split("\n"), 1):
        fence = _FENCE.match(line)
        if language is None and fence:
            opening, language, body, start = fence.group(1), fence.group(2), [], number
        elif language is not None and fence and fence.group(1) == opening:
            yield Block(language, "\n".join(body) + "\n", start, before)
            language, before = None, ""
        elif language is not None:
            body.append(line)
        elif line.strip():
            before = line.strip()
