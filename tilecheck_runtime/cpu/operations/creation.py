"""Creation of tiles, and the position of a block in the grid."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import INT32, as_dtype
from tilecheck_runtime.cpu.machine import recorder
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile, cast, convert, extents
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.sanitizer.progress import Progress

__all__ = ["NAMES"]


def _axis(axis: Any) -> int:
    place = operator.index(axis)
    if place not in (0, 1, 2):
        raise TileTypeError(f"grid axis {place}: there are 0, 1 and 2")
    return place


def bid(axis: Any) -> Tile:
    """The block's index along a grid axis."""
    recorder()
    return Tile(np.int32(Progress.block[_axis(axis)]), INT32)


def num_blocks(axis: Any) -> Tile:
    """The extent of the grid along an axis."""
    recorder()
    return Tile(np.int32(Progress.grid[_axis(axis)]), INT32)


def arange(size: Any, /, *, dtype: Any, start: Any = 0, step: Any = 1) -> Tile:
    """`start`, `start + step`, and so on."""
    (count,), target = extents(size), as_dtype(dtype)
    first, distance = convert(start, target), convert(step, target)
    data = np.arange(count).astype(target.compute) * distance.data.astype(target.compute)
    return Tile((data + first.data.astype(target.compute)).astype(target.storage), target)


def full(shape: Any, fill_value: Any, dtype: Any) -> Tile:
    """Every element the same."""
    sizes, target = extents(shape), as_dtype(dtype)
    value = convert(fill_value, target)
    taint = value.taint
    if taint is not None and taint.lanes is not None:
        taint = Taint(np.broadcast_to(taint.lanes, sizes), taint.sources)
    return Tile(np.full(sizes, value.data, target.storage)[()], target, taint)


def zeros(shape: Any, dtype: Any) -> Tile:
    """Every element zero."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any) -> Tile:
    """Every element one."""
    return full(shape, 1, dtype)


def astile(value: Any, /, *, dtype: Any) -> Tile:
    """A scalar, or nested tuples of scalars, as a tile."""
    target = as_dtype(dtype)
    if not isinstance(value, tuple):
        return convert(value, target)
    parts = [astile(part, dtype=target) for part in value]
    data = cast(np.stack([np.asarray(p.data) for p in parts]), target)
    extents(data.shape)
    return Tile(data, target)


NAMES: Final[dict[str, Callable[..., Any]]] = {
    "bid": bid, "num_blocks": num_blocks, "arange": arange, "full": full, "zeros": zeros, "ones": ones,
    "astile": astile,
}
