"""Checks the memory accesses of a block against those of other blocks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tilecheck.text.block_names import block_name, rank_of_grid
from tilecheck_runtime.errors.language import KernelStuckError
from tilecheck_runtime.sanitizer.events import Event, Point
from tilecheck_runtime.sanitizer.findings import Findings, element_of, show_index
from tilecheck_runtime.sanitizer.log import Block, Log
from tilecheck_runtime.sanitizer.order import TRACKED, Clock, Release, Token, join_release
from tilecheck_runtime.sanitizer.progress import Progress
from tilecheck_runtime.sanitizer.session import Session
from tilecheck_runtime.sanitizer.shadow import (
    FIRST_READ,
    FIRST_WRITE,
    LAST_READ,
    LAST_WRITE,
    WATCHED,
    Lanes,
    Storage,
    Target,
)
from tilecheck_runtime.tile_language.modes import PLAIN, STRONG

__all__ = ["Pair", "Races"]

PATIENCE: Final = 20_000
"""Queries of locks and flags without a change in between after which a block counts as stuck."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two accesses that race, by number.

    array   of the later access, for messages
    wrote   whether the earlier access writes
    writes  whether the later access writes
    """

    storage: Storage
    position: int
    array: str
    earlier: int
    wrote: bool
    call_later: int
    writes: bool


class Races(Findings):
    """Records the memory operations of one launch. Operations call it with the elements that they are about to
    access."""

    def __init__(self, session: Session, kernel: str, grid: Block) -> None:
        super().__init__(session, kernel, grid)
        self.log = Log()
        self._clock: Clock = {}
        self._idle = 0
        self._counted: Any = None

    def begin(self, block: Block) -> None:
        """Starts a block."""
        self.log.begin(block)
        self._clock = {}
        self._idle = 0

    def _point_of(self, number: int) -> Point:
        operation = self.log.operation(number)
        return Point(self.sites.site(operation.site), operation.block, operation.loops)

    def read(self, target: Target, array: str, strength: int = PLAIN) -> None:
        """Records a read."""
        storage, number = target.storage, self.log.add(self.sites.current_site(), Progress.loops, strength)
        if storage.slots[LAST_WRITE] is not None:
            self._check(target, (LAST_WRITE, FIRST_WRITE), array, False, number)
        self._mark(target, FIRST_READ, LAST_READ, number, strength)
        storage.touched.setdefault(array, False)
        if strength == STRONG:
            self.note_waiting()

    def write(self, target: Target, array: str, strength: int = PLAIN) -> None:
        """Records a write or an atomic update."""
        storage, number = target.storage, self.log.add(self.sites.current_site(), Progress.loops, strength)
        if storage.slots[LAST_WRITE] is not None:
            self._check(target, (LAST_WRITE, FIRST_WRITE), array, True, number)
        if storage.slots[LAST_READ] is not None:
            self._check(target, (LAST_READ, FIRST_READ), array, True, number)
        self._mark(target, FIRST_WRITE, LAST_WRITE, number, strength)
        storage.touched[array] = True
        if strength != STRONG:
            self._idle = 0

    def _mark(self, target: Target, first: int, last: int, number: int, strength: int) -> None:
        """Stores two of the accesses that later ones may race with: the first and the last, among those without a known
        order."""
        storage = target.storage
        if storage.slots[first] is None:
            target.put(first, number)
            target.put(last, number)
        elif self._clock or (strength != PLAIN and storage.weak):
            outdone_first = self._find_outdone(target.get(first), strength)
            outdone_last = self._find_outdone(target.get(last), strength)
            target.put_where(first, number, outdone_first)
            target.put_where(last, number, outdone_last | ~outdone_first)
        else:
            seen = target.get(first)
            if seen.any():
                target.put_where(first, number, seen == 0)
            else:
                target.put(first, number)
            target.put(last, number)
        if strength != STRONG:
            storage.weak = True

    def _find_outdone(self, numbers: Any, strength: int) -> Any:
        """Marks where an access of the running block replaces earlier ones, because every access that races with them
        also races with it."""
        result = np.zeros(np.shape(numbers), bool)
        for number in np.unique(numbers).tolist():
            operation = self.log.operation(number)
            weaker = operation.strength < strength and number > 0
            before = number >= self.log.start or number <= self._clock.get(int(self.log.blocks_of(number)), 0)
            if number == 0 or (before and not weaker):
                result |= numbers == number
        return result

    def _check(self, target: Target, slots: Iterable[int], array: str, writes: bool, number: int) -> None:
        below = np.uint32(self.log.start - 1)
        for slot in slots:
            numbers = target.get(slot)
            if not numbers.any():
                return  # neither slot holds anything here
            foreign = (numbers - np.uint32(1)) < below
            if foreign.any():
                self._meet(target, numbers, foreign, slot in (FIRST_WRITE, LAST_WRITE), array, writes, number)

    def _meet(self, target: Target, numbers: Any, foreign: Any, wrote: bool, array: str, writes: bool,
              number: int) -> None:
        """Reports accesses of other blocks to the same elements that nothing orders."""
        candidates = np.unique(numbers[foreign])
        if self.log.operation(number).strength == STRONG:
            candidates = candidates[self.log.strength_of(candidates) != STRONG]
        if self._clock and candidates.size:
            blocks = self.log.blocks_of(candidates)
            ordered = [n <= self._clock.get(b, 0)
                       for n, b in zip(candidates.tolist(), blocks.tolist(), strict=True)]
            candidates = candidates[~np.array(ordered, bool)]
        if not candidates.size:
            return
        if self.session.replay:
            target.put_where(WATCHED, 1, np.isin(numbers, candidates))
        sites = self.log.sites_of(candidates)
        for site in dict.fromkeys(sites.tolist()):
            first = int(candidates[sites == site][0])
            self._race(target, numbers, first, wrote, array, writes, number)

    def _race(self, target: Target, numbers: Any, earlier: int, wrote: bool, array: str, writes: bool,
              number: int) -> None:
        key = self._key(array, earlier, wrote, number, writes)
        if self.session.has(key):
            if self._counted != (number, key):  # the first and the last access may both be of other blocks
                self._counted = number, key
                self.session.add(key, None)
            return
        self._counted = number, key
        place = int(np.flatnonzero(np.ravel(numbers) == earlier)[0])
        self.report_pair(Pair(target.storage, target.position(place), array, earlier, wrote, number, writes))

    def _key(self, array: str, earlier: int, wrote: bool, number: int, writes: bool) -> tuple[str, str, str, Any]:
        """The key of a race in the session, code first."""
        here, there = self.log.operation(number), self.log.operation(earlier)
        mixed = here.strength != PLAIN or there.strength != PLAIN
        code = "TC107" if mixed else "TC101" if wrote and writes else "TC103"
        return code, self.kernel, array, frozenset((here.site, there.site))

    def report_pair(self, p: Pair) -> None:
        """Reports a race, unless the session contains one at these two sites."""
        key = self._key(p.array, p.earlier, p.wrote, p.call_later, p.writes)
        if self.session.has(key):
            return
        code, element = key[0], element_of(p.storage, p.array, p.position)
        here, there = self.log.operation(p.call_later), self.log.operation(p.earlier)
        point, other = self._point_of(p.call_later), self._point_of(p.earlier)
        if _stands_on_other(code, point, other, p.writes, here.strength - there.strength):
            point, other, here = other, point, there
        message = _MESSAGES[code if code != "TC107" or here.strength == PLAIN else "narrow"]
        self.session.add(key, Event(code, message.format(show_index(element), p.array), self.kernel, self.grid, p.array,
                                    element, point, other))

    def duplicates(self, lanes: Lanes, array: str) -> None:
        """Reports elements that one write names twice."""
        positions = lanes.positions
        if positions.size < 2 or lanes.consecutive or (positions[1:] > positions[:-1]).all():
            return
        ordered = np.sort(positions)
        twice = ordered[1:][ordered[1:] == ordered[:-1]]
        if twice.size:
            element = element_of(lanes.storage, array, int(twice[0]))
            self.fault("TC106", f"one scatter writes element {show_index(element)} of '{array}' more than once",
                       array, element)

    def tokens(self, lanes: Lanes, order: str, exact: bool) -> tuple[Token, ...]:
        """The releases that reading these elements with this order would prove."""
        if order not in ("ACQUIRE", "ACQ_REL") or lanes.size > TRACKED or not lanes.storage.released:
            return ()
        found = (lanes.storage.released.get(p) for p in lanes.positions.tolist())
        return tuple(Token(release, exact) for release in found if release is not None)

    def acquire(self, tokens: Iterable[Token]) -> None:
        """Applies releases, because the kernel branches on values that prove them."""
        for token in tokens:
            self._clock = join_release(self._clock, token.release)

    def release(self, lanes: Lanes, order: str, update: bool) -> None:
        """Records a release at these elements. `update`: a read-modify-write, which continues earlier releases."""
        if lanes.size > TRACKED:
            return
        storage = lanes.storage
        releases = order in ("RELEASE", "ACQ_REL")
        clock = {**self._clock, self.log.block: self.log.last} if releases else {}
        for position in lanes.positions.tolist():
            before = storage.released.get(position) if update else None
            if releases:
                known = before is not None and all(self._clock.get(b, 0) >= n for b, n in before.clock.items())
                storage.released[position] = Release(clock, None if known and before and not before.before else before)
            elif not update:
                storage.released.pop(position, None)

    def note_progress(self) -> None:
        """Records that an atomic changed memory, so that waiting blocks may continue."""
        self._idle = 0

    def note_waiting(self) -> None:
        """Records an atomic read or a failed exchange. Raises KernelStuckError if nothing else happened for too
        long."""
        self._idle += 1
        if self._idle > PATIENCE:
            span = self.sites.site(self.sites.current_site()).span
            raise KernelStuckError(
                f"block {block_name(Progress.block, rank_of_grid(self.grid))} of {self.kernel} waits forever at "
                f"{span.file}:{span.line}: blocks run one after another here, and no guarantee exists on a GPU that "
                "they run together"
            )


_MESSAGES: Final = {
    "TC101": "two blocks write element {} of '{}'",
    "TC103": "a block reads element {} of '{}', which another block writes",
    "TC107": "a plain access to element {} of '{}' meets an atomic one of another block",
    "narrow": "the scope of an access to element {} of '{}' does not include another block that updates it",
}


def _stands_on_other(code: str, point: Point, other: Point, writes: bool, stronger: int) -> bool:
    """Whether a finding about a pair is located at the operation that was executed first. `stronger`: the strength of
    the last operation minus that of the first."""
    if code == "TC103":
        return writes
    if code == "TC107" and stronger:
        return stronger > 0
    return other.site.order > point.site.order
