"""Offsets of lines in a text."""

from __future__ import annotations

from itertools import accumulate

__all__ = ["line_starts"]


def line_starts(text: str) -> list[int]:
    """Offsets at which the lines of a text begin; lines end in a newline character only."""
    return [0, *accumulate(map(_width, text.split("\n")[:-1]))]


def _width(line: str) -> int:
    return len(line) + 1
