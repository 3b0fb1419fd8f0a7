"""Indices that lie outside in every small launch that uses them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from zlib import crc32

from msgspec import Struct

from tilecheck.solver.model_search.assignments import (
    Chooser,
    Grid,
    grid_axis,
    grids,
    is_scalar,
    lane_values,
    power_of_two,
    roles,
)
from tilecheck.solver.model_search.codegen import Enumerator, Oracle, Point, TooLarge, enumerator, value
from tilecheck.solver.model_search.layout import AXES, conjuncts, layout, leaves, reads_data
from tilecheck.symbolic import (
    EXTENTS,
    Atom,
    Bid,
    Cond,
    Counter,
    GridDim,
    Lane,
    Length,
    Opaque,
    Size,
    Stride,
    Symbol,
    Term,
    conj,
    evaluate,
    holds,
)
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

__all__ = ["Escape", "confirm_escape", "find_escape"]

TRIALS: Final = 72
LAUNCHES: Final = 24
"""Launches to look at, of those that use the index."""
LEAST: Final = 6
"""Launches that must use it: what fails in fewer may be chance."""
POINTS: Final = 2_000
LARGER: Final = 8
"""How much larger the arrays are made, to see whether that is what it takes."""


class Escape(Struct, frozen=True):
    """One block, iteration and lane in which an index is outside, in numbers. `witness.element` is where it is."""

    witness: Witness
    end: int


def find_escape(
    at: Term, end: Term, guard: Cond, *, axes: frozenset[int], assume: Cond, tiles: frozenset[str],
    every: bool = True, fixed: Mapping[Atom, int] | None = None,
) -> Escape | None:
    """A point at which `0 <= at < end` fails where the guard holds, with several blocks on each of the axes.

    every    only if such a point was found in each launch that was tried and that uses the index, however large its
             arrays are; else in any
    fixed    launch scalars that have one value
    """
    region = Region((at, end), guard)
    plan = layout(region)
    if not plan.searchable or any(reads_data(v) for v in (at, end, guard, assume)):
        return None
    if any(isinstance(a, Opaque) for v in (at, end, guard, assume) for a in leaves(v)):
        # its possible values are unknown
        return None
    points = enumerator(region)
    wanted = {*plan.uniform, *(a for a in leaves(assume) if isinstance(a, (Symbol, Opaque)))}
    variables = tuple(sorted(wanted))
    if points is None:
        return None
    try:
        sizes = tuple((value(lane.size, variables), lane.size.constant is None) for lane in plan.lanes)
    except (KeyError, TooLarge):
        return None
    search = _Search(region, assume, variables, points, sizes, dict(fixed or {}))
    return search.run(axes, tiles, every)


class _Search(Struct, frozen=True):
    region: Region
    assume: Cond
    variables: tuple[Atom, ...]
    points: Enumerator
    sizes: tuple[tuple[Callable[[Sequence[int], Oracle], int], bool], ...]
    fixed: dict[Atom, int]

    def run(self, axes: frozenset[int], tiles: frozenset[str], every: bool) -> Escape | None:
        values: list[Term | Cond] = [*self.region.index, self.region.guard]
        extents, radices = roles(values, layout(self.region).lanes)
        tile_atoms = extents | {a for a in self.variables if isinstance(a, Symbol) and a.name in tiles}
        free = frozenset(a for a in self.variables if _is_plain(a) and a not in tile_atoms)
        given = {a: self.fixed[a] for a in self.variables if a in self.fixed}
        chooser = Chooser(self.variables, tiles=tile_atoms, zero=free, fixed=given)
        if not chooser.require((*conjuncts(self.assume), *conjuncts(self.region.guard))):
            return None
        seed = crc32("|".join(v.key for v in values).encode())
        found: Escape | None = None
        used = [0, 0]
        sized = False
        for grid, drawn in chooser.draws(self._grids(grids(axes, radices, least=2)), seed, TRIALS):
            for launch in self._variants(grid, drawn) if every else (drawn,):
                # if the assumptions determine every extent, there is no larger launch
                sized = sized or launch is not drawn
                hit, made = self._find_first(grid, launch)
                if hit is not None and found is None:
                    found = self._build_escape(hit, grid, launch)
                    if found is not None and not every:
                        return found
                if every and made and hit is None:
                    return None
                used[launch is not drawn] += made
            if sum(used) >= LAUNCHES:
                break
        return found if every and used[0] >= LEAST and (used[1] >= LEAST or not sized) else None

    def _grids(self, small: tuple[Grid, ...]) -> tuple[Grid, ...]:
        own = [self.fixed.get(GridDim(k)) for k in AXES]
        return tuple(dict.fromkeys((own[0] or g[0], own[1] or g[1], own[2] or g[2]) for g in small))

    def _variants(self, grid: Grid, drawn: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """The launch, with its arrays much larger, and with its counts larger too."""
        yield drawn
        pinned = [a for a in self.variables if grid_axis(a) is not None]
        sizes = ((LARGER, 1), (LARGER**2, LARGER), (LARGER**4, LARGER**3))
        for launch in dict.fromkeys(tuple(
                v * extents if _extent(a) else v * counts if _is_plain(a) and a not in pinned else v
                for a, v in zip(self.variables, drawn, strict=True)) for extents, counts in sizes):
            if launch != drawn and self._is_allowed(grid, launch):
                yield launch

    def _is_allowed(self, grid: Grid, launch: tuple[int, ...]) -> bool:
        env: dict[Atom, int] = dict(zip(self.variables, launch, strict=True))
        env.update({GridDim(k): grid[k] for k in AXES})
        uniform = (c for c in conjuncts(self.region.guard) if not c.varying)
        try:
            return holds(conj(self.assume, *uniform), env)
        except (ArithmeticError, KeyError):
            return False

    def _find_first(self, grid: Grid, launch: tuple[int, ...]) -> tuple[Point | None, bool]:
        """The first point outside, and whether the index is used at all, as far as the launch is seen to its end."""
        plan = layout(self.region)
        index = {a: i for i, a in enumerate(self.variables)}
        spans: list[tuple[int, ...]] = []
        for size, symbolic in self.sizes:
            extent = size(launch, _no_data)
            if extent < 1 or (symbolic and not power_of_two(extent)):
                return None, False
            spans.append(lane_values(extent))
        scalars = tuple(launch[index[a]] for a in plan.uniform)
        limit = {0: 0, 1: 100, 2: 24}.get(len(plan.counters), 8)
        limits = (limit,) * len(plan.counters)
        count = [0]
        made = cut = False
        try:
            for p in self.points(scalars, grid, limits, tuple(spans), _no_data, POINTS, count):
                made = True
                cut = cut or limit - 1 in p[2]
                if not 0 <= p[0][0] < p[0][1]:
                    return p, True
        except ArithmeticError:
            return None, False
        return None, made and not cut and count[0] <= POINTS

    def _build_escape(self, p: Point, grid: Grid, launch: tuple[int, ...]) -> Escape | None:
        plan = layout(self.region)
        side = BlockPoint(
            p[1], tuple((c.name, v) for c, v in zip(plan.counters, p[2], strict=True)),
            tuple((lane.key, v) for lane, v in zip(plan.lanes, p[3], strict=True)))
        named = dict(zip(self.variables, launch, strict=True))
        witness = Witness(
            grid, tuple(sorted((a, v) for a, v in named.items() if is_scalar(a))),
            side, side, (p[0][0],), tuple(sorted((a.key, v) for a, v in named.items() if isinstance(a, Opaque))))
        found = Escape(witness, p[0][1])
        return found if confirm_escape(found, self.region, self.assume) else None


def confirm_escape(found: Escape, region: Region, assume: Cond) -> bool:
    """Whether an escape is what it claims, by evaluating the index anew: nothing of the search is trusted."""
    w = found.witness
    scalars, data = dict(w.scalars), dict(w.data)
    env: dict[Atom, int] = {}
    plan = layout(region)
    iterations, lanes = dict(w.first.iterations), dict(w.first.lanes)
    try:
        for k in AXES:
            env[GridDim(k)] = w.grid[k]
            env[Bid(k)] = w.first.block[k]
        for a in (*plan.uniform, *(a for a in leaves(assume) if isinstance(a, (Symbol, Opaque)))):
            if grid_axis(a) is None:
                env[a] = scalars[a] if isinstance(a, Symbol) else data[a.key]
        env.update({c: iterations[c.name] for c in plan.counters})
        env.update({lane: lanes[lane.key] for lane in plan.lanes})
        proper = all(0 <= env[Bid(k)] < w.grid[k] for k in AXES) and all(
            v >= 0 and (isinstance(a, Counter) or v < evaluate(a.size, env))
            for a, v in env.items() if isinstance(a, (Counter, Lane)))
        at, end = (evaluate(t, env) for t in region.index)
        return (proper and holds(region.guard, env) and holds(assume, env) and (at,) == w.element
                and end == found.end and not 0 <= at < end)
    except (ArithmeticError, KeyError):
        return False


def _no_data(*_: object) -> int:
    raise ArithmeticError("data")


def _extent(a: Atom) -> bool:
    return isinstance(a, (*EXTENTS, Length, Size))


def _is_plain(a: Atom) -> bool:
    return isinstance(a, Symbol) and not isinstance(a, (GridDim, Stride)) and not _extent(a)
