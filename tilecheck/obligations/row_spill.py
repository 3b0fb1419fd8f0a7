"""Flattened offsets that run past the end of their row into the next one."""

from __future__ import annotations

from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context
from tilecheck.symbolic import (
    Atom,
    Bid,
    Counter,
    GridDim,
    Lane,
    Symbol,
    Term,
    atoms_in,
    const,
    evaluate,
)
from tilecheck.symbolic.footprint import Clause

__all__ = ["CODE", "SpilledRead", "find_row_spills", "rows_of", "spilled_read"]

CODE: Final = "TC206"


class SpilledRead(Struct, frozen=True):
    """The elements that a block reads in one lane set, in the numbers of a witness.

    first, last  the first and the last element that it reads
    end          the first element of the next row
    sizes        launch scalars and their values
    """

    first: int
    last: int
    end: int
    sizes: tuple[tuple[str, int], ...]


def find_row_spills(context: Context, obligations: tuple[DecidedObligation, ...]) -> tuple[DecidedObligation, ...]:
    """The obligations, where those that depend on the end of a row have the code of row spills.

    They also list the reads that run past the end of the row in the same way.
    """
    return tuple(_as_row_spill(context, s) if s.code == "TC102" and _spills(s) else s for s in obligations)


def _as_row_spill(context: Context, s: DecidedObligation) -> DecidedObligation:
    """The obligation, at the write that runs past the end of its row."""
    if not _ends(s.access, s):
        ending = (a for a in context.model.accesses if a.mode != "read" and a.array == s.access.array and _ends(a, s))
        found = next(ending, None)
        s = s if found is None else _moved_to(found, s)
    index = s.access.region.index
    reads = tuple(a for a in context.model.accesses if a.mode == "read" and not a.tile and a.region.index == index)
    return replace(s, code=CODE, spilling=reads)


def _moved_to(access: Access, s: DecidedObligation) -> DecidedObligation:
    """The obligation at this access. It loses its witness if that is about other accesses."""
    pair = s.other is not None and s.other.site == access.site
    w = s.witness if pair else None
    return replace(s, access=access, other=s.access if pair else None,
                   witness=None if w is None else replace(w, first=w.second, second=w.first))


def _ends(access: Access, s: DecidedObligation) -> bool:
    """Whether the obligation requires that the last element of this access lies within its row."""
    if len(access.region.index) != 1:
        return False
    (offset,) = access.region.index
    column = Term({m: c for m, c in offset.monos.items() if not any(a.varying for a in m)})
    width = sum((lane.size for lane in offset.atoms() if isinstance(lane, Lane)), const(0))
    return any(c.cond is not None and (row - column - width) == c.cond.term for c in s.semantic_clauses
               for row in rows_of(access))


def _spills(s: DecidedObligation) -> bool:
    """Whether a clause of the obligation requires that a part of an offset ends before the next row begins."""
    needed = s.semantic_clauses
    return s.verdict == "conditional" and not s.access.tile and any(
        _within_a_row(c, s.access) or (s.other is not None and _within_a_row(c, s.other)) for c in needed)


def _within_a_row(clause: Clause, access: Access) -> bool:
    """Whether a clause reads `col + T <= stride`: a row number is multiplied by the right side, and the left side
    contains the extent of a tile."""
    cond = clause.cond
    if cond is None or cond.op != "ge":
        return False
    negative = atoms_in(*(Term({m: 1}) for m, c in cond.term.monos.items() if c < 0))
    if any(isinstance(a, GridDim) for a in atoms_in(cond)) or not negative & _tiles(access):
        return False
    positive = Term({m: c for m, c in cond.term.monos.items() if c > 0 and m})
    return any(row == positive for row in rows_of(access))


def _tiles(access: Access) -> set[Atom]:
    lanes = {a for a in atoms_in(*access.region.index) if isinstance(a, Lane)}
    return {a for lane in lanes for a in atoms_in(lane.size)}


def rows_of(access: Access) -> list[Term]:
    """The factors of the row numbers, which depend on the block, in a flattened offset: the widths of rows."""
    if len(access.region.index) != 1:
        return []
    (offset,) = access.region.index
    factors: dict[Atom, Term] = {}
    for m, c in offset.monos.items():
        varying = [a for a in m if a.varying and not isinstance(a, Lane)]
        if len(varying) == 1:
            rest = Term({tuple(a for a in m if a is not varying[0]): c})
            factors[varying[0]] = factors.get(varying[0], const(0)) + rest
    return [f for f in factors.values() if f.constant != 1]


def spilled_read(s: DecidedObligation, access: Access) -> SpilledRead | None:
    """Returns the elements that a read of the obligation takes from its own row and from the next one.

    The values are those of the second block of the witness. None if the read stays in its row there, or if that is
    unknown.
    """
    w = s.witness
    if w is None:
        return None
    (offset,) = access.region.index
    env = w.launch
    env.update({Bid(k): n for k, n in enumerate(w.second.block)})
    env.update({Counter(name): n for name, n in w.second.iterations})
    lanes = sorted(a for a in offset.atoms() if isinstance(a, Lane))
    try:
        first = evaluate(offset, {**env, **dict.fromkeys(lanes, 0)})
        last = evaluate(offset, {**env, **{a: evaluate(a.size, env) - 1 for a in lanes}})
        for row in rows_of(access):
            width = evaluate(row, env)
            end = (first // width + 1) * width
            if width > 0 and first < end <= last:
                sizes = tuple((a.name, env[a]) for a in sorted(_sizes(s)) if a in env)
                return SpilledRead(first, last, end, sizes)
    except (KeyError, ArithmeticError):
        pass
    return None


def _sizes(s: DecidedObligation) -> set[Symbol]:
    return {a for c in s.semantic_clauses if c.cond is not None for a in atoms_in(c.cond) if isinstance(a, Symbol)}

