"""One launch in numbers, executed on the access functions.

Small launches are executed whole. Of a large one the blocks near the edges and some between them are executed, and of a
large tile some lanes. A failure is evaluated a second time before it is returned; that a launch has no failure is known
only if all of it was executed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from math import prod
from typing import Final

from msgspec import Struct

from tilecheck.solver.model_search.any_data import whatever_the_data
from tilecheck.solver.model_search.assignments import Grid, is_scalar, lane_values, power_of_two
from tilecheck.solver.model_search.codegen import Point, enumerator
from tilecheck.solver.model_search.collide import Question, assemble
from tilecheck.solver.model_search.escape import Escape, confirm_escape
from tilecheck.solver.model_search.layout import AXES, Layout, conjuncts, layout, reads_data
from tilecheck.solver.model_search.world import STYLES, Want, World, oracle
from tilecheck.symbolic import (
    TRUE,
    App,
    ArrayElement,
    Atom,
    Bid,
    Counter,
    Extent,
    GridDim,
    Lane,
    Opaque,
    Stride,
    Symbol,
    Term,
    atoms_in,
    evaluate,
    holds,
)
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

__all__ = ["BLOCKS", "Executed", "run_collision", "run_escape", "run_region"]

BUDGET: Final = 24_000
"""Points of one access that are looked at."""
BLOCKS: Final = 1_500
"""Blocks of a grid that is executed whole."""
_EDGE: Final = 3
_FIRST: Final = 24
_COUNT: Final[Mapping[int, int]] = {0: 0, 1: 200, 2: 24, 3: 10}
"""Iterations of a loop of which the end is not known, by the number of loops."""
_MOST: Final = 4_000
_HITS: Final = 6


class Executed(Struct, frozen=True):
    """The result of an execution of accesses.

    failure   the collision, or the element outside, with its numbers; None if none was seen
    complete  whether everything was executed
    """

    failure: Escape | Witness | None = None
    complete: bool = False


_UNKNOWN: Final = Executed()
_Style = Callable[[str, tuple[int, ...]], int]


class _Run(Struct, frozen=True):
    """One region in one launch: the points to look at, how many were looked at, and whether they are all."""

    points: Iterator[Point]
    count: list[int]
    whole: bool

    @property
    def complete(self) -> bool:
        """Whether everything was looked at, once the points are exhausted."""
        return self.whole and self.count[0] <= BUDGET


def _grid_of(launch: Mapping[Atom, int]) -> Grid:
    return launch[GridDim(0)], launch[GridDim(1)], launch[GridDim(2)]


def _choose_blocks(extent: int, several: int) -> Sequence[int]:
    """Coordinates along one axis: all, or those near the edges and some between them. Blocks that follow each other
    meet more often than distant ones."""
    first = _FIRST if several == 1 else _EDGE + 1
    if extent <= first + 2 * _EDGE:
        return range(extent)
    between = {extent // 2, extent // 2 + 1, extent // 3}
    return sorted({*range(first), *between, *range(extent - _EDGE, extent)})


def _blocks_of(grid: Grid) -> tuple[tuple[Sequence[int], ...], bool]:
    if prod(grid) <= BLOCKS:
        return tuple(range(g) for g in grid), True
    several = sum(g > 1 for g in grid)
    chosen = tuple(_choose_blocks(g, several) for g in grid)
    return chosen, all(len(c) == g for c, g in zip(chosen, grid, strict=True))


def _start(
    region: Region, launch: Mapping[Atom, int], style: _Style, lanes: tuple[Lane, ...] = (),
) -> _Run | None:
    """The execution of one region; None if a value that it mentions is unknown."""
    plan = layout(region, lanes)
    if not plan.searchable or any(a not in launch or isinstance(a, Opaque) for a in plan.uniform):
        return None
    points = enumerator(region, lanes)
    if points is None:
        return None
    grid = _grid_of(launch)
    blocks, whole = _blocks_of(grid)
    ends = [_last_iteration(region, plan, launch, c) for c in plan.counters]
    usual = _COUNT.get(len(ends), 6)
    limits = tuple(usual if end is None else max(min(end + 1, _MOST), 0) for end in ends)
    sizes = [evaluate(lane.size, launch) for lane in plan.lanes]
    if any(s < 1 or not (lane.size.constant is not None or power_of_two(s))
           for s, lane in zip(sizes, plan.lanes, strict=True)):
        return None  # it does not compile
    work = prod(len(b) for b in blocks) * prod(limits) * prod(sizes)
    spans = tuple(tuple(range(s)) if work <= BUDGET else lane_values(s) for s in sizes)
    whole = whole and all(end is not None and end < _MOST for end in ends) and all(
        len(span) == s for span, s in zip(spans, sizes, strict=True))
    count = [0]
    scalars = tuple(launch[a] for a in plan.uniform)
    return _Run(points(scalars, blocks, limits, spans, oracle(style), BUDGET, count), count, whole)


def _last_iteration(region: Region, plan: Layout, launch: Mapping[Atom, int], counter: Counter) -> int | None:
    """The largest value that the guard allows a counter in any block; None if that is not seen."""
    best: int | None = None
    for c in conjuncts(region.guard):
        if c.op != "ge":
            continue
        with_it = {m: n for m, n in c.term.monos.items() if counter in m}
        rest = Term({m: n for m, n in c.term.monos.items() if counter not in m})
        if len(with_it) != 1:
            continue
        ((mono, factor),) = with_it.items()
        slope = Term({tuple(a for a in mono if a != counter): factor})
        if mono.count(counter) != 1 or slope.varying or counter in atoms_in(slope, rest):
            continue
        if not all(isinstance(a, Bid) for a in rest.atoms() if a.varying):
            continue
        try:
            step = evaluate(slope, launch)
            if step >= 0:
                continue
            ends = [evaluate(rest, {**launch, **dict(zip(map(Bid, AXES), corner, strict=True))})
                    for corner in product(*((0, g - 1) for g in _grid_of(launch)))]
        except (KeyError, ArithmeticError):
            continue
        last = max(ends) // -step
        best = last if best is None else min(best, last)
    return best


def _skip_negative(run: _Run) -> Iterator[Point]:
    """The points at elements that exist: there is no element before the first."""
    return (p for p in run.points if not any(i < 0 for i in p[0]))


def _reads_data(region: Region) -> bool:
    return reads_data(region.guard) or any(map(reads_data, region.index))


def run_collision(
    first: Region, second: Region, launch: Mapping[Atom, int], *, same_site: bool, want: Want = "different-blocks",
    lanes: tuple[Lane, ...] = (),
) -> Executed:
    """Two blocks of a launch that touch one element, the first by `first` and the second by `second`.

    launch  values of all scalars that the accesses mention, those of the grid included, and those of the arrays of a
            list at each position
    want    points in two blocks, or two lanes of one operation in one block and iteration
    lanes   lanes of the tile that occur in neither index nor guard
    """
    data = _reads_data(first) or _reads_data(second)
    question = Question(first, second, want, None, None, TRUE, lanes)
    complete = not data
    for contents in STYLES if data else STYLES[:1]:
        style = _put_lists(contents, launch, first, second)
        try:
            one = _start(first, launch, style, lanes)
            two = None if same_site else _start(second, launch, style, lanes)
            if one is None or (two is None and not same_site):
                return _UNKNOWN
            hits = question.hits(_skip_negative(one), None if two is None else _skip_negative(two))
            for hit in islice(hits, _HITS):
                found = assemble(
                    question, hit, _grid_of(launch), _select_mentioned(launch, first, second), style,
                    lambda w: not w.data or whatever_the_data(w, first, second))
                if found is not None:
                    return Executed(found)
                complete = False
            complete = complete and one.complete and (two is None or two.complete)
        except (ArithmeticError, KeyError):
            # an execution outside the domain of an operation is undefined: it shows nothing
            return _UNKNOWN
    return Executed(None, complete and first.exact and second.exact)


def _put_lists(contents: _Style, launch: Mapping[Atom, int], *regions: Region) -> _Style:
    """Contents of arrays, with the extents and strides that the arrays of a list have at the launch. A KeyError where
    one is unknown: it is the launch's, not data that another launch may have."""
    names = {f"{a.fn}(": a.fn for r in regions for a in atoms_in(r.guard, *r.index)
             if isinstance(a, App) and isinstance(a.fn, Symbol)}
    if not names:
        return contents
    known = {(type(a), a.array.root, a.axis, a.array.position): n for a, n in launch.items()
             if isinstance(a, Extent | Stride) and isinstance(a.array, ArrayElement)}

    def look_up(name: str, args: tuple[int, ...]) -> int:
        symbol = names.get(name)
        if symbol is None:
            return contents(name, args)
        if not isinstance(symbol, Extent | Stride):
            raise KeyError(name)
        return known[type(symbol), symbol.array.root, symbol.axis, args[0]]

    return look_up


def _select_mentioned(launch: Mapping[Atom, int], *regions: Region) -> dict[Atom, int]:
    atoms = {a for r in regions for a in layout(r).uniform}
    return {a: v for a, v in launch.items() if a in atoms}


def run_escape(at: Term, end: Term, region: Region, launch: Mapping[Atom, int]) -> Executed:
    """A point of a launch at which `0 <= at < end` fails where the guard of the region holds."""
    made = Region((at, end), region.guard, region.exact)
    found, executed = run_region(made, launch, outside=True)
    if found is None:
        return executed
    plan = layout(made)
    env: dict[Atom, int] = _select_mentioned(launch, made)
    side = _side_of(found, plan)
    scalars = tuple(sorted((a, v) for a, v in env.items() if is_scalar(a)))
    escape = Escape(Witness(_grid_of(launch), scalars, side, side, (found[0][0],)), found[0][1])
    return Executed(escape) if confirm_escape(escape, made, TRUE) else _UNKNOWN


def _side_of(p: Point, plan: Layout) -> BlockPoint:
    return BlockPoint(
        p[1], tuple((c.name, v) for c, v in zip(plan.counters, p[2], strict=True)),
        tuple((lane.key, v) for lane, v in zip(plan.lanes, p[3], strict=True)))


def run_region(
    region: Region, launch: Mapping[Atom, int], outside: bool = False,
) -> tuple[Point | None, Executed]:
    """The first point of a region; with `outside`, the first whose index has `0 <= index[0] < index[1]` false."""
    if _reads_data(region):
        return None, _UNKNOWN
    try:
        run = _start(region, launch, STYLES[0])
        if run is None:
            return None, _UNKNOWN
        for p in run.points:
            if (not outside or _is_outside(*p[0])) and _is_confirmed(p, region, launch):
                return p, _UNKNOWN
        return None, Executed(None, region.exact and run.complete)
    except (ArithmeticError, KeyError):
        return None, _UNKNOWN


def _is_outside(at: int, end: int) -> bool:
    """Whether an index leaves its range. At the beginning of an array or a slice without elements it does not: nothing
    is accessed there."""
    return not 0 <= at < end and not at == end == 0


def _is_confirmed(p: Point, region: Region, launch: Mapping[Atom, int]) -> bool:
    """Whether a point is one of the region, evaluated anew."""
    plan = layout(region)
    values: dict[Atom, int] = dict(launch)
    values.update({Bid(axis): p[1][axis] for axis in AXES})
    values.update(zip(plan.counters, p[2], strict=True))
    values.update(zip(plan.lanes, p[3], strict=True))
    world = World(values, {})
    return holds(region.guard, world) and tuple(evaluate(t, world) for t in region.index) == p[0]
