"""Numbers of things, as people say them."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """`1 file`, `2 files`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
