"""The findings about ownership errors in host code."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.catalog import RULES

__all__ = ["Written", "findings"]

Written = Mapping[tuple[str, str], tuple[bool, ...]]
"""For each kernel, by file and name, whether it may write each of its parameters."""

def findings(events: Iterable[Event], written: Written) -> Iterator[Diagnostic]:
    """A finding for each event, unless it is an error only if a kernel writes a parameter and none does."""
    for event in events:
        if not event.needs or any(_writes(written, kernel, index) for kernel, index in event.needs):
            rule = RULES[event.code]
            assert rule.event is not None
            yield replace(rule.event(event), residual=rule.residual)


def _writes(written: Written, kernel: tuple[str, str], index: int) -> bool:
    known = written.get(kernel, ())
    return index < len(known) and known[index]
