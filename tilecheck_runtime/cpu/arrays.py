"""Arrays in global memory as kernels see them, and views of them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from tilecheck_runtime.cpu.dtypes import INT32, DType
from tilecheck_runtime.cpu.machine import recorder
from tilecheck_runtime.cpu.tile import Tile, scalar
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.sanitizer.shadow import View

__all__ = ["Array", "ArrayList", "axes_of"]

Axes = frozenset[int]


class Array:
    """An array, or a part of one.

    data    the memory, as a NumPy array
    shadow  the same part of its shadow memory
    name    of the parameter it belongs to
    index   type of its extents, strides and indices
    clipped whether it is a slice that was not inside of its array
    static  the axes whose extents, and those whose strides are constants of the compiled kernel
    """

    __slots__ = ("_orders", "_shape", "_strides", "clipped", "data", "dtype", "index", "name", "shadow",
                 "static")

    def __init__(self, data: Any, dtype: DType, shadow: View, name: str, index: DType = INT32,
                 clipped: bool = False, static: tuple[Axes, Axes] = (frozenset(), frozenset())) -> None:
        self.data, self.dtype, self.shadow, self.name, self.index = data, dtype, shadow, name, index
        self.clipped, self.static = clipped, static
        self._shape: tuple[Tile, ...] | None = None
        self._strides: tuple[Tile, ...] | None = None
        self._orders: dict[tuple[int, ...], Array] = {}

    @property
    def shape(self) -> tuple[Tile, ...]:
        if self._shape is None:
            self._shape = self._scalars(self.data.shape, self.static[0])
        return self._shape

    @property
    def strides(self) -> tuple[Tile, ...]:
        """In elements."""
        if self._strides is None:
            self._strides = self._scalars(self.shadow.strides, self.static[1])
        return self._strides

    def _scalars(self, values: Iterable[int], constant: Axes) -> tuple[Tile, ...]:
        made = tuple(scalar(n, self.index) for n in values)
        for axis in constant:
            made[axis].constant = True
        return made

    @property
    def ndim(self) -> int:
        return int(self.data.ndim)

    def slice(self, axis: Any, start: Any, stop: Any) -> Array:
        """The elements from start to stop, exclusive, along one axis. A range outside of the array is reported and
        clipped."""
        place, low, high = operator.index(axis), operator.index(start), operator.index(stop)
        if not -self.ndim <= place < self.ndim:
            raise TileTypeError(f"slice along axis {place} of an array of rank {self.ndim}")
        place %= self.ndim
        extent, clipped = self.data.shape[place], self.clipped
        if not 0 <= low <= high <= extent:
            recorder().fault("TC204", f"slice {low}:{high} of axis {place} of '{self.name}', which has extent {extent}",
                             self.name)
            low = min(max(low, 0), extent)
            high = min(max(high, low), extent)
            clipped = True
        cut = (slice(None),) * place + (slice(low, high),)
        fixed = all(type(bound) is not Tile or bound.constant for bound in (start, stop))
        extents = self.static[0] | {place} if fixed else self.static[0] - {place}
        return Array(self.data[cut], self.dtype, self.shadow.slice_axis(place, low, high), self.name, self.index,
                     clipped, (extents, self.static[1]))

    def permute_axes(self, axes: tuple[int, ...]) -> Array:
        """The same elements with axes in another order."""
        if axes == tuple(range(len(axes))):
            return self
        found = self._orders.get(axes)
        if found is None:
            found = Array(self.data.transpose(axes), self.dtype, self.shadow.permute_axes(axes), self.name, self.index,
                          self.clipped)
            self._orders[axes] = found
        return found

    @property
    def foreign_pointer(self) -> Any:
        from tilecheck_runtime.cpu.unsupported import make_unsupported

        return make_unsupported("Array.foreign_pointer")()

    def __getitem__(self, index: Any) -> Any:
        raise TileTypeError("arrays cannot be indexed: use ct.load or ct.gather")


class ArrayList:
    """A list of arrays of one element type and rank."""

    def __init__(self, items: Sequence[Array]) -> None:
        self.items = tuple(items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: Any) -> Array:
        place = operator.index(index)
        if not 0 <= place < len(self.items):
            name = self.items[0].name.partition("[")[0]
            recorder().fault("TC202", f"array {place} of list '{name}', which has {len(self.items)}", name)
            place = min(max(place, 0), len(self.items) - 1)
        return self.items[place]


def axes_of(order: Any, rank: int) -> tuple[int, ...]:
    """The axes of the array in the order of `order`. Raises TileTypeError unless it is a permutation."""
    if order == "C":
        return tuple(range(rank))
    axes = tuple(range(rank))[::-1] if order == "F" else tuple(operator.index(a) for a in order)
    if sorted(axes) != list(range(rank)):
        raise TileTypeError(f"order {order!r} is not a permutation of {rank} axes")
    return axes


def view_of(data: Any) -> tuple[int, int]:
    """Lowest address of an array, and one past its highest."""
    low, high = np.lib.array_utils.byte_bounds(data)
    return int(low), int(high)


