"""Parts of a storage, as far as the host code shows them, and whether two of them have an element in common."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import gcd, prod
from typing import Final, TypeAlias

from msgspec import Struct

__all__ = ["WHOLE", "Index", "Region", "meet", "slice_region"]

_FEW: Final = 1 << 14
"""Elements that are enumerated when nothing quicker decides."""

Index: TypeAlias = "int | tuple[int | None, int | None, int | None] | None"
"""A constant index, or the bounds of a slice."""


class Region(Struct, frozen=True):
    """
    whole    every element of the storage
    offset   of its first element; with `extents` and `strides`, in elements; None when the part is not known
    written  for a part that is not known, how it is written: the same text in one state is the same part
    """

    whole: bool = False
    offset: int | None = None
    extents: tuple[int, ...] = ()
    strides: tuple[int, ...] = ()
    written: str = ""


WHOLE: Final = Region(whole=True)


def meet(first: Region, second: Region) -> bool | None:
    """Whether two parts of one storage have an element in common; None when that is not known."""
    if 0 in first.extents or 0 in second.extents:
        return False
    if first.whole or second.whole or first == second:
        return True
    if first.offset is None or second.offset is None:
        return None
    low_1, high_1, low_2, high_2 = *_span(first), *_span(second)
    if high_1 < low_2 or high_2 < low_1:
        return False
    if _dense(first) and _dense(second):
        return True
    step = gcd(*first.strides, *second.strides)
    if step > 1 and (first.offset - second.offset) % step:
        return False
    if prod(first.extents) > _FEW or prod(second.extents) > _FEW:
        return None
    return not set(_elements(first)).isdisjoint(_elements(second))


def _span(region: Region) -> tuple[int, int]:
    low = region.offset or 0
    return low, low + sum((n - 1) * s for n, s in zip(region.extents, region.strides, strict=True))


def _dense(region: Region) -> bool:
    low, high = _span(region)
    return high - low + 1 == prod(region.extents)


def _elements(region: Region) -> list[int]:
    axes = (range(0, n * s, s) if s else (0,) for n, s in zip(region.extents, region.strides, strict=True))
    return [(region.offset or 0) + sum(place) for place in product(*axes)]


def row_major(extents: Sequence[int]) -> tuple[int, ...]:
    return tuple(prod(extents[axis + 1:]) for axis in range(len(extents)))


def with_numbers(region: Region, shape: Sequence[int | None] | None) -> Region | None:
    """A region with numbers, where the shape of the handle on it is known."""
    if region.offset is not None:
        return region
    known = [n for n in shape or () if n is not None]
    if shape is None or not region.whole or len(known) < len(shape):
        return None
    return Region(False, 0, tuple(known), row_major(known))


def slice_region(
    region: Region, shape: Sequence[int | None] | None, indices: Sequence[Index] | None, written: str
) -> Region:
    """The part that constant indices select; None if an index is not constant."""
    base = with_numbers(region, shape)
    if indices is not None and all(i == (None, None, None) for i in indices):
        return region
    if base is None or indices is None or len(indices) > len(base.extents) or tuple(shape or ()) != base.extents:
        return Region(written=written)
    offset, extents, strides = base.offset or 0, list[int](), list[int]()
    for axis, (extent, stride) in enumerate(zip(base.extents, base.strides, strict=True)):
        index: Index = indices[axis] if axis < len(indices) else (None, None, None)
        if isinstance(index, int):
            at = index + extent if index < 0 else index
            if not 0 <= at < extent:
                return Region(written=written)
            offset += at * stride
        elif index is None or (index[2] or 1) < 1:
            return Region(written=written)
        else:
            picked = range(extent)[slice(*index)]
            offset += picked.start * stride
            extents.append(len(picked))
            strides.append(stride * picked.step)
    return Region(False, offset, tuple(extents), tuple(strides))
