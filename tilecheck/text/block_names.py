"""Names of blocks in messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["block_name", "rank_of_axes", "rank_of_grid"]


def block_name(block: Sequence[int], rank: int) -> str:
    """`2` on a grid with one axis, `(0, 2)` on one with two."""
    return str(block[0]) if rank <= 1 else f"({', '.join(map(str, block[:rank]))})"


def rank_of_axes(axes: Iterable[int]) -> int:
    """The number of grid axes of a kernel that reads `axes`."""
    return max(axes, default=0) + 1


def rank_of_grid(grid: Sequence[int]) -> int:
    """The number of leading axes of a grid up to the last one with several blocks."""
    return max((axis for axis, blocks in enumerate(grid) if blocks > 1), default=0) + 1
