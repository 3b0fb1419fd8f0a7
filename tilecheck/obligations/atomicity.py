"""Obligation `order` between atomics and other accesses: all accesses that meet in one element are atomic, and of a
scope that includes both blocks (Tile IR specification, section 7: morally strong)."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.may_alias import meet
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation
from tilecheck.obligations.pairwise import Outcome, decide_pair
from tilecheck.obligations.query import Context

__all__ = ["decide_atomics"]

_WIDE = ("device", "sys")


def synchronises(a: Access) -> bool:
    """Whether an access synchronises with those of other blocks: not weak, and of device scope or wider."""
    return a.order != "weak" and a.scope in _WIDE


def decide_atomics(context: Context) -> Iterator[DecidedObligation]:
    """One obligation for each statement that meets atomics on its array and is too weak, or whose atomics are."""
    if not context.model.axes_read:
        return
    atomics = [a for a in context.model.accesses if a.mode == "atomic"]
    sites = context.by_site(context.model.accesses)
    for site in sorted(sites):
        judged: list[tuple[Access, Access, Outcome]] = []
        for access in sites[site]:
            for atomic in atomics:
                if not meet(access, atomic):
                    continue
                if access.mode == "atomic" and access.site < atomic.site:
                    continue
                if synchronises(access) and synchronises(atomic):
                    continue
                judged.append((access, atomic, decide_pair(context, atomic, access)))
        if not judged:
            continue
        judged.sort(key=lambda j: WEAKEST_FIRST.index(j[2].verdict))
        access, atomic, outcome = judged[0]
        yield DecidedObligation(
            "order", access, outcome.verdict, outcome.reason, "TC107", atomic, outcome.rules, outcome.clauses,
            outcome.witness, outcome.missing, outcome.needed)
