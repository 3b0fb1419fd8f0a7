"""Undefined lanes: their origin, and the first operation that depends on them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from tilecheck_runtime.sanitizer.events import Event, Point
from tilecheck_runtime.sanitizer.findings import Findings, show_index
from tilecheck_runtime.sanitizer.log import Block
from tilecheck_runtime.sanitizer.session import Session

__all__ = ["Undefined"]


@dataclass(frozen=True, slots=True)
class _Source:
    """The origin of undefined lanes, and the first operation that combined them with defined ones, if there is one."""

    what: str
    point: Point
    met: tuple[str, Point] | None = None


class Undefined(Findings):
    """The sources of undefined lanes of one launch, by number."""

    def __init__(self, session: Session, kernel: str, grid: Block) -> None:
        super().__init__(session, kernel, grid)
        self._sources: list[_Source] = []
        self._numbers: dict[Any, int] = {}

    def _number(self, key: Any, make: Callable[[], _Source]) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._sources)
            self._sources.append(make())
        return number

    def undefined_source(self, what: str) -> int:
        """Returns a number for an origin of undefined lanes at the current location."""
        return self._number((self.sites.current_site(), what), lambda: _Source(what, self.current_point()))

    def undefined_met(self, sources: Iterable[int], what: str) -> tuple[int, ...]:
        """Records that undefined lanes are combined with defined ones. This is not an error unless the result is used.
        Returns the origins of the result."""
        site = self.sites.current_site()

        def combine(number: int) -> int:
            source = self._sources[number]
            return number if source.met else self._number((site, what, number), lambda: _Source(
                source.what, source.point, (what, self.current_point())))

        return tuple(dict.fromkeys(combine(number) for number in sources))

    def undefined_used(self, sources: Iterable[int], what: str, array: str | None = None,
                       element: tuple[int, ...] | None = None) -> None:
        """Reports a use of undefined lanes, once per origin, at the operation that first combined them with defined
        ones or else here."""
        for source in sorted((self._sources[n] for n in sources), key=lambda s: s.met is None):
            key = ("TC301", self.kernel, source.point.site)
            if self.session.has(key):
                continue
            lanes = f"lanes that {source.what} leaves undefined"
            message = f"{what} uses {lanes}"
            if element is not None:
                message = f"{what} puts {lanes} into element {show_index(element)} of '{array}'"
            event = Event("TC301", message, self.kernel, self.grid, array, element, self.current_point(), source.point)
            self.session.add(key, event if source.met is None else _relocate(event, source.what, *source.met))


def _relocate(event: Event, origin: str, what: str, point: Point) -> Event:
    """Moves a finding to the operation where its lanes were first combined with defined ones."""
    line = event.point.site.span.line
    goes = "" if event.element is None else f", and puts it into element {show_index(event.element)} of '{event.array}'"
    return replace(event, message=f"{what} uses lanes that {origin} leaves undefined", point=point,
                   notes=(f"line {line} uses the result{goes}",))
