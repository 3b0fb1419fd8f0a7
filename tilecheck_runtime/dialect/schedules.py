"""Which pieces of a mapped output a block owns, in which order. A schedule is a constant of the compiled kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

__all__ = ["MOST", "Grouped", "Linear", "Range", "Schedule", "Single", "Walk", "count_streamed", "largest_number"]

MOST: Final = 2**31 - 1
"""The largest number that the device counts pieces with."""


@dataclass(frozen=True)
class Single:
    """One piece a block: the block with coordinates (i, j, k) owns piece (i, j, k). What `partition` alone means."""


@dataclass(frozen=True)
class Linear:
    """Pieces in C order; block b takes b, b + blocks, b + 2 * blocks, ..."""


@dataclass(frozen=True)
class Grouped:
    """Like `Linear`, over the last two axes in groups of `size` rows of pieces, each walked column by column, so that
    blocks that run together share rows and columns of the inputs."""

    size: int


@dataclass(frozen=True)
class Walk:
    """A block owns whole lines of pieces along `axis` and walks each from end to end; the lines, in C order of the
    other axes, are dealt to the blocks in runs of equal length."""

    axis: int


@dataclass(frozen=True)
class Range:
    """Only the streamed items `start` to `stop`, exclusive, of a schedule: pieces, or lines of a `Walk`. The others
    keep their contents."""

    schedule: Linear | Grouped | Walk
    start: int
    stop: int


Schedule: TypeAlias = Single | Linear | Grouped | Walk | Range


def count_streamed(schedule: Schedule, tiles: tuple[int, ...]) -> int:
    """How many items the schedule deals out when the output has `tiles` pieces along each axis."""
    base = schedule.schedule if isinstance(schedule, Range) else schedule
    count = 1
    for axis, extent in enumerate(tiles):
        count *= 1 if isinstance(base, Walk) and axis == base.axis else extent
    return count


def largest_number(schedule: Schedule, tiles: tuple[int, ...], blocks: int) -> int:
    """A bound of the numbers that the device computes to find its pieces; beyond `MOST` they would wrap around and mean
    pieces of other blocks."""
    base = schedule.schedule if isinstance(schedule, Range) else schedule
    if isinstance(base, Walk):
        return prod(tiles) + blocks * tiles[base.axis]
    return max(prod(tiles) + blocks, base.size * tiles[-1] if isinstance(base, Grouped) else 0)
