"""The launch that a picture shows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from msgspec import Struct

from tilecheck.symbolic import Array, Atom, Extent, GridDim, Symbol

__all__ = ["Block", "CannotDraw", "Setting"]

Block: TypeAlias = tuple[int, int, int]


class CannotDraw(ValueError):
    """There is no picture of this. The message says why, and what to do instead."""


class Setting(Struct, frozen=True):
    """A launch in numbers.

    grid     number of blocks on each axis
    scalars  the value of every launch scalar that the grid does not give
    data     elements of arrays that the kernel reads, as `ids[3]`; what is not there is made up
    style    in which way
    """

    grid: Block
    scalars: Mapping[Symbol, int]
    data: Mapping[str, int]
    style: int = 0

    def shape(self, array: Array, rank: int) -> tuple[int | None, ...]:
        """The extents of an array; None for one that nothing of the kernel depends on."""
        return tuple(self.scalars.get(Extent(array, axis)) for axis in range(rank))

    @property
    def launch(self) -> dict[Atom, int]:
        """The launch scalars, those of the grid included."""
        out: dict[Atom, int] = dict(self.scalars.items())
        out.update({GridDim(axis): extent for axis, extent in enumerate(self.grid)})
        return out
