"""Small launches under which a condition holds, and whether a clause is needed."""

from __future__ import annotations

from collections.abc import Mapping
from zlib import crc32

from tilecheck.solver.model_search.assignments import Chooser, grid_axis, grids
from tilecheck.solver.model_search.collide import BUDGET, find_collision
from tilecheck.solver.model_search.layout import AXES, leaves, reads_data
from tilecheck.symbolic import TRUE, Atom, Cond, GridDim, Opaque, Symbol, conj, holds, negate
from tilecheck.symbolic.footprint import Region, Witness

__all__ = ["find_model", "find_necessity_witness", "satisfiable"]

TRIALS = 160


def _search(
    cond: Cond, axes: frozenset[int], fixed: Mapping[Atom, int], zero: bool, tiles: frozenset[str], least: int
) -> dict[Atom, int] | None:
    free = leaves(cond)
    if any(not isinstance(a, Symbol) and not (isinstance(a, Opaque) and a.uniform) for a in free) or reads_data(cond):
        return None
    given: dict[Atom, int] = {a: fixed[a] for a in free if a in fixed}
    chooser = Chooser(
        free, tiles=frozenset(a for a in free if a.key in tiles), zero=frozenset(free) if zero else frozenset(),
        fixed=given)
    if not chooser.require((cond,)):
        return None
    for grid, values in chooser.draws(_grids(axes, fixed, least), crc32(cond.key.encode()), TRIALS):
        found = dict(zip(free, values, strict=True))
        try:
            if holds(cond, found):
                named: dict[Atom, int] = {**found, **{GridDim(i): grid[i] for i in AXES}}
                return dict(sorted(named.items()))
        except ArithmeticError:
            continue
    return None


def _grids(axes: frozenset[int], fixed: Mapping[Atom, int], least: int) -> tuple[tuple[int, int, int], ...]:
    options = [*grids(axes, least=least)]
    if least == 1:
        options.append((1, 1, 1))
    out: list[tuple[int, int, int]] = []
    for g in options:
        chosen = (fixed.get(GridDim(0), g[0]), fixed.get(GridDim(1), g[1]), fixed.get(GridDim(2), g[2]))
        if chosen not in out:
            out.append(chosen)
    return tuple(out)


def satisfiable(
    assume: Cond, axes: frozenset[int], *, fixed: Mapping[Atom, int] | None = None, tiles: frozenset[str] = frozenset()
) -> dict[Atom, int] | None:
    """A small launch with two or more blocks on every one of the axes, and one on the others, that satisfies a
    condition: values of its symbols, those of the grid included. None when none was found.

    tiles      names of the scalars that are tile extents, and so powers of two
    """
    return _search(assume, axes, fixed or {}, False, tiles, 2)


def find_model(cond: Cond, *, holds: bool = True, fixed: Mapping[Atom, int] | None = None) -> dict[Atom, int] | None:
    """Small values of the symbols of a condition that make it true (or false, for `holds=False`), or None."""
    goal = cond if holds else negate(cond)
    mentioned = frozenset(axis for a in leaves(goal) if (axis := grid_axis(a)) is not None)
    found = _search(goal, mentioned, fixed or {}, False, frozenset(), 1)
    if found is None:
        return None
    mentioned_atoms = frozenset(leaves(goal))
    return {a: v for a, v in found.items() if a in mentioned_atoms}


def find_necessity_witness(
    clause: Cond,
    first: Region,
    second: Region,
    axes: frozenset[int],
    others: Cond = TRUE,
    *,
    same_site: bool = True,
    budget: float = BUDGET,
) -> Witness | None:
    """A collision in a launch that satisfies the other clauses and not this one."""
    zero = frozenset(a for a in leaves(clause) if isinstance(a, Symbol) and grid_axis(a) is None)
    for allowed in (frozenset[Atom](), zero):
        found = find_collision(
            first, second, axes=axes, assume=conj(others, negate(clause)), same_site=same_site, budget=budget,
            zero=allowed)
        if found is not None:
            return found
    return None
