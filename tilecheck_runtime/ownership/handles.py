"""Handles: what a program has in its hand of a piece of memory. A handle can be moved once; then it is dead."""

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


class Move(tuple[Location, str, str]):
    """Where a handle went: the place, and two texts.

    into  "a partition", "the launch of `add`"
    fix   what to write instead

    A tuple for the same reason as `Place`.
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
    """Stands for what handles have in common that follow each other on the same memory, with the same layout and the
    same pieces: what a launch returns, and what was moved into it. Whoever meets it again need not look at any of that.
    It keeps no memory alive.

    known  what launches have kept here, by all that it depends on
    last   of that, what was of use last
    seen   whether something was launched with it before
    """

    __slots__ = ("known", "last", "seen")

    def __init__(self) -> None:
        self.known: dict[object, Any] = {}
        self.last: Any = None
        self.seen = False


class Core:
    """Everything about a handle that never changes, and what is worked out of it."""

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
    hold      what this handle itself holds of the storage. Nobody else has it, so it ends with the handle
    readonly  whether the elements can only be read through it

    Nothing of it changes but what it holds, and whether it was moved.
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
        """A new handle. In place of `__init__`, without which one that has a core already is made in half the time."""
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
        """Whether it can only be read."""
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
    """The name of the variable that holds a handle where the runtime was called, else what it is."""
    found = variable_name(caller_frame(), handle)
    return f"`{found}`" if found else f"a {_describe(handle)}"


def as_strided(handle: Handle) -> Strided:
    """A handle as a backend takes it."""
    found: Strided | None = handle._core.strided
    if found is None:
        layout = handle._layout
        found = Strided(handle._storage.memory, layout.dtype, layout.shape, layout.strides, layout.offset)
        handle._core.strided = found
    return found
