"""Runs a launch that raced a second time, to find every pair of lines that races at the elements of a race.

The shadow memory stores the first and the last access to an element. That is enough to detect a race, but not to name
all lines that take part in it. The second pass runs the same blocks in the same order on the same contents, and stores
all accesses to the elements at which the first pass saw a race.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from tilecheck_runtime.sanitizer.log import Block
from tilecheck_runtime.sanitizer.order import Clock
from tilecheck_runtime.sanitizer.races import Pair
from tilecheck_runtime.sanitizer.recorder import Recorder
from tilecheck_runtime.sanitizer.session import Session
from tilecheck_runtime.sanitizer.shadow import WATCHED, Storage, Target
from tilecheck_runtime.tile_language.modes import PLAIN, STRONG

__all__ = ["Replay", "watched_positions"]

ELEMENTS: Final = 1024
"""Elements of a storage that are followed; only the first ones of a larger race."""
KEPT: Final = 8
"""Operations of a site on an element that are stored from either end, two of each block."""


@dataclass(frozen=True, slots=True)
class _Access:
    number: int
    block: int
    strength: int
    writes: bool
    array: str
    clock: Clock


@dataclass
class _Accesses:
    """The first and the last accesses of one site to one element."""

    first: list[_Access] = field(default_factory=list)
    last: list[_Access] = field(default_factory=list)

    def add(self, access: _Access) -> None:
        kept = self.last or self.first
        if len(kept) > 1 and kept[-1].block == kept[-2].block == access.block:
            kept[-1] = access
        elif len(self.first) < KEPT:
            self.first.append(access)
        else:
            self.last.append(access)
            del self.last[:-KEPT]

    def all(self) -> list[_Access]:
        return [*self.first, *self.last]


def watched_positions(storages: Sequence[Storage]) -> list[Any]:
    """Returns for each storage the positions of races, up to the limit."""
    return [() if s.slots[WATCHED] is None else np.flatnonzero(s.slots[WATCHED])[:ELEMENTS] for s in storages]


class Replay(Recorder):
    """Records the second pass. Other errors in it were reported by the first pass."""

    def __init__(self, session: Session, kernel: str, grid: Block, storages: Sequence[Storage],
                 positions: Iterable[Any]) -> None:
        scratch = Session(session.seed)
        scratch.sites = session.sites
        super().__init__(scratch, kernel, grid)
        self._into = session
        self._found: dict[tuple[int, int], dict[int, _Accesses]] = {}
        self._storages: Mapping[int, int] = {id(s): n for n, s in enumerate(storages)}
        for storage, places in zip(storages, positions, strict=True):
            if len(places):
                storage.flat(WATCHED)[places] = 1

    def read(self, target: Target, array: str, strength: int = PLAIN) -> None:
        self._note(target, array, strength, False)
        super().read(target, array, strength)

    def write(self, target: Target, array: str, strength: int = PLAIN) -> None:
        self._note(target, array, strength, True)
        super().write(target, array, strength)

    def _note(self, target: Target, array: str, strength: int, writes: bool) -> None:
        storage = target.storage
        if storage.slots[WATCHED] is None:
            return
        places = np.flatnonzero(np.ravel(target.get(WATCHED)))
        if not places.size:
            return
        site = self.sites.current_site()
        access = _Access(self.log.last + 1, self.log.block, strength, writes, array, self._clock)
        for place in places.tolist():
            key = (self._storages[id(storage)], target.position(place))
            self._found.setdefault(key, {}).setdefault(site, _Accesses()).add(access)

    def finish(self, storages: Sequence[Storage]) -> None:
        """Reports the pairs of sites that the first pass did not report."""
        for (storage, position), sites in self._found.items():
            for earlier, later in _pairs([a for accesses in sites.values() for a in accesses.all()]):
                self.session = self._into
                self.report_pair(Pair(storages[storage], position, later.array, earlier.number, earlier.writes,
                                      later.number,
                                      later.writes))


def _pairs(accesses: list[_Access]) -> Iterator[tuple[_Access, _Access]]:
    """Yields pairs that nothing orders, in order of execution."""
    ordered = sorted(accesses, key=lambda a: a.number)
    for place, later in enumerate(ordered):
        for earlier in ordered[:place]:
            if (earlier.block != later.block and (earlier.writes or later.writes)
                    and not (earlier.strength == later.strength == STRONG)
                    and later.clock.get(earlier.block, 0) < earlier.number):
                yield earlier, later
