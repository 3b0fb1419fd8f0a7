"""Witnesses in launches in which nothing lies outside: an example that is wrong in two ways explains neither."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.solver.model_search.assignments import grid_axis, lane_values, power_of_two
from tilecheck.solver.model_search.codegen import TooLarge, enumerator, value
from tilecheck.solver.model_search.layout import layout, reads_data
from tilecheck.symbolic import ONE, Cond, Opaque, Symbol, Term
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
        scalars = dict(found.scalars)
        larger: dict[str, int] = {}
        for b in asked:
            for at, end, step in _points(b, found, scalars):
                if 0 <= at < end:
                    continue
                extent = b.end.single
                if at < 0 or not isinstance(extent, Symbol) or not _may_grow(extent.name, scalars):
                    return w
                larger[extent.name] = max(larger.get(extent.name, 0), at + max(step, 1))
        if not larger:
            return found
        found = replace(w, scalars=tuple(sorted({**scalars, **larger}.items())))
        if not confirmed(found):
            return w
    return w


def _may_grow(name: str, scalars: Mapping[str, int]) -> bool:
    """Whether a larger extent leaves every element of the array a place of its own: an inner one changes strides."""
    array, shape, axis = name.partition(".shape[")
    if not shape:
        array = name.removeprefix("numel(").removesuffix(")")
        return name.startswith(("numel(", "len(")) and not any(n.startswith(f"{array}.") for n in scalars)
    return f"numel({array})" not in scalars and (
        axis == "0]" or not any(n.startswith(f"{array}.strides[") for n in scalars))


def _points(b: Bound, w: Witness, scalars: Mapping[str, int]) -> Iterator[tuple[int, int, int]]:
    """What a bound compares, in all blocks; nothing where the scalars of the witness do not decide it."""
    region = Region((b.at, b.end, b.step), b.guard)
    plan = layout(region)
    data = dict(w.data)
    values: list[int] = []
    for a in plan.uniform:
        axis = grid_axis(a)
        known = w.grid[axis] if axis is not None else data.get(a.key) if isinstance(a, Opaque) else scalars.get(a.key)
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
