"""The position of the running block. There is one at a time, because launches are serialized by a lock."""

from __future__ import annotations

from typing import ClassVar

__all__ = ["Block", "Progress"]

Block = tuple[int, int, int]


class Progress:
    """The position of the launch in progress.

    block  coordinates of the running block
    grid   of the launch, in blocks
    loops  values of the counters of the `for` loops around the current operation, outermost first
    """

    block: ClassVar[Block] = (0, 0, 0)
    grid: ClassVar[Block] = (1, 1, 1)
    loops: ClassVar[list[int]] = []
