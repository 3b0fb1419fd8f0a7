"""Values while the representation is executed: tiles with unknown elements, pointers, arrays and views."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["ArrayValue", "Known", "Pointer", "Tile", "Undecided", "ViewValue", "all_known", "make_unknown", "number_of"]

Known: TypeAlias = "bool | npt.NDArray[np.bool_]"


class Undecided(Exception):
    """The execution cannot go on: it depends on data, or on an operation without a rule. The message says on what."""


@dataclass(frozen=True)
class Tile:
    """A tile or, without axes, a scalar.

    data   elements, in the NumPy type of the element type
    known  which of them are known, for all elements or for each. An element that is not known has any value in `data`.
    """

    data: npt.NDArray[Any]
    known: Known = True

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape

    def known_lanes(self) -> npt.NDArray[np.bool_]:
        """`known` for each element."""
        return np.broadcast_to(np.asarray(self.known), self.data.shape)


@dataclass(frozen=True)
class Pointer:
    """Addresses in an argument: the number of the array argument, and a tile of offsets in elements."""

    array: int
    offset: Tile


@dataclass(frozen=True)
class ArrayValue:
    """An array or a part of one: where it begins, its extents and its strides in elements."""

    base: Pointer
    shape: tuple[Tile, ...]
    strides: tuple[Tile, ...]


@dataclass(frozen=True)
class ViewValue:
    """The tiles of an array. `type` is the type of the view in the representation, with the shape of its tiles."""

    array: ArrayValue
    type: Any


def make_unknown(shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tile:
    """A tile without a known element."""
    return Tile(np.broadcast_to(np.zeros((), dtype), shape), False)


def all_known(tile: Tile) -> bool:
    return bool(np.all(tile.known))


def number_of(tile: Tile, what: str) -> int:
    """The integer that a scalar is. Raises Undecided if it is not known."""
    if not all_known(tile):
        raise Undecided(f"{what} depends on data")
    return int(tile.data)
