"""Obligation `cross-read`: what a block reads, no other block writes in the same launch."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.kernel.access import Access
from tilecheck.rules.context import Context
from tilecheck.rules.meeting import meet
from tilecheck.rules.minimal import minimal
from tilecheck.rules.obligation import WEAKEST_FIRST, Settled
from tilecheck.rules.pairs import Outcome, settle_pair

__all__ = ["settle_reads"]


def settle_reads(context: Context) -> Iterator[Settled]:
    """One obligation for each statement that reads an array which the kernel also writes without an atomic."""
    if not context.model.axes_read:
        return
    writes = [a for a in context.model.accesses if a.mode == "write"]
    reads = context.by_site(a for a in context.model.accesses if a.mode == "read")
    for site in sorted(reads):
        judged: list[tuple[Access, Access, Outcome]] = []
        for read in reads[site]:
            for write in writes:
                if meet(read, write):
                    judged.append((read, write, settle_pair(context, write, read)))
        if not judged:
            continue
        judged.sort(key=lambda j: WEAKEST_FIRST.index(j[2].verdict))
        read, write, outcome = judged[0]
        yield Settled(
            "cross-read", read, outcome.verdict, outcome.why, "TC108" if outcome.locked_weakly else "TC103", write,
            tuple(dict.fromkeys(r for _, _, o in judged for r in o.rules)),
            minimal(tuple(dict.fromkeys(c for _, _, o in judged for c in o.clauses))), outcome.witness, outcome.missing,
            any(o.needed for _, _, o in judged))
