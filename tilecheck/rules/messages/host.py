"""Parts that findings in host code share."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note, Severity
from tilecheck.interp.ownership.event import Event

__all__ = ["finding", "where"]


def where(event: Event, what: str) -> tuple[Note, ...]:
    """A note on what came before."""
    return () if event.before is None else (Note(what, event.before),)


def finding(event: Event, message: str, notes: tuple[Note, ...] = ()) -> Diagnostic:
    """A finding; what only may be is a note, which `--strict` makes an error."""
    severity: Severity = event.severity if event.sure else "note"
    if event.definition is not None:
        notes = (*notes, Note("the kernel is here", event.definition))
    return Diagnostic(event.code, severity, message, event.span, event.kernel or None, notes, event.fix)
