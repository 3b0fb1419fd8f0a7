"""Whether a kernel may be compiled: everything that must hold for it is proved, or enforced at its launches, or its
author has taken responsibility."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from types import FunctionType
from typing import Final, Literal

from tilecheck.analysis import OptOut
from tilecheck.declare import declaration_of
from tilecheck.diagnostics import Diagnostic, Obligation
from tilecheck.kernel.tree import Span
from tilecheck.proof.contract import ContractError, parse
from tilecheck.selection import covered_codes
from tilecheck_runtime.compile.errors import UnsettledKernelError
from tilecheck_runtime.compile.places import place_of
from tilecheck_runtime.compile.sources import unchanged
from tilecheck_runtime.launches.checking import SETTLED, Findings, findings_of
from tilecheck_runtime.launches.contract import contract_of

__all__ = ["Settlement", "require_settled", "settlement"]

_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "disjoint": ("TC101", "TC102", "TC104", "TC105", "TC109"), "cross-read": ("TC103",), "duplicate": ("TC106",),
    "order": ("TC107", "TC108"), "bounds": ("TC201", "TC202", "TC203", "TC204", "TC205", "TC206"),
    "padding": ("TC301",), "slice": ("TC204",), "launch": ("TC405",),
}
"""The rules that an opt-out from an obligation names."""
_SHOWN: Final = 5
_FIX: Final = 'see what `tilecheck` says of it, or take responsibility: @unsafe("why it is right")'


@dataclass(frozen=True)
class Settlement:
    """Why a kernel may be compiled.

    how      "proved"; "contract": under conditions that each launch is held to; "opt-out": somebody said so
    reasons  those given for opt-outs
    """

    how: Literal["proved", "contract", "opt-out"]
    reasons: tuple[str, ...] = ()


def require_settled(function: FunctionType) -> Settlement:
    """Why a kernel, as its author wrote it, may be compiled. Worked out once.

    Raises UnsettledKernelError when it may not.
    """
    return settlement(function, declaration_of(function).unsafe)


@lru_cache(maxsize=4096)
def settlement(function: FunctionType, unsafe: str | None) -> Settlement:
    """The same, with the reason that `@unsafe` gives, if any."""
    contract_of(function)  # says what is wrong with a declared clause
    if unsafe is not None:
        return Settlement("opt-out", (unsafe,))
    found = findings_of(function)
    if found is None and not os.path.exists(function.__code__.co_filename):
        raise _unsettled(function, "the checker does not see it", (
            "it was typed in, or made by a program: the checker reads files",), "put it into a file, or " + _FIX)
    if found is None or not unchanged(function):
        raise _unsettled(function, "its source, or that of a helper, has changed since it was loaded", (),
                         "load it anew")
    open_ = [o for o in found.report.obligations if o.verdict not in SETTLED]
    reasons = {o: _opted_out(found, o) for o in open_}
    left = [o for o in open_ if reasons[o] is None]
    if left or (found.report.verdict not in SETTLED and not open_) or any(_errors(found)):
        raise _unsettled(function, _summary(found), tuple(_told(found, left)), _FIX)
    unknown = [c.clause for c in found.report.contract if not _enforceable(c.clause)]
    if unknown:
        raise _unsettled(function, "it is right only under a condition that no launch can check",
                         tuple(f"`{clause}`" for clause in unknown), _FIX)
    if open_:
        return Settlement("opt-out", tuple(sorted({r for r in reasons.values() if r is not None})))
    return Settlement("contract" if found.report.contract else "proved")


def _enforceable(clause: str) -> bool:
    try:
        return bool(parse(clause))
    except ContractError:
        return False


def _errors(found: Findings) -> Iterator[Diagnostic]:
    """What is an error of the kernel itself, whoever launches it, and was not opted out of."""
    for d in found.diagnostics:
        if d.severity == "error" and not d.code.startswith("TC4") and not any(
                _covers(o, found.report.name, d.span, (d.code,)) for o in found.opt_outs):
            yield d


def _opted_out(found: Findings, obligation: Obligation) -> str | None:
    """The reason of an opt-out that covers an obligation."""
    for opt_out in found.opt_outs:
        if _covers(opt_out, found.report.name, obligation.span, _CODES[obligation.kind]):
            return opt_out.reason
    return None


def _covers(opt_out: OptOut, kernel: str, span: Span, rules: Sequence[str]) -> bool:
    here = opt_out.kernel == kernel or (
        opt_out.lines is not None and opt_out.span.file == span.file
        and opt_out.lines[0] <= span.end_line and span.line <= opt_out.lines[1])
    codes = {code for selector in opt_out.codes for code in covered_codes(selector)}
    return here and (not opt_out.codes or bool(codes & set(rules)))


def _summary(found: Findings) -> str:
    wrong = found.report.verdict == "refuted" or any(_errors(found))
    return "the checker refuses it" if wrong else "it is not proved"


def _told(found: Findings, left: list[Obligation]) -> Iterator[str]:
    """What is open, as the checker says it where it says anything."""
    lines = {*(o.line for o in left), *(d.span.line for d in _errors(found))}
    said = {d.span.line: f"{d.code} line {d.span.line}: {d.message}" for d in reversed(found.diagnostics)
            if d.span.line in lines or not left}
    told = [*(said.get(o.line, f"line {o.line}, `{o.array}`: {o.why}") for o in left), *said.values()]
    shown = list(dict.fromkeys(told))
    yield from shown[:_SHOWN]
    if len(shown) > _SHOWN:
        yield f"and {len(shown) - _SHOWN} more"


def _unsettled(function: FunctionType, why: str, notes: tuple[str, ...], fix: str) -> UnsettledKernelError:
    return UnsettledKernelError(f"`{function.__name__}` is not compiled: {why}", place=place_of(function), notes=notes,
                                fix=fix)
