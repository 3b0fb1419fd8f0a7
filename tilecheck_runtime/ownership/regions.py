"""Regions of memory, and whether two of them overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

__all__ = ["Region", "has_distinct_elements", "overlap"]

_MUCH: Final[Any] = 100_000
"""Work limit of the exact test, about a millisecond; above it the answer is True."""


@dataclass(frozen=True)
class Region:
    """The elements of a strided array in memory.

    device    that the address belongs to, such as "cpu"
    address   of element 0, in bytes
    strides   in bytes
    itemsize  in bytes
    """

    device: str
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    itemsize: int

    @cached_property
    def empty(self) -> bool:
        return 0 in self.shape

    @cached_property  # read by every check while this region is held
    def bounds(self) -> tuple[int, int]:
        """Lowest address, and one past the highest."""
        steps = [(n - 1) * s for n, s in zip(self.shape, self.strides, strict=True)]
        low = self.address + sum(s for s in steps if s < 0)
        return low, self.address + sum(s for s in steps if s > 0) + self.itemsize


class _Shape:
    """A region in the form that NumPy's solver takes. The memory is not accessed, so it may belong to any device.
    Addresses are moved by `shift`, because NumPy treats 0 as no address."""

    def __init__(self, region: Region, shift: int) -> None:
        self.__array_interface__ = {
            "data": (region.address + shift, True), "shape": region.shape, "strides": region.strides,
            "typestr": f"|V{region.itemsize}", "version": 3,
        }


def overlap(a: Region, b: Region) -> bool:
    """Returns whether two regions have a byte in common. Exact for strided views; True if the exact test takes too
    long."""
    (low, high), (start, stop) = a.bounds, b.bounds
    if high <= start or stop <= low or a.device != b.device or a.empty or b.empty:
        return False
    shift = 1 - min(low, start)
    try:
        return bool(np.shares_memory(np.asarray(_Shape(a, shift)), np.asarray(_Shape(b, shift)), max_work=_MUCH))
    except (np.exceptions.TooHardError, OverflowError):
        return True


def has_distinct_elements(region: Region) -> bool:
    """Returns True if the elements of a region certainly do not share memory: in order of stride, each axis steps over
    the span of the smaller ones."""
    span = region.itemsize
    axes = [(abs(s), n) for n, s in zip(region.shape, region.strides, strict=True) if n > 1]
    for stride, extent in sorted(axes):
        if stride < span:
            return False
        span += stride * (extent - 1)
    return True
