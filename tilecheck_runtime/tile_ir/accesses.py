"""The accesses of a block, as the representation makes them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Argument", "Made", "Mode"]

Mode: TypeAlias = Literal["read", "write", "atomic"]


@dataclass(frozen=True)
class Argument:
    """An array argument of a launch.

    name     of its parameter; an item of a list is `xs[0]`
    dtype    the name of its element type
    strides  in elements
    storage  arrays with the same number may share memory
    offset   of its first element in the storage, in elements
    index    the type of its extents and strides
    static   extents that are constants of the compiled kernel, by axis; empty if there are none
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    storage: int
    offset: int = 0
    index: str = "int32"
    static: tuple[int | None, ...] = ()

    @property
    def extent(self) -> int:
        """The number of elements from the first to the last."""
        return 0 if 0 in self.shape else 1 + sum((n - 1) * s for n, s in zip(self.shape, self.strides, strict=True))


@dataclass(frozen=True)
class Made:
    """One execution of an access in a block.

    array     the number of the array argument
    line      of the call in the source; `file` names the source
    elements  offsets of elements inside the array, from its first; of a write each as often as it is written
    outside   the number of elements outside the array that the access touches, since no check keeps it from them
    dropped   the number of elements outside the array that the check keeps it from
    missed    whether it is a tile with no element inside, which is undefined even where bounds are checked
    undefined whether it is a load of lanes that have no value, since they lie outside and no padding is specified
    certain   whether the access is executed, and at each of these elements, for all data
    order     its memory order, in lower case
    """

    array: int
    op: str
    mode: Mode
    line: int
    file: str
    elements: npt.NDArray[np.int64]
    outside: int = 0
    dropped: int = 0
    missed: bool = False
    undefined: bool = False
    certain: bool = True
    order: str = "weak"
