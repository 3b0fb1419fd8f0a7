"""Which accesses can mean one array, and their regions in coordinates that they share."""

from __future__ import annotations

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.symbolic import ANY, UNKNOWN_ARRAY, ArrayElement, const
from tilecheck.symbolic.footprint import Region

__all__ = ["align_regions", "meet"]


def meet(a: Access, b: Access) -> bool:
    """Whether two accesses may be to one array: one name, an unknown array, or elements of one list of arrays."""
    first, second = a.array, b.array
    return first == second or UNKNOWN_ARRAY in (first, second) or (
        first.root == second.root and (first.at_any_position or second.at_any_position))


def align_regions(a: Access, b: Access) -> tuple[Region, Region]:
    """The regions of two accesses that may be to one array. An array at a constant position of a list gets that
    position as its first index, as an array at any position has it."""
    if a.array == b.array:
        return a.region, b.region
    return _prepend_position(a), _prepend_position(b)


def _prepend_position(a: Access) -> Region:
    array = a.array
    if not isinstance(array, ArrayElement) or array.position is ANY:
        return a.region
    return replace(a.region, index=(const(array.position), *a.region.index))
