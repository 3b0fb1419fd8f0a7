"""TC402 use-after-move: a tensor used after it was moved into a partition or launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where

__all__ = ["diagnose"]

_SAID: Final[Mapping[str, Callable[[Event], tuple[str, str]]]] = MappingProxyType({
    "handle": lambda e: (f"`{e.subject}` is {e.use} after it was moved into {e.what}", "it was moved here"),
    "view": lambda e: (f"`{e.subject}` is {e.use} after the tensor that it is a view of was moved into {e.what}",
                       "that was moved here"),
    "memory": lambda e: (f"`{e.subject}` is {e.use}, but part of its memory was moved into {e.what}",
                         "it was moved here"),
    "operation": lambda e: (f"{e.subject} is {e.use}, but it was already {e.what}: an operation runs once",
                            f"it was {e.what} here"),
    "result": lambda e: (f"the result of {e.subject} is taken a second time", "it was taken here"),
})


def diagnose(event: Event) -> Diagnostic:
    message, before = _SAID[event.kind](event)
    return finding(event, message, where(event, before))
