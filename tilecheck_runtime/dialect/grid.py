"""The launch grid that covers the outputs."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from tilecheck_runtime.dialect.plan import Output, PlanError
from tilecheck_runtime.dialect.schedules import MOST, Range, count_streamed, largest_number
from tilecheck_runtime.tile_language.kernels import GRID_LIMIT

__all__ = ["grid"]


def grid(outputs: Mapping[str, Output], shapes: Mapping[str, tuple[int, ...]]) -> tuple[int, int, int]:
    """The grid in which every output has a block for each of its pieces, or the blocks it is mapped to.

    Axes of an output are grid axes; of more than three, the leading ones share grid axis 0. Raises PlanError when
    outputs do not agree axis by axis, or a schedule does not fit its output.
    """
    found = {name: _grid_of_output(name, output, shapes[name]) for name, output in outputs.items()}
    if not found:
        raise PlanError("a kernel without an output has no grid of its own: give one")
    (first, wanted), *others = found.items()
    for name, extents in others:
        if extents != wanted:
            raise PlanError(f"'{first}' asks for grid {wanted}, '{name}' for grid {extents}: outputs of one launch "
                            "have the same number of pieces along each axis")
    return wanted


def _grid_of_output(name: str, output: Output, shape: tuple[int, ...]) -> tuple[int, int, int]:
    if len(shape) != len(output.tile):
        raise PlanError(f"'{name}' has {len(shape)} axes and is partitioned along {len(output.tile)}")
    tiles = tuple(-(-n // t) for n, t in zip(shape, output.tile, strict=True))
    for axis, one in enumerate(output.whole):
        if one and tiles[axis] > 1:
            raise PlanError(f"'{name}' is planned as one piece along axis {axis}, where it has {tiles[axis]}")
    if output.blocks is not None:
        return _mapped_grid(name, output, tiles, output.blocks)
    lead = max(len(tiles) - 3, 0)
    axes = (prod(tiles[:lead + 1]), *tiles[lead + 1:], 1, 1)
    for axis, blocks in enumerate(axes):
        if blocks > GRID_LIMIT:
            raise PlanError(f"'{name}' has {blocks} pieces along grid axis {axis}, of at most {GRID_LIMIT}: "
                            "take larger pieces, or map the partition to fewer blocks")
    return axes[0], axes[1], axes[2]


def _mapped_grid(name: str, output: Output, tiles: tuple[int, ...], blocks: int) -> tuple[int, int, int]:
    count = count_streamed(output.schedule, tiles)
    if isinstance(output.schedule, Range):
        start, stop = output.schedule.start, output.schedule.stop
        if not 0 <= start <= stop <= count:
            raise PlanError(f"'{name}': items {start} to {stop} of a schedule that has {count}")
        count = stop - start
    if not 1 <= blocks <= count:
        raise PlanError(f"'{name}' is mapped to {blocks} blocks: between 1 and {count} have something to do")
    if largest_number(output.schedule, tiles, blocks) > MOST:
        raise PlanError(f"'{name}' has {prod(tiles)} pieces, more than {output.schedule} can number in 32 bits: take "
                        "larger pieces, or smaller groups")
    return blocks, 1, 1
