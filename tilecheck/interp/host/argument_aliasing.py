"""Which arguments of a launch share storage, and which grid axes are launched for nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from msgspec import Struct

from tilecheck.interp.host.entailment import follows
from tilecheck.interp.host.launch import Argument, Launch, is_free
from tilecheck.interp.kernel.access import Param
from tilecheck.symbolic import (
    EXTENTS,
    App,
    Array,
    ArrayElement,
    ArrayParam,
    Cond,
    Opaque,
    Symbol,
    Term,
    atoms_of,
    ge,
    gt,
)
from tilecheck.syntax.tree import Span

__all__ = ["Passed", "UnreadAxis", "aliases", "overlap", "unread_axis"]


def overlap(first: Argument, second: Argument) -> bool | None:
    """Whether two arguments share elements: yes, no, or not known.

    Views of one storage certainly overlap if one of them covers all of it; two parts of it may be disjoint. An array
    whose allocation by the host is seen is disjoint from every other allocation. Two arrays that the host received may
    be the same.
    """
    if first.elements is not None or second.elements is not None:
        return _overlap_lists(first, second)
    if first.identity is not None and first.identity == second.identity:
        return True if first.exact or second.exact or _meet(first, second) else None
    if first.roots is None or second.roots is None or first.roots & second.roots:
        return None
    return False if first.roots <= first.made or second.roots <= second.made or all(
        a in first.made or b in second.made for a in first.roots for b in second.roots) else None


def _overlap_lists(first: Argument, second: Argument) -> bool | None:
    """Whether an array of a list shares elements with another array, or with one of another list."""
    found = {overlap(a, b) for a in _list_parts(first) for b in _list_parts(second)}
    return True if True in found else None if None in found else False


def _list_parts(argument: Argument) -> tuple[Argument, ...]:
    return (argument,) if argument.elements is None else argument.elements


def _meet(first: Argument, second: Argument) -> bool:
    """Whether two parts of one storage certainly meet: they are one part, or slices of rows that overlap."""
    if first.name is not None and (first.name, first.strided) == (second.name, second.strided):
        return True
    if first.rows is None or second.rows is None:
        return False
    (base_1, low_1, high_1), (base_2, low_2, high_2) = first.rows, second.rows
    return base_1 == base_2 and (high_2 is None or low_1 < high_2) and (high_1 is None or low_2 < high_1)


class Passed(Struct, frozen=True):
    """An array that a launch passes: a parameter, or an array of a list that is one.

    span  its location; that of the list for an array of a list
    """

    array: Array
    argument: Argument
    span: Span


def aliases(launch: Launch, params: Sequence[Param]) -> tuple[tuple[Passed, Passed], ...]:
    """Pairs of arrays that certainly get overlapping storage, in the order in which they are passed."""
    given = list(_list_arrays(launch, params))
    # only arguments of one storage certainly overlap
    stored: dict[str, list[tuple[int, Passed]]] = {}
    for i, one in enumerate(given):
        if one.argument.identity is not None:
            stored.setdefault(one.argument.identity, []).append((i, one))
    found = {(i, j): (first, second) for same in stored.values() for at, (i, first) in enumerate(same)
             for j, second in same[at + 1:] if overlap(first.argument, second.argument)}
    return tuple(found[place] for place in sorted(found))


def _list_arrays(launch: Launch, params: Sequence[Param]) -> Iterator[Passed]:
    for param, argument in zip(params, launch.arguments or (), strict=False):
        if param.kind == "array" and argument.kind in ("array", "unknown"):
            yield Passed(ArrayParam(param.name), argument, argument.span)
        elif param.kind == "list":
            yield from (Passed(ArrayElement(param.name, at), element, argument.span)
                        for at, element in enumerate(argument.elements or ()) if element.kind in ("array", "unknown"))


class UnreadAxis(Struct, frozen=True):
    """A grid axis that the kernel never reads, launched with several blocks: `sure`, or perhaps.

    sized  whether the extent is computed from extents of arrays, which callers choose
    """

    axis: int
    extent: str
    sure: bool
    sized: bool = False


def unread_axis(launch: Launch, axes_read: Collection[int]) -> UnreadAxis | None:
    """The first axis that is launched with another extent than 1 although the kernel never reads it.

    Sure are a constant and an extent that the host's guards put above 1; an extent that callers choose (`batch`) is
    meant to be above 1 now and then, but a launch with 1 is right.
    """
    return _find_unread(launch.grid, launch.facts, frozenset(axes_read), launch.free)


@lru_cache(maxsize=1024)
def _find_unread(
    grid: tuple[Term | None, Term | None, Term | None], facts: Cond, axes_read: frozenset[int], free: frozenset[str],
) -> UnreadAxis | None:
    unsure: UnreadAxis | None = None
    for axis in (0, 1, 2):
        extent = grid[axis]
        if axis in axes_read or extent is None or extent.constant == 1:
            continue
        if extent.constant is not None or follows(facts, gt(extent, 1)):
            return UnreadAxis(axis, extent.key, extent.constant is None or extent.constant > 1)
        chosen = all(isinstance(a, Symbol) for a in extent.atoms()) and follows(facts, ge(extent, 1))
        sized = _is_size(extent, free) and not follows(facts, ge(1, extent))
        unsure = unsure or (UnreadAxis(axis, extent.key, False, sized) if chosen or sized else None)
    return unsure


def _is_size(extent: Term, free: frozenset[str]) -> bool:
    """Whether an extent is computed from extents of arrays alone, and callers choose each of them."""
    leaves = [a for a in atoms_of(extent) if isinstance(a, Symbol | Opaque | App)]
    return bool(leaves) and all(isinstance(a, EXTENTS) and is_free(a, free) for a in leaves)
