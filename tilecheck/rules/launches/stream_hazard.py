"""TC407 stream-hazard: two streams work on the same storage with no order between them."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic, Note
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where

__all__ = ["diagnose"]


def diagnose(event: Event) -> Diagnostic:
    if event.kind == "nested":
        note = Note("what follows an operation runs inside it, where nothing can be launched and waited for")
        return finding(event, f"{event.subject} is run inside another operation", (note,))
    first, second = map(_named, event.other.split("|"))
    message = (f"`{event.subject}` is used by {event.use} on {second} while {event.what} on {first} may still work on "
               "it: nothing orders the two")
    return finding(event, message, where(event, f"{event.what} is here"))


def _named(stream: str) -> str:
    """A stream that has a variable by that, any other as it is described."""
    return f"`{stream}`" if stream.isidentifier() else stream
