"""A read-only input. It has no method that writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["Part", "Ref"]


@dataclass(frozen=True)
class Part:
    """An input in tiles.

    array    the whole array
    tile     extents of a tile
    order    axes of the array in the order of the view
    padding  of lanes past the end
    check    whether a tile may extend past the end
    """

    array: Any
    tile: Any
    order: Any
    padding: Any
    check: Any

    def __getitem__(self, index: Any) -> Any:
        return ct.load(self.array, index, self.tile, order=self.order, padding_mode=self.padding,
                       check_bounds=self.check)

    def tiles(self, axis: Any) -> Any:
        """The number of tiles along an axis."""
        return ct.num_tiles(self.array, axis, self.tile, order=self.order)


@dataclass(frozen=True)
class Ref:
    """An input.

    array    the whole array
    order    axes of the array in the order of the view
    back     the position of each axis of the array in the view
    padding  of lanes past the end
    check    whether a tile at the location of an output's piece may extend past the end
    """

    array: Any
    order: Any
    back: Any
    padding: Any
    check: Any

    def load_like(self, z: Any) -> Any:
        """The tile at the location of the piece of an output."""
        return ct.load(self.array, z.placed.own(), z.tile, order=self.order, padding_mode=self.padding,
                       check_bounds=self.check)

    def load(self, index: Any, shape: Any) -> Any:
        """The tile at an index, counted in tiles of this shape."""
        return ct.load(self.array, index, shape, order=self.order, padding_mode=self.padding, check_bounds=self.check)

    def partition(self, *tile: Any) -> Any:
        """The input in tiles."""
        return Part(self.array, tile, self.order, self.padding, self.check)

    def permute(self, *axes: Any) -> Any:
        """The input with its axes in another order."""
        order = self.order
        ct.static_assert(sorted(axes) == list(range(len(order))), f"{axes} is not a permutation of {len(order)} axes")
        turned = ct.static_eval(tuple(order[k] for k in axes))
        back = ct.static_eval(tuple(turned.index(k) for k in range(len(turned))))
        return Ref(self.array, turned, back, self.padding, self.check)

    def padded(self, padding: Any) -> Any:
        """The input with another padding than zero. Accesses of an unchecked input are never padded."""
        return Ref(self.array, self.order, self.back, padding if self.check else self.padding, self.check)

    def extent(self, axis: Any) -> Any:
        """The extent of the array along an axis."""
        return self.array.shape[self.order[axis]]

    def gather(self, indices: Any) -> Any:
        """Elements by index; zero outside of the array."""
        back = self.back
        return ct.gather(self.array, tuple(indices[k] for k in ct.static_iter(back)))

    def at(self, *index: Any) -> Any:
        """One element; zero outside of the array."""
        return self.gather(index)

    def gather_row(self, row: Any, length: Any) -> Any:
        """A row of a matrix as a tile of one row; zero outside of the array."""
        order = self.order
        ct.static_assert(len(order) == 2, f"gather_row takes a matrix, not an array of {len(order)} axes")
        lanes = ct.arange(length, dtype=ct.int32)
        return ct.reshape(self.gather((row, lanes)), (1, length))
