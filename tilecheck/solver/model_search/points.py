"""One point at which a condition holds: a small launch, a block, iterations and lanes."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from msgspec import Struct

from tilecheck.solver.model_search.assignments import Chooser, grids, is_scalar, roles
from tilecheck.solver.model_search.collide import ASSIGNMENT_COST, case_of, enumerate_points, side_of
from tilecheck.solver.model_search.layout import AXES, conjuncts, layout, leaves, reads_data
from tilecheck.solver.model_search.world import World
from tilecheck.symbolic import TRUE, Atom, Bid, Cond, GridDim, Opaque, Symbol, holds
from tilecheck.symbolic.footprint import Region

__all__ = ["Point", "find_point"]

TRIALS = 120


class Point(Struct, frozen=True):
    """Concrete values under which a condition holds, evaluated anew before they are returned.

    grid     number of blocks on each axis
    scalars  launch scalars, sorted, without those of the grid
    leaves   every other quantity: block coordinates, counters, lanes
    """

    grid: tuple[int, int, int]
    scalars: tuple[tuple[Symbol, int], ...]
    leaves: Mapping[Atom, int]


def find_point(
    cond: Cond, axes: frozenset[int], assume: Cond = TRUE, budget: int = 6_000, zero: bool = False,
) -> Point | None:
    """A point at which a condition holds in a small launch that satisfies `assume`; None when none was found, or when
    the condition asks for the contents of arrays or for something that is not known.

    zero   whether sizes may be 0
    """
    region = Region((), cond)
    plan = layout(region)
    if not plan.searchable or reads_data(cond) or any(isinstance(a, Opaque) for a in leaves(assume)):
        return None
    variables = tuple(sorted({*plan.uniform, *(a for a in leaves(assume) if isinstance(a, Symbol))}))
    side = side_of(region, variables, ())
    if side is None:
        return None
    tiles, radices = roles([cond], plan.lanes)
    chooser = Chooser(variables, tiles=tiles, zero=frozenset(variables) if zero else frozenset())
    if not chooser.require((*conjuncts(assume), *conjuncts(cond))):
        return None
    left = budget
    for grid, drawn in chooser.draws(grids(axes, radices), crc32(cond.key.encode()), TRIALS):
        count = [0]
        try:
            points = enumerate_points(side, case_of(grid, drawn, min(left, 800)), count)
            hit = None if points is None else next(points, None)
            uniform = dict(zip(variables, drawn, strict=True))
            found = None if hit is None else _assemble(cond, assume, grid, uniform, hit, region)
        except ArithmeticError:
            found = None
        if found is not None:
            return found
        left -= count[0] + ASSIGNMENT_COST
        if left <= 0:
            break
    return None


def _assemble(
    cond: Cond, assume: Cond, grid: tuple[int, int, int], uniform: Mapping[Atom, int], hit: tuple[object, ...],
    region: Region,
) -> Point | None:
    plan = layout(region)
    _, block, counters, lanes = hit
    values: dict[Atom, int] = {**uniform, **{GridDim(axis): grid[axis] for axis in AXES}}
    scalars = tuple(sorted((a, v) for a, v in values.items() if is_scalar(a)))
    values.update({Bid(axis): block[axis] for axis in AXES})  # type: ignore[index]
    values.update(zip(plan.counters, counters, strict=True))  # type: ignore[call-overload]
    values.update(zip(plan.lanes, lanes, strict=True))  # type: ignore[call-overload]
    world = World(values, {})
    try:
        if holds(cond, world) and holds(assume, world):
            return Point(grid, scalars, values)
    except (KeyError, ArithmeticError):
        pass
    return None
