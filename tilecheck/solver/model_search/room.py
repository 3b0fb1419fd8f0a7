"""Witnesses in launches in which nothing lies outside: an example that is wrong in two ways explains neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.solver.model_search.assignments import lane_values, power_of_two
from tilecheck.solver.model_search.codegen import TooLarge, enumerator, value
from tilecheck.solver.model_search.layout import layout, reads_data
from tilecheck.symbolic import EXTENTS, ONE, Atom, Cond, Extent, Length, Opaque, Size, Stride, Symbol, Term
from tilecheck.symbolic.footprint import Region, Witness

__all__ = ["Bound", "with_room"]

POINTS: Final = 2_000
ROUNDS: Final = 4
"""Larger arrays may have more tiles, which loops go over."""
LIMITS: Final[Mapping[int, int]] = {0: 0, 1: 24, 2: 8}


class Bound(Struct, frozen=True):
    """Where `guard` holds, `0 <= at < end` must; the array ends well at a multiple of `step`."""

    at: Term
    end: Term
    guard: Cond
    step: Term = ONE


def with_room(w: Witness, bounds: Iterable[Bound], confirmed: Callable[[Witness], bool]) -> Witness:
    """The witness with extents of arrays so large that all bounds hold that its scalars decide. It is the same where
    they hold already, where no extent helps, and where the collision does not survive.

    confirmed  evaluates the collision anew in the larger launch
    """
    asked = [b for b in bounds if not (reads_data(b.guard) or any(reads_data(t) for t in (b.at, b.end, b.step)))]
    found = w
    for _ in range(ROUNDS):
        scalars = found.launch
        larger: dict[Symbol, int] = {}
        for b in asked:
            for at, end, step in _points(b, found, scalars):
                if 0 <= at < end:
                    continue
                extent = b.end.single
                if at < 0 or not isinstance(extent, Symbol) or not _may_grow(extent, scalars):
                    return w
                larger[extent] = max(larger.get(extent, 0), at + max(step, 1))
        if not larger:
            return found
        grown = {**dict(found.scalars), **larger}
        found = replace(w, scalars=tuple(sorted(grown.items())))
        if not confirmed(found):
            return w
    return w


def _may_grow(extent: Symbol, scalars: Mapping[Atom, int]) -> bool:
    """Whether a larger extent leaves every element of the array a place of its own: an inner one changes strides."""
    if isinstance(extent, Length):
        return True
    if isinstance(extent, Size):
        return not any(isinstance(a, (*EXTENTS, Stride)) and a.array is extent.array for a in scalars)
    return isinstance(extent, Extent) and Size(extent.array) not in scalars and (
        extent.axis == 0 or not any(isinstance(a, Stride) and a.array is extent.array for a in scalars))


def _points(b: Bound, w: Witness, scalars: Mapping[Atom, int]) -> Iterator[tuple[int, int, int]]:
    """The two sides of a bound in all blocks; empty if the scalars of the witness do not determine them."""
    region = Region((b.at, b.end, b.step), b.guard)
    plan = layout(region)
    data = dict(w.data)
    values: list[int] = []
    for a in plan.uniform:
        known = data.get(a.key) if isinstance(a, Opaque) else scalars.get(a)
        if known is None:
            return
        values.append(known)
    spans: list[tuple[int, ...]] = []
    points = enumerator(region) if plan.searchable else None
    if points is None:
        return
    try:
        for lane in plan.lanes:
            size = value(lane.size, plan.uniform)(values, _no_data)
            if not power_of_two(size):
                return
            spans.append(lane_values(size))
        limits = (LIMITS.get(len(plan.counters), 4),) * len(plan.counters)
        for p in points(tuple(values), w.grid, limits, tuple(spans), _no_data, POINTS, [0]):
            at, end, step = p[0]
            yield at, end, step
    except (ArithmeticError, KeyError, TooLarge):
        return


def _no_data(*_: object) -> int:
    raise ArithmeticError("data")
