"""Obligation `cross-read`: what a block reads, no other block writes in the same launch."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.obligations.contract_minimize import minimal
from tilecheck.obligations.may_alias import meet
from tilecheck.obligations.obligation import WEAKEST_FIRST, DecidedObligation
from tilecheck.obligations.pairwise import Outcome, decide_pair
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because, depends_on_example
from tilecheck.solver.disjointness import ticket_of
from tilecheck.symbolic import conjuncts, of

__all__ = ["decide_reads", "is_synchronised"]


ORDERED_ELSEWHERE = Outcome("unproven", because(Cause.ATOMICS_BETWEEN))


def is_synchronised(model: KernelModel, write: Access, read: Access) -> bool:
    """Whether a release after the write and an acquire before the read may order the two (Tile IR, section 7)."""
    atomics = [a for a in model.accesses if a.mode == "atomic" and a.scope in ("device", "sys")]
    return any(a.site > write.site and a.order in ("release", "acq_rel") for a in atomics) and any(
        a.site < read.site and a.order in ("acquire", "acq_rel") for a in atomics)


def _explain_order(read: Access) -> Outcome:
    """The outcome for a read that atomics may order. If only the block that draws one number from a counter reads, the
    reason names the counter and the number."""
    for cond in conjuncts(read.region.guard):
        drawn = [a for a in cond.term.monos if len(a) == 1 and ticket_of(a[0]) is not None] if cond.op == "eq" else []
        for monomial in drawn:
            coefficient = cond.term.monos[monomial]
            number = (cond.term - coefficient * of(monomial[0])) * -coefficient
            counter = ticket_of(monomial[0])
            if abs(coefficient) == 1 and not number.varying and counter is not None:
                return Outcome("unproven", because(Cause.LAST_DRAW, counter, number))
    return ORDERED_ELSEWHERE


def decide_reads(context: Context) -> Iterator[DecidedObligation]:
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
                    outcome = decide_pair(context, write, read)
                    if outcome.verdict == "refuted" and is_synchronised(context.model, write, read):
                        outcome = _explain_order(read)
                    judged.append((read, write, outcome))
        if not judged:
            continue
        judged.sort(key=lambda j: (WEAKEST_FIRST.index(j[2].verdict), depends_on_example(j[2].reason)))
        read, write, outcome = judged[0]
        yield DecidedObligation(
            "cross-read", read, outcome.verdict, outcome.reason, "TC108" if outcome.locked_weakly else "TC103", write,
            tuple(dict.fromkeys(r for _, _, o in judged for r in o.rules)),
            minimal(tuple(dict.fromkeys(c for _, _, o in judged for c in o.clauses))), outcome.witness, outcome.missing,
            any(o.needed for _, _, o in judged), certain=not depends_on_example(outcome.reason))
