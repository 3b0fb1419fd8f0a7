"""TC104 shared-write: a write through something that was only lent to the kernel."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.kernel.access import KernelModel
from tilecheck.rules.obligation import Settled

__all__ = ["diagnose"]

CODE = "TC104"


def diagnose(s: Settled, model: KernelModel) -> Diagnostic:
    fault = s.fault
    assert fault is not None
    how = {
        "method": f"`{fault.array}.{''.join(fault.words)}`",
        "item": f"an assignment to an item of `{fault.array}`",
        "raw": f"`ct.{''.join(fault.words)}`",
    }[fault.how]
    message = f"{how} writes to `{fault.array}`, which is only lent to the kernel: it is a `Ref`"
    span = next((p.span for p in model.params if p.name == fault.array), None)
    notes = () if span is None else (Note(f"`{fault.array}` is declared here", span),)
    return Diagnostic(
        CODE, "error", message, fault.span, model.name, notes,
        f"declare `{fault.array}: Mut[...]` if the kernel is to write it; else store to an output")
