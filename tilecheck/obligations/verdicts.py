"""The obligations of a kernel, decided without regard to its launches, and the contract that they add up to."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations import dropped_remainder, index_space, narrowed_index
from tilecheck.obligations.atomicity import decide_atomics
from tilecheck.obligations.bounds import decide_bounds
from tilecheck.obligations.construction import decide_faults, decide_held_reads, ownership_clauses
from tilecheck.obligations.contract_dedup import drop_repeated_clauses
from tilecheck.obligations.cross_read import decide_reads
from tilecheck.obligations.deferred import Suspicion
from tilecheck.obligations.disjoint import decide_writes
from tilecheck.obligations.divisibility import decide_claims
from tilecheck.obligations.duplicates import decide_duplicates
from tilecheck.obligations.obligation import DecidedObligation, Proof
from tilecheck.obligations.ordering import decide_order
from tilecheck.obligations.padding import decide_padding
from tilecheck.obligations.per_statement import one_for_each_statement
from tilecheck.obligations.query import Context
from tilecheck.obligations.reasons import Cause, because
from tilecheck.obligations.row_spill import find_row_spills
from tilecheck.obligations.slices import decide_slices
from tilecheck.obligations.structural_clauses import is_too_wide, structural_clauses, width_clauses
from tilecheck.obligations.witness_loops import with_loop_values
from tilecheck.obligations.witness_shrink import with_clear_examples
from tilecheck.symbolic.footprint import Clause

__all__ = ["contract_of", "prove"]


def prove(model: KernelModel) -> Proof:
    """Decide every obligation of a kernel, without regard to its launches."""
    context = Context.of(model)
    obligations = (
        *decide_writes(context), *decide_reads(context), *decide_atomics(context), *decide_duplicates(context),
        *decide_order(context), *decide_bounds(context), *decide_claims(context), *decide_padding(context),
        *decide_held_reads(context), *decide_faults(context))
    obligations = find_row_spills(context, obligations)
    if is_too_wide(model) or any(context.is_impossible(c) for c in width_clauses(model)):
        obligations = tuple(_too_wide(s) for s in obligations)
    settled = with_clear_examples(context, drop_repeated_clauses(model, one_for_each_statement(obligations)))
    settled = tuple(s if s.witness is None else replace(s, witness=with_loop_values(s.witness, model.observed.loops))
                    for s in settled)
    sliced = decide_slices(context)
    owned = ownership_clauses(model)
    others = (*owned, *context.declared, *(c for s in settled for c in s.clauses),
              *(c for s in sliced for c in s.clauses))
    return Proof(
        settled, (*owned, *structural_clauses(model, others)), context.declared, context.faulty, context.contradictory,
        tuple(_suspicions(context)), sliced)


def _too_wide(s: DecidedObligation) -> DecidedObligation:
    """The obligation of a kernel with an index that exceeds 32 bits in every launch: the index wraps."""
    if s.verdict not in ("proved", "conditional"):
        return s
    return replace(s, verdict="unproven", reason=because(Cause.TOO_WIDE), clauses=())


def _suspicions(context: Context) -> Iterator[Suspicion]:
    """Suspicious code that is seen without launches."""
    yield from index_space.suspicions(context)
    yield from narrowed_index.suspicions(context)
    yield from dropped_remainder.suspicions(context)


def contract_of(proof: Proof) -> tuple[Clause, ...]:
    """Every clause once; the order is that of the kinds, then of the proofs."""
    found: dict[str, Clause] = {}
    for c in (*proof.declared, *(c for s in proof.obligations for c in s.clauses),
              *(c for s in proof.slices for c in s.clauses), *proof.structural):
        found.setdefault(c.text, c)
    rank = {"semantic": 0, "annotation": 1, "structural": 2}
    return tuple(sorted(found.values(), key=lambda c: rank[c.kind]))
