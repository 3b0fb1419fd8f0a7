"""Reads and writes of single elements: gathers, scatters, advanced indexing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.dtypes import BOOL, INT64, INTEGRAL
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.operations.padding import fill_value, is_undefined
from tilecheck_runtime.cpu.operations.windows import convert_for_store
from tilecheck_runtime.cpu.taint import Taint, taint_of_lanes
from tilecheck_runtime.cpu.tile import Tile, as_integers, extents
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.sanitizer.shadow import Lanes
from tilecheck_runtime.tile_language.modes import PaddingMode

__all__ = ["NAMES", "Places", "Slice", "places", "read", "spread", "taint_of", "write"]


@dataclass(frozen=True, slots=True)
class Places:
    """The elements that the lanes of an access stand for.

    shape   of the access
    active  bool array of that shape, or None when every lane touches memory
    index   per axis, the indices of active lanes only (of all, in their shape, when active is None)
    lanes   their positions in the storage
    """

    shape: tuple[int, ...]
    active: Any
    index: tuple[Any, ...]
    lanes: Lanes


def _observe(value: Any, what: str, active: Any, shape: tuple[int, ...]) -> None:
    taint = value.taint if type(value) is Tile else None
    if taint is None:
        return
    if taint.tokens:
        machine.observe(Taint(tokens=taint.tokens), what)
    if taint.lanes is not None:
        lanes = np.broadcast_to(taint.lanes, shape)
        if (lanes if active is None else lanes & active).any():
            machine.recorder().undefined_used(taint.sources, what)


def _indices(array: Array, indices: Any, what: str) -> tuple[Tile, ...]:
    given = indices if isinstance(indices, tuple) else (indices,)
    if len(given) != array.ndim:
        raise TileTypeError(f"{what}: {len(given)} indices for '{array.name}', which has rank {array.ndim}")
    parts = tuple(astile_like(part) for part in given)
    for part in parts:
        if part.dtype.category != INTEGRAL:
            raise TileTypeError(f"{what}: an index of {part.dtype}")
    return parts


def places(array: Array, indices: Any, mask: Any, check_bounds: Any, what: str) -> Places:
    """The elements that an access names; those outside are dropped, which is reported if it was not to be checked."""
    parts = _indices(array, indices, what)
    shape = np.broadcast_shapes(*(p.shape for p in parts))
    wanted = None
    if mask is not None:
        chosen = astile_like(mask)
        if chosen.dtype.category != BOOL:
            raise TileTypeError(f"{what}: a mask of {chosen.dtype}")
        if np.broadcast_shapes(shape, chosen.shape) != shape:
            raise TileTypeError(f"{what}: a mask of shape {chosen.shape} for indices of shape {shape}")
        _observe(chosen, f"the mask of {what}", None, shape)
        wanted = np.broadcast_to(chosen.data, shape)
    inside: Any = True
    for part, extent in zip(parts, array.data.shape, strict=True):
        _observe(part, f"an index of {what}", wanted, shape)
        inside = inside & ((part.data >= 0) & (part.data < extent))
    if not np.all(inside):
        inside = np.broadcast_to(inside, shape)
        if not check_bounds:
            _report_unchecked(array, parts, shape, inside if wanted is None else inside | ~wanted, what)
        active = inside if wanted is None else inside & wanted
    else:
        active = wanted
    if active is not None and active.all():
        active = None
    strides, offset = array.shadow.strides, array.shadow.offset
    if active is None:
        index = tuple(p.data for p in parts)
    else:
        index = tuple(np.broadcast_to(p.data, shape)[active] for p in parts)
    position: Any = np.int64(offset)
    for part, stride in zip(index, strides, strict=True):
        position = position + np.asarray(part, np.int64) * stride
    if active is None:
        position = np.broadcast_to(position, shape)
    return Places(shape, active, index, Lanes(array.shadow.storage, np.ravel(position)))


def _report_unchecked(array: Array, parts: tuple[Tile, ...], shape: tuple[int, ...], inside: Any, what: str) -> None:
    outside = np.flatnonzero(~inside)
    if outside.size:
        element = tuple(int(np.ravel(np.broadcast_to(p.data, shape))[outside[0]]) for p in parts)
        machine.recorder().fault(
            "TC202", f"unchecked {what} of element {list(element)} of '{array.name}', whose shape is "
            f"{array.data.shape}", array.name, element)


def spread(value: Tile, shape: tuple[int, ...], active: Any) -> Any:
    """The elements of a value on active lanes, flat."""
    data = np.broadcast_to(value.data, shape)
    return np.ravel(data) if active is None else data[active]


def taint_of(value: Tile, shape: tuple[int, ...]) -> Any:
    """The undefined lanes of a value in a shape, or None."""
    taint = value.taint
    return None if taint is None or taint.lanes is None else np.broadcast_to(taint.lanes, shape)


def read(array: Array, found: Places, padding: Any, what: str, mode: Any = None) -> Tile:
    """The values of the lanes; `padding` where nothing is read, undefined there when `mode` says so."""
    if found.lanes.size:
        machine.recorder().read(found.lanes, array.name)
    if found.active is None:
        data = np.broadcast_to(array.data[found.index], found.shape)
        return Tile(np.array(data)[()], array.dtype)
    fill = convert_for_store(padding, array.dtype, f"padding of {what}")
    data = np.array(np.broadcast_to(fill.data, found.shape))
    data[found.active] = array.data[found.index]
    if mode is not None and is_undefined(mode):
        source = machine.register_undefined(f"the padding of {what} of '{array.name}'")
        return Tile(data[()], array.dtype, taint_of_lanes(~found.active, (source,)))
    lanes = taint_of(fill, found.shape)
    if lanes is None:
        return Tile(data[()], array.dtype)
    return Tile(data[()], array.dtype, taint_of_lanes(lanes & ~found.active, fill.taint.sources if fill.taint else ()))


def write(array: Array, found: Places, value: Any, what: str) -> None:
    """Writes the active lanes."""
    tile = convert_for_store(value, array.dtype, f"{what} to '{array.name}'")
    recorder = machine.recorder()
    lanes = taint_of(tile, found.shape)
    if lanes is not None and tile.taint is not None:
        stored = np.ravel(lanes if found.active is None else lanes[found.active])
        if stored.any():
            element = tuple(int(np.ravel(np.broadcast_to(i, np.shape(stored)))[np.flatnonzero(stored)[0]])
                            for i in found.index) if found.active is not None else None
            recorder.undefined_used(tile.taint.sources, f"a {what}", array.name, element)
    if not found.lanes.size:
        return
    recorder.write(found.lanes, array.name)
    recorder.duplicates(found.lanes, array.name)
    if found.active is None:
        array.data[found.index] = np.broadcast_to(tile.data, found.shape)
    else:
        array.data[found.index] = spread(tile, found.shape, found.active)


def gather(array: Array, indices: Any, /, *, mask: Any = None, padding_value: Any = 0, check_bounds: Any = True,
           latency: Any = None) -> Tile:
    """Elements by index; `padding_value` where masked or outside."""
    return read(array, places(array, indices, mask, check_bounds, "gather"), padding_value, "gather")


def scatter(array: Array, indices: Any, value: Any, /, *, mask: Any = None, check_bounds: Any = True,
            latency: Any = None) -> None:
    """Writes elements by index, except where masked or outside."""
    write(array, places(array, indices, mask, check_bounds, "scatter"), value, "scatter")


@dataclass(frozen=True)
class Slice:
    """A dense range of elements in advanced indexing."""

    start: Any
    length: Any


def _split_advanced_index(array: Array, indices: Any, what: str) -> tuple[Tile, ...]:
    """The indices of advanced indexing as element indices along each axis."""
    if len(indices) != array.ndim or array.ndim < 2:
        raise TileTypeError(f"{what}: {len(indices)} indices for '{array.name}', which has rank {array.ndim}")
    if sum(type(part) is Tile for part in indices) != 1:
        raise TileTypeError(f"{what}: exactly one index is a tile, the others are ct.Slice")
    parts = []
    for axis, part in enumerate(indices):
        after = (1,) * (array.ndim - 1 - axis)
        if type(part) is Tile:
            if part.ndim != 1:
                raise TileTypeError(f"{what}: the index tile must have rank 1")
            lanes = part.taint
            if lanes is not None and lanes.lanes is not None:
                lanes = Taint(lanes.lanes.reshape(-1, *after), lanes.sources)
            parts.append(Tile(part.data.astype(np.int64).reshape(-1, *after), INT64, lanes))
            continue
        (start,), (length,) = as_integers(part.start), extents(part.length)
        if not 0 <= start < array.data.shape[axis]:
            machine.recorder().fault("TC201", f"{what} of a tile wholly outside '{array.name}': elements {start} to "
                                     f"{start + length} of axis {axis}, which has extent {array.data.shape[axis]}",
                                     array.name)
        parts.append(Tile((start + np.arange(length)).reshape(-1, *after), INT64))
    return tuple(parts)


def load_advanced_indexing(array: Array, indices: Any, /, *, padding_mode: Any = PaddingMode.UNDETERMINED,
                           latency: Any = None, allow_tma: Any = None) -> Tile:
    """Rows picked by an index tile."""
    what = "load_advanced_indexing"
    found = places(array, _split_advanced_index(array, indices, what), None, True, what)
    fill = Tile(fill_value(array.dtype, padding_mode), array.dtype)
    return read(array, found, fill, what, padding_mode)


def store_advanced_indexing(array: Array, indices: Any, tile: Any, /, *, latency: Any = None,
                            allow_tma: Any = None) -> None:
    """Writes rows picked by an index tile."""
    what = "store_advanced_indexing"
    write(array, places(array, _split_advanced_index(array, indices, what), None, True, what), tile, what)



NAMES: Final[dict[str, Callable[..., Any]]] = {
    "gather": gather, "scatter": scatter, "load_advanced_indexing": load_advanced_indexing,
    "store_advanced_indexing": store_advanced_indexing, "Slice": Slice,
}
