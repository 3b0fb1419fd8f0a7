"""Handles: references of a program to parts of memory. A handle can be moved once; then it is dead."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.dialect.dtypes import BY_NAME
from tilecheck_runtime.dialect.dtypes import DType as ElementType
from tilecheck_runtime.errors.locations import Location, caller_frame, variable_name
from tilecheck_runtime.ownership.memory import Strided
from tilecheck_runtime.ownership.regions import Region
from tilecheck_runtime.ownership.storage import Hold, Storage
from tilecheck_runtime.ownership.unique import Unique

__all__ = ["Core", "Handle", "Layout", "Move", "Site", "label", "row_major"]


@dataclass(frozen=True)
class Layout:
    """The location of the elements of a handle in its storage.

    offset   of element 0 from the start of the storage, in bytes
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
        """The number of elements."""
        return math.prod(self.shape)


def row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    """The strides of a contiguous array in row-major order."""
    return tuple(math.prod(max(n, 1) for n in shape[axis + 1:]) for axis in range(len(shape)))


class Move(tuple[Location, str, str]):
    """The move of a handle: its location, and two texts.

    into  "a partition", "the launch of `add`"
    fix   the suggested replacement

    A tuple for the same reason as `Location`.
    """

    __slots__ = ()

    def __new__(cls, place: Location, into: str, fix: str) -> Move:
        return tuple.__new__(cls, (place, into, fix))

    @property
    def place(self) -> Location:
        return self[0]

    @property
    def into(self) -> str:
        return self[1]

    @property
    def fix(self) -> str:
        return self[2]


class Site:
    """The identity of successive handles on the same memory, with the same layout and pieces, such as the result of a
    launch and the partition that was moved into it. Code that has checked one of them need not check the next. It keeps
    no memory alive.

    known  records of launches, by everything that they depend on
    last   the record that was used last
    seen   whether it was launched before
    """

    __slots__ = ("known", "last", "seen")

    def __init__(self) -> None:
        self.known: dict[object, Any] = {}
        self.last: Any = None
        self.seen = False


class Core:
    """The constant part of a handle, and values derived from it."""

    __slots__ = ("cut", "facts", "layout", "parent", "readonly", "region", "site", "storage", "strided")

    def __init__(self, storage: Storage, layout: Layout, parent: Handle | None, readonly: bool) -> None:
        self.storage, self.layout, self.parent, self.readonly = storage, layout, parent, readonly
        self.region: Region | None = None
        self.strided: Any = None
        self.cut: Any = None
        self.facts: Any = None
        self.site = Site()


class Handle(Unique):
    """A handle on part of a storage.

    parent    the handle that this is a view of; None for an owner
    hold      its own hold on the storage, which ends with the handle
    readonly  whether the elements can only be read through it

    Only the hold, and whether it was moved, can change.
    """

    __slots__ = ("__weakref__", "_core", "_hold", "_moved")
    kind: ClassVar[str] = "tensor"
    _instead = "take a copy of the elements: `.copy()`; to hand them to another process, `.numpy()`"

    _core: Core
    _hold: Hold | None
    _moved: Move | None

    @classmethod
    def of(cls, storage: Storage, layout: Layout, parent: Handle | None = None, hold: Hold | None = None,
           readonly: bool = False) -> Self:
        """Creates a handle. Replaces `__init__`, because a handle with an existing core is created in half the time
        without it."""
        made = cls()
        made._core, made._hold, made._moved = Core(storage, layout, parent, readonly or storage.readonly), hold, None
        return made

    @property
    def _storage(self) -> Storage:
        return self._core.storage

    @property
    def _layout(self) -> Layout:
        return self._core.layout

    @property
    def _parent(self) -> Handle | None:
        return self._core.parent

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents."""
        return self._core.layout.shape

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
        """Whether the elements can only be read."""
        return self._core.readonly

    @property
    def region(self) -> Region:
        """The memory of the elements."""
        if self._core.region is None:
            self._core.region = self._compute_region()
        return self._core.region

    def _compute_region(self) -> Region:
        layout, memory = self._layout, self._storage.memory
        strides = tuple(s * layout.itemsize for s in layout.strides)
        return Region(memory.device, memory.address + layout.offset, layout.shape, strides, layout.itemsize)

    def _describe(self) -> str:
        return label(self)

    def __repr__(self) -> str:
        gone = "" if self._moved is None else f", moved into {self._moved.into} at {self._moved.place}"
        return f"<{_describe(self)}{gone}>"


def _describe(handle: Handle) -> str:
    return f"{handle.kind} of {' x '.join(map(str, handle.shape)) or 'one'} {handle.dtype.__name__}"


def label(handle: Handle) -> str:
    """The name of the variable that holds a handle where the runtime was called, else a description."""
    found = variable_name(caller_frame(), handle)
    return f"`{found}`" if found else f"a {_describe(handle)}"


def as_strided(handle: Handle) -> Strided:
    """The array of a handle, as backends take it."""
    found: Strided | None = handle._core.strided
    if found is None:
        layout = handle._layout
        found = Strided(handle._storage.memory, layout.dtype, layout.shape, layout.strides, layout.offset)
        handle._core.strided = found
    return found
