"""Suppressions by comments in a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tilecheck.diagnostics import Obligation
from tilecheck.pipeline.results import OptOut
from tilecheck.rules.selection import covered_codes
from tilecheck.syntax.tree import Span
from tilecheck_runtime.contracts.checking import Findings

__all__ = ["covers", "reason_for"]

_CODES: Final[Mapping[str, tuple[str, ...]]] = {
    "disjoint": ("TC101", "TC102", "TC104", "TC105", "TC109"), "cross-read": ("TC103",), "duplicate": ("TC106",),
    "order": ("TC107", "TC108"), "bounds": ("TC201", "TC202", "TC203", "TC204", "TC205", "TC206"),
    "padding": ("TC301",), "slice": ("TC204",), "launch": ("TC405",),
}
"""The rules that a suppression of an obligation names."""


def reason_for(found: Findings, obligation: Obligation) -> str | None:
    """Returns the reason of a suppression that covers an obligation; None without one."""
    for opt_out in found.opt_outs:
        if covers(opt_out, found.report.name, obligation.span, _CODES[obligation.kind]):
            return opt_out.reason
    return None


def covers(opt_out: OptOut, kernel: str, span: Span, rules: Sequence[str]) -> bool:
    """Returns whether a suppression applies to a location in a kernel, and to one of these rules."""
    here = opt_out.kernel == kernel or (
        opt_out.lines is not None and opt_out.span.file == span.file
        and opt_out.lines[0] <= span.end_line and span.line <= opt_out.lines[1])
    codes = {code for selector in opt_out.codes for code in covered_codes(selector)}
    return here and (not opt_out.codes or bool(codes & set(rules)))
