"""Types of expressions, and the join of types where two paths meet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from tilecheck.dtypes import DType
from tilecheck.interp.kernel.dialect.signature import Parameter
from tilecheck.symbolic import Term
from tilecheck.syntax.tree import FuncDef

if TYPE_CHECKING:
    from tilecheck.project.module import Module

__all__ = [
    "Bound", "CellOf", "CellsOf", "Extents", "Helper", "Items", "Loose", "MutOf", "Named", "PartOf", "PiecesOf",
    "RangeOf", "RefOf", "Tile", "Type", "join",
]

Extents: TypeAlias = tuple[Term | None, ...]
"""One for each axis; None for one that is not known."""


class Tile(Struct, frozen=True):
    """A tile; a scalar on the device is one without axes.

    dtype  None when it is not known
    shape  None when not even the number of axes is
    """

    dtype: DType | None
    shape: Extents | None


class Loose(Struct, frozen=True):
    """A number that takes on the type of the other operand: a literal, or a constant of the kernel."""

    kind: Literal["int", "float", "bool"]
    value: Term | None = None


class Items(Struct, frozen=True):
    items: tuple[Type, ...]


class MutOf(Struct, frozen=True):
    parameter: Parameter


class RefOf(Struct, frozen=True):
    """A `Ref`, or a view of it."""

    parameter: Parameter


class PartOf(Struct, frozen=True):
    dtype: DType | None
    tile: Extents


class CellOf(Struct, frozen=True):
    """A cell of pieces of this shape."""

    tile: Extents


class CellsOf(Struct, frozen=True):
    tile: Extents


class PiecesOf(Struct, frozen=True):
    tile: Extents


class RangeOf(Struct, frozen=True):
    pass


class Named(Struct, frozen=True):
    """Something of cuda.tile, or an element type of the runtime by the name that it has there."""

    name: str


class Bound(Struct, frozen=True):
    owner: Type
    name: str


class Helper(Struct, frozen=True, eq=False):
    definition: FuncDef
    module: Module
    closure: Mapping[str, Type]


Type: TypeAlias = (
    "Tile | Loose | Items | MutOf | RefOf | PartOf | CellOf | CellsOf | PiecesOf | RangeOf | Named | Bound | Helper"
    " | None")
"""A type; None if it is unknown."""


def join(a: Type, b: Type) -> Type:
    """Returns the type of a value that is one of two."""
    if a == b:
        return a
    if isinstance(a, Tile) and isinstance(b, Tile):
        dtype = a.dtype if a.dtype == b.dtype else None
        if a.shape is None or b.shape is None or len(a.shape) != len(b.shape):
            return Tile(dtype, None)
        return Tile(dtype, tuple(x if x == y else None for x, y in zip(a.shape, b.shape, strict=True)))
    if isinstance(a, Items) and isinstance(b, Items) and len(a.items) == len(b.items):
        return Items(tuple(join(x, y) for x, y in zip(a.items, b.items, strict=True)))
    if isinstance(a, Loose) and isinstance(b, Loose) and a.kind == b.kind:
        return Loose(a.kind)
    return None
