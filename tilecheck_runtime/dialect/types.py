"""Parameter types of the dialect in annotations.

Their methods are in `types.pyi`, which type checkers and editors read. A kernel never sees an instance of these
classes: on the device and on the CPU, the classes in `device/` replace them, which have the same methods.
`tests/runtime/dialect/test_types.py` compares the two.
"""

from __future__ import annotations

from typing import Generic, TypeVar, TypeVarTuple

from tilecheck_runtime.dialect.dtypes import DType

__all__ = ["Cell", "Dyn", "Inner", "Mut", "Part", "Ref", "Shared", "SystemShared", "Tile"]

D = TypeVar("D", bound=DType)
Extents = TypeVarTuple("Extents")


class Dyn:
    """An extent that is known when the kernel is launched."""


class Tile(Generic[D, *Extents]):
    """A tile: element type and shape."""


class Cell(Generic[*Extents]):
    """The piece of a partition to write; only `cell()` and `cells()` create it."""


class Inner(Generic[*Extents]):
    """The nested tile of a piece to write; only `pieces()` creates it."""


class Mut(Generic[D, *Extents]):
    """The piece of an output that belongs to this block; the extents are those of the piece."""


class Ref(Generic[D, *Extents]):
    """A whole input, read only; the extents are those of the array."""


class Part(Generic[D, *Extents]):
    """An input in tiles, read only."""


class Shared(Generic[D, *Extents]):
    """An accumulator that all blocks of the launch update atomically."""


class SystemShared(Generic[D, *Extents]):
    """An accumulator that other devices, or the host, update at the same time."""
