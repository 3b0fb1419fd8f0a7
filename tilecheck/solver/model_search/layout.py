"""Which free quantities a region has, in the fixed order in which the search enumerates them."""

from __future__ import annotations

from functools import lru_cache

from msgspec import Struct

from tilecheck.symbolic import App, Atom, Bid, Cond, Counter, Lane, Load, Opaque, Symbol, Term, atoms_of
from tilecheck.symbolic.footprint import Region

AXES = (0, 1, 2)


class Layout(Struct, frozen=True):
    """The leaf atoms of a region, sorted by key within each class.

    uniform     launch scalars and uniform opaques
    counters    loop counters
    lanes       tile lanes
    searchable  whether every leaf can be chosen or computed: no varying opaque, no renamed copy
    """

    uniform: tuple[Atom, ...]
    counters: tuple[Counter, ...]
    lanes: tuple[Lane, ...]
    searchable: bool


def _is_copied(a: Atom) -> bool:
    return isinstance(a, (Bid, Counter, Lane, Opaque)) and a.copy != 0


@lru_cache(maxsize=1024)
def layout(region: Region, extra_lanes: tuple[Lane, ...] = ()) -> Layout:
    """The layout of a region; `extra_lanes` are tile lanes that do not occur in its index or guard."""
    atoms: set[Atom] = set(extra_lanes)
    for t in (*region.index, *(lane.size for lane in extra_lanes)):
        atoms_of(t, atoms)
    atoms_of(region.guard, atoms)
    return Layout(
        uniform=tuple(sorted(a for a in atoms if isinstance(a, Symbol) or (isinstance(a, Opaque) and a.uniform))),
        counters=tuple(sorted((a for a in atoms if isinstance(a, Counter)), key=lambda a: a.key)),
        lanes=tuple(sorted((a for a in atoms if isinstance(a, Lane)), key=lambda a: (-a.axis, a.key))),
        searchable=not any(_is_copied(a) or (isinstance(a, Opaque) and not a.uniform) for a in atoms),
    )


def conjuncts(c: Cond) -> tuple[Cond, ...]:
    """The parts of a conjunction; the condition itself when it is none."""
    return c.args if c.op == "and" else (c,)


def leaves(value: Term | Cond) -> tuple[Atom, ...]:
    """The atoms whose value must be chosen: all but the computed ones, sorted by key."""
    return tuple(sorted(a for a in atoms_of(value) if isinstance(a, (Symbol, Bid, Counter, Lane, Opaque))))


def reads_data(value: Term | Cond) -> bool:
    """Whether an array element or an uninterpreted function occurs."""
    return any(isinstance(a, (Load, App)) for a in atoms_of(value))
