"""What a change did to the findings and the proofs of a tree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic, KernelReport, Report
from tilecheck.repair.apply.moves import Moves, moved

__all__ = ["harm", "is_broken", "is_left"]

_SEVERITY: Final = {"note": 0, "warning": 1, "error": 2}
_STRENGTH: Final = {"refuted": 0, "unproven": 1, "conditional": 2}
"""Verdicts by how much they say; any other is a proof."""
_PROVED: Final = 3


def is_broken(after: Report, file: str, kernel: str) -> bool:
    """Whether a visible launch breaks something that a kernel needs."""
    return any(clause.state == "broken" for k in after.kernels if (k.file, k.name) == (file, kernel)
               for clause in k.contract)


def is_left(after: Report, moves: Mapping[str, Moves], finding: Diagnostic) -> bool:
    """Whether a finding of before the change is still there."""
    return any(_key(d, {}) == _key(finding, moves) for d in after.diagnostics)


def harm(before: Report, after: Report, moves: Mapping[str, Moves]) -> str | None:
    """What got worse with a change, in words; None if nothing did. `moves` are those of each changed file."""
    return next(_harms(before, after, moves), None)


def _harms(before: Report, after: Report, moves: Mapping[str, Moves]) -> Iterator[str]:
    known = set(before.failures)
    for failure in after.failures:
        if failure not in known:
            yield f"the file could no longer be checked: {failure.message}"
    severities: dict[object, int] = {}
    for d in before.diagnostics:
        key = _key(d, moves)
        severities[key] = max(severities.get(key, 0), _SEVERITY[d.severity])
    for d in after.diagnostics:
        if _SEVERITY[d.severity] > severities.get(_key(d, {}), -1):
            yield f"{d.code} would be found in line {d.span.line}: {d.message}"
    kernels = {(k.file, k.name): k for k in after.kernels}
    for kernel in before.kernels:
        yield from _lost(kernel, kernels.get((kernel.file, kernel.name)), moves)


def _lost(before: KernelReport, after: KernelReport | None, moves: Mapping[str, Moves]) -> Iterator[str]:
    """Proofs of a kernel that are no longer there."""
    if after is None:
        yield f"{before.name} would no longer be a kernel"
        return
    if _strength(after.verdict) < _strength(before.verdict):
        yield f"{before.name} would be {after.verdict}, and is {before.verdict}"
    was = {(o.kind, o.array, *moved(moves, o.span)): _strength(o.verdict) for o in before.obligations}
    for o in after.obligations:
        if _strength(o.verdict) < was.get((o.kind, o.array, *moved({}, o.span)), _STRENGTH["conditional"]):
            yield f"{o.kind} of `{o.array}` in line {o.line} would be {o.verdict}"
    left = _writes(after)
    if any(left[array] < count for array, count in _writes(before).items()):
        yield f"{before.name} would write less"


def _writes(kernel: KernelReport) -> Counter[str]:
    return Counter(o.array for o in kernel.obligations if o.kind == "disjoint")


def _strength(verdict: str) -> int:
    return _STRENGTH.get(verdict, _PROVED)


def _key(d: Diagnostic, moves: Mapping[str, Moves]) -> tuple[object, ...]:
    about = d.proposal.span if d.proposal is not None else None  # one product may use the padding of two loads
    return (d.code, d.kernel, *moved(moves, d.span), *(moved(moves, about) if about is not None else ()))
