"""The result of a sanitizer session."""

from __future__ import annotations

from dataclasses import dataclass

from tilecheck_runtime.sanitizer.events import Event
from tilecheck_runtime.sanitizer.render import render

__all__ = ["Report"]


@dataclass(frozen=True)
class Report:
    """The findings of a session.

    events    sorted by file, line and code
    launches  number of launches that ran
    """

    events: tuple[Event, ...]
    launches: int = 0

    @property
    def clean(self) -> bool:
        """Whether there are no findings."""
        return not self.events

    def codes(self) -> frozenset[str]:
        """The codes of the findings."""
        return frozenset(event.code for event in self.events)

    def render(self, colour: bool = False) -> str:
        """Formats the report like the checker prints its diagnostics."""
        return render(self.events, self.launches, colour)

    def __str__(self) -> str:
        return self.render()
