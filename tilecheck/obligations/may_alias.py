"""Which accesses can mean one array, and their regions in coordinates that they share."""

from __future__ import annotations

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.symbolic import const
from tilecheck.symbolic.footprint import Region

__all__ = ["aligned", "meet"]


def meet(a: Access, b: Access) -> bool:
    """Whether two accesses may mean one array: one name, an unknown array, or elements of one list of arrays."""
    return a.array == b.array or "?" in (a.array, b.array) or (
        "*" in a.array + b.array and _base(a.array) == _base(b.array))


def aligned(a: Access, b: Access) -> tuple[Region, Region]:
    """The regions of two accesses that meet. An element of a list of arrays by constant position (`xs[2]`) gets that
    position as its first index, as an element by variable position (`xs[*]`) has."""
    if a.array == b.array:
        return a.region, b.region
    return _positioned(a), _positioned(b)


def _base(array: str) -> str:
    return array.partition("[")[0]


def _positioned(a: Access) -> Region:
    position = a.array.partition("[")[2].rstrip("]")
    return replace(a.region, index=(const(int(position)), *a.region.index)) if position.isdigit() else a.region
