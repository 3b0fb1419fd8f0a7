"""Collisions between the elements that two accesses touch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final, Literal
from zlib import crc32

from msgspec import Struct

from tilecheck.solver.model_search.assignments import (
    Chooser,
    Grid,
    grids,
    is_scalar,
    lane_values,
    power_of_two,
    roles,
)
from tilecheck.solver.model_search.codegen import Enumerator, Oracle, Point, TooLarge, enumerator, value
from tilecheck.solver.model_search.layout import AXES, conjuncts, layout, leaves, reads_data
from tilecheck.solver.model_search.world import STYLES, Want, World, confirm, oracle
from tilecheck.symbolic import TRUE, Atom, Bid, Cond, GridDim, Lane, Opaque, Symbol, Term, evaluate, holds
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

BUDGET: Final = 20_000
TRIALS: Final = 240
ASSIGNMENT_COST: Final = 40
Style = Callable[[str, tuple[int, ...]], int]


class _Side(Struct, frozen=True):
    """One access, ready to be enumerated."""

    region: Region
    points: Enumerator
    uniform: tuple[int, ...]
    sizes: tuple[tuple[Callable[[Sequence[int], Oracle], int], bool], ...]
    counters: int


def side_of(region: Region, variables: tuple[Atom, ...], lanes: tuple[Lane, ...]) -> _Side | None:
    plan = layout(region, lanes)
    if not (region.exact and plan.searchable):
        return None
    points = enumerator(region, lanes)
    if points is None:
        return None
    index = {a: i for i, a in enumerate(variables)}
    try:
        sizes = tuple((value(lane.size, variables), lane.size.constant is None) for lane in plan.lanes)
    except (KeyError, TooLarge):
        return None
    return _Side(region, points, tuple(index[a] for a in plan.uniform), sizes, len(plan.counters))


class _Case(Struct, frozen=True):
    """One assignment under which accesses are enumerated."""

    grid: Grid
    values: tuple[int, ...]
    style: Style
    limit: int


def case_of(grid: Grid, values: tuple[int, ...], limit: int) -> _Case:
    """An assignment for something that reads no data."""
    return _Case(grid, values, STYLES[0], limit)


def enumerate_points(side: _Side, case: _Case, count: list[int]) -> Iterator[Point] | None:
    """The points of one access, or None when its tiles cannot have these sizes."""
    source = oracle(case.style)
    spans: list[tuple[int, ...]] = []
    for size, symbolic in side.sizes:
        extent = size(case.values, source)
        if extent < 1 or (symbolic and not power_of_two(extent)):
            return None
        spans.append(lane_values(extent))
    scalars = tuple(case.values[i] for i in side.uniform)
    limits = (_iterations(side.counters, case.limit),) * side.counters
    points = side.points(scalars, case.grid, limits, tuple(spans), source, case.limit, count)
    # there is no element before the first: an access there is undefined, and meets nothing
    return (p for p in points if not any(i < 0 for i in p[0]))


def _iterations(counters: int, limit: int) -> int:
    return {0: 0, 1: 7, 2: 5, 3: 4}.get(counters, 3 if limit > 500 else 2)


HITS = 6
"""Collisions of one launch to look at for an acceptable one."""

Hit = tuple[Point, Point]


def _across_blocks(first: Iterator[Point], second: Iterator[Point] | None) -> Iterator[Hit]:
    seen: dict[tuple[int, ...], Point] = {}
    if second is None:
        for p in first:
            q = seen.setdefault(p[0], p)
            if q[1] != p[1]:
                yield q, p
        return
    other: dict[tuple[int, ...], Point] = {}
    for p in first:
        q = seen.setdefault(p[0], p)
        if q[1] != p[1]:
            other.setdefault(p[0], p)
    for p in second:
        near = seen.get(p[0])
        if near is not None:
            if near[1] != p[1]:
                yield near, p
            else:
                far = other.get(p[0])
                if far is not None:
                    yield far, p


def _within_block(
    points: Iterator[Point], key: Callable[[Point], Any], differ: Callable[[Point], Any]
) -> Iterator[Hit]:
    seen: dict[Any, Point] = {}
    for p in points:
        q = seen.setdefault(key(p), p)
        if q is not p and differ(q) != differ(p):
            yield q, p


class Question(Struct, frozen=True):
    """The kind of collision: how its two points must agree, and how they must differ."""

    first: Region
    second: Region
    want: Want
    counter: str | None
    outer: tuple[str, ...] | None
    assume: Cond
    lanes: tuple[Lane, ...]

    def hits(self, a: Iterator[Point], b: Iterator[Point] | None) -> Iterator[Hit]:
        if self.want == "different-blocks":
            return _across_blocks(a, b)
        if self.want == "same-block-lanes":
            return _within_block(a, lambda p: p[:3], lambda p: p[3])
        names = [c.name for c in layout(self.first, self.lanes).counters]
        at = names.index(self.counter) if self.counter is not None else 0
        kept = [i for i, n in enumerate(names) if i != at and (self.outer is None or n in self.outer)]
        return _within_block(a, lambda p: (p[0], p[1], tuple(p[2][i] for i in kept)), lambda p: p[2][at])


def assemble(
    q: Question, hit: Hit, grid: Grid, uniform: Mapping[Atom, int], style: Style,
    accept: Callable[[Witness], bool] | None = None,
) -> Witness | None:
    """The witness for a hit, with exactly the data that the two points and the assumption read; None when it is not
    acceptable or not confirmed.

    hit      (element, block, counters, lanes) of both points, in the order of their layouts
    uniform  values of launch scalars and uniform opaques
    style    contents of arrays and unknown functions
    """
    scalars: dict[Atom, int] = dict(uniform)
    scalars.update({GridDim(axis): grid[axis] for axis in AXES})
    data: dict[str, int] = {}
    sides: list[BlockPoint] = []
    try:
        for point, region in zip(hit, (q.first, q.second), strict=True):
            plan = layout(region, q.lanes)
            local: dict[Atom, int] = {**scalars, **{Bid(axis): point[1][axis] for axis in AXES}}
            local.update(zip(plan.counters, point[2], strict=True))
            local.update(zip(plan.lanes, point[3], strict=True))
            world = World(local, data, style)
            if not holds(region.guard, world) or tuple(evaluate(t, world) for t in region.index) != point[0]:
                return None
            sides.append(BlockPoint(
                point[1],
                tuple((c.name, v) for c, v in zip(plan.counters, point[2], strict=True)),
                tuple((lane.key, v) for lane, v in zip(plan.lanes, point[3], strict=True)),
            ))
        if not holds(q.assume, World(scalars, data, style)):
            return None
    except (ArithmeticError, KeyError):
        return None
    data.update({a.key: v for a, v in scalars.items() if isinstance(a, Opaque)})
    found = Witness(
        grid=grid,
        scalars=tuple(sorted((a, v) for a, v in scalars.items() if is_scalar(a))),
        first=sides[0], second=sides[1], element=hit[0][0], data=tuple(sorted(data.items())),
    )
    if accept is not None and not accept(found):
        return None
    trusted = confirm(
        found, q.first, q.second, assume=q.assume, want=q.want, counter=q.counter, lanes=q.lanes)
    return found if trusted else None


def _uniform_parts(q: Question) -> Iterator[Cond]:
    yield from conjuncts(q.assume)
    for region in (q.first, q.second):
        yield from conjuncts(region.guard)


def _run(
    q: Question, axes: frozenset[int], same_site: bool, budget: int, zero: frozenset[Atom], styles: Sequence[Style],
    accept: Callable[[Witness], bool] | None = None,
) -> Witness | None:
    plans = [layout(r, q.lanes) for r in (q.first, q.second)]
    if any(isinstance(a, Opaque) and not a.uniform for a in leaves(q.assume)):
        return None
    wanted = {*plans[0].uniform, *plans[1].uniform, *(a for a in leaves(q.assume) if isinstance(a, (Symbol, Opaque)))}
    variables = tuple(sorted(wanted))
    one = side_of(q.first, variables, q.lanes)
    two = one if same_site else side_of(q.second, variables, q.lanes)
    if one is None or two is None:
        return None
    values: list[Term | Cond] = [*q.first.index, q.first.guard, *q.second.index, q.second.guard]
    tiles, radices = roles(values, chain(plans[0].lanes, plans[1].lanes))
    chooser = Chooser(variables, tiles=tiles, zero=zero)
    if not chooser.require(_uniform_parts(q)):
        return None
    data = any(reads_data(v) for v in values)
    seed = crc32("|".join(v.key for v in values).encode())
    left, case_limit = budget, max(budget // 6, 200)
    for turn, (grid, drawn) in enumerate(chooser.draws(grids(axes, radices), seed, TRIALS)):
        case = _Case(grid, drawn, styles[turn % len(styles)] if data else styles[0], min(case_limit, left))
        counts = [[0], [0]]
        try:
            a = enumerate_points(one, case, counts[0])
            b = None if same_site else enumerate_points(two, case, counts[1])
            if a is not None and (same_site or b is not None):
                for hit in islice(q.hits(a, b), 1 if accept is None else HITS):
                    found = assemble(q, hit, grid, dict(zip(variables, drawn, strict=True)), case.style, accept)
                    if found is not None:
                        return found
        except ArithmeticError:
            # an execution outside the domain of an operation is undefined: it shows nothing
            left -= case_limit // 8
        left -= counts[0][0] + counts[1][0] + ASSIGNMENT_COST
        if left <= 0:
            break
    return None


def find_collision(
    first: Region,
    second: Region,
    *,
    axes: frozenset[int],
    assume: Cond = TRUE,
    same_site: bool,
    budget: float = BUDGET,
    want: Literal["different-blocks", "same-block-lanes"] = "different-blocks",
    zero: frozenset[Atom] = frozenset(),
    lanes: tuple[Lane, ...] = (),
    styles: Sequence[Style] = STYLES,
    accept: Callable[[Witness], bool] | None = None,
) -> Witness | None:
    """Two points of the accesses that touch one element, in a small launch.

    axes       grid axes the kernel reads; the others have one block
    assume     a condition over launch scalars that the launch must satisfy
    same_site  the two accesses are one statement
    budget     about how many points to look at
    want       points in two blocks, or two lanes of one operation in one block and iteration
    zero       launch scalars that may be 0 or negative; all others are at least 1
    lanes      lanes of the tile that occur in neither index nor guard
    styles     the contents to try for arrays that are read
    accept     which of the collisions will do; any, when it is not given
    """
    question = Question(first, second, want, None, None, assume, lanes)
    single = same_site or want == "same-block-lanes"
    return _run(question, _axes(axes, first, second, want), single, int(budget), zero, styles, accept)


def find_iteration_collision(
    region: Region,
    counter_name: str,
    *,
    axes: frozenset[int] = frozenset(),
    outer: tuple[str, ...] | None = None,
    assume: Cond = TRUE,
    budget: float = BUDGET,
    styles: Sequence[Style] = STYLES,
) -> Witness | None:
    """One block that touches an element in two iterations of a loop.

    outer      counters of the loops around it, which must be equal; None for all other counters
    """
    if counter_name not in {c.name for c in layout(region).counters}:
        return None
    question = Question(region, region, "same-block-iterations", counter_name, outer, assume, ())
    return _run(question, _axes(axes, region, region, "same"), True, int(budget), frozenset(), styles)


def _axes(axes: frozenset[int], first: Region, second: Region, want: str) -> frozenset[int]:
    # inside one block any grid will do; the axes that occur may as well have several blocks
    if want == "different-blocks":
        return axes
    values: list[Term | Cond] = [*first.index, first.guard, *second.index, second.guard]
    return axes | {a.axis for v in values for a in leaves(v) if isinstance(a, Bid)}
