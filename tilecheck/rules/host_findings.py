"""The findings of host code, each said by its rule."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from tilecheck.diagnostics import Diagnostic
from tilecheck.interp.ownership.event import Event
from tilecheck.rules.launches import aliased_arguments, grid_mismatch, launch_arguments, stream_hazard
from tilecheck.rules.ownership import graph_lifetime, never_run, shared_write, use_after_move, use_in_flight

__all__ = ["Written", "findings"]

Written = Mapping[tuple[str, str], tuple[bool, ...]]
"""Of each kernel, by file and name, whether it may write each of its parameters."""

_SAID: Final[Mapping[str, Callable[[Event], Diagnostic]]] = {
    "TC104": shared_write.diagnose_host, "TC401": aliased_arguments.diagnose_host, "TC402": use_after_move.diagnose,
    "TC403": use_in_flight.diagnose, "TC404": never_run.diagnose, "TC405": grid_mismatch.diagnose_host,
    "TC406": graph_lifetime.diagnose, "TC407": stream_hazard.diagnose, "TC408": launch_arguments.diagnose_host,
}


def findings(events: Iterable[Event], written: Written) -> Iterator[Diagnostic]:
    """A finding for each event that is one whatever the kernels do, or in view of what they write."""
    for event in events:
        if not event.needs or any(_writes(written, kernel, index) for kernel, index in event.needs):
            yield _SAID[event.code](event)


def _writes(written: Written, kernel: tuple[str, str], index: int) -> bool:
    known = written.get(kernel, ())
    return index < len(known) and known[index]
