"""Divisions by launch arguments. A division by zero leaves an index, or the condition of an access, undefined.

For a tile that is loaded by its index, the proof of bounds already requires a divisor that is not 0. The index of an
element access may have any value, so that it only has to be defined.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.interp.kernel.interpreter import Machine, Record
from tilecheck.solver.inequalities import entails
from tilecheck.symbolic import (
    Atom,
    Cond,
    FloorDiv,
    Mod,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    enforceable,
    eq,
    negate,
)

__all__ = ["divisions", "is_positive"]

_BY_TILE: Final = frozenset({"load", "store"})


def divisions(m: Machine) -> Iterator[tuple[Cond, Cond]]:
    """That the divisors in the accesses are not zero, each with the condition under which it is asked."""
    for r in m.records:
        for atom in sorted(_find_divisions(r)):
            zero = eq(atom.den, 0)
            under = _before(r.under, atom)
            if not is_positive(m, atom.den) and enforceable(zero) and not entails(under, negate(zero)):
                yield under, negate(zero)


def _find_divisions(r: Record) -> Iterator[FloorDiv | Mod]:
    index = () if r.op in _BY_TILE else r.index
    return (a for a in atoms_in(r.under, *index) if isinstance(a, FloorDiv | Mod) and a.den.constant is None)


def _before(under: Cond, atom: Atom) -> Cond:
    """Returns the conditions that hold where the division executes. They do not contain the division itself."""
    return conj(*(c for c in (under.args if under.op == "and" else (under,)) if atom not in atoms_of(c)))


def is_positive(m: Machine, term: Term) -> bool:
    """Whether a number is at least 1 because it is computed from extents of tiles."""
    extents = {o.symbol for o in m.holdings.origins}
    return bool(term.monos) and term.offset >= 0 and all(
        factor > 0 and all(isinstance(a, Symbol) and a.name in extents for a in mono)
        for mono, factor in term.monos.items())
