"""The structural part of a kernel's contract: what every launch must satisfy whatever the proofs are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.kernel.access import KernelModel
from tilecheck.proof.contract import render
from tilecheck.proof.region import Clause
from tilecheck.proof.terms import Cond, Sym, Term, atoms_of, const, eq, grid, le, lt, sym
from tilecheck.proof.widths import divided, grows, largest, without_quotients

__all__ = ["is_too_wide", "structural_clauses", "width_clauses"]

_GRID: Final = frozenset(Sym(f"grid[{axis}]") for axis in range(3))


def structural_clauses(model: KernelModel) -> tuple[Clause, ...]:
    """One block on the axes that the kernel never reads, arrays that do not overlap, indices of 32 bits."""
    if not model.written:
        return ()
    # a dialect launch has the grid of its partitions
    conds = dict.fromkeys(_unread(model) if not model.ownership.mutable else ())
    arithmetic = tuple(Clause(render(c), c, "structural") for c in conds)
    return (*arithmetic, *dict.fromkeys(_apart(model)), *dict.fromkeys(_sizes(model)), *width_clauses(model))


def _unread(model: KernelModel) -> Iterator[Cond]:
    for k in range(3):
        if k not in model.axes_read:
            yield eq(grid(k), 1)


def _arrays(model: KernelModel) -> list[str]:
    return [p.name for p in model.params if p.kind in ("array", "list")]


def _apart(model: KernelModel) -> Iterator[Clause]:
    written = {a.partition("[")[0] for a in model.written}
    names = _arrays(model)
    for i, a in enumerate(names):
        if a in written:
            yield Clause(f"disjoint({a})", None, "structural")
        for b in names[i + 1:]:
            if a in written or b in written:
                first, second = (a, b) if a in written else (b, a)
                yield Clause(f"disjoint({first}, {second})", None, "structural")


def width_clauses(model: KernelModel) -> tuple[Clause, ...]:
    """Indices are 32-bit: no intermediate value of an index, also of an element that a bounds check drops, is larger.

    The index of a tile is inside the array, which the obligations of its bounds see to; what is divided or compared on
    the way may be larger. Values of data and of loop counters are left out, unless numbers of the launch bound them
    where they are used: those that nothing bounds are not followed any further.
    """
    narrow = (Clause(f"{render(b)} < 2**31", lt(b, const(2**31)), "structural") for b in _most(_widths(model)))
    wide = (Clause(f"{render(b)} < 2**63", lt(b, const(2**63)), "structural") for b in _most({*model.long}))
    return (*narrow, *wide)


def _most(bounds: set[Term]) -> Iterator[Term]:
    """Bounds without those that others imply."""
    ordered = sorted(bounds, key=lambda t: t.key)
    return (b for b in ordered if not any(c is not b and _covers(c, b) for c in ordered))


def _widths(model: KernelModel) -> set[Term]:
    """How large what indices are computed through may get, where that is more than a single number."""
    terms = {i for a in model.accesses for i in a.region.index if a.tile or a.mode != "read"}
    bounds = {b for t in terms for d in divided(t, model.wide) for b in largest(d, model.wide)}
    bounds |= {b for t in model.products for b in largest(t, model.wide)}
    return {b for b in map(without_quotients, bounds) if grows(b)}


def is_too_wide(model: KernelModel) -> bool:
    """Whether, by its constants, the index of a tile leaves 32 bits in every launch of two blocks: an index that large
    lies in no array, and what is computed for it is another one."""
    tiles = [a for a in model.accesses if a.tile]
    positive = _GRID | {atom for a in tiles for extent in a.tile for atom in atoms_of(extent)}
    return any(sum(c for m, c in b.monos.items() if m and positive.issuperset(m)) >= 2**31
               for a in tiles for t in a.region.index for b in largest(t))


def _covers(larger: Term, smaller: Term) -> bool:
    """Whether a bound is at least another for all launch scalars that are not negative."""
    return all(c >= 0 for c in (larger - smaller).monos.values())


def _sizes(model: KernelModel) -> Iterator[Clause]:
    """Index arithmetic is over 32-bit integers: arrays that are written by element have fewer elements than that."""
    for a in model.accesses:
        if (a.mode != "read" and not a.tile and "*" not in a.array and a.array != "?"
                and a.array not in model.indexed):
            cond = le(sym(f"numel({a.array})"), 2**31 - 1)
            yield Clause(render(cond), cond, "structural")
