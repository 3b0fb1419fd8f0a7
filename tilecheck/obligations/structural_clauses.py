"""The structural part of a kernel's contract: the clauses that every launch must satisfy regardless of the proofs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from tilecheck.contracts import render
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.solver.overflow import bound_size, grows, list_divided, numbers, without_quotients
from tilecheck.symbolic import (
    UNKNOWN_ARRAY,
    Cond,
    GridDim,
    Lane,
    Scalar,
    Size,
    Substitution,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
    const,
    eq,
    ge,
    grid,
    le,
    lt,
    of,
    scalar,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["is_too_wide", "structural_clauses", "width_clauses"]

_GRID: Final = frozenset(GridDim(axis) for axis in range(3))


def structural_clauses(model: KernelModel, others: Iterable[Clause] = ()) -> tuple[Clause, ...]:
    """One block on the axes that the kernel never reads, arrays that do not overlap, indices of 32 bits. Signs that the
    clauses `others` tell are not asked for again."""
    if not model.written:
        return ()
    # a dialect launch has the grid of its partitions
    conds = dict.fromkeys(_restrict_unread_axes(model) if not model.ownership.mutable else ())
    arithmetic = tuple(Clause(render(c), c, "structural") for c in conds)
    return (
        *arithmetic,
        *dict.fromkeys(_require_disjoint(model)),
        *dict.fromkeys(_sizes(model)),
        *width_clauses(model, others),
    )


def _restrict_unread_axes(model: KernelModel) -> Iterator[Cond]:
    for k in range(3):
        if k not in model.axes_read:
            yield eq(grid(k), 1)


def _arrays(model: KernelModel) -> list[str]:
    return [p.name for p in model.params if p.kind in ("array", "list")]


def _require_disjoint(model: KernelModel) -> Iterator[Clause]:
    written = {a.root for a in model.written}
    names = _arrays(model)
    for i, a in enumerate(names):
        if a in written:
            yield Clause(f"disjoint({a})", None, "structural")
        for b in names[i + 1:]:
            if a in written or b in written:
                first, second = (a, b) if a in written else (b, a)
                yield Clause(f"disjoint({first}, {second})", None, "structural")


def width_clauses(model: KernelModel, others: Iterable[Clause] = ()) -> tuple[Clause, ...]:
    """Indices are 32-bit: no intermediate value of an index, also of an element that a bounds check drops, is larger.

    The index of a tile is inside the array, which the obligations on bounds prove. Intermediate values that are
    divided or compared may be larger. Values of data and of loop counters are left out, unless numbers of the launch
    bound them where they are used. Values without a bound are not analysed further.

    Bounds are for sizes: numbers of the launch that are in one must not be negative, unless they are extents of tiles.
    For a number that is only added, such as a seed, it is enough that the bound also holds for its negation.
    """
    known = _not_negative(model, others)
    found = _widths(model), {*model.long}
    narrow, wide = ({*_find_strongest_bounds(bounds)} for bounds in found)
    asked = {
        *model.sized,
        *(n for b in (*narrow, *wide) for n in numbers(b) - known - {_find_negative_addend(b, known)}),
        *(n for bounds in found for b in bounds for m, c in b.monos.items() if c < 0 for n in numbers(Term({m: 1}))),
    } - known
    signs = (ge(scalar(n), 0) for n in sorted(asked))
    return (*(Clause(render(c), c, "structural") for c in signs),
            *(_require_less(b, 31) for b in _of_both_signs(narrow, known | asked)),
            *(_require_less(b, 63) for b in _of_both_signs(wide, known | asked)))


def _require_less(bound: Term, bits: int) -> Clause:
    return Clause(f"{render(bound)} < 2**{bits}", lt(bound, const(2**bits)), "structural")


def _find_negative_addend(bound: Term, known: set[str]) -> str | None:
    """The number of the launch that may be negative and is an addend of a bound, when there is one and it is not in
    any other."""
    found = [m for m in bound.monos if not numbers(Term({m: 1})) <= known]
    alone = found[0][0] if len(found) == 1 and len(found[0]) == 1 else None
    return alone.name if isinstance(alone, Symbol) else None


def _of_both_signs(bounds: set[Term], known: set[str]) -> list[Term]:
    names = {b: _find_negative_addend(b, known) for b in bounds}
    mirrored = {Substitution({Scalar(n): -scalar(n)}).term(b) for b, n in names.items() if n is not None}
    return sorted(bounds | mirrored, key=lambda t: t.key)


def _not_negative(model: KernelModel, others: Iterable[Clause]) -> set[str]:
    """Returns the numbers of the launch that are at least 0: extents of tiles, and those that `others` bound."""
    tiles = {*(e for a in model.accesses for e in a.tile), *(
        x.size for a in model.accesses for x in atoms_in(*a.region.index, a.region.guard) if isinstance(x, Lane))}
    conds = conjuncts(conj(model.guards, *(c.cond for c in others if c.cond is not None)))
    bounds = {c.term - c.term.offset for c in conds if c.op == "ge" and c.term.offset <= 0}
    return {a.name for t in tiles | bounds for a in (t.single,) if isinstance(a, Symbol)}


def _find_strongest_bounds(bounds: set[Term]) -> Iterator[Term]:
    """Bounds without those that others imply."""
    ordered = sorted(bounds, key=lambda t: t.key)
    return (b for b in ordered if not any(c is not b and _covers(c, b) for c in ordered))


def _widths(model: KernelModel) -> set[Term]:
    """How large what indices are computed through may get, where that is more than a single number."""
    terms = {i for a in model.accesses for i in a.region.index if a.tile or a.mode != "read"}
    bounds = {b for t in terms for d in list_divided(t, model.wide) for b in bound_size(d, model.wide)}
    bounds |= {b for t in model.products for b in bound_size(t, model.wide)}
    return {b for b in map(without_quotients, bounds) if grows(b) or not model.doubled.isdisjoint(numbers(b))}


def is_too_wide(model: KernelModel) -> bool:
    """Whether, by its constants, the index of a tile exceeds 32 bits in every launch of two blocks.

    No array has an index that large, and the computed index wraps to a different one.
    """
    tiles = [a for a in model.accesses if a.tile]
    positive = _GRID | {atom for a in tiles for extent in a.tile for atom in atoms_of(extent)}
    return any(sum(c for m, c in b.monos.items() if m and positive.issuperset(m)) >= 2**31
               for a in tiles for t in a.region.index for b in bound_size(t))


def _covers(larger: Term, smaller: Term) -> bool:
    """Whether a bound is at least another for all launch scalars that are not negative."""
    return all(c >= 0 for c in (larger - smaller).monos.values())


def _sizes(model: KernelModel) -> Iterator[Clause]:
    """Index arithmetic is over 32-bit integers: arrays that are written by element have fewer elements than that."""
    for a in model.accesses:
        if (a.mode != "read" and not a.tile and not a.array.at_any_position and a.array != UNKNOWN_ARRAY
                and a.array not in model.indexed):
            cond = le(of(Size(a.array)), 2**31 - 1)
            yield Clause(render(cond), cond, "structural")
