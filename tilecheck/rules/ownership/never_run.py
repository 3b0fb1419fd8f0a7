"""TC404 never-run: an operation that is built and dropped."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding

__all__ = ["diagnose"]


def diagnose(event: Event) -> Diagnostic:
    some = " on some path" if event.kind == "some path" else ""
    note = Note("calling a kernel of the dialect only builds an operation: nothing runs before it is told to")
    return finding(event, f"{event.subject} is built and{some} never run", (note,))
