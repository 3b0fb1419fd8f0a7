"""Memory of a device, and arrays in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tilecheck_runtime.cpu.dtypes import DType

__all__ = ["Memory", "Strided"]


class Memory(Protocol):
    """Bytes on a device, which exist as long as this object."""

    @property
    def device(self) -> str:
        """The device, with its ordinal where there are several: "cpu", "cuda:0"."""
        ...

    @property
    def address(self) -> int:
        """The address of the first byte on the device."""
        ...

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
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
