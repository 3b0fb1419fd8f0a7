"""The effect of a change on the findings and the proofs of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.repair.apply.moves import Moves, locate_after

__all__ = ["describe_harm", "is_broken", "is_left"]

_SEVERITY: Final = {"note": 0, "warning": 1, "error": 2}
_STRENGTH: Final = {"refuted": 0, "unproven": 1, "conditional": 2}
"""Verdicts from weak to strong; any other verdict is a proof."""
_PROVED: Final = 3


def is_broken(after: Report, file: str, kernel: str) -> bool:
    """Whether a seen launch breaks a clause of the kernel's contract."""
    return any(clause.state == "broken" for k in after.kernels if (k.file, k.name) == (file, kernel)
               for clause in k.contract)


def is_left(after: Report, moves: Mapping[str, Moves], finding: Diagnostic) -> bool:
    """Whether a finding from before the change is still reported."""
    return any(_identify(d, {}) == _identify(finding, moves) for d in after.diagnostics)


def describe_harm(before: Report, after: Report, moves: Mapping[str, Moves]) -> str | None:
    """A sentence on the first thing that a change makes worse; None if there is none. `moves` has the changed files."""
    return next(_find_harms(before, after, moves), None)


def _find_harms(before: Report, after: Report, moves: Mapping[str, Moves]) -> Iterator[str]:
    known = set(before.failures)
    for failure in after.failures:
        if failure not in known:
            yield f"the file could no longer be checked: {failure.message}"
    severities: dict[object, int] = {}
    for d in before.diagnostics:
        key = _identify(d, moves)
        severities[key] = max(severities.get(key, 0), _SEVERITY[d.severity])
    for d in after.diagnostics:
        if _SEVERITY[d.severity] > severities.get(_identify(d, {}), -1):
            yield f"{d.code} would be found in line {d.span.line}: {d.message}"
    kernels = {(k.file, k.name): k for k in after.kernels}
    for kernel in before.kernels:
        yield from _find_lost_proofs(kernel, kernels.get((kernel.file, kernel.name)), moves)


def _find_lost_proofs(before: KernelReport, after: KernelReport | None, moves: Mapping[str, Moves]) -> Iterator[str]:
    """Sentences about the proofs that a kernel loses."""
    if after is None:
        yield f"{before.name} would no longer be a kernel"
        return
    if _rank_verdict(after.verdict) < _rank_verdict(before.verdict):
        yield f"{before.name} would be {after.verdict}, and is {before.verdict}"
    was = {(o.kind, o.array, *locate_after(moves, o.span)): _rank_verdict(o.verdict) for o in before.obligations}
    for o in after.obligations:
        if _rank_verdict(o.verdict) < was.get((o.kind, o.array, *locate_after({}, o.span)), _STRENGTH["conditional"]):
            yield f"{o.kind} of `{o.array}` in line {o.line} would be {o.verdict}"
    left = _count_writes(after)
    if any(left[array] < count for array, count in _count_writes(before).items()):
        yield f"{before.name} would write less"


def _count_writes(kernel: KernelReport) -> Counter[str]:
    return Counter(o.array for o in kernel.obligations if o.kind == "disjoint")


def _rank_verdict(verdict: str) -> int:
    return _STRENGTH.get(verdict, _PROVED)


def _identify(d: Diagnostic, moves: Mapping[str, Moves]) -> tuple[object, ...]:
    about = d.proposal.span if d.proposal is not None else None  # one product may use the padding of two loads
    return (d.code, d.kernel, *locate_after(moves, d.span), *(locate_after(moves, about) if about is not None else ()))
