"""How a block is called, wherever one is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["block_name", "rank_of_axes", "rank_of_grid"]


def block_name(block: Sequence[int], rank: int) -> str:
    """`2` on a grid with one axis, `(0, 2)` on one with two."""
    return str(block[0]) if rank <= 1 else f"({', '.join(map(str, block[:rank]))})"


def rank_of_axes(axes: Iterable[int]) -> int:
    """The number of axes that the grid of a kernel has which reads these."""
    return max(axes, default=0) + 1


def rank_of_grid(grid: Sequence[int]) -> int:
    """The number of axes of a grid, as far as there are several blocks along them."""
    return max((axis for axis, blocks in enumerate(grid) if blocks > 1), default=0) + 1
