"""What the compiler refuses, in every launch or in a seen one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct

from tilecheck.interp.host.launch import Launch
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.kernel.device.refusal import Refusal
from tilecheck.obligations.operand_types import list_cases
from tilecheck.symbolic import TRUE
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


def find_refused(model: KernelModel, launches: Sequence[Launch]) -> Iterator[Refused]:
    """One for each kind and location."""
    refusals = model.observed.refusals
    if not refusals:
        return
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
            case = next((c for c in cases if c.given.cond(refusal.under) == TRUE), None)
            if case is not None:
                seen[key] = Refused(refusal, case.launch.span, tuple(sorted(case.values.items())))
    yield from seen.values()
