"""TC104 shared-write: a write through something that was only lent to the kernel."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.interp.ownership.event import Event
from tilecheck.obligations.obligation import Settled
from tilecheck.rules.messages.host import finding, where

__all__ = ["diagnose", "diagnose_host"]

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


def diagnose_host(event: Event) -> Diagnostic:
    """Of host code that asks for memory to write which others may read, or which can only be read."""
    if event.kind == "read-only":
        return finding(event, f"`{event.subject}` is {event.use}, but it is a read-only view")
    return finding(event, f"`{event.subject}` is {event.use}, but another handle shares its memory",
                   where(event, "that one was made here"))
