"""Values that only kernels of the dialect have: parameters that are owned or borrowed, partitions, cells."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.interp.kernel.dialect.signature import Parameter
from tilecheck.interp.kernel.values import Owned, Shape, Value
from tilecheck.symbolic import TRUE, Array, ArrayParam, Cond, Term

__all__ = ["Borrowed", "Cell", "Cells", "Grain", "Mutable", "OwnedMethod", "Part", "Pieces", "Shared"]


class Grain(Struct, frozen=True):
    """A way in which a mutable array is cut: its own pieces, or tiles nested in them.

    partial  whether nested tiles do not divide the pieces, so that one may reach into the next piece
    """

    array: Array
    tile: Shape
    nested: bool = False
    partial: bool = False


class Mutable(Owned, frozen=True):
    """`z: Mut[...]`"""

    parameter: Parameter

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def array(self) -> Array:
        return ArrayParam(self.parameter.name)

    @property
    def grain(self) -> Grain:
        return Grain(self.array, self.parameter.tile)


class Borrowed(Owned, frozen=True):
    """`x: Ref[...]`, or a view of it.

    axes     axis k of the view is axis `axes[k]` of the array
    padding  the padding mode of its loads
    """

    parameter: Parameter
    axes: tuple[int, ...]
    padding: Value

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def array(self) -> Array:
        return ArrayParam(self.parameter.name)


class Shared(Owned, frozen=True):
    """`s: Shared[...]`"""

    parameter: Parameter

    @property
    def name(self) -> str:
        return self.parameter.name

    @property
    def array(self) -> Array:
        return ArrayParam(self.parameter.name)


class Part(Owned, frozen=True):
    """The result of `x.partition(bm, bk)`."""

    array: Borrowed
    tile: Shape


class Cell(Owned, frozen=True):
    """An issued index: it selects a piece of each of `grains` that this block owns.

    schedule  whether it is one of several that a schedule gives to the block
    inside    the condition for it to lie in the block's piece; outside of it nothing is stored
    """

    grains: tuple[Grain, ...]
    coordinates: tuple[Term, ...]
    schedule: bool = False
    inside: Cond = TRUE


class Cells(Owned, frozen=True):
    """The iterable of `z.cells()`."""

    grains: tuple[Grain, ...]


class Pieces(Owned, frozen=True):
    """The iterable of `z.pieces(16)`."""

    owner: Mutable
    grain: Grain


class OwnedMethod(Owned, frozen=True):
    owner: Value
    name: str
