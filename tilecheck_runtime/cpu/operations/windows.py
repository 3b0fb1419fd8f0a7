"""Loads and stores of whole tiles."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.arrays import Array, axes_of
from tilecheck_runtime.cpu.dtypes import BOOL, INT32, DType, common_dtype, widens
from tilecheck_runtime.cpu.operations.padding import fill_value, is_undefined
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile, as_integers, cast, convert, extents, scalar
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.sanitizer.shadow import Lanes, Window
from tilecheck_runtime.tile_language.modes import STRONG, MemoryOrder, MemoryScope, PaddingMode, strength

__all__ = [
    "NAMES",
    "Box",
    "box",
    "convert_for_store",
    "load_box",
    "observe_stored",
    "places_of",
    "scalar_taint",
    "store_box",
]

INDEX_LIMIT: Final = 1 << 31


@dataclass(frozen=True, slots=True)
class Box:
    """The part of a tile that lies inside an array.

    cuts   in the array
    inner  in the tile; None when the whole tile lies inside
    """

    cuts: tuple[slice, ...]
    inner: tuple[slice, ...] | None


def box(array: Array, origin: list[int], sizes: tuple[int, ...], check_bounds: Any, what: str) -> Box | None:
    """Returns the elements of the tile at `origin`. Reports a tile wholly outside and returns None, but for the first
    tile of an empty axis, which has no elements."""
    cuts: list[slice] = []
    inner: list[slice] = []
    full = True
    for axis, (low, size, extent) in enumerate(zip(origin, sizes, array.data.shape, strict=True)):
        high = low + size
        if low < 0 or (low >= extent and (low or array.clipped)):
            machine.recorder().fault(
                "TC201",
                f"{what} of a tile wholly outside '{array.name}': elements {low} to {high} of axis {axis}, "
                f"which has extent {extent}",
                array.name,
                notes=_hint(low, size, extent),
            )
            return None
        if high > extent:
            high, full = extent, False
        cuts.append(slice(low, high))
        inner.append(slice(0, high - low))
    if full:
        return Box(tuple(cuts), None)
    if not check_bounds:
        machine.recorder().fault(
            "TC202", f"unchecked {what} of a tile that reaches past the end of '{array.name}', whose shape is "
            f"{array.data.shape}", array.name)
    return Box(tuple(cuts), tuple(inner))


def _hint(low: int, size: int, extent: int) -> tuple[str, ...]:
    """A note if a tile index may have been mistaken for an element index."""
    index = low // size
    if size > 1 and 0 < index < extent and index % size == 0:
        return (f"index {index} counts tiles of {size}; tile {index // size} begins at element {index}",)
    return ()


def _padding_taint(array: Array, shape: tuple[int, ...], inner: tuple[slice, ...]) -> Taint:
    lanes = np.ones(shape, bool)
    lanes[inner] = False
    return Taint(lanes, (machine.register_undefined(f"the padding of a load of '{array.name}'"),))


def load_box(array: Array, found: Box | None, shape: tuple[int, ...], mode: Any, power: int) -> Tile:
    """The values of a tile; lanes outside the array are padded."""
    if found is None:
        data = np.full(shape, fill_value(array.dtype, PaddingMode.UNDETERMINED), array.dtype.storage)
        return Tile(data, array.dtype)  # all lanes are undefined, which was reported
    machine.recorder().read(Window(array.shadow, found.cuts), array.name, power)
    if found.inner is None:
        return Tile(np.array(array.data[found.cuts]), array.dtype)
    data = np.full(shape, fill_value(array.dtype, mode), array.dtype.storage)
    data[found.inner] = array.data[found.cuts]
    if is_undefined(mode):
        return Tile(data, array.dtype, _padding_taint(array, shape, found.inner))
    return Tile(data, array.dtype)


def convert_for_store(value: Any, dtype: DType, what: str) -> Tile:
    """Converts a value to elements of an array. Raises TileTypeError where cuTile requires a cast."""
    if type(value) is Tile:
        if value.dtype is dtype:
            return value
        if not widens(value.dtype, dtype):
            raise TileTypeError(f"{what}: no implicit cast from {value.dtype} to {dtype}")
        return Tile(cast(value.data, dtype), dtype, value.taint)
    if dtype.category == BOOL and isinstance(value, int) and value in (0, 1):
        return Tile(np.bool_(value), dtype)
    if common_dtype(dtype, value) is not dtype:
        raise TileTypeError(f"{what}: no implicit cast of {value} to {dtype}")
    return scalar(value, dtype) if isinstance(value, int) else convert(value, dtype)


def store_box(array: Array, found: Box | None, tile: Tile, power: int, what: str) -> None:
    """Writes the part of a tile that lies inside the array."""
    if found is None:
        return
    window = Window(array.shadow, found.cuts)
    observe_stored(array, found, tile, window, what)
    machine.recorder().write(window, array.name, power)
    if 0 in array.shadow.strides:
        _report_repeated_writes(array, window)
    array.data[found.cuts] = tile.data if found.inner is None else tile.data[found.inner]


def observe_stored(array: Array, found: Box, tile: Tile, window: Window, what: str) -> None:
    taint = tile.taint
    if taint is None or taint.lanes is None:
        return
    lanes = taint.lanes if found.inner is None else taint.lanes[found.inner]
    if lanes.any():
        position = window.position(int(np.flatnonzero(np.ravel(lanes))[0]))
        root = next((v for n, v in array.shadow.storage.views if n == array.name), array.shadow)
        machine.recorder().undefined_used(taint.sources, what, array.name, root.element(position))


def _report_repeated_writes(array: Array, window: Window) -> None:
    """Reports a store through an axis of stride 0, which writes its elements more than once."""
    if any(s == 0 and c.stop - c.start > 1 for s, c in zip(array.shadow.strides, window.cuts, strict=True)):
        machine.recorder().fault("TC106", f"one store writes elements of '{array.name}' more than once: "
                                 "it has an axis of stride 0", array.name)


def places_of(array: Array, index: Any, rank: int, what: str) -> tuple[int, ...]:
    places = as_integers(index)
    if len(places) != rank:
        raise TileTypeError(f"{what}: an index of rank {len(places)} for '{array.name}', which has rank {rank}")
    if array.index is INT32 and any(not -INDEX_LIMIT <= p < INDEX_LIMIT for p in places):
        machine.recorder().fault("TC207", f"index {places} of '{array.name}' does not fit in 32 bits", array.name)
    return places


def load(array: Array, /, index: Any, shape: Any, *, order: Any = "C", padding_mode: Any = PaddingMode.UNDETERMINED,
         check_bounds: Any = True, latency: Any = None, allow_tma: Any = None,
         memory_order: Any = MemoryOrder.WEAK, memory_scope: Any = MemoryScope.NONE) -> Tile:
    """A tile; `index` counts tiles."""
    seen = _array(array, "load").permute_axes(axes_of(order, array.ndim))
    given = extents(shape)
    sizes = given or (1,) * seen.ndim
    if len(sizes) != seen.ndim:
        raise TileTypeError(f"load: a tile of rank {len(sizes)} of '{array.name}', which has rank {seen.ndim}")
    places = places_of(seen, index, len(sizes), "load")
    found = box(seen, [p * n for p, n in zip(places, sizes, strict=True)], sizes, check_bounds, "load")
    power = strength(memory_order, memory_scope)
    tile = load_box(seen, found, sizes, padding_mode, power)
    if power == STRONG and found is not None:
        tokens = machine.recorder().tokens(_lanes_of(seen, found), memory_order.name, False)
        if tokens:
            lanes, sources = (tile.taint.lanes, tile.taint.sources) if tile.taint else (None, ())
            tile.taint = Taint(lanes, sources, tokens)
    if given:
        return tile
    return Tile(tile.data.reshape(())[()], tile.dtype, scalar_taint(tile.taint))


def scalar_taint(taint: Taint | None) -> Taint | None:
    if taint is None or taint.lanes is None:
        return taint
    return Taint(taint.lanes.reshape(()), taint.sources, taint.tokens)


def _lanes_of(array: Array, found: Box) -> Lanes:
    window = Window(array.shadow, found.cuts)
    return Lanes(array.shadow.storage, np.array([window.position(n) for n in range(min(window.size, 65))]))


def store(array: Array, /, index: Any, tile: Any, *, order: Any = "C", check_bounds: Any = True, latency: Any = None,
          allow_tma: Any = None, memory_order: Any = MemoryOrder.WEAK, memory_scope: Any = MemoryScope.NONE) -> None:
    """Writes a tile; `index` counts tiles of its shape."""
    seen = _array(array, "store").permute_axes(axes_of(order, array.ndim))
    value = convert_for_store(tile, array.dtype, f"store to '{array.name}'")
    if value.ndim == 0:
        ones = (1,) * seen.ndim
        taint = value.taint
        if taint is not None and taint.lanes is not None:
            taint = Taint(taint.lanes.reshape(ones), taint.sources)
        value = Tile(np.reshape(value.data, ones), value.dtype, taint)
    sizes = value.shape
    if len(sizes) != seen.ndim:
        raise TileTypeError(f"store: a tile of rank {len(sizes)} to '{array.name}', which has rank {seen.ndim}")
    places = places_of(seen, index, len(sizes), "store")
    found = box(seen, [p * n for p, n in zip(places, sizes, strict=True)], sizes, check_bounds, "store")
    power = strength(memory_order, memory_scope)
    store_box(seen, found, value, power, "a store")
    if power == STRONG and found is not None:
        machine.recorder().release(_lanes_of(seen, found), memory_order.name, False)
        machine.recorder().note_progress()


def _array(value: Any, what: str) -> Array:
    if not isinstance(value, Array):
        raise TileTypeError(f"{what} of {type(value).__name__}, which is not an array")
    return value


def num_tiles(array: Array, /, axis: Any, shape: Any, order: Any = "C") -> Tile:
    """Tiles of that shape along an axis of the tile space."""
    sizes = extents(shape) or (1,) * array.ndim
    if len(sizes) != array.ndim:
        raise TileTypeError(f"num_tiles: a tile of rank {len(sizes)} of '{array.name}', which has rank {array.ndim}")
    place = operator.index(axis)
    extent = array.data.shape[axes_of(order, array.ndim)[place]]
    return scalar(-(-extent // sizes[place]), array.index)


NAMES: Final[dict[str, Callable[..., Any]]] = {"load": load, "store": store, "num_tiles": num_tiles}
