"""Evidence that sizes come which no tile divides.

A tile that may extend past the end of its array is a condition on the launch, and a finding where something says that
such launches come. Where no launch is seen, any size may come.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tilecheck.interp.host.clause_substitution import bind
from tilecheck.interp.host.launch import Launch, is_free
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.poison.sources import Edge, Observation, lanes_in
from tilecheck.symbolic import (
    App,
    Atom,
    Bid,
    Cond,
    FloorDiv,
    Lane,
    Opaque,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    ge,
    of,
)

__all__ = ["is_ragged"]

_UNSPECIFIED: Final = frozenset({"", "UNDETERMINED"})


def is_ragged(use: Observation, model: KernelModel, launches: Sequence[Launch]) -> bool:
    """Whether something says that the tile of a load extends past the end of its array in some launch.

    launches  those that are seen, and those that may exist unseen
    """
    edge = use.undefined.edge
    return not launches or _in_kernel(use, edge, model) or any(_at_launch(edge, model, launch) for launch in launches)


# --- in the kernel ---------------------------------------------------------------------------------------------------

def _in_kernel(use: Observation, edge: Edge, model: KernelModel) -> bool:
    """A loop over tiles that is rounded up, or a mask or a padding mode elsewhere for the same axis."""
    loads = [a for a in model.accesses if a.unspecified == edge.source]
    guards = (use.guard, use.undefined.cond, *(a.under for a in loads))
    if any(_is_ceiling(a, edge.tile) for a in atoms_in(*guards)) or lanes_in(use.undefined.where):
        return True
    ends = {edge.end, *_find_bounds(edge, guards)}
    padded = any(a.padding not in _UNSPECIFIED and any(r.end in ends and r.step == edge.tile for r in a.reach)
                 for a in model.accesses)
    return padded or any(_masks(c, edge, ends) for c in _list_masks(model))


def _find_bounds(edge: Edge, guards: Sequence[Cond]) -> Iterator[Term]:
    """Other names of the extent: numbers that the starts of tiles are compared with."""
    start = {a for a in atoms_of(edge.start) if a.varying}
    for guard in guards:
        for c in guard.args if guard.op == "and" else (guard,):
            if c.op == "ge" and start & atoms_of(c):
                for m, factor in c.term.monos.items():
                    if factor == 1 and len(m) == 1 and isinstance(m[0], Symbol):
                        yield Term({m: 1})


def _is_ceiling(a: Atom, tile: Term) -> bool:
    """Whether an atom is `cdiv(n, tile)`, in one of the forms in which it occurs in bounds."""
    return isinstance(a, FloorDiv) and a.den == tile and (
        a.num.offset == -1 or (tile.constant is not None and a.num.offset == tile.constant - 1 > 0))


def _list_masks(model: KernelModel) -> Iterator[Cond]:
    """The conditions under which lanes are used."""
    yield from (o.undefined.where for o in model.paddings.observations)
    yield from (a.under for a in model.accesses if not a.tile)


def _masks(cond: Cond, edge: Edge, ends: set[Term]) -> bool:
    """Whether a condition compares lanes of the tile with the end of the axis."""
    atoms = atoms_of(cond)
    if not any(isinstance(a, Lane) and a.size == edge.tile for a in atoms):
        return False
    return any(end.single in atoms for end in ends if end.single is not None)


# --- at a launch -----------------------------------------------------------------------------------------------------

def _at_launch(edge: Edge, model: KernelModel, launch: Launch) -> bool:
    """A grid that is rounded up to tiles, a tile that is rounded up to a power of two, or a size of any value."""
    symbols = sorted(a for a in atoms_in(edge.end, edge.tile) if isinstance(a, Symbol))
    axes = sorted({a.axis for a in atoms_of(edge.start) if isinstance(a, Bid)})
    asked = conj(*(ge(of(a), 0) for a in symbols))
    values = bind(asked, model.params, launch, model.launched).values
    known: dict[Atom, Term] = {a: values[a] for a in symbols if a in values}
    put = Substitution(known)
    tile, end = put.term(edge.tile), put.term(edge.end)
    if any(isinstance(a, App) and a.fn == "next_pow2" for a in atoms_of(tile)):
        return True
    ceilings = (a for k in axes for t in (launch.grid[k],) if t is not None for a in atoms_of(t))
    if any(_is_ceiling(a, tile) for a in ceilings):
        return True
    leaves = [a for a in atoms_of(end) if isinstance(a, Symbol | Opaque)]
    aligned = edge.start.constant is None
    return aligned and bool(leaves) and all(is_free(a, launch.free) for a in leaves)
