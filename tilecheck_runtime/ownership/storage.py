"""Memory under tensors. What is held of it is kept here, so that it is the same for every name and every view."""

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
"""Taken for every change of who holds what."""


if hasattr(os, "register_at_fork"):  # a child has what was counted, and a lock that nobody there has
    os.register_at_fork(before=LOCK.acquire, after_in_parent=LOCK.release, after_in_child=LOCK.release)


class Epoch:
    """Counts what may forbid something that was allowed before: a hold that began, a handle that was moved. Who asked
    whether something is allowed need not ask again while the number is the same."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0


EPOCH: Final = Epoch()


class Busy:
    """Counts threads that go through the steps of a chain, or run code of an operation. Where there is none a thread
    need not ask what it does itself, which takes several times as long. Changed under the lock; after a fork it may be
    too large, which costs time only."""

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
    BORROWED = "lent to another library, to read"
    BORROWED_TO_WRITE = "lent to another library, to write"
    CAPTURED = "read by a graph whenever it is replayed"
    CAPTURED_TO_WRITE = "written by a graph whenever it is replayed"


class Hold:
    """A part of memory that is held. Ends when it is released; whoever has it does so at the latest when it dies.

    place   where it began
    what    the launch or the library that holds it, for messages
    chain   the steps of which one held it: it is over for those, and goes on for everybody else
    listed  whether its storage counts it; it forgets those that ended. Changed under the lock
    """

    __slots__ = ("__weakref__", "chain", "ended", "listed", "mode", "place", "region", "what")

    def __init__(self, mode: Mode, region: Region, place: Location, what: str = "") -> None:
        self.mode, self.region, self.place, self.what = mode, region, place, what
        self.ended = self.listed = False
        self.chain: Chain | None = None

    def release(self) -> None:
        """Gives the memory back."""
        self.ended = True


@dataclass(eq=False)
class Chain:
    """Steps that follow each other, each with what came of those before. To the rest of the program they are one:
    what one of them held is held until all are through.

    outer  the chain of which this one is a step, and which waits for it
    """

    holds: list[Hold] = field(default_factory=list)
    outer: Chain | None = None

    def release(self) -> None:
        """Ends it: gives back what its steps held."""
        for hold in self.holds:
            land(hold)
        self.holds.clear()


class _Running(threading.local):
    """The steps that this thread is going through. A context would be copied along with what they hand to others."""

    chain: Chain | None = None


RUNNING: Final = _Running()


def land(hold: Hold) -> None:
    """Ends a hold of a launch that is through; within a chain, for the steps of that chain."""
    chain = RUNNING.chain
    if chain is None:
        hold.release()
    else:
        hold.chain = chain
        chain.holds.append(hold)


def _chain_and_outer(chain: Chain | None) -> list[Chain]:
    """A chain and those around it: what their earlier steps held is over for what runs in it."""
    found = []
    while chain is not None:
        found.append(chain)
        chain = chain.outer
    return found


class Ledger:
    """The holds on storages that share memory. Looked at under the lock, like everything here.

    holds   those that began, ended ones among them
    joined  the ledger that has them since storages were found to share memory
    stamp   another one since a hold began that keeps others from reading or writing
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
        """Keeps the holds of both together from now on."""
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
        """The holds that have not ended."""
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
    """Memory that was allocated at once, or that belongs to another library.

    readonly  whether it may only be read
    owner     what keeps foreign memory alive
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
        """Begins to hold a part. The caller has asked `holders` before, under the lock."""
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
