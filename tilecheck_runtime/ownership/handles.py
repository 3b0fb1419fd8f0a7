"""Handles: what a program has in its hand of a piece of memory. A handle can be moved once; then it is dead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.dialect.dtypes import BY_NAME
from tilecheck_runtime.dialect.dtypes import DType as ElementType
from tilecheck_runtime.ownership.places import Place, caller, name_in
from tilecheck_runtime.ownership.regions import Region
from tilecheck_runtime.ownership.storage import Hold, Storage
from tilecheck_runtime.ownership.unique import Unique

__all__ = ["Handle", "Layout", "Move", "label", "row_major"]


@dataclass(frozen=True)
class Layout:
    """Where the elements of a handle lie in its storage.

    offset   of element 0 from the beginning of the storage, in bytes
    strides  in elements
    """

    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0

    @property
    def itemsize(self) -> int:
        return int(self.dtype.storage.itemsize)

    @property
    def size(self) -> int:
        """Elements."""
        return math.prod(self.shape)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of an array without gaps, last axis fastest."""
    return tuple(math.prod(max(n, 1) for n in shape[axis + 1:]) for axis in range(len(shape)))


@dataclass(frozen=True)
class Move:
    """Where a handle went.

    into  "a partition", "the launch of `add`"
    fix   what to write instead
    """

    place: Place
    into: str
    fix: str


class Handle(Unique):
    """A handle on part of a storage.

    parent    the handle that this is a view of; None for an owner
    hold      what this handle itself holds of the storage
    readonly  whether the elements can only be read through it
    """

    kind: ClassVar[str] = "tensor"
    _instead = "take a copy of the elements: `.copy()`; to hand them to another process, `.numpy()`"

    def __init__(self, storage: Storage, layout: Layout, parent: Handle | None = None, hold: Hold | None = None,
                 readonly: bool = False) -> None:
        self._storage, self._layout, self._parent, self._hold = storage, layout, parent, hold
        self._readonly = readonly or storage.readonly
        self._moved: Move | None = None
        self._region: Region | None = None
        self._strided: Any = None

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self._layout.shape

    @property
    def strides(self) -> tuple[int, ...]:
        """Steps along each axis, in elements."""
        return self._layout.strides

    @property
    def dtype(self) -> type[ElementType]:
        """The type of the elements."""
        return BY_NAME[self._layout.dtype.name]

    @property
    def ndim(self) -> int:
        """The number of axes."""
        return len(self._layout.shape)

    @property
    def size(self) -> int:
        """The number of elements."""
        return self._layout.size

    @property
    def readonly(self) -> bool:
        """Whether it can only be read."""
        return self._readonly

    @property
    def region(self) -> Region:
        """The memory of the elements."""
        if self._region is None:
            self._region = self._found_region()
        return self._region

    def _found_region(self) -> Region:
        layout, memory = self._layout, self._storage.memory
        strides = tuple(s * layout.itemsize for s in layout.strides)
        return Region(memory.device, memory.address + layout.offset, layout.shape, strides, layout.itemsize)

    def _called(self) -> str:
        return label(self)

    def __del__(self) -> None:
        hold = getattr(self, "_hold", None)
        if hold is not None:
            hold.release()

    def __repr__(self) -> str:
        gone = "" if self._moved is None else f", moved into {self._moved.into} at {self._moved.place}"
        return f"<{_described(self)}{gone}>"


def _described(handle: Handle) -> str:
    return f"{handle.kind} of {' x '.join(map(str, handle.shape)) or 'one'} {handle.dtype.__name__}"


def label(handle: Handle) -> str:
    """The name of the variable that holds a handle where the runtime was called, else what it is."""
    found = name_in(caller(), handle)
    return f"`{found}`" if found else f"a {_described(handle)}"
