"""The units of an analysis that must be computed, in the order in which they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heapify, heappop, heappush
from typing import Final

from tilecheck.pipeline.units import Step, Unit

__all__ = ["ORDER", "StaleUnits"]

ORDER: Final[Mapping[Step, int]] = {"sites": 0, "launching": 1, "launches": 2, "proof": 3, "conclusion": 4}


class StaleUnits:
    """A set of units that knows the one that is computed first."""

    def __init__(self, units: Iterable[Unit]) -> None:
        self._units = set(units)
        self._order = [(ORDER[unit.step], unit) for unit in self._units]
        heapify(self._order)

    def __iter__(self) -> Iterator[Unit]:
        return iter(tuple(self._units))

    def __contains__(self, unit: object) -> bool:
        return unit in self._units

    def __len__(self) -> int:
        return len(self._units)

    def add(self, *units: Unit) -> None:
        """Add units."""
        for unit in units:
            if unit not in self._units:
                self._units.add(unit)
                heappush(self._order, (ORDER[unit.step], unit))

    def discard(self, *units: Unit) -> None:
        """Remove units, if they are there."""
        self._units.difference_update(units)

    def find_first(self) -> Unit | None:
        """The unit that is computed first; None if there is none."""
        while self._order and self._order[0][1] not in self._units:
            heappop(self._order)
        return self._order[0][1] if self._order else None
