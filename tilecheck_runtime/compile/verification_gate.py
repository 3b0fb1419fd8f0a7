"""Decides whether a kernel may be compiled: everything that must hold for it is proved, enforced at its launches, or
covered by a suppression of its author."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Final, Literal

from tilecheck.contracts import ContractError, parse
from tilecheck.decorators import declaration_of
from tilecheck.diagnostics import Diagnostic, Obligation
from tilecheck_runtime.compile.locations import location_of
from tilecheck_runtime.compile.sources import is_as_written
from tilecheck_runtime.contracts.checking import ACCEPTED_VERDICTS, Findings, findings_of
from tilecheck_runtime.contracts.contract import contract_of
from tilecheck_runtime.contracts.suppressions import covers, reason_for
from tilecheck_runtime.errors.compilation import UnsettledKernelError

__all__ = ["Verification", "require_verified", "verify_kernel"]

_SHOWN: Final = 5
_FIX: Final = 'see what `tilecheck` says of it, or take responsibility: @unsafe("why it is right")'


@dataclass(frozen=True)
class Verification:
    """The reason why a kernel may be compiled.

    how      "proved"; "contract": under conditions that each launch must satisfy; `opt-out`: by a suppression
    reasons  of the suppressions
    """

    how: Literal["proved", "contract", "opt-out"]
    reasons: tuple[str, ...] = ()


def require_verified(function: FunctionType) -> Verification:
    """Returns the reason why a kernel may be compiled. Computed once, except whether the kernel still matches its
    source: code for new arguments uses the current globals.

    Raises UnsettledKernelError if it may not be compiled.
    """
    found = verify_kernel(function, declaration_of(function).unsafe)
    if declaration_of(function).unsafe is None and not is_as_written(function):
        raise _source_changed_error(function)
    return found


@lru_cache(maxsize=4096)
def verify_kernel(function: FunctionType, unsafe: str | None) -> Verification:
    """Like `require_verified`, with the reason of `@unsafe`, if there is one."""
    contract_of(function)  # raises for an invalid declared clause
    if unsafe is not None:
        return Verification("opt-out", (unsafe,))
    found = findings_of(function)
    if found is None and not os.path.exists(function.__code__.co_filename):
        raise _refusal(function, "the checker does not see it", (
            "it was typed in or generated: the checker reads files",), "put it into a file, or " + _FIX)
    if found is None or not is_as_written(function):
        raise _source_changed_error(function)
    open_ = [o for o in found.report.obligations if o.verdict not in ACCEPTED_VERDICTS]
    reasons = {o: reason_for(found, o) for o in open_}
    left = [o for o in open_ if reasons[o] is None]
    if left or (found.report.verdict not in ACCEPTED_VERDICTS and not open_) or any(_own_errors(found)):
        raise _refusal(function, _summarize(found), tuple(_list_open(found, left)), _FIX)
    unknown = [c.clause for c in found.report.contract if not _is_enforceable(c.clause)]
    if unknown:
        raise _refusal(function, "it is right only under a condition that no launch can check",
                       tuple(f"`{clause}`" for clause in unknown), _FIX)
    if open_:
        return Verification("opt-out", tuple(sorted({r for r in reasons.values() if r is not None})))
    return Verification("contract" if found.report.contract else "proved")


def _source_changed_error(function: FunctionType) -> UnsettledKernelError:
    return _refusal(function, "its source, or that of a helper, has changed since it was loaded", (), "load it anew")


def _is_enforceable(clause: str) -> bool:
    try:
        return bool(parse(clause))
    except ContractError:
        return False


def _own_errors(found: Findings) -> Iterator[Diagnostic]:
    """Yields the errors of the kernel itself, independent of its launches, that are not suppressed."""
    for d in found.diagnostics:
        if d.severity == "error" and not d.code.startswith("TC4") and not any(
                covers(o, found.report.name, d.span, (d.code,)) for o in found.opt_outs):
            yield d


def _summarize(found: Findings) -> str:
    wrong = found.report.verdict == "refuted" or any(_own_errors(found))
    return "the checker refuses it" if wrong else "it is not proved"


def _list_open(found: Findings, left: list[Obligation]) -> Iterator[str]:
    """Yields the open obligations, as the checker reports them where it does."""
    lines = {*(o.line for o in left), *(d.span.line for d in _own_errors(found))}
    said = {d.span.line: f"{d.code} line {d.span.line}: {d.message}" for d in reversed(found.diagnostics)
            if d.span.line in lines or not left}
    told = [*(said.get(o.line, f"line {o.line}, `{o.array}`: {o.why}") for o in left), *said.values()]
    shown = list(dict.fromkeys(told))
    yield from shown[:_SHOWN]
    if len(shown) > _SHOWN:
        yield f"and {len(shown) - _SHOWN} more"


def _refusal(function: FunctionType, why: str, notes: tuple[str, ...], fix: str) -> UnsettledKernelError:
    return UnsettledKernelError(f"`{function.__name__}` is not compiled: {why}", place=location_of(function),
                                notes=notes,
                                fix=fix)
