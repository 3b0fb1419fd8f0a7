"""Proposes a declaration about data that proves a write which index arithmetic alone does not prove."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from msgspec.structs import replace

from tilecheck.contracts import ContractError
from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.query import Context
from tilecheck.solver.disjointness import Derivation, ticket_of, within_array
from tilecheck.symbolic import Array, Ite, Load, Term, atoms_in, atoms_of, conj, ge
from tilecheck.symbolic.footprint import Region

__all__ = ["data_of", "proposal"]

_TRIED = 4
"""Declarations to try for one pair."""


def proposal(context: Context, d: Derivation, first: Access, second: Access) -> str | None:
    """The first declaration with which a proof goes through, where the reads that it speaks of stay inside their
    arrays; `d` is the proof that did not."""
    axes = context.axes_of(first.region, second.region)
    left, right = _restrict_reads(first.region), _restrict_reads(second.region)
    for text in islice(dict.fromkeys(_candidates(d, first, second)), _TRIED):
        try:
            if context.is_proved_with(text, left, right, axes):
                return text
        except ContractError:
            # an element of a list of arrays has no name that a declaration could use
            continue
    return None


def _restrict_reads(region: Region) -> Region:
    """A region as far as everything that it reads lies inside the array that it is read from."""
    atoms = atoms_in(region.guard, *region.index)
    loads = sorted(a for a in atoms if isinstance(a, Load))
    within = (ge(t, 0) for a in loads for t in within_array(a))
    return replace(region, guard=conj(region.guard, *within))


def data_of(first: Access, second: Access) -> Array | None:
    """An array whose contents choose the element."""
    loads = sorted(a for t in (*first.region.index, *second.region.index) for a in atoms_of(t) if isinstance(a, Load))
    return loads[0].array if loads else None


def _candidates(d: Derivation, first: Access, second: Access) -> Iterator[str]:
    index = (*first.region.index, *second.region.index)
    atoms = atoms_in(*index, first.region.guard, second.region.guard)
    for a in sorted(atoms):
        counter = ticket_of(a)
        if counter is not None:
            yield f"ticket({counter})"
    for array in d.data:
        yield f"injective({array})"
    starts = sorted({a for t in index for a in _summands(t)})
    loads = sorted(a for a in atoms if isinstance(a, Load))
    for start in starts:
        if any(stop.array == start.array and _next(start, stop) for stop in loads):
            yield f"monotone({start.array})"
        for length in loads:
            if length.array != start.array and length.index == start.index and length not in starts:
                yield f"segments({start.array}, {length.array})"
    for start in starts:
        yield f"injective({start.array})"


def _next(start: Load, stop: Load) -> bool:
    """Whether the second load reads the element after the first one's."""
    return len(start.index) == len(stop.index) == 1 and (stop.index[0] - start.index[0]).constant == 1


def _summands(term: Term) -> Iterator[Load]:
    """Elements of arrays that a term, or a case of it, adds to something."""
    for monomial, factor in term.monos.items():
        if factor != 1 or len(monomial) != 1:
            continue
        (atom,) = monomial
        if isinstance(atom, Load):
            yield atom
        elif isinstance(atom, Ite):
            yield from _summands(atom.then)
            yield from _summands(atom.other)
