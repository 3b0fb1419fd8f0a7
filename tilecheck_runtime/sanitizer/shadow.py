"""Shadow memory: the first and the last operation that wrote and that read each element.

Four numbers of 4 bytes per element, allocated on first use. They are enough to detect whether another block accessed
the element: blocks run one after another, so if the first and the last reader belong to one block, every reader did. A
fifth number marks the elements that a second pass follows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

import numpy as np
from numpy.lib.stride_tricks import as_strided

__all__ = ["FIRST_READ", "FIRST_WRITE", "LAST_READ", "LAST_WRITE", "WATCHED", "Lanes", "Storage", "Target",
           "View", "Window"]

FIRST_WRITE, LAST_WRITE, FIRST_READ, LAST_READ, WATCHED = range(5)
SLOT: Final = np.dtype(np.uint32)


@dataclass(eq=False)
class Storage:
    """Memory under one array or several that overlap.

    low, itemsize  address of the first element and bytes per element
    length         number of elements
    """

    low: int
    itemsize: int
    length: int
    slots: list[Any] = field(default_factory=lambda: [None] * 5)
    views: list[tuple[str, View]] = field(default_factory=list)
    weak: bool = False
    """Whether an access was seen that is not STRONG, which a strong one of the same block must not hide."""
    released: dict[int, Any] = field(default_factory=dict)
    """Releases by position, for synchronisation."""
    touched: dict[str, bool] = field(default_factory=dict)
    """The arrays that were accessed, and whether they were written."""
    overlaps: list[tuple[str, str]] = field(default_factory=list)
    """Pairs of its arrays that have elements in common."""

    def flat(self, slot: int) -> Any:
        """The numbers of a slot for the whole storage."""
        found = self.slots[slot]
        if found is None:
            found = self.slots[slot] = np.zeros(self.length, np.uint8 if slot == WATCHED else SLOT)
        return found


class View:
    """The shadow memory of an array: the same shape over the shadow memory of its storage. Strides are in elements."""

    __slots__ = ("_made", "offset", "shape", "storage", "strides")

    def __init__(self, storage: Storage, offset: int, shape: tuple[int, ...], strides: tuple[int, ...]) -> None:
        self.storage, self.offset, self.shape, self.strides = storage, offset, shape, strides
        self._made: list[Any] = [None] * 5

    def slot(self, number: int) -> Any:
        """The numbers of a slot, in the shape of the array."""
        made = self._made[number]
        if made is None:
            flat = self.storage.flat(number)
            made = as_strided(flat[self.offset:], self.shape, [s * flat.itemsize for s in self.strides])
            self._made[number] = made
        return made

    def slice_axis(self, axis: int, start: int, stop: int) -> View:
        """The part from start to stop along an axis."""
        shape = (*self.shape[:axis], stop - start, *self.shape[axis + 1:])
        return View(self.storage, self.offset + start * self.strides[axis], shape, self.strides)

    def permute_axes(self, axes: Sequence[int]) -> View:
        """The same part with axes in another order."""
        return View(self.storage, self.offset, tuple(self.shape[a] for a in axes),
                    tuple(self.strides[a] for a in axes))

    def element(self, position: int) -> tuple[int, ...]:
        """The index of the element at a position of the storage."""
        rest = position - self.offset
        index = [0] * len(self.shape)
        for axis in sorted(range(len(self.shape)), key=lambda a: -abs(self.strides[a])):
            stride, extent = self.strides[axis], self.shape[axis]
            if stride and extent > 1:
                index[axis] = rest // stride
                rest -= index[axis] * stride
        return tuple(index)


class Target(Protocol):
    """The elements that one operation accesses."""

    storage: Storage

    def get(self, slot: int) -> Any: ...

    def put(self, slot: int, number: int) -> None: ...

    def put_where(self, slot: int, number: int, where: Any) -> None: ...

    def position(self, place: int) -> int: ...


class Window:
    """A box of an array."""

    __slots__ = ("cuts", "storage", "view")

    def __init__(self, view: View, cuts: tuple[slice, ...]) -> None:
        self.view, self.cuts, self.storage = view, cuts, view.storage

    def get(self, slot: int) -> Any:
        return self.view.slot(slot)[self.cuts]

    def put(self, slot: int, number: int) -> None:
        self.view.slot(slot)[self.cuts] = number

    def put_where(self, slot: int, number: int, where: Any) -> None:
        np.copyto(self.view.slot(slot)[self.cuts], number, where=where)

    def position(self, place: int) -> int:
        shape = tuple(c.stop - c.start for c in self.cuts)
        local = np.unravel_index(place, shape) if shape else ()
        steps = zip(local, self.cuts, self.view.strides, strict=True)
        return int(self.view.offset + sum((int(i) + c.start) * s for i, c, s in steps))

    @property
    def size(self) -> int:
        return int(np.prod([c.stop - c.start for c in self.cuts], dtype=np.int64))


class Lanes:
    """Single elements, by position in their storage; consecutive ones are treated as a box."""

    __slots__ = ("_where", "positions", "storage")

    def __init__(self, storage: Storage, positions: Any) -> None:
        self.storage, self.positions = storage, positions
        self._where: Any = positions
        size = positions.size
        if size > 1 and positions[-1] - positions[0] == size - 1 and (positions[1:] > positions[:-1]).all():
            self._where = slice(int(positions[0]), int(positions[-1]) + 1)

    @property
    def consecutive(self) -> bool:
        return isinstance(self._where, slice)

    def get(self, slot: int) -> Any:
        return self.storage.flat(slot)[self._where]

    def put(self, slot: int, number: int) -> None:
        self.storage.flat(slot)[self._where] = number

    def put_where(self, slot: int, number: int, where: Any) -> None:
        flat = self.storage.flat(slot)
        if isinstance(self._where, slice):
            np.copyto(flat[self._where], number, where=where)
        else:
            flat[self.positions[where]] = number

    def position(self, place: int) -> int:
        return int(self.positions[place])

    @property
    def size(self) -> int:
        return int(self.positions.size)
