"""Indices that look like element offsets where an index counts tiles, or the reverse.

This is evidence, not proof: an index is suspicious if it is a multiple of the extent by which the operation itself
multiplies the index.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.contracts import render
from tilecheck.interp.kernel.access import Access
from tilecheck.interp.kernel.lint_facts import SubTile
from tilecheck.obligations.deferred import Lint, Suspicion
from tilecheck.obligations.query import Context
from tilecheck.solver.inequalities import Facts
from tilecheck.symbolic import (
    ONE,
    ZERO,
    Atom,
    Bid,
    Cond,
    Extent,
    FloorDiv,
    Lane,
    Opaque,
    Symbol,
    Term,
    atoms_of,
    disj,
    grid,
    le,
    lt,
    of,
    split_multiples,
    substitute,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["ElementIndex", "PartOffset", "TileOffset", "suspicions"]


class TileOffset(Lint, frozen=True):
    """The tile index of an access is `tile * extent`, the element offset of tile `tile`, along `axis`."""

    access: Access
    axis: int
    index: Term
    extent: Term
    tile: Term


class PartOffset(Lint, frozen=True):
    """The index of a part of a tile is `quotient * extent`, the element offset of part `quotient`, along `axis`.
    Without a quotient it is a divisor of `extent`, an element at which no part begins."""

    op: str
    axis: int
    index: Term
    extent: Term
    quotient: Term | None


class ElementIndex(Lint, frozen=True):
    """A read by elements begins at element `block` along `axis`, in a kernel that writes tile `block` of `size`."""

    access: Access
    axis: int
    block: Bid
    size: Term


def suspicions(context: Context) -> Iterator[Suspicion]:
    """One suspicion for each location."""
    seen: set[object] = set()
    for access in context.model.accesses:
        found = _tile_index(context, access) if access.tile else _element_index(context, access)
        if found is not None and access.span not in seen:
            seen.add(access.span)
            yield found
    for part in context.model.observed.parts:
        if part.span not in seen and (lint := _part(context, part)) is not None:
            seen.add(part.span)
            yield Suspicion(lint)


def _count_tiles(index: Term, extent: Term) -> Term | None:
    """`q` when an index is `q * extent`, element offset of tile `q`; None when it is not known to be one."""
    if extent == ONE or index == ZERO or any(isinstance(a, Opaque) for a in index.atoms() | extent.atoms()):
        return None
    quotient, rest = split_multiples(index, extent)
    if rest != ZERO or (extent.constant is not None and not index.varying):
        return None
    return quotient


# --- tile index ------------------------------------------------------------------------------------------------------

def _tile_index(context: Context, access: Access) -> Suspicion | None:
    for axis, (index, extent) in enumerate(zip(access.tile_index, access.tile, strict=True)):
        tile = _count_tiles(index, extent)
        if tile is None or not _steps_by_extent(access, axis) or _is_interleaved(context, access, axis, tile):
            continue
        inside = _require_single_tile(access, axis, index, extent)
        if _counts_tiles(context, access, index, extent):
            continue
        return Suspicion(TileOffset(access.span, access, axis, index, extent, tile), inside)
    return None


def _steps_by_extent(access: Access, axis: int) -> bool:
    """Whether the element index is index times extent, and no other step."""
    # a member of a list has its position in the list before its own axes; facts that hold at the access may have
    # simplified the element index
    lead = any(r.axis is None and not r.unchecked for r in access.reach)
    steps = {r.step for r in access.reach if r.axis is not None and r.axis + lead == axis and r.step is not None}
    if steps:
        return steps == {access.tile[axis]}
    product = access.tile_index[axis] * access.tile[axis]
    return not (access.region.index[axis] - product).monos.keys() & product.monos.keys()


def _counts_tiles(context: Context, access: Access, index: Term, extent: Term) -> bool:
    """Whether the index is compared with a number of such tiles where it is used."""
    counts = [a for a in sorted(atoms_of(access.region.guard)) if isinstance(a, FloorDiv) and a.den == extent]
    facts = Facts((access.region.guard, *context.assume, *context.standing), [index], signs=False)
    return any(facts.prove(of(a) - index, effort=0) is not None for a in counts)


def _is_interleaved(context: Context, access: Access, axis: int, tile: Term) -> bool:
    """Whether another access of the array takes a tile between: `2 * i + 1` beside `2 * i`."""
    extent = access.tile[axis]
    for other in context.model.accesses:
        if other.array == access.array and len(other.tile) == len(access.tile) and other.tile[axis] == extent:
            quotient, rest = split_multiples(other.tile_index[axis], extent)
            if rest != ZERO and (quotient == tile or rest.constant is not None):
                return True
    return False


def _require_single_tile(access: Access, axis: int, index: Term, extent: Term) -> Clause:
    """Returns the clause under which the index may be right: tiles of one element, or a last tile inside the array."""
    conds: list[Cond] = [le(extent, 1)]
    if all(isinstance(a, Bid | Symbol) for a in index.atoms()):
        ends: dict[Atom, Term] = {a: grid(a.axis) - 1 for a in index.atoms() if isinstance(a, Bid)}
        last = substitute(index, ends)
        if not access.array.at_any_position:
            conds.append(lt(last * extent, of(Extent(access.array, axis))))
    cond = disj(*(c for c in conds if c.op != "false"))
    return Clause(render(cond) if cond.op not in ("true", "false") else cond.op, cond, "structural")


# --- parts of tiles --------------------------------------------------------------------------------------------------

def _part(context: Context, part: SubTile) -> PartOffset | None:
    for axis, (index, extent, whole) in enumerate(zip(part.index, part.part, part.whole, strict=True)):
        if extent == ONE or index == ZERO:
            continue
        quotient, rest = split_multiples(index, extent)
        inside = rest != ZERO and _divides(index, extent)
        if (rest != ZERO and not inside) or any(isinstance(a, Opaque) for a in index.atoms() | extent.atoms()):
            continue
        end = (index + 1) * extent
        facts = Facts((part.guard, *context.assume, *context.standing), [whole, end], signs=False)
        if facts.prove(whole - end, effort=0) is not None:
            continue
        if not index.varying and extent.constant is not None and whole.constant is None:
            # a constant number of parts into a tile of any size
            continue
        return PartOffset(part.span, part.op, axis, index, extent, None if inside else quotient)
    return None


def _divides(index: Term, extent: Term) -> bool:
    """Whether an extent is several times an index that the launch gives: `S` beside `S*S`. A tile that holds a vector
    of `S` elements before one of `S*S` has such an offset."""
    if index.varying or index.constant is not None:
        return False
    times, rest = split_multiples(extent, index)
    return rest == ZERO and times.constant is None


# --- element index ---------------------------------------------------------------------------------------------------

def _element_index(context: Context, access: Access) -> Suspicion | None:
    """`bid + lane` of a read by elements in a kernel that writes tile `bid` of the same extent."""
    if access.op not in _BY_ELEMENT:
        return None
    for axis, index in enumerate(access.region.index):
        lanes = [a for a in index.atoms() if isinstance(a, Lane)]
        if len(lanes) != 1 or index.monos.get((lanes[0],)) != 1 or lanes[0].size == ONE:
            continue
        block = (index - of(lanes[0])).single
        if not isinstance(block, Bid) or not _written_by_tile(context, block, lanes[0].size):
            continue
        if _read_again(context, access):
            continue
        cond = le(lanes[0].size, 1)
        return Suspicion(ElementIndex(access.span, access, axis, block, lanes[0].size),
                         Clause(render(cond), cond, "structural") if cond.op != "false" else None)
    return None


def _written_by_tile(context: Context, block: Bid, size: Term) -> bool:
    return any(a.mode == "write" and any(_tile_of(a, axis, block, size) for axis in range(len(a.region.index)))
               for a in context.model.accesses)


def _tile_of(write: Access, axis: int, block: Bid, size: Term) -> bool:
    if write.tile:
        return write.tile_index[axis] == of(block) and write.tile[axis] == size
    quotient, rest = split_multiples(write.region.index[axis], size)
    lane = rest.single
    return quotient == of(block) and isinstance(lane, Lane) and lane.size == size


def _read_again(context: Context, access: Access) -> bool:
    """Whether the array is read elsewhere too, as a window over it is."""
    return any(other.array == access.array and other.site != access.site for other in context.model.accesses)


_BY_ELEMENT: Final = ("gather", "load_advanced_indexing")
