"""Arrays as tiles: `tiled_view`."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.operations.atomics import COMBINE, check_types
from tilecheck_runtime.cpu.operations.windows import (
    Box,
    box,
    convert_for_store,
    load_box,
    observe_stored,
    places_of,
    scalar_taint,
    store_box,
)
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile, as_integers, extend, extents, scalar
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.sanitizer.shadow import Window
from tilecheck_runtime.tile_language.modes import PLAIN, STRONG, PaddingMode

__all__ = ["TiledView"]


class TiledView:
    """An array as tiles. Their origins are `traversal_steps` elements apart from each other."""

    __slots__ = ("_array", "_padding", "tile_shape", "traversal_steps")

    def __init__(self, array: Array, tile_shape: tuple[int, ...], steps: tuple[int, ...], padding: Any) -> None:
        self._array, self.tile_shape, self.traversal_steps, self._padding = array, tile_shape, steps, padding

    @property
    def dtype(self) -> DType:
        return self._array.dtype

    @property
    def _sizes(self) -> tuple[int, ...]:
        return self.tile_shape or (1,) * self._array.ndim

    def num_tiles(self, axis: Any) -> Tile:
        place = operator.index(axis)
        return scalar(-(-self._array.data.shape[place] // self.traversal_steps[place]), self._array.index)

    def _box(self, index: Any, check_bounds: Any, what: str) -> Box | None:
        places = places_of(self._array, index, self._array.ndim, what)
        origin = [p * s for p, s in zip(places, self.traversal_steps, strict=True)]
        return box(self._array, origin, self._sizes, check_bounds, what)

    def load(self, index: Any, *, check_bounds: Any = True, latency: Any = None, allow_tma: Any = None) -> Tile:
        tile = load_box(self._array, self._box(index, check_bounds, "load"), self._sizes, self._padding, PLAIN)
        return tile if self.tile_shape else Tile(tile.data.reshape(())[()], tile.dtype, scalar_taint(tile.taint))

    def _value(self, tile: Any, what: str) -> Tile:
        value = convert_for_store(tile, self.dtype, f"{what} to '{self._array.name}'")
        taint = value.taint
        if taint is not None and taint.lanes is not None:
            taint = Taint(np.broadcast_to(taint.lanes, self._sizes), taint.sources)
        if np.broadcast_shapes(value.shape, self._sizes) != self._sizes:
            raise TileTypeError(f"{what} of a tile of shape {value.shape} in a view of tiles of shape {self._sizes}")
        return Tile(np.broadcast_to(value.data, self._sizes), value.dtype, taint)

    def store(self, index: Any, tile: Any, *, check_bounds: Any = True, latency: Any = None,
              allow_tma: Any = None) -> None:
        found = self._box(index, check_bounds, "store")
        store_box(self._array, found, self._value(tile, "store"), PLAIN, "a store")

    def atomic(self, name: str, index: Any, update: Any) -> None:
        """Updates a tile atomically, without result, relaxed and with device scope."""
        check_types(name, self.dtype, (update,))
        found, value = self._box(index, True, f"atomic_store_{name}"), self._value(update, f"atomic_store_{name}")
        if found is None:
            return
        window = Window(self._array.shadow, found.cuts)
        observe_stored(self._array, found, value, window, "an atomic update")
        machine.recorder().write(window, self._array.name, STRONG)
        machine.recorder().note_progress()
        cell = self._array.data[found.cuts]
        cell[...] = COMBINE[name](cell, value.data if found.inner is None else value.data[found.inner])


def _atomic_store(name: str) -> Callable[[TiledView, Any, Any], None]:
    return lambda view, index, update: view.atomic(name, index, update)


def tiled_view(array: Array, tile_shape: Any, *, padding_mode: Any = PaddingMode.UNDETERMINED,
               traversal_steps: Any = None) -> TiledView:
    """A view of an array in tiles."""
    shape = extents(tile_shape)
    if shape and len(shape) != array.ndim:
        raise TileTypeError(f"tiled_view: a tile of rank {len(shape)} of '{array.name}', which has rank {array.ndim}")
    steps = (shape or (1,) * array.ndim) if traversal_steps is None else as_integers(traversal_steps)
    if len(steps) != array.ndim or any(s < 1 for s in steps):
        raise TileTypeError(f"tiled_view: traversal steps {steps} for an array of rank {array.ndim}")
    return TiledView(array, shape, steps, padding_mode)


extend(Array, {"tiled_view": tiled_view})
extend(TiledView, {f"atomic_store_{n}": _atomic_store(n) for n in ("add", "max", "min", "and", "or", "xor")})
