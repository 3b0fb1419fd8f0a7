"""An accumulator that all blocks share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["Shared"]


@dataclass(frozen=True)
class Shared:
    """An array that is only updated atomically, so that blocks may update the same elements. Updates return nothing,
    because a returned value would depend on the order of blocks.

    array  the whole array
    scope  of the atomics
    """

    array: Any
    scope: Any

    def add(self, indices: Any, update: Any) -> None:
        """Adds to elements; ignores updates outside of the array."""
        ct.atomic_add(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def min(self, indices: Any, update: Any) -> None:
        """Lowers elements to the update."""
        ct.atomic_min(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def max(self, indices: Any, update: Any) -> None:
        """Raises elements to the update."""
        ct.atomic_max(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def and_(self, indices: Any, update: Any) -> None:
        """Clears the bits that the update does not have."""
        ct.atomic_and(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def or_(self, indices: Any, update: Any) -> None:
        """Sets the bits of the update."""
        ct.atomic_or(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def xor(self, indices: Any, update: Any) -> None:
        """Flips the bits of the update."""
        ct.atomic_xor(self.array, indices, update, memory_order=ct.MemoryOrder.RELAXED, memory_scope=self.scope)

    def extent(self, axis: Any) -> Any:
        """The extent of the array along an axis."""
        return self.array.shape[axis]
