"""The memory under tensors. Holds are recorded here, so that they apply to every name and every view."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.ownership.memory import Memory
from tilecheck_runtime.ownership.regions import Region, overlap

__all__ = ["BUSY", "EPOCH", "LOCK", "RUNNING", "Chain", "Hold", "Ledger", "Mode", "Storage", "land"]

LOCK: Final = threading.RLock()
"""Guards every change of holds."""


if hasattr(os, "register_at_fork"):  # a child inherits the counts, but no thread there owns the lock
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


class Epoch:
    """Counts events that can forbid a use that was allowed: new holds and moved handles. The result of a check stays
    valid while the number is the same."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0


EPOCH: Final = Epoch()


class Busy:
    """Counts threads that run steps of a chain or code of an operation. While there are none, a thread need not check
    its own state, which takes several times as long. Changed under the lock. After a fork the count may be too large,
    which costs only time."""

    __slots__ = ("threads",)

    def __init__(self) -> None:
        self.threads = 0

    def enter(self) -> None:
        with LOCK:
            self.threads += 1

    def leave(self) -> None:
        with LOCK:
            self.threads -= 1


BUSY: Final = Busy()


class Mode(Enum):
    """How a part of memory is held."""

    PARTITIONED = "moved into a partition"
    WRITING = "written by a launch in flight"
    READING = "read by a launch in flight"
    SHARED = "shared"
    BORROWED = "borrowed by another library, to read"
    BORROWED_TO_WRITE = "borrowed by another library, to write"
    CAPTURED = "read by a graph whenever it is replayed"
    CAPTURED_TO_WRITE = "written by a graph whenever it is replayed"


class Hold:
    """A part of memory that is held until `release`; the owner of the hold releases it at the latest when it is
    destroyed.

    place   where the hold began
    what    the launch or the library that holds it, for messages
    chain   the chain with a step that held it: the hold has ended for that chain, and goes on for all others
    listed  whether its ledger contains it; ended holds are removed. Changed under the lock
    """

    __slots__ = ("__weakref__", "chain", "ended", "listed", "mode", "place", "region", "what")

    def __init__(self, mode: Mode, region: Region, place: Location, what: str = "") -> None:
        self.mode, self.region, self.place, self.what = mode, region, place, what
        self.ended = self.listed = False
        self.chain: Chain | None = None

    def release(self) -> None:
        """Ends the hold."""
        self.ended = True


@dataclass(eq=False)
class Chain:
    """Steps that each depend on the results of the previous ones. For the rest of the program they are one unit: memory
    that one of them held stays held until all have ended.

    outer  the chain of which this one is a step, and which waits for it
    """

    holds: list[Hold] = field(default_factory=list)
    outer: Chain | None = None

    def release(self) -> None:
        """Ends the chain and the holds of its steps."""
        for hold in self.holds:
            land(hold)
        self.holds.clear()


class _Running(threading.local):
    """The chain whose steps this thread runs. A context variable would be copied to threads that the steps start."""

    chain: Chain | None = None


RUNNING: Final = _Running()


def land(hold: Hold) -> None:
    """Ends a hold of a launch that has ended; within a chain, only for the steps of that chain."""
    chain = RUNNING.chain
    if chain is None:
        hold.release()
    else:
        hold.chain = chain
        chain.holds.append(hold)


def _chain_and_outer(chain: Chain | None) -> list[Chain]:
    """Returns a chain and the chains around it. Holds of their earlier steps do not apply to code that runs in the
    chain."""
    found = []
    while chain is not None:
        found.append(chain)
        chain = chain.outer
    return found


class Ledger:
    """The holds on storages that share memory. Accessed under the lock.

    holds   those that began, including ended ones
    joined  the ledger that replaced it when storages were found to share memory
    stamp   changes with every hold that keeps others from reading or writing
    """

    def __init__(self) -> None:
        self.holds: list[weakref.ref[Hold]] = []
        self.joined: Ledger | None = None
        self.stamp = 0

    def root(self) -> Ledger:
        found = self
        while found.joined is not None:
            found = found.joined
        return found

    def join(self, other: Ledger) -> None:
        """Merges the holds of two ledgers."""
        mine, theirs = self.root(), other.root()
        if mine is not theirs:
            mine.holds += theirs.holds
            theirs.joined = mine
            mine.stamp += 1
            theirs.stamp += 1

    def add(self, hold: Hold) -> None:
        if hold.mode is not Mode.READING:
            self.stamp += 1
        self.holds.append(weakref.ref(hold))
        hold.listed = True

    def live(self) -> Iterator[Hold]:
        """Yields the holds that have not ended, and removes the others."""
        found, kept = [], []
        for reference in self.holds:
            hold = reference()
            if hold is None:
                continue
            if hold.ended:
                hold.listed = False
            else:
                found.append(hold)
                kept.append(reference)
        self.holds = kept
        return iter(found)


class Storage:
    """Memory of one allocation, or of another library.

    readonly  whether it may only be read
    owner     keeps foreign memory alive
    """

    _all: Final[weakref.WeakSet[Storage]] = weakref.WeakSet()

    def __init__(self, memory: Memory, readonly: bool = False, owner: object = None) -> None:
        self.memory, self.readonly, self.owner = memory, readonly, owner
        self.ledger = Ledger()
        with LOCK:
            if owner is not None:
                for other in list(Storage._all):
                    if other._touches(self):
                        self.ledger.join(other.ledger)
            Storage._all.add(self)

    def _touches(self, other: Storage) -> bool:
        mine, theirs = self.memory, other.memory
        return (mine.device == theirs.device and mine.address < theirs.address + theirs.nbytes
                and theirs.address < mine.address + mine.nbytes)

    def hold(self, mode: Mode, region: Region, place: Location, what: str = "") -> Hold:
        """Starts to hold a region. The caller has checked `holders`, under the lock."""
        EPOCH.now += 1
        hold = Hold(mode, region, place, what)
        self.ledger.root().add(hold)
        return hold

    def holders(self, region: Region, modes: frozenset[Mode], but: Hold | None = None) -> list[Hold]:
        """Who else holds a part that meets the region, in the order in which it began."""
        ledger = self.ledger.root()
        if not ledger.holds:
            return []
        through = _chain_and_outer(RUNNING.chain)
        return [h for h in ledger.live() if h is not but and h.mode in modes
                and (h.chain is None or h.chain not in through) and overlap(h.region, region)]
