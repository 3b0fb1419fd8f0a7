"""Sessions collect the findings of several launches, such as those of a script or a test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

from tilecheck_runtime.sanitizer.events import Event
from tilecheck_runtime.sanitizer.report import Report
from tilecheck_runtime.sanitizer.sites import Sites

__all__ = ["Session", "session"]


class Session:
    """Collects events. Repeated findings at the same sites are stored once and counted.

    seed    of the order of blocks; None runs them in order
    replay  whether a launch that raced runs a second time, to find all lines that take part
    """

    current: ClassVar[Session | None] = None

    def __init__(self, seed: int | None = 0, replay: bool = False) -> None:
        self.seed, self.replay = seed, replay
        self.launches = 0
        self.sites = Sites()
        self._events: dict[Any, Event] = {}

    def add(self, key: Any, event: Event | None) -> None:
        """Stores an event under a key, or counts another occurrence if `event` is None."""
        if event is not None:
            self._events[key] = event
        else:
            known = self._events[key]
            self._events[key] = replace(known, times=known.times + 1)

    def has(self, key: Any) -> bool:
        """Whether the session contains an event under a key."""
        return key in self._events

    def report(self) -> Report:
        """The findings so far."""
        events = sorted(self._events.values(), key=lambda e: (e.file, e.line, e.code, e.array or ""))
        return Report(tuple(events), self.launches)


@contextmanager
def session(seed: int | None = 0, replay: bool = False) -> Iterator[Session]:
    """Makes all launches inside report to a new session."""
    before, Session.current = Session.current, Session(seed, replay)
    try:
        yield Session.current
    finally:
        Session.current = before
