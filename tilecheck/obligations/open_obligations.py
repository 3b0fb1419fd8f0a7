"""The obligations that remain to be reported after the seen launches are checked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.obligations.contract_minimize import are_implied
from tilecheck.obligations.launches import Discharged
from tilecheck.obligations.obligation import DecidedObligation, Proof
from tilecheck.obligations.padding_launches import in_view
from tilecheck.obligations.reasons import Cause

__all__ = ["find_open_obligations"]

_DISCHARGED: Final = ("proved", "atomic", "single-block")


def find_open_obligations(
    model: KernelModel, proof: Proof, launches: Sequence[Launch], states: Mapping[str, Discharged],
) -> tuple[DecidedObligation, ...]:
    """The obligations that are refuted, unproven, or conditional on a clause that a launch may break.

    `states` has the state of each clause at the launches.
    """
    remaining = (in_view(s, model, launches, states) for s in proof.obligations if _is_open(s, states))
    return tuple(_one_for_each_construct(_without_implied([s for s in remaining if s is not None])))


def _is_open(s: DecidedObligation, states: Mapping[str, Discharged]) -> bool:
    if s.verdict in _DISCHARGED:
        return False
    semantic = s.semantic_clauses
    return s.verdict != "conditional" or (bool(semantic) and any(
        states[c.text].state != "discharged" for c in semantic))


def _one_for_each_construct(obligations: Sequence[DecidedObligation]) -> Iterator[DecidedObligation]:
    """The obligations, with one for all that an unsupported construct leaves open about one array: they have one
    cause."""
    seen: set[tuple[object, ...]] = set()
    for s in obligations:
        cause = next((step.operands for step in s.reason if step.rule is Cause.MAY_TOUCH_ALL), None)
        if s.verdict == "unproven" and cause is not None:
            if cause in seen:
                continue
            seen.add(cause)
        yield s


def _without_implied(obligations: Sequence[DecidedObligation]) -> list[DecidedObligation]:
    """The obligations without those that follow from the condition of another one on the same array."""
    out = list(obligations)
    for s in obligations:
        others = [o for o in out if o is not s and o.verdict == "conditional" and o.access.array == s.access.array]
        if s.verdict == "conditional" and any(are_implied(s.semantic_clauses, o.semantic_clauses) for o in others):
            out.remove(s)
    return out
