"""Launches in numbers in which an undefined lane of a tile is used."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.loops import in_earlier_iteration
from tilecheck.interp.kernel.poison.sources import Edge, Observation
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.solver.model_search import Point, find_point
from tilecheck.symbolic import (
    Bid,
    Cond,
    Counter,
    Lane,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
    enforceable,
    negate,
)
from tilecheck.symbolic.evaluate import evaluate
from tilecheck.symbolic.footprint import BlockPoint, Witness

__all__ = ["PaddingExample", "find_padding_example", "launch_that_shows"]


class PaddingExample(Struct, frozen=True):
    """A lane of a tile that lies outside its array and is used.

    lane     its number along the edge of the tile
    element  the element that it would be
    extent   how many elements the array has along the edge
    """

    lane: int
    element: int
    extent: int
    witness: Witness


def launch_that_shows(s: DecidedObligation, model: KernelModel) -> Witness | None:
    """A launch that uses an undefined lane, for an obligation that is not proved; None if none was found."""
    for o, clauses in s.uses:
        broken = tuple(c.cond for c in clauses if c.kind == "semantic" and c.cond is not None)
        found = find_padding_example(s, model, o, broken)
        if found is not None:
            return found.witness
    return None


def find_padding_example(
    s: DecidedObligation, model: KernelModel, o: Observation, broken: Sequence[Cond],
) -> PaddingExample | None:
    """A launch in which the observed lane is undefined and used; preferably one that breaks the first of `broken`."""
    if o.undefined.blurred:
        return None
    made = conj(o.undefined.cond, o.guard)
    declared = [c for c in s.assumed if enforceable(c) and not c.varying]
    point = find_point(made, model.axes_read, conj(*declared, *(negate(c) for c in broken[:1])))
    if point is None and broken:
        point = find_point(made, model.axes_read, conj(*declared))
    if point is None:
        return None
    lane = _lane(o.undefined.edge, o, point)
    return None if lane is None else PaddingExample(*lane, _witness(point, lane[1]))


def _witness(point: Point, element: int) -> Witness:
    env = point.leaves
    x, y, z = (env[Bid(axis)] for axis in range(3))
    side = BlockPoint((x, y, z), tuple(sorted((a.name, v) for a, v in env.items() if isinstance(a, Counter))),
                      tuple(sorted((a.key, v) for a, v in env.items() if isinstance(a, Lane))))
    return Witness(point.grid, point.scalars, side, side, (element,))


def _lane(edge: Edge, o: Observation, point: Point) -> tuple[int, int, int] | None:
    """Lane of the tile along the edge, its element, and how many elements there are."""
    env = dict(point.leaves)
    for a in atoms_in(edge.start, edge.end):
        if isinstance(a, Counter) and a not in env and (earlier := in_earlier_iteration(a)) in env:
            env[a] = env[earlier]
    try:
        over = [evaluate(c.term, env) for c in conjuncts(o.undefined.outside)
                if c.op == "ge" and any(isinstance(a, Lane) for a in atoms_of(c))]
        if len(over) != 1:
            return None
        start, end = evaluate(edge.start, env), evaluate(edge.end, env)
    except (KeyError, ArithmeticError):
        return None
    return end + over[0] - start, end + over[0], end
