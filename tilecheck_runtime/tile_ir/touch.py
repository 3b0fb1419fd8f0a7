"""The elements that an access touches: of a tile of a view, and of a tile of addresses."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tilecheck_runtime.tile_ir.accesses import Argument
from tilecheck_runtime.tile_ir.values import Pointer, Tile, Undecided, ViewValue, all_known, number_of

__all__ = ["Touched", "touch_elements", "touch_tile"]

Touched: TypeAlias = tuple[npt.NDArray[np.int64], int, int, bool]
"""Elements inside, the number of those outside that no check excludes, of those that a check excludes, and whether all
are certain."""


def touch_tile(view: ViewValue, index: tuple[Tile, ...], unchecked: tuple[bool, ...], array: Argument) -> Touched:
    """The elements of one tile of a view. Raises Undecided if its place depends on data."""
    base = number_of(view.array.base.offset, "the place of an array")
    offsets: npt.NDArray[np.int64] = np.full((1,) * len(index), base, np.int64)
    inside: npt.NDArray[np.bool_] = np.ones((1,) * len(index), np.bool_)
    excused: npt.NDArray[np.bool_] = np.zeros((1,) * len(index), np.bool_)
    for place, (axis, start, lanes) in enumerate(_lanes(view, index)):
        extent = number_of(view.array.shape[axis], "the extent of an array")
        stride = number_of(view.array.strides[axis], "the stride of an array")
        at = start + lanes
        shape = [1] * len(index)
        shape[place] = len(at)
        fits = ((at >= 0) & (at < extent)).reshape(shape)
        offsets = offsets + (at * stride).reshape(shape)
        excused = excused | (~fits if not unchecked[place] else np.zeros(shape, np.bool_))
        inside = inside & fits
    whole = np.broadcast_shapes(offsets.shape, inside.shape, excused.shape)
    inside, excused = np.broadcast_to(inside, whole), np.broadcast_to(excused, whole)
    offsets = np.broadcast_to(offsets, whole)
    # a slice is checked against its own extents, and may itself lie outside the argument
    there = inside & (offsets >= 0) & (offsets < array.extent)
    dropped = int(np.count_nonzero(excused))
    return offsets[there], inside.size - int(np.count_nonzero(there)) - dropped, dropped, True


def _lanes(view: ViewValue, index: tuple[Tile, ...]) -> list[tuple[int, int, npt.NDArray[np.int64]]]:
    """For each axis of a tile: the axis of the array, the first element, and the elements from there."""
    kind: Any = view.type
    sizes = kind.tile_shape
    sparse = getattr(kind, "sparse_dim", None)
    order = getattr(kind, "order", tuple(range(len(sizes))))
    steps = getattr(kind, "traversal_steps", sizes)
    found: list[tuple[int, int, npt.NDArray[np.int64]]] = []
    for place, (size, step, tile) in enumerate(zip(sizes, steps, index, strict=True)):
        if place == sparse:
            if not all_known(tile):
                raise Undecided("an index depends on data")
            found.append((order[place], 0, tile.data.astype(np.int64).reshape(-1)))
            continue
        start = number_of(tile, "an index")
        found.append((order[place], start if sparse is not None else start * step, np.arange(size, dtype=np.int64)))
    return found


def touch_elements(pointer: Pointer, mask: Tile, array: Argument) -> Touched:
    """The elements at addresses. A mask that is not known may hold anywhere.

    Raises Undecided if an address depends on data and the mask does not exclude it.
    """
    taken = mask.data | ~mask.known_lanes()
    if np.any(taken & ~pointer.offset.known_lanes()):
        raise Undecided("an index depends on data")
    offsets = pointer.offset.data[taken].astype(np.int64)
    inside = (offsets >= 0) & (offsets < array.extent)
    return offsets[inside], int(np.count_nonzero(~inside)), int(np.count_nonzero(~taken)), all_known(mask)
