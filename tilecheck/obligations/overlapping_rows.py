"""Rows of variable length that nothing keeps inside their segment.

A block that writes a tile of rows from `offsets[i]` on writes into the next segment where its own is shorter. The
example has offsets that grow, as those of segments do. The program may have other data, so the failure is not certain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.query import Context
from tilecheck.solver.model_search import RISING, find_collision
from tilecheck.symbolic import Array, Load, Term, atoms_in, conj
from tilecheck.symbolic.footprint import Witness

__all__ = ["find_overlapping_rows"]

_BUDGET: Final = 4_000


def find_overlapping_rows(context: Context, first: Access, second: Access, same: bool) -> tuple[Array, Witness] | None:
    """The array of offsets, and two blocks that meet with growing offsets, for rows that are compared with no other
    element than the offset at which they begin."""
    starts = _find_starts(first), _find_starts(second)
    if starts[0] is None or starts[0] != starts[1]:
        return None
    array = starts[0]
    known = context.annotations
    if context.says_of(array) and array in known.injective | {a for pair in known.segments for a in pair} | {
            a for a, *_ in (*known.ranges, *known.below, *known.multiples)}:
        return None
    context.effort.search()
    found = find_collision(
        first.region, second.region, axes=context.axes_of(first.region, second.region), assume=conj(*context.uniform),
        same_site=same, budget=_BUDGET, styles=RISING, accept=_reads_only(array))
    return None if found is None else (array, found)


def _reads_only(array: Array) -> Callable[[Witness], bool]:
    return lambda w: bool(w.data) and all(name.startswith(f"{array}[") for name, _ in w.data)


def _find_starts(access: Access) -> Array | None:
    """The array of which one element, at one index, is all that an access reads of data, where it is the beginning of
    rows that its other coordinates count; None for any other access."""
    region = access.region
    loads = sorted(a for a in atoms_in(region.guard, *region.index) if isinstance(a, Load))
    if len(loads) != 1 or len(loads[0].index) != 1:
        return None
    return loads[0].array if any(_counts_rows(t, loads) for t in region.index) else None


def _counts_rows(term: Term, loads: Sequence[Load]) -> bool:
    """Whether a term is `offsets[i] + row`, for a number of rows that varies."""
    rest = Term({m: c for m, c in term.monos.items() if m != (loads[0],)})
    return term.monos.get((loads[0],)) == 1 and rest.varying and loads[0] not in atoms_in(rest)
