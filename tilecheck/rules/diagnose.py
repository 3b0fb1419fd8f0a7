"""From a proof and the launches of a kernel to its report and its findings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from tilecheck.diagnostics import ClauseState, ContractClause, Diagnostic, KernelReport, Note, Obligation
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.deferred import confirm_suspicions
from tilecheck.obligations.executed_launches import decide_at_launches, decide_slices_at_launches
from tilecheck.obligations.kernel_view import KernelView
from tilecheck.obligations.launch_breaches import find_breaches
from tilecheck.obligations.launches import Discharged, count_launches, discharge_all
from tilecheck.obligations.obligation import DecidedObligation, DecidedSlice, Proof, find_weakest
from tilecheck.obligations.open_obligations import find_open_obligations
from tilecheck.obligations.operand_types import find_type_faults
from tilecheck.obligations.padding_launches import reopen_broken
from tilecheck.obligations.refusals import find_refused
from tilecheck.obligations.variants import ExecuteVariant, compile_variants, execute_nothing, is_fitting
from tilecheck.obligations.verdicts import contract_of
from tilecheck.rules.catalog import RULES
from tilecheck.rules.messages.reasons import sentences
from tilecheck.rules.messages.wording import show_axes
from tilecheck.symbolic.footprint import Clause
from tilecheck.text.block_names import rank_of_axes

__all__ = ["conclude"]

_UNCERTAIN: Final = Note("no launch that is seen is known to go wrong in this way")


def conclude(
    model: KernelModel, proof: Proof, launches: Sequence[Launch], execute: ExecuteVariant = execute_nothing,
) -> tuple[KernelReport, tuple[Diagnostic, ...]]:
    """Verdicts, contract and findings of a kernel, given the launches of the checked files. `execute` executes the
    kernel as a launch compiles it."""
    compiled = tuple(compile_variants(model, [a for a in launches if is_fitting(model, a)], execute))
    proof = replace(
        proof, obligations=decide_at_launches(proof.obligations, model, launches),
        slices=decide_slices_at_launches(proof.slices, model, launches))
    clauses = contract_of(proof)
    states = discharge_all(clauses, model, launches)
    proof = replace(proof, obligations=reopen_broken(proof.obligations, states))
    reported = find_open_obligations(model, proof, launches, states)
    lints = tuple(confirm_suspicions(proof.suspicions, model, launches))
    findings = [_at_obligation(s, model) for s in reported]
    faulty = {f.span for f in (*model.ownership.faults, *model.ownership.typed)} | {d.span for d in findings}
    view = KernelView(
        model, proof, tuple(launches), clauses, states, reported, lints,
        find_breaches(model, clauses, states, launches, proof),
        tuple(find_type_faults(model, launches, faulty if model.dialect else frozenset(), compiled)),
        tuple(find_refused(model, launches, compiled)))
    findings += _in_kernel(view)
    return _report(view), tuple(
        _complete(d, rank_of_axes(show_axes(d.witness, model.axes_read))) for d in _without_echoes(findings))


def _at_obligation(s: DecidedObligation, model: KernelModel) -> Diagnostic:
    """The finding for an obligation.

    In the dialect an obligation that is not proved is an error: a launch enforces the clauses of all others.
    """
    report = RULES[s.code].obligation
    assert report is not None
    found = report(s, model)
    if not s.certain and found.severity == "error" and not model.dialect:
        found = replace(found, severity="warning", notes=(*found.notes, _UNCERTAIN))
    return replace(found, severity="error") if model.dialect and s.verdict == "unproven" else found


def _in_kernel(view: KernelView) -> Iterator[Diagnostic]:
    """The findings of rules that look at the kernel as a whole."""
    for rule in RULES.values():
        if rule.kernel is not None:
            yield from rule.kernel(view)


def _complete(d: Diagnostic, rank: int) -> Diagnostic:
    """The finding with the flag of its rule, and with blocks named by as many numbers as the kernel has grid axes."""
    witness = None if d.witness is None else replace(d.witness, rank=rank)
    return replace(d, witness=witness, residual=RULES[d.code].residual)


# --- report ----------------------------------------------------------------------------------------------------------

def _report(view: KernelView) -> KernelReport:
    model, proof = view.model, view.proof
    verdicts = [*(s.verdict for s in proof.obligations), *(s.verdict for s in proof.slices)]
    if any(gap.arrays for gap in model.gaps):
        verdicts.append("unproven")
    return KernelReport(
        model.file, model.name, model.name_span.line, find_weakest(tuple(verdicts)),
        tuple(ContractClause(c.text, c.kind, _state(c, proof, view.states)) for c in view.clauses),
        (*map(_obligation, proof.obligations), *map(_slice, proof.slices)),
        count_launches(view.clauses, view.states, view.launches))


def _state(clause: Clause, proof: Proof, states: Mapping[str, Discharged]) -> ClauseState:
    state = states[clause.text].state
    declared = any(c.text == clause.text for c in proof.declared)
    return "declared" if declared and state in ("unseen", "open") else state


def _obligation(s: DecidedObligation) -> Obligation:
    return Obligation(
        s.kind, s.access.span.line, s.access.array.text, s.verdict, sentences(s.reason), s.access.span, s.rules,
        tuple(c.text for c in s.clauses), s.missing)


def _slice(s: DecidedSlice) -> Obligation:
    return Obligation("slice", s.span.line, s.whole, s.verdict, sentences(s.reason), s.span, (),
                      tuple(c.text for c in s.clauses))


# --- findings that repeat each other ---------------------------------------------------------------------------------

def _without_echoes(findings: Sequence[Diagnostic]) -> list[Diagnostic]:
    """The findings without those that another one at the same location explains."""
    explained = {d.span for d in findings if d.code in ("TC107", "TC108")}
    open_places = {d.span for d in findings if d.code == "TC102"}
    padded = {d.span for d in findings if d.code == "TC303"}
    wrong = {d.span for d in findings if d.severity == "error" and not d.code.startswith("TC6")}
    out: dict[tuple[object, ...], Diagnostic] = {}
    for d in findings:
        if d.code == "TC106" and d.severity != "error" and d.span in open_places:
            # the condition under which the lanes are disjoint is part of that of the blocks
            continue
        if d.code in ("TC102", "TC103") and d.severity != "error" and d.span in explained:
            continue
        if d.code == "TC502" and d.span in padded:
            # the padding is the operand of the wrong type
            continue
        if d.code.startswith("TC6") and d.span in wrong:
            # the location is an error for a reason that is closer to the cause
            continue
        out.setdefault((d.code, d.span, d.message), d)
    return list(out.values())
