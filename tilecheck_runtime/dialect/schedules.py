"""Schedules: the pieces of a mapped output that a block owns, and their order. A schedule is a constant of the compiled
kernel."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Final, TypeAlias

__all__ = ["MOST", "Grouped", "Linear", "Range", "Schedule", "Single", "Walk", "count_streamed", "largest_number"]

MOST: Final = 2**31 - 1
"""The largest piece number on the device."""


@dataclass(frozen=True)
class Single:
    """One piece per block: the block with coordinates (i, j, k) owns piece (i, j, k). The schedule of a plain
    `partition`."""


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
    """A block owns complete lines of pieces along `axis`. The lines, in C order of the other axes, are assigned to the
    blocks in runs of equal length."""

    axis: int


@dataclass(frozen=True)
class Range:
    """Only the items `start` to `stop`, exclusive, of a schedule: pieces, or lines of a `Walk`. The other items keep
    their contents."""

    schedule: Linear | Grouped | Walk
    start: int
    stop: int


Schedule: TypeAlias = Single | Linear | Grouped | Walk | Range


def count_streamed(schedule: Schedule, tiles: tuple[int, ...]) -> int:
    """The number of items that the schedule assigns if the output has `tiles` pieces along each axis."""
    base = schedule.schedule if isinstance(schedule, Range) else schedule
    count = 1
    for axis, extent in enumerate(tiles):
        count *= 1 if isinstance(base, Walk) and axis == base.axis else extent
    return count


def largest_number(schedule: Schedule, tiles: tuple[int, ...], blocks: int) -> int:
    """An upper bound of the numbers that the device computes to find its pieces. Above `MOST` they would wrap around
    and select pieces of other blocks."""
    base = schedule.schedule if isinstance(schedule, Range) else schedule
    if isinstance(base, Walk):
        return prod(tiles) + blocks * tiles[base.axis]
    return max(prod(tiles) + blocks, base.size * tiles[-1] if isinstance(base, Grouped) else 0)
