"""TC406 graph-lifetime: a captured graph whose tensors are moved or gone before it is replayed."""

from __future__ import annotations

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where

__all__ = ["diagnose"]


def diagnose(event: Event) -> Diagnostic:
    if event.kind == "replayed":
        message = f"`{event.other}` is replayed after `{event.subject}`, which it works on, is gone"
        return finding(event, message, where(event, "it was captured here"))
    message = f"`{event.subject}` is {event.use} while a graph that works on it can still be replayed"
    return finding(event, message, where(event, "the graph was captured here"))
