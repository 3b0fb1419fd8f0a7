"""Obligation `duplicate`: one element operation of one block writes no element twice."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.obligation import DecidedObligation
from tilecheck.obligations.pairwise import Outcome
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because
from tilecheck.solver.model_search import confirm, find_collision
from tilecheck.solver.queries import within_operation
from tilecheck.symbolic import UNKNOWN_ARRAY, Lane, atoms_of, conj, lane

__all__ = ["decide_duplicates", "lanes_of"]


def decide_duplicates(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each plain write statement that goes by element indices and spans several lanes."""
    sites = context.by_site(a for a in context.model.accesses if a.mode == "write" and not a.tile)
    for site in sorted(sites):
        for access in sites[site]:
            lanes = lanes_of(access)
            if not lanes:
                continue
            outcome = _decide(context, access, lanes)
            yield DecidedObligation(
                "duplicate", access, outcome.verdict, outcome.reason, "TC106", None, outcome.rules, outcome.clauses,
                outcome.witness, outcome.missing)
            break


def lanes_of(access: Access) -> tuple[Lane, ...]:
    """Every lane of the operation, also those that its index does not mention."""
    last = len(access.elements) - 1
    spanned = (lane(last - k, extent).single for k, extent in enumerate(access.elements))
    found = {a for a in spanned if isinstance(a, Lane)}
    for t in access.region.index:
        found |= {a for a in atoms_of(t) if isinstance(a, Lane)}
    return tuple(sorted(found))


def _decide(context: Context, access: Access, lanes: tuple[Lane, ...]) -> Outcome:
    lost = context.lost.get(access.array) or context.lost.get(UNKNOWN_ARRAY)
    if lost is not None or access.array == UNKNOWN_ARRAY:
        return Outcome("unproven", because(Cause.MAY_WRITE, lost))
    d = within_operation(access.region, lanes, context.assume, context.annotations,
        context.room(access.region, access.region))
    clauses = context.clauses(d)
    conds = tuple(c.cond for c in clauses if c.cond is not None)
    if d.proved and (not conds or context.room(access.region, access.region)(conds)):
        semantic = any(c.kind == "semantic" for c in clauses)
        return Outcome("conditional" if semantic else "proved", d.steps or because(Cause.OWN_ELEMENT),
                       d.rules, clauses)
    assume = conj(*context.uniform)
    witness = find_collision(
        access.region, access.region, axes=context.model.axes_read, same_site=True, want="same-block-lanes",
        assume=assume, lanes=lanes)
    if witness is not None and not witness.data:
        witness = context.enlarge_arrays(witness, lambda w: confirm(
            w, access.region, access.region, assume=assume, want="same-block-lanes", lanes=lanes))
        return Outcome("refuted", because(Cause.LANES_COLLIDE), witness=witness)
    missing = f"injective({d.data[0]})" if d.data else None
    return Outcome("unproven", because(Cause.LANES_OPEN), missing=missing)
