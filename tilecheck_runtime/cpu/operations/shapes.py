"""Operations that move elements of tiles without changing them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import DTYPES, as_dtype
from tilecheck_runtime.cpu.machine import recorder
from tilecheck_runtime.cpu.operations.operands import astile_like, joint_dtype, operand
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile, as_integers, axis_of, extend, extents
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["METHODS", "NAMES"]

UINT8: Final = DTYPES["uint8"]


def _move_elements(x: Any, move: Callable[[Any], Any]) -> Tile:
    """Moves the elements of a tile, and its undefined lanes with them."""
    tile = astile_like(x)
    taint = tile.taint
    if taint is not None and taint.lanes is not None:
        taint = Taint(move(taint.lanes), taint.sources, taint.tokens)
    return Tile(move(np.asarray(tile.data)), tile.dtype, taint)


def reshape(x: Any, /, shape: Any) -> Tile:
    """The same elements in another shape; one extent may be -1."""
    wanted = as_integers(shape)
    if -1 not in wanted:
        extents(wanted)
    try:
        return _move_elements(x, lambda a: np.reshape(a, wanted)[()])
    except ValueError:
        raise TileTypeError(f"cannot reshape a tile of shape {astile_like(x).shape} to {wanted}") from None


def broadcast_to(x: Any, /, shape: Any) -> Tile:
    """Elements repeated along axes of extent 1."""
    wanted = extents(shape)
    try:
        return _move_elements(x, lambda a: np.broadcast_to(a, wanted))
    except ValueError:
        raise TileTypeError(f"cannot broadcast a tile of shape {astile_like(x).shape} to {wanted}") from None


def expand_dims(x: Any, /, axis: Any) -> Tile:
    """A new axis of extent 1."""
    place = axis_of(axis, astile_like(x).ndim + 1, "expand_dims")
    return _move_elements(x, lambda a: np.expand_dims(a, place))


def permute(x: Any, /, axes: Any) -> Tile:
    """Axes in another order."""
    rank = astile_like(x).ndim
    order = tuple(axis_of(a, rank, "permute") for a in as_integers(axes))
    if sorted(order) != list(range(rank)):
        raise TileTypeError(f"permute: {axes} is not an order of {rank} axes")
    return _move_elements(x, lambda a: np.transpose(a, order))


def transpose(x: Any, /, axis0: Any = None, axis1: Any = None) -> Tile:
    """Two axes exchanged; without axes, those of a tile of rank 2."""
    if axis0 is None and axis1 is None:
        if x.ndim != 2:
            raise TileTypeError("transpose without axes needs a tile of rank 2")
        return _move_elements(x, np.transpose)
    if axis0 is None or axis1 is None:
        raise TileTypeError("transpose takes both axes or none")
    first, second = axis_of(axis0, x.ndim, "transpose"), axis_of(axis1, x.ndim, "transpose")
    return _move_elements(x, lambda a: np.swapaxes(a, first, second))


def cat(tiles: Any, /, axis: Any) -> Tile:
    """Two tiles of one shape, one after the other along an axis; one tile is itself."""
    if len(tiles) == 1:
        return tiles[0]  # type: ignore[no-any-return]
    if len(tiles) != 2:
        raise TileTypeError(f"cat takes one or two tiles, not {len(tiles)}")
    first, second = tiles
    if first.shape != second.shape:
        raise TileTypeError(f"cat of tiles of different shapes {first.shape} and {second.shape}")
    place, dtype = axis_of(axis, first.ndim, "cat"), joint_dtype(first, second)
    data = np.concatenate([operand(first, dtype), operand(second, dtype)], place).astype(dtype.storage)
    taints = (first.taint, second.taint)
    if taints == (None, None):
        return Tile(data, dtype)
    lanes = [np.zeros(t.shape, bool) if t.taint is None or t.taint.lanes is None else t.taint.lanes for t in tiles]
    sources = tuple(s for t in taints if t is not None for s in t.sources)
    return Tile(data, dtype, Taint(np.concatenate(lanes, place), sources))


def _cut(x: Tile, index: Any, sizes: tuple[int, ...], what: str) -> tuple[slice, ...]:
    """The sub-tile with that number along each axis. An index outside of the tile is reported and replaced by 0."""
    places = as_integers(index)
    if len(places) != x.ndim or len(sizes) != x.ndim:
        raise TileTypeError(f"{what}: index and shape must have rank {x.ndim}")
    cuts = []
    for axis, (place, size, extent) in enumerate(zip(places, sizes, x.shape, strict=True)):
        if extent % size:
            raise TileTypeError(f"{what}: {size} does not divide the extent {extent}")
        if not 0 <= place < extent // size:
            recorder().report_outside_tile(what, axis, place, extent // size)
            place = 0
        cuts.append(slice(place * size, place * size + size))
    return tuple(cuts)


def extract(x: Any, /, index: Any, shape: Any) -> Tile:
    """A sub-tile; `index` counts sub-tiles, not elements."""
    sizes = extents(shape)
    cuts = _cut(x, index, sizes or (1,) * x.ndim, "extract")
    return _move_elements(x, lambda a: a[cuts] if sizes else a[cuts].reshape(()))


def insert(x: Any, /, index: Any, value: Any) -> Tile:
    """A copy of `x` with one sub-tile replaced."""
    piece = astile_like(value)
    if piece.dtype is not x.dtype:
        raise TileTypeError(f"insert of elements of {piece.dtype} into a tile of {x.dtype}")
    cuts = _cut(x, index, piece.shape or (1,) * x.ndim, "insert")
    data = np.array(x.data)
    data[cuts] = piece.data
    if x.taint is None and piece.taint is None:
        return Tile(data, x.dtype)
    lanes = np.zeros(x.shape, bool)
    sources: tuple[int, ...] = ()
    for taint, place in ((x.taint, ...), (piece.taint, cuts)):
        inside: Any = False if taint is None or taint.lanes is None else taint.lanes
        lanes[place] = inside
        sources += taint.sources if taint is not None else ()
    return Tile(data, x.dtype, Taint(lanes, sources) if lanes.any() else None)


def pack_to_bytes(x: Any, /) -> Tile:
    """The bytes of a tile, little-endian; two 4-bit elements share a byte, the first in its low half."""
    tile = astile_like(x)
    flat: Any = np.ascontiguousarray(tile.data).reshape(-1)
    if tile.dtype.bits == 4:
        nibbles = flat.view(np.uint8) & 15
        data: Any = nibbles[0::2] | (nibbles[1::2] << 4)
    elif tile.dtype.bits == 1:
        data = np.packbits(flat, bitorder="little")
    else:
        data = flat.view(np.uint8)
    return Tile(data, UINT8, _regroup_taint(tile.taint, data.size))


def unpack_from_bytes(x: Any, /, dtype: Any) -> Tile:
    """The inverse of `pack_to_bytes`."""
    target = as_dtype(dtype)
    if x.dtype is not UINT8:
        raise TileTypeError(f"unpack_from_bytes of a tile of {x.dtype}, not of uint8")
    flat = np.ascontiguousarray(x.data).reshape(-1)
    if target.bits == 4:
        data = np.stack([flat & 15, flat >> 4], axis=-1).reshape(-1).view(target.storage)
    elif target.bits == 1:
        data = np.unpackbits(flat, bitorder="little").astype(bool)
    else:
        data = flat.view(target.storage)
    return Tile(data, target, _regroup_taint(x.taint, data.size))


def _regroup_taint(taint: Taint | None, size: int) -> Taint | None:
    """Undefined lanes after elements were regrouped: a lane is undefined if any of its bits is."""
    if taint is None or taint.lanes is None:
        return taint
    lanes: Any = np.asarray(taint.lanes).reshape(-1)
    lanes = lanes.reshape(size, -1).any(axis=1) if lanes.size >= size else np.repeat(lanes, size // lanes.size)
    return Taint(lanes, taint.sources)


def _item(x: Tile) -> Tile:
    if np.size(x.data) != 1:
        raise TileTypeError(f"item() of a tile of shape {x.shape}")
    return reshape(x, ())


NAMES: Final[dict[str, Callable[..., Any]]] = {
    "reshape": reshape, "broadcast_to": broadcast_to, "expand_dims": expand_dims, "permute": permute,
    "transpose": transpose, "cat": cat, "extract": extract, "insert": insert, "pack_to_bytes": pack_to_bytes,
    "unpack_from_bytes": unpack_from_bytes,
}
METHODS: Final = ("reshape", "permute", "transpose", "extract", "insert")
"""Operations that are also methods of tiles."""


extend(Tile, {**{name: NAMES[name] for name in METHODS}, "item": _item})
