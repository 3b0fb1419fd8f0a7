"""The refusals of the compiler, in every launch or in a seen one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct

from tilecheck.dtypes import DTYPES
from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.coerce import element_type_test
from tilecheck.interp.kernel.device.refusal import Refusal
from tilecheck.obligations.launch_cases import Case, list_cases
from tilecheck.obligations.variants import CompiledVariant
from tilecheck.symbolic import FALSE, TRUE, Cond, conj, disj, negate
from tilecheck.syntax.tree import Span

__all__ = ["Refused", "find_refused"]


class Refused(Struct, frozen=True):
    """A refusal that is certain.

    launch  where the launch is, of a refusal in code that is compiled for this launch and not for every one
    values  the scalar parameters of that launch
    """

    refusal: Refusal
    launch: Span | None = None
    values: tuple[tuple[str, int], ...] = ()


def find_refused(
    model: KernelModel, launches: Sequence[Launch], compiled: Sequence[CompiledVariant] = (),
) -> Iterator[Refused]:
    """One for each kind and location: in every variant, or in one that a seen launch compiles."""
    refusals = model.observed.refusals
    seen: dict[tuple[object, ...], Refused] = {}
    cases = None
    for refusal in refusals:
        key = (refusal.code, refusal.how, refusal.span)
        if refusal.under is TRUE:
            known = seen.get(key)
            if known is None or known.launch is not None:
                seen[key] = Refused(refusal)
        elif key not in seen:
            cases = list(list_cases(model, launches)) if cases is None else cases
            case = next((c for c in cases if _holds(refusal.under, c)), None)
            if case is not None:
                seen[key] = _refused_at(refusal, case)
    reported = {(found.refusal.code, found.refusal.span) for found in seen.values()}  # one cause, one finding
    for variant in compiled:
        for refusal in variant.observed.refusals:
            key = (refusal.code, refusal.how, refusal.span)
            if key not in seen and (refusal.code, refusal.span) not in reported and (
                    refusal.under is TRUE or _holds(refusal.under, variant.case)):
                seen[key] = _refused_at(refusal, variant.case)
    yield from seen.values()


def _refused_at(refusal: Refusal, case: Case) -> Refused:
    return Refused(refusal, case.launch.span, tuple(sorted(case.values.items())))


def _holds(under: Cond, case: Case) -> bool:
    """Whether the code under a condition is for certain compiled for a launch."""
    known = {
        element_type_test(name, dtype): argument.dtype == dtype
        for name, argument in case.arguments.items() if argument.dtype in DTYPES for dtype in DTYPES}
    return _decide(case.given.cond(under), known) is TRUE


def _decide(cond: Cond, known: Mapping[Cond, bool]) -> Cond:
    """A condition in which the tests of element types have their outcomes."""
    if cond.args:
        parts = [_decide(c, known) for c in cond.args]
        return conj(*parts) if cond.op == "and" else disj(*parts)
    for test in (cond, negate(cond)):
        if test in known:
            return TRUE if known[test] == (test is cond) else FALSE
    return cond
