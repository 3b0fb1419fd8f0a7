"""Obligation `disjoint`: what a write statement writes, no other block writes. One for each write statement."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.contract_minimize import minimal
from tilecheck.obligations.may_alias import meet
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation, find_weakest
from tilecheck.obligations.pairwise import Outcome, decide_pair
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because, depends_on_example

__all__ = ["decide_writes"]

Judged = tuple[Access, Access | None, Outcome]

SINGLE = Outcome("single-block", because(Cause.NO_COORDINATE))


def decide_writes(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each statement that writes, atomic ones included."""
    sites = context.by_site(a for a in context.model.accesses if a.mode != "read")
    for site in sorted(sites):
        yield _merge_judged(context, list(_outcomes(context, site, sites)), sites[site][0])


def _outcomes(context: Context, site: int, sites: dict[int, list[Access]]) -> Iterator[Judged]:
    mine = sites[site]
    for i, access in enumerate(mine):
        if not context.model.axes_read:
            yield access, None, SINGLE
            continue
        if access.mode == "atomic":
            yield access, None, Outcome("atomic", because(Cause.ATOMIC))
            continue
        yield access, None, decide_pair(context, access, access)
        for other in mine[:i]:
            if meet(other, access):
                yield access, other, decide_pair(context, other, access)
        for earlier in sorted(sites):
            for other in sites[earlier] if earlier < site else ():
                if other.mode == "write" and meet(other, access):
                    yield access, other, decide_pair(context, other, access)


def _merge_judged(context: Context, judged: list[Judged], access: Access) -> DecidedObligation:
    verdict = find_weakest(tuple(o.verdict for _, _, o in judged))
    ranked = sorted(judged, key=lambda j: (
        WEAKEST_FIRST.index(j[2].verdict), depends_on_example(j[2].reason), j[1] is not None))
    first, other, outcome = ranked[0]
    code = "TC108" if outcome.locked_weakly else "TC101" if verdict == "refuted" else "TC102"
    witness = next((o.witness for _, _, o in ranked if o.witness is not None and o.verdict == verdict), None)
    return DecidedObligation(
        "disjoint", first if verdict not in ("atomic", "single-block") else access, verdict, outcome.reason, code,
        other,
        tuple(dict.fromkeys(r for _, _, o in judged for r in o.rules)),
        minimal(tuple(dict.fromkeys(c for _, _, o in judged for c in o.clauses))), witness, outcome.missing,
        any(o.needed for _, _, o in judged), certain=not depends_on_example(outcome.reason))
