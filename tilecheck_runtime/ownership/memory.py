"""Memory of a device, and arrays in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tilecheck_runtime.cpu.dtypes import DType

__all__ = ["Memory", "Strided"]


class Memory(Protocol):
    """Bytes on a device. They live as long as this object."""

    @property
    def device(self) -> str:
        """The device, with its ordinal where there are several: "cpu", "cuda:0"."""
        ...

    @property
    def address(self) -> int:
        """Of the first byte, on that device."""
        ...

    @property
    def nbytes(self) -> int:
        """How many there are."""
        ...


@dataclass(frozen=True)
class Strided:
    """An array in memory.

    offset   of element 0, in bytes
    strides  in elements; not negative
    """

    memory: Memory
    dtype: DType
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    offset: int = 0
