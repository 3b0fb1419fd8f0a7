"""What memory is, wherever it lies."""

from __future__ import annotations

from typing import Protocol

__all__ = ["Memory"]


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
