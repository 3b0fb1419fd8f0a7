"""The structural part of a kernel's contract: what every launch must satisfy whatever the proofs are."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.kernel.access import Access, KernelModel
from tilecheck.proof.contract import render
from tilecheck.proof.region import Clause
from tilecheck.proof.terms import Bid, Cond, cdiv, eq, grid, le, sym

__all__ = ["structural_clauses"]


def structural_clauses(model: KernelModel) -> tuple[Clause, ...]:
    """One block on the axes that the kernel never reads, a grid inside the tile space, arrays that do not overlap."""
    if not model.written:
        return ()
    conds = dict.fromkeys((*_unread(model), *_inside(model)))
    arithmetic = tuple(Clause(render(c), c, "structural") for c in conds)
    return (*arithmetic, *dict.fromkeys(_apart(model)), *dict.fromkeys(_sizes(model)))


def _unread(model: KernelModel) -> Iterator[Cond]:
    for k in range(3):
        if k not in model.axes_read:
            yield eq(grid(k), 1)


def _inside(model: KernelModel) -> Iterator[Cond]:
    """A tile index that is a block coordinate: the grid has no more blocks there than the array has tiles."""
    for a in model.accesses:
        if a.mode != "write" or "*" in a.array or a.array == "?" or not _whole(a):
            continue
        for d, (index, extent) in enumerate(zip(a.tile_index, a.tile, strict=True)):
            coordinate = index.single
            if isinstance(coordinate, Bid) and not extent.varying:
                yield le(grid(coordinate.axis), cdiv(sym(f"{a.array}.shape[{d}]"), extent))


def _whole(a: Access) -> bool:
    """Whether the tiles are those of the array itself: the element index is tile index times extent plus lane."""
    return len(a.tile) == len(a.tile_index) == len(a.region.index) and not any(
        isinstance(x.single, Bid) and (e - x * t).varying and not (e - x * t).single
        for e, x, t in zip(a.region.index, a.tile_index, a.tile, strict=True))


def _arrays(model: KernelModel) -> list[str]:
    return [p.name for p in model.params if p.kind in ("array", "list")]


def _apart(model: KernelModel) -> Iterator[Clause]:
    written = {a.partition("[")[0] for a in model.written}
    names = _arrays(model)
    for i, a in enumerate(names):
        for b in names[i + 1:]:
            if a in written or b in written:
                first, second = (a, b) if a in written else (b, a)
                yield Clause(f"disjoint({first}, {second})", None, "structural")


def _sizes(model: KernelModel) -> Iterator[Clause]:
    """Index arithmetic is over 32-bit integers: arrays that are written by element have fewer elements than that."""
    for a in model.accesses:
        if a.mode != "read" and not a.tile and "*" not in a.array and a.array != "?":
            cond = le(sym(f"numel({a.array})"), 2**31 - 1)
            yield Clause(render(cond), cond, "structural")
