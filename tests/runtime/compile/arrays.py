"""Arrays that are only spoken of."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.ownership.memory import Strided

__all__ = ["array"]


@dataclass(frozen=True)
class Memory:
    address: int
    nbytes: int = 0
    device: str = "cuda:0"


def array(shape, dtype="float32", at=1 << 20, strides=None, offset=0):
    """An array in C order, unless strides are given, in elements."""
    rows = tuple(math.prod(shape[k + 1:]) for k in range(len(shape))) if strides is None else tuple(strides)
    return Strided(Memory(at), DTYPES[dtype], tuple(shape), rows, offset)
