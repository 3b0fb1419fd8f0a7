"""Obligation `order` inside a block: stores that the compiler leaves unordered touch different elements.

cuTile lets the iterations of a `for` run its stores in any order when the loop variable is an index of the store and
the array has no other memory operation in the loop (cuda.tile `_passes/token_order.py`); it looks at the index alone,
not at the view that the index is taken of.
"""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.pairwise import Outcome
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because
from tilecheck.solver.model_search import confirm, find_iteration_collision
from tilecheck.solver.queries import across_iterations
from tilecheck.symbolic import UNKNOWN_ARRAY, conj

__all__ = ["decide_order"]


def decide_order(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each store whose loop iterations the compiler may reorder."""
    for access in context.model.accesses:
        if access.mode == "write" and access.parallel is not None:
            outcome = _decide(context, access, access.parallel)
            yield DecidedObligation(
                "order", access, outcome.verdict, outcome.reason, "TC108", None, outcome.rules, outcome.clauses,
                outcome.witness, outcome.missing)


def _decide(context: Context, access: Access, counter: str) -> Outcome:
    outer = access.loops[:access.loops.index(counter)] if counter in access.loops else ()
    lost = context.lost.get(access.array) or context.lost.get(UNKNOWN_ARRAY)
    if lost is not None or access.array == UNKNOWN_ARRAY:
        return Outcome("unproven", because(Cause.MAY_WRITE, lost))
    d = across_iterations(
        access.region, counter, outer, context.assume, context.annotations,
        context.room(access.region, access.region))
    clauses = context.clauses(d)
    conds = tuple(c.cond for c in clauses if c.cond is not None)
    if d.proved and (not conds or context.room(access.region, access.region)(conds)):
        semantic = any(c.kind == "semantic" for c in clauses)
        return Outcome("conditional" if semantic else "proved",
                       d.steps or because(Cause.OWN_ELEMENTS), d.rules, clauses)
    assume = conj(*context.uniform)
    witness = find_iteration_collision(
        access.region, counter, axes=context.model.axes_read, outer=outer, assume=assume)
    if witness is not None and not witness.data:
        witness = context.enlarge_arrays(witness, lambda w: confirm(
            w, access.region, access.region, assume=assume, want="same-block-iterations", counter=counter))
        return Outcome("refuted", because(Cause.ITERATIONS_COLLIDE), witness=witness)
    return Outcome("unproven", because(Cause.ITERATIONS_OPEN))
