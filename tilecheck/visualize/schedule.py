"""Kernels of the ownership dialect with the schedule that they are launched with unless they are mapped: one piece a
block, axes of the partition along axes of the grid, and of more than three the leading ones together along axis 0."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.interp.kernel.dialect.ownership import COORDINATE
from tilecheck.symbolic import (
    ONE,
    Array,
    Atom,
    Counter,
    Substitution,
    Term,
    array_from_text,
    atoms_in,
    bid,
    conjuncts,
    floordiv,
    mod,
    of,
)
from tilecheck.symbolic.footprint import Region

__all__ = ["Scheduled", "apply_schedule"]

_NAMED: Final = re.compile(rf"(.*){COORDINATE}(\d+)(?:@.*)?")


class Scheduled(Struct, frozen=True):
    """A kernel as it is launched.

    accesses  with block coordinates in the place of the coordinates of pieces
    grid      the extents of the grid, where partitions determine it; else None
    rank      how many grid axes the partitions have
    """

    accesses: tuple[Access, ...]
    grid: tuple[Term, Term, Term] | None = None
    rank: int = 0


def apply_schedule(model: KernelModel) -> Scheduled:
    """The kernel with its schedule applied; a plain kernel unchanged."""
    counts: dict[Array, dict[int, Term]] = {}
    counters: dict[Atom, tuple[Array, int]] = {}
    for a in model.accesses:
        for atom in atoms_in(*a.region.index, a.region.guard, a.under):
            named = _NAMED.fullmatch(atom.name) if isinstance(atom, Counter) else None
            if named is not None and isinstance(atom, Counter):
                array, axis = array_from_text(named[1]), int(named[2])
                counters[atom] = (array, axis)
                for count in _counts(a, atom):
                    counts.setdefault(array, {}).setdefault(axis, count)
    if not counters:
        return Scheduled(model.accesses)
    ranks = dict(model.ranks)
    mapping: dict[Atom, Term] = {}
    extents: tuple[Term, Term, Term] = (ONE, ONE, ONE)
    rank = 1
    for atom, (array, axis) in counters.items():
        own = counts.get(array, {})
        pieces = tuple(own.get(k, ONE) for k in range(max(ranks.get(array, 1), axis + 1)))
        mapping[atom] = _coordinate(axis, pieces)
        found = _grid(pieces)
        rank = max(rank, min(len(pieces), 3))
        first, second, third = (_choose_known(one, other) for one, other in zip(extents, found, strict=True))
        extents = (first, second, third)
    change = Substitution(mapping)
    return Scheduled(tuple(_change_access(a, change) for a in model.accesses), extents, rank)


def _choose_known(one: Term, other: Term) -> Term:
    return other if one == ONE else one


def _counts(access: Access, counter: Counter) -> Iterator[Term]:
    """How many pieces there are along an axis: what the coordinate stays below."""
    for c in conjuncts(access.under):
        if c.op == "ge" and c.term.monos.get((counter,)) == -1:
            rest = c.term + of(counter)
            if not rest.varying:
                yield rest + 1


def _coordinate(axis: int, pieces: tuple[Term, ...]) -> Term:
    lead = max(len(pieces) - 3, 0)
    if axis > lead:
        return bid(axis - lead)
    below = ONE
    for extent in pieces[axis + 1:lead + 1]:
        below = below * extent
    digit = floordiv(bid(0), below) if axis < lead else bid(0)
    return mod(digit, pieces[axis]) if axis > 0 and lead else digit


def _grid(pieces: tuple[Term, ...]) -> tuple[Term, Term, Term]:
    lead = max(len(pieces) - 3, 0)
    first = ONE
    for extent in pieces[:lead + 1]:
        first = first * extent
    rest = (*pieces[lead + 1:], ONE, ONE)
    return first, rest[0], rest[1]


def _change_access(access: Access, change: Substitution) -> Access:
    region = access.region
    known = not any(isinstance(a, Counter) and COORDINATE in a.name
                    for a in atoms_in(*map(change.term, region.index)))
    return replace(
        access, under=change.cond(access.under),
        region=Region(tuple(map(change.term, region.index)), change.cond(region.guard), region.exact or known),
        tile_index=tuple(map(change.term, access.tile_index)),
        reach=tuple(replace(r, at=change.term(r.at), end=change.term(r.end), when=change.cond(r.when))
                    for r in access.reach))
