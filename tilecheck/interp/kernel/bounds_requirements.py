"""Requirements of operations along each axis: the start of the access and the range in which it is defined."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.interp.kernel.values import View
from tilecheck.symbolic import (
    ANY,
    ONE,
    TRUE,
    ZERO,
    ArrayElement,
    ArrayParam,
    Cond,
    Extent,
    Lane,
    Length,
    Size,
    Stride,
    Term,
    app,
    atoms_of,
    const,
    of,
    substitute,
)

__all__ = ["Reach", "along_lanes", "of_member", "of_raw", "of_tile", "of_unchecked", "require_overlap"]


class Reach(Struct, frozen=True):
    """Along one axis, an operation is defined only if `0 <= at < end`, in each block, iteration and lane.

    axis       of the array; None for the position in a list of arrays, and for a raw offset
    at         in coordinates of the view: the first element of a tile that checks bounds, else any element
    end        the extent of the view
    index      the index as the author wrote it, of tiles or elements
    step       elements from one tile to the next; None for an index of elements
    unchecked  whether it is an element that no bounds check drops, and not the beginning of a tile
    when       a condition of its own, besides that of the access: that the launch leaves out the bounds check
    needed     whether it is undefined otherwise; else it is one of several elements of which one must be inside
    """

    axis: int | None
    at: Term
    end: Term
    index: Term
    step: Term | None = None
    unchecked: bool = False
    when: Cond = TRUE
    needed: bool = True


def of_tile(
    axis: int, index: Term, step: Term, extent: Term, lanes: Term, end: Term, unchecked: Cond,
) -> tuple[Reach, ...]:
    """A tile of `extent` elements, `lanes` its coordinate: its first element, and each of them without a check."""
    first = Reach(axis, index * step, end, index, step)
    if unchecked.op == "false" or extent == ONE:
        return (first,)
    every = Reach(axis, index * step + lanes, end, index, step, True, unchecked)
    return (every,) if unchecked.op == "true" else (first, every)


def of_unchecked(axis: int, index: Term, end: Term, unchecked: Cond) -> tuple[Reach, ...]:
    """An index of elements: nothing is asked of one that the bounds check drops."""
    return () if unchecked.op == "false" else (
        Reach(axis, index, end, index, unchecked=True, when=unchecked),)


def require_overlap(axis: int, index: Term, end: Term, dense: bool) -> Reach:
    """An index of elements of which one is inside at least, where the rest is padded or dropped: the first, which of a
    dense range has to be."""
    at = along_lanes(index)
    return Reach(axis, at, end, at, needed=dense or at == index)


def along_lanes(index: Term) -> Term:
    """The index at lane 0 of everything."""
    return substitute(index, {a: ZERO for a in atoms_of(index) if isinstance(a, Lane)})


def of_member(view: View) -> tuple[Reach, ...]:
    """An array of a list: the position is one of the list's."""
    root = view.root
    if not isinstance(root, ArrayElement):
        return ()
    at = view.member
    if at is None and root.position is not ANY:
        at = const(root.position)
    return () if at is None else (Reach(None, at, of(Length(ArrayParam(root.root))), at),)


def of_raw(view: View, offset: Term, rank: int | None) -> tuple[Reach, ...]:
    """A raw offset: inside the storage that the elements of the array span. Of one whose rank is not known that is at
    least as much as it has elements, if no two of them share a place."""
    if view.member is not None:
        return (Reach(None, offset, app(Size(view.root), view.member), offset, unchecked=True),)
    if rank is None:
        end = of(Size(view.root))
    else:
        end = ONE
        for k in range(rank):
            end = end + (of(Extent(view.root, k)) - 1) * of(Stride(view.root, k))
    return (Reach(None, offset, end, offset, unchecked=True),)
