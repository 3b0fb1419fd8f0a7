"""From a kernel model to verdicts and findings: the proof of a kernel, and its conclusion in view of its launches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tilecheck.diagnostics import (
    ClauseState,
    ContractClause,
    Diagnostic,
    KernelReport,
    Obligation,
)
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations import slices
from tilecheck.obligations.atomicity import settle_atomics
from tilecheck.obligations.bounds import settle_bounds
from tilecheck.obligations.construction import ownership_clauses, settle_faults, settle_held
from tilecheck.obligations.contract_dedup import once
from tilecheck.obligations.contract_minimize import implied
from tilecheck.obligations.cross_read import settle_reads
from tilecheck.obligations.deferred import confirmed
from tilecheck.obligations.disjoint import settle_writes
from tilecheck.obligations.divisibility import settle_claims
from tilecheck.obligations.duplicates import settle_duplicates
from tilecheck.obligations.launches import Discharged, discharge_all
from tilecheck.obligations.obligation import Proof, Settled, weakest
from tilecheck.obligations.ordering import settle_order
from tilecheck.obligations.padding import settle_padding
from tilecheck.obligations.padding_launches import in_view
from tilecheck.obligations.per_statement import one_for_each_statement
from tilecheck.obligations.query import Context
from tilecheck.obligations.slices import settle_slices
from tilecheck.obligations.structural_clauses import is_too_wide, structural_clauses, width_clauses
from tilecheck.obligations.witness_loops import with_loop_values
from tilecheck.obligations.witness_shrink import with_clear_examples
from tilecheck.rules import lints
from tilecheck.rules.bounds import grid_coverage, row_spill, slice_range, tile_out_of_range, unchecked_out_of_bounds
from tilecheck.rules.launches import aliased_arguments, grid_mismatch, launch_arguments
from tilecheck.rules.messages.wording import readable
from tilecheck.rules.ownership import foreign_index, partial_nesting, shared_write, unowned_array
from tilecheck.rules.padding import padding_dtype, undefined_padding
from tilecheck.rules.races import (
    cross_block_read,
    duplicate_scatter,
    lost_order,
    missing_grid_wait,
    mixed_atomicity,
    overlapping_write,
    unknown_use,
    unproven_disjoint,
)
from tilecheck.rules.suppressions import unused_contract
from tilecheck.rules.types import operations as tile_types
from tilecheck.rules.types import product_operands, tile_dtype, tile_shape
from tilecheck.symbolic.footprint import Clause
from tilecheck.text.block_names import rank_of_axes

__all__ = ["conclude", "contract_of", "prove"]

_DIAGNOSE: Final[Mapping[str, Callable[[Settled, KernelModel], Diagnostic]]] = {
    "TC101": overlapping_write.diagnose,
    "TC102": unproven_disjoint.diagnose,
    "TC103": cross_block_read.diagnose,
    "TC104": shared_write.diagnose,
    "TC105": foreign_index.diagnose,
    "TC106": duplicate_scatter.diagnose,
    "TC107": mixed_atomicity.diagnose,
    "TC108": lost_order.diagnose,
    "TC109": partial_nesting.diagnose,
    "TC201": tile_out_of_range.diagnose,
    "TC202": unchecked_out_of_bounds.diagnose,
    "TC206": row_spill.diagnose,
    "TC301": undefined_padding.diagnose,
    "TC501": tile_shape.diagnose,
}

_SETTLED: Final = ("proved", "atomic", "single-block")


def prove(model: KernelModel) -> Proof:
    """Settle every obligation of a kernel, without regard to its launches."""
    context = Context.of(model)
    obligations = (
        *settle_writes(context), *settle_reads(context), *settle_atomics(context), *settle_duplicates(context),
        *settle_order(context), *settle_bounds(context), *settle_claims(context), *settle_padding(context),
        *settle_held(context), *settle_faults(context))
    obligations = row_spill.specialised(context, obligations)
    if is_too_wide(model) or any(context.impossible(c) for c in width_clauses(model)):
        obligations = tuple(_too_wide(s) for s in obligations)
    settled = with_clear_examples(context, once(model, one_for_each_statement(obligations)))
    settled = tuple(s if s.witness is None else replace(s, witness=with_loop_values(s.witness, model.observed.loops))
                    for s in settled)
    wrong_slices = tuple(slice_range.diagnose(context))
    sliced = settle_slices(context, wrong_slices)
    owned = ownership_clauses(model)
    others = (*owned, *context.declared, *(c for s in settled for c in s.clauses),
              *(c for s in sliced for c in s.clauses))
    return Proof(
        settled, (*owned, *structural_clauses(model, others)), context.declared, context.faulty, context.contradictory,
        tuple(lints.suspicions(context, wrong_slices)), sliced)


def _too_wide(s: Settled) -> Settled:
    """An index that no launch keeps within 32 bits is another one than it says."""
    if s.verdict not in ("proved", "conditional"):
        return s
    return replace(s, verdict="unproven", why="an index is larger than 32 bits hold in every launch", clauses=())


def conclude(
    model: KernelModel, proof: Proof, launches: Sequence[Launch],
) -> tuple[KernelReport, tuple[Diagnostic, ...]]:
    """Verdicts, contract and findings of a kernel in view of the launches that are visible in the checked tree."""
    clauses = contract_of(proof)
    states = discharge_all(clauses, model, launches)
    unsettled = [in_view(s, model, launches, states) for s in proof.obligations if _unsettled(s, states)]
    suspected = tuple(confirmed(proof.suspicions, model, launches))
    launches = [launch for launch in launches if launch.how != "unseen"]
    reported = _without_implied([s for s in unsettled if s is not None])
    findings = [_in_dialect(s, model, _DIAGNOSE[s.code](s, model)) for s in reported]
    findings += [row_spill.diagnose_read(s, a, model) for s in reported for a in s.spilling]
    findings += grid_mismatch.diagnose(model, clauses, states, launches, proof.obligations)
    findings += grid_coverage.diagnose(model, launches)
    findings += aliased_arguments.diagnose(model, launches)
    findings += unused_contract.diagnose(model, proof)
    findings += padding_dtype.diagnose(model, launches)
    findings += [_unsettled_is_error(model, d) for d in unknown_use.diagnose(model, proof.obligations)]
    findings += unowned_array.diagnose(model)
    findings += tile_shape.diagnose_types(model)
    findings += tile_dtype.diagnose(model)
    findings += product_operands.diagnose(model)
    findings += _unless_told(model, findings, tile_types.diagnose(model, launches))
    findings += lints.concluded(model, suspected, launches)
    findings += launch_arguments.diagnose(model, launches)
    findings += missing_grid_wait.diagnose(model, launches)
    findings += (d for s in proof.slices for d in slices.told(s, model.name))
    verdicts = [*(s.verdict for s in proof.obligations), *(s.verdict for s in proof.slices)]
    verdicts += ["unproven"] * bool(unknown_use.lost(model))
    report = KernelReport(
        model.file, model.name, model.name_span.line, weakest(tuple(verdicts)),
        tuple(ContractClause(c.text, c.kind, _state(c, proof, states)) for c in clauses),
        (*map(_obligation, proof.obligations), *map(slices.obligation, proof.slices)))
    rank = rank_of_axes(model.axes_read)
    return report, tuple(_called(d, rank) for d in _without_echoes(findings))


def _called(d: Diagnostic, rank: int) -> Diagnostic:
    """The finding, with its blocks called as the messages of the kernel call them."""
    return d if d.witness is None else replace(d, witness=replace(d.witness, rank=rank))


def _unless_told(
    model: KernelModel, told: Sequence[Diagnostic], more: Iterable[Diagnostic],
) -> list[Diagnostic]:
    """Findings at the places of a dialect kernel of which its own rules have said nothing."""
    places = {d.span for d in told} if model.dialect else set()
    return [d for d in more if d.span not in places]


def _in_dialect(s: Settled, model: KernelModel, found: Diagnostic) -> Diagnostic:
    """In the dialect what is not proved is an error; what a launch must satisfy is enforced there."""
    return _unsettled_is_error(model, found) if s.verdict == "unproven" else found


def _unsettled_is_error(model: KernelModel, found: Diagnostic) -> Diagnostic:
    return replace(found, severity="error") if model.dialect else found


def contract_of(proof: Proof) -> tuple[Clause, ...]:
    """Every clause once; the order is that of the kinds, then of the proofs."""
    found: dict[str, Clause] = {}
    for c in (*proof.declared, *(c for s in proof.obligations for c in s.clauses),
              *(c for s in proof.slices for c in s.clauses), *proof.structural):
        found.setdefault(c.text, c)
    rank = {"semantic": 0, "annotation": 1, "structural": 2}
    return tuple(sorted(found.values(), key=lambda c: rank[c.kind]))


def _state(clause: Clause, proof: Proof, states: Mapping[str, Discharged]) -> ClauseState:
    state = states[clause.text].state
    declared = any(c.text == clause.text for c in proof.declared)
    return "declared" if declared and state in ("unseen", "open") else state


def _unsettled(s: Settled, states: Mapping[str, Discharged]) -> bool:
    """Whether an obligation is worth a finding: refuted, unproven, or under a clause that a launch may break."""
    if s.verdict in _SETTLED:
        return False
    semantic = [c for c in s.clauses if c.kind == "semantic"]
    return s.verdict != "conditional" or (bool(semantic) and any(
        states[c.text].state != "discharged" for c in semantic))


def _without_implied(unsettled: Sequence[Settled]) -> list[Settled]:
    """Conditional obligations on an array less those that follow from another one's condition: one finding says it."""
    out = list(unsettled)
    for s in unsettled:
        others = [o for o in out if o is not s and o.verdict == "conditional" and o.access.array == s.access.array]
        if s.verdict == "conditional" and any(implied(_semantic(s), _semantic(o)) for o in others):
            out.remove(s)
    return out


def _semantic(s: Settled) -> tuple[Clause, ...]:
    return tuple(c for c in s.clauses if c.kind == "semantic")


def _obligation(s: Settled) -> Obligation:
    return Obligation(
        s.kind, s.access.span.line, s.access.array, s.verdict, readable(s.why), s.access.span, s.rules,
        tuple(c.text for c in s.clauses), s.missing)


def _without_echoes(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """One finding for each code and place; a mixed-atomicity finding replaces what it explains at its place."""
    explained = {d.span for d in findings if d.code in ("TC107", "TC108")}
    open_places = {d.span for d in findings if d.code == "TC102"}
    padded = {d.span for d in findings if d.code == "TC303"}
    out: dict[tuple[object, ...], Diagnostic] = {}
    for d in findings:
        if d.code == "TC106" and d.severity != "error" and d.span in open_places:
            # what keeps the lanes apart keeps the blocks apart, and is asked for there
            continue
        if d.code in ("TC102", "TC103") and d.severity != "error" and d.span in explained:
            continue
        if d.code == "TC502" and d.span in padded:
            # the padding is the operand whose type is wrong
            continue
        out.setdefault((d.code, d.span, d.message), d)
    return list(out.values())
