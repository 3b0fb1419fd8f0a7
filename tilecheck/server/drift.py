"""Where the lines of a text went when it was edited."""

from __future__ import annotations

from difflib import SequenceMatcher

__all__ = ["Drift"]


class Drift:
    """Line numbers (from 1) of one text in another one. A line that is gone is where it was."""

    def __init__(self, before: list[str], after: list[str]) -> None:
        self._forward: dict[int, int] = {}
        matcher = SequenceMatcher(None, before, after, autojunk=False)
        for _, first, last, start, end in matcher.get_opcodes():
            for offset in range(last - first):
                # lines that were replaced by as many are taken to be the same ones, edited
                inside = min(start + offset, max(end - 1, start))
                self._forward[first + offset + 1] = min(inside, max(len(after) - 1, 0)) + 1
        self._same = {a + i + 1: b + i + 1 for a, b, size in matcher.get_matching_blocks() for i in range(size)}
        self._back = {after: before for before, after in self._same.items()}

    def line(self, before: int) -> int:
        return self._forward.get(before, before)

    def origin(self, after: int) -> int | None:
        """The line that this one was, when it is unchanged."""
        return self._back.get(after)
