"""Witnesses that do not depend on what arrays contain."""

from __future__ import annotations

from collections.abc import Mapping

from tilecheck.symbolic import (
    App,
    Atom,
    Bid,
    Counter,
    Extent,
    Lane,
    Load,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    const,
    key_of,
)
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

__all__ = ["whatever_the_data"]


def whatever_the_data(w: Witness, first: Region, second: Region) -> bool:
    """Whether the two points of a witness meet for any contents of the arrays that their indices are read from.

    With everything but data in numbers, both indices are one expression of the same elements, and the guards ask
    nothing of other elements: they only keep the index inside the array.
    """
    scalars = w.launch
    data = dict(w.data)
    left, right = _at(w.first, first, scalars, data), _at(w.second, second, scalars, data)
    mine = tuple(map(left.term, first.index))
    if mine != tuple(map(right.term, second.index)):
        return False
    read = atoms_in(*mine)
    return (all(isinstance(a, Load) or not a.varying for a in read)
            and atoms_in(left.cond(first.guard)) <= read and atoms_in(right.cond(second.guard)) <= read)


def _at(point: BlockPoint, region: Region, scalars: Mapping[Atom, int], data: Mapping[str, int]) -> Substitution:
    """Replaces coordinates, counts, lanes and launch scalars by their values at a point."""
    counts, lanes = dict(point.iterations), dict(point.lanes)
    atoms = atoms_in(region.guard, *region.index)
    values: dict[Atom, Term] = {}
    for a in atoms:
        value = (
            point.block[a.axis] if isinstance(a, Bid) else counts.get(a.name) if isinstance(a, Counter)
            else lanes.get(a.key) if isinstance(a, Lane) else scalars.get(a) if isinstance(a, Symbol) else None)
        if value is not None:
            values[a] = const(value)
    # the extents of an array of a list are the launch's to choose, as those of other arrays are
    extents = sorted((a for a in atoms if isinstance(a, App) and isinstance(a.fn, Extent)), key=key_of)
    numbers = Substitution(values if extents else {})
    for a in extents:
        extent = data.get(str(numbers.atom(a)))
        if extent is not None:
            values[a] = const(extent)
    return Substitution(values)
