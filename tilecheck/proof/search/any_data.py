"""Witnesses that do not depend on what arrays contain."""

from __future__ import annotations

from collections.abc import Mapping

from tilecheck.proof.region import BlockPoint, Region, Witness
from tilecheck.proof.terms import Atom, Bid, Counter, Lane, Load, Substitution, Sym, Term, atoms_of, const

__all__ = ["whatever_the_data"]


def whatever_the_data(w: Witness, first: Region, second: Region) -> bool:
    """Whether the two points of a witness meet whatever the arrays contain that their indices are read from: with
    everything but data in numbers, both indices are one expression of the same elements, and no guard asks for data."""
    scalars = {**dict(w.scalars), **{f"grid[{k}]": extent for k, extent in enumerate(w.grid)}}
    left, right = _at(w.first, first, scalars), _at(w.second, second, scalars)
    if left.cond(first.guard).op != "true" or right.cond(second.guard).op != "true":
        return False
    mine, theirs = tuple(map(left.term, first.index)), tuple(map(right.term, second.index))
    return mine == theirs and all(isinstance(a, Load) or not a.varying for t in mine for a in atoms_of(t))


def _at(point: BlockPoint, region: Region, scalars: Mapping[str, int]) -> Substitution:
    """Replaces coordinates, counts, lanes and launch scalars by their values at a point."""
    counts, lanes = dict(point.iterations), dict(point.lanes)
    atoms = atoms_of(region.guard).union(*(atoms_of(t) for t in region.index))
    values: dict[Atom, Term] = {}
    for a in atoms:
        value = (
            point.block[a.axis] if isinstance(a, Bid) else counts.get(a.name) if isinstance(a, Counter)
            else lanes.get(a.key) if isinstance(a, Lane) else scalars.get(a.name) if isinstance(a, Sym) else None)
        if value is not None:
            values[a] = const(value)
    return Substitution(values)
