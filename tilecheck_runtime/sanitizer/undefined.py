"""Lanes that nobody defined: where they come from, and where something first depends on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tilecheck_runtime.cpu.machine import State
from tilecheck_runtime.sanitizer.events import Event, Point
from tilecheck_runtime.sanitizer.findings import Findings, shown
from tilecheck_runtime.sanitizer.log import Block
from tilecheck_runtime.sanitizer.session import Session

__all__ = ["Undefined"]


class Undefined(Findings):
    """The sources of undefined lanes of one launch, by number."""

    def __init__(self, session: Session, kernel: str, grid: Block) -> None:
        super().__init__(session, kernel, grid)
        self._sources: list[tuple[str, Point]] = []
        self._numbers: dict[Any, int] = {}

    def undefined_source(self, what: str) -> int:
        """A number for a source of undefined lanes at the present place."""
        site = self.sites.here()
        key = (site, what)
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._sources)
            self._sources.append((what, Point(self.sites.site(site), State.block, tuple(State.loops))))
        return number

    def undefined_used(self, sources: Iterable[int], what: str, array: str | None = None,
                       element: tuple[int, ...] | None = None) -> None:
        """Undefined lanes are observed; a source is reported where that first happens."""
        for source in sources:
            origin, point = self._sources[source]
            key = ("TC301", self.kernel, point.site)
            if self.session.has(key):
                continue
            message = f"{what} uses lanes that {origin} leaves undefined"
            if element is not None:
                message = f"{what} puts lanes that {origin} leaves undefined into element {shown(element)} of '{array}'"
            self.session.add(key, Event("TC301", message, self.kernel, self.grid, array, element, self.here(), point))
