"""The structural part of a kernel's contract: what every launch must satisfy whatever the proofs are."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.kernel.access import KernelModel
from tilecheck.proof.contract import render
from tilecheck.proof.region import Clause
from tilecheck.proof.terms import Cond, Term, const, eq, grid, le, lt, sym
from tilecheck.rules.widths import largest

__all__ = ["structural_clauses", "width_clauses"]


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

    Values of data and of loop counters are left out: the first have no bound, the second that of their loop.
    """
    terms = {i for a in model.accesses if a.mode != "read" and not a.tile for i in a.region.index}
    if not terms:
        return ()
    bounds = {b for t in (*terms, *model.products) for b in largest(t) if _grows(b)}
    ordered = sorted(bounds, key=lambda t: t.key)
    most = [b for b in ordered if not any(c is not b and _covers(c, b) for c in ordered)]
    return tuple(Clause(f"{render(b)} < 2**31", lt(b, const(2**31)), "structural") for b in most)


def _grows(bound: Term) -> bool:
    return any(len(m) > 1 or (m and c > 1) for m, c in bound.monos.items())


def _covers(larger: Term, smaller: Term) -> bool:
    """Whether a bound is at least another for all launch scalars that are not negative."""
    return all(c >= 0 for c in (larger - smaller).monos.values())


def _sizes(model: KernelModel) -> Iterator[Clause]:
    """Index arithmetic is over 32-bit integers: arrays that are written by element have fewer elements than that."""
    for a in model.accesses:
        if a.mode != "read" and not a.tile and "*" not in a.array and a.array != "?":
            cond = le(sym(f"numel({a.array})"), 2**31 - 1)
            yield Clause(render(cond), cond, "structural")
