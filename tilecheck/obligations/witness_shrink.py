"""Examples of conditional obligations that break one clause and nothing else: what goes wrong has one cause then."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.may_alias import align_regions, meet
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.query import Context, launch_of
from tilecheck.obligations.row_spill import CODE as ROW_SPILL
from tilecheck.obligations.row_spill import rows_of
from tilecheck.symbolic import Cond, Symbol, atoms_in, atoms_of, ge, grid, holds, le, of
from tilecheck.symbolic.footprint import Clause, Witness

__all__ = ["with_clear_examples"]

_ROW: Final = 3
"""Elements of a row in which it is seen that something runs past its end."""
_MOST: Final = (4, 8)
"""The sizes of an example that is read at a glance."""
_TRIED: Final = 6
"""Pairs of accesses that are looked at for one obligation."""
_EXAMPLES: Final = 12
"""Obligations of a kernel that are given such an example."""
_CLAUSES: Final = 24
"""The number of clauses of a kernel up to which examples that break one clause alone are searched."""


def with_clear_examples(context: Context, settled: Sequence[DecidedObligation]) -> tuple[DecidedObligation, ...]:
    """The obligations, where a collision shows what a clause is for, with one that breaks this clause alone and none
    that other obligations need; the one that was found where there is none."""
    every = tuple(dict.fromkeys(c for s in settled for c in s.clauses if c.kind == "semantic" and c.cond is not None))
    if len(every) > _CLAUSES:
        return tuple(settled)
    shown = [i for i, s in enumerate(settled) if _is_shown(s)][:_EXAMPLES]
    return tuple(_clear(context, s, every) if i in shown else s for i, s in enumerate(settled))


def _is_shown(s: DecidedObligation) -> bool:
    return s.verdict == "conditional" and s.needed and s.kind == "disjoint"


def _clear(context: Context, s: DecidedObligation, every: tuple[Clause, ...]) -> DecidedObligation:
    rows = tuple(ge(row, _ROW) for row in rows_of(s.access) if not row.varying)[:1] if s.code == ROW_SPILL else ()
    w = s.witness
    if w is not None and sum(_fails(w, c.cond) for c in every) < 2 and not any(_fails(w, c) for c in rows):
        return s
    sizes = {a for c in s.clauses if c.kind == "semantic" and c.cond is not None for a in atoms_of(c.cond)
             if isinstance(a, Symbol)}
    small = tuple(tuple(le(of(a), most) for a in sorted(sizes)) + tuple(le(grid(k), 2) for k in range(3))
                  for most in _MOST)
    for wide in dict.fromkeys((*((*rows, *few) for few in small), rows, ())):
        for other in _pairs(context, s):
            first, second = align_regions(other, s.access)
            named = atoms_in(*first.index, first.guard, *second.index, second.guard)
            besides = (c.cond for c in every if c.cond is not None and {
                a for a in atoms_of(c.cond) if isinstance(a, Symbol)} <= named)
            found = context.find_collision_without(s.clauses, first, second, other is s.access, (*wide, *besides))
            if found is not None:
                return replace(s, witness=found, other=None if other is s.access else other)
    return s


def _pairs(context: Context, s: DecidedObligation) -> list[Access]:
    """The accesses that this one may meet, itself first."""
    others = (a for a in context.model.accesses if a.mode == "write" and a.site != s.access.site and meet(a, s.access)
              and len(a.region.index) == len(s.access.region.index))
    return [s.access, *others][:_TRIED]


def _fails(w: Witness, c: Cond | None) -> bool:
    """Whether the launch of a witness breaks a condition."""
    try:
        return c is not None and not holds(c, launch_of(w))
    except (KeyError, ArithmeticError):
        return False
