"""The two copies of an access: whose atom is whose."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from tilecheck.symbolic import Array, Atom, Bid, Counter, Lane, Opaque, Symbol, Term, Ticket, atoms_of, of


@lru_cache(maxsize=65536)
def mark(atom: Atom) -> frozenset[int]:
    """The copies that an atom depends on."""
    if isinstance(atom, (Bid, Counter, Opaque)):
        return frozenset((atom.copy,)) if atom.varying else frozenset()
    if isinstance(atom, Lane):
        return frozenset((atom.copy,))
    if isinstance(atom, Symbol):
        return frozenset()
    base = (Bid, Counter, Lane, Opaque)
    inner = atoms_of(of(atom)) - {atom}
    return frozenset(i for a in inner if isinstance(a, base) for i in mark(a))


def prime_atoms(atoms: Iterable[Atom], keep: Callable[[Atom], bool] = lambda a: False) -> dict[Atom, Term]:
    """The substitution that turns the atoms of one copy into those of the second, `keep` ones excepted."""
    out: dict[Atom, Term] = {}
    for a in atoms:
        if keep(a):
            continue
        if isinstance(a, Bid):
            out[a] = of(Bid(a.axis, 1))
        elif isinstance(a, Counter):
            out[a] = of(Counter(a.name, 1, a.earlier))
        elif isinstance(a, Lane):
            out[a] = of(Lane(a.axis, a.size, 1))
        elif isinstance(a, Opaque) and a.varying:
            out[a] = of(Opaque(a.name, False, 1, a.source))
    return out


def ticket_of(a: Atom) -> Array | None:
    """The counter that an atom was drawn from, if it is a ticket."""
    return a.source.counter if isinstance(a, Opaque) and isinstance(a.source, Ticket) else None


def ticket_step(a: Opaque) -> int:
    """The number that each atomic addition adds to the counter of a ticket."""
    return a.source.step if isinstance(a.source, Ticket) else 1


def own(t: Term) -> Term:
    """The summands of a two-copy term that do not depend on the second copy."""
    return Term({m: c for m, c in t.monos.items() if not any(1 in mark(a) for a in m)})


def show_term(t: Term) -> Term:
    """The part of a two-copy term that a proof step shows: the half of the first copy, or the whole term if none."""
    mine = own(t)
    return mine if mine.monos else t
