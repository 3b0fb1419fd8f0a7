"""Numbers that blocks draw from a counter, in some orders in which blocks may be executed.

An atomic addition gives each block that executes it once a number of its own. Where the blocks execute it one after the
other and the counter begins at 0, the numbers are known. The launch may have another order, and the counter another
beginning, so a failure that depends on them is not certain.
"""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.may_alias import meet
from tilecheck.obligations.query import Context
from tilecheck.solver.disjointness import ticket_of, ticket_step
from tilecheck.solver.model_search import find_collision
from tilecheck.symbolic import TRUE, Array, Opaque, Substitution, Term, atoms_in, bid, conj, grid
from tilecheck.symbolic.footprint import Region, Witness

__all__ = ["find_ticket_collision"]

_BUDGET: Final = 4_000


def find_ticket_collision(context: Context, first: Access, second: Access, same: bool) -> tuple[Array, Witness] | None:
    """The counter, and two blocks that meet where all blocks draw from it in order or in reverse; None if none do.

    Each block has to draw exactly one number, in one statement outside of loops and branches.
    """
    drawn = [a for a in _list_unknown(first.region, second.region) if isinstance(a, Opaque)]
    counter = ticket_of(drawn[0]) if len(drawn) == 1 else None
    if counter is None:
        return None
    draws = [a for a in context.model.accesses if a.array == counter or meet(a, replace(first, array=counter))]
    if len(draws) != 1 or draws[0].loops or draws[0].elements or draws[0].under is not TRUE or (
            draws[0].region.guard.varying):
        return None
    first_to_last = bid(0) + grid(0) * (bid(1) + grid(1) * bid(2))
    for place in (first_to_last, grid(0) * grid(1) * grid(2) - 1 - first_to_last):
        in_turn = Substitution({drawn[0]: place * ticket_step(drawn[0])})
        context.effort.search()
        found = find_collision(
            _draw(first.region, in_turn), _draw(second.region, in_turn),
            axes=context.axes_of(first.region, second.region), assume=conj(*context.uniform, draws[0].region.guard),
            same_site=same, budget=_BUDGET, accept=lambda w: not w.data)
        if found is not None:
            return counter, found
    return None


def _list_unknown(*regions: Region) -> list[Opaque]:
    return sorted({a for r in regions for a in atoms_in(r.guard, *r.index) if isinstance(a, Opaque) and a.varying})


def _draw(region: Region, in_turn: Substitution) -> Region:
    index: tuple[Term, ...] = tuple(map(in_turn.term, region.index))
    return Region(index, in_turn.cond(region.guard), region.exact)
