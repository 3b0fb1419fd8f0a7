"""TC403 use-in-flight: a tensor used while a launch that writes it, or moved while one that reads it, is in flight."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.messages.host import finding, where

__all__ = ["diagnose"]

_DOES: Final[Mapping[str, str]] = MappingProxyType({"reading": "reads"})


def diagnose(event: Event) -> Diagnostic:
    does = _DOES.get(event.kind, "writes")
    message = f"`{event.subject}` is {event.use} while {event.what}, which is in flight, {does} it"
    return finding(event, message, where(event, "it was started here, and not waited for"))
