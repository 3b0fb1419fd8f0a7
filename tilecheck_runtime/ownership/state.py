"""Checks whether a handle may be used.

   owned -> partitioned (moved) -> in flight -> owned
   owned -> shared (n readers) -> owned
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import (
    GraphLifetimeError,
    InFlightError,
    MovedError,
    OwnershipError,
    ReadOnlyError,
    SharedError,
)
from tilecheck_runtime.ownership.handles import Handle, Move, label
from tilecheck_runtime.ownership.storage import EPOCH, LOCK, Hold, Mode

__all__ = ["CONFLICTS", "Use", "check", "end_handle", "release"]


class Use(Enum):
    """The intended use of a handle."""

    VIEW = "viewed"
    READ = "read"
    OWN = "moved"
    PARTITION = "partitioned"
    WRITE = "written"


CONFLICTS: Final[Mapping[Use, frozenset[Mode]]] = MappingProxyType({
    Use.VIEW: frozenset(),  # uses of a view are checked on its own region
    Use.READ: frozenset({Mode.PARTITIONED, Mode.WRITING, Mode.BORROWED_TO_WRITE, Mode.CAPTURED_TO_WRITE}),
    **{use: frozenset(Mode) for use in (Use.OWN, Use.PARTITION, Use.WRITE)},
})
"""The modes of holds that forbid a use."""

_MUTABLE: Final = frozenset({Use.PARTITION, Use.WRITE})


def _wait(hold: Hold) -> str:
    return f"wait for {hold.what} before: `flight.wait()` on what `.start()` returned"


def _partitioned_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    return MovedError(f"{name} is {use.value}, but part of its memory was moved into {hold.what}", names=(name,),
                      use=place, before=hold.place, what="moved",
                      fix="take it back first, with `.unpartition()` on the partition, or let go of that with `del`")


def _writing_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    return InFlightError(f"{name} is {use.value} while {hold.what}, which is in flight, writes it", names=(name,),
                         use=place, before=hold.place, what="launched", fix=_wait(hold))


def _reading_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    return InFlightError(f"{name} is {use.value} while {hold.what}, which is in flight, reads it", names=(name,),
                         use=place, before=hold.place, what="launched", fix=_wait(hold))


def _shared_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    return SharedError(f"{name} is {use.value}, but another handle shares its memory", names=(name,), use=place,
                       before=hold.place, what="shared",
                       fix="only the sole owner may: let go of the other handle with `del`, or take a copy: `.copy()`")


def _borrowed_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    return SharedError(f"{name} is {use.value}, but its memory is borrowed by {hold.what}", names=(name,), use=place,
                       before=hold.place, what="borrowed",
                       fix="let go of the array there with `del`, or take a copy: `.copy()`")


def _captured_error(name: str, hold: Hold, use: Use, place: Location) -> OwnershipError:
    how = "writes" if hold.mode is Mode.CAPTURED_TO_WRITE else "reads"
    return GraphLifetimeError(f"{name} is {use.value}, but {hold.what} {how} its memory whenever it is replayed",
                              names=(name,), use=place, before=hold.place, what="captured",
                              fix="let go of the graph first, with `del`; to give it other values, write "
                              "`graph.update(x, values)`")


_REFUSED: Final[Mapping[Mode, Callable[[str, Hold, Use, Location], OwnershipError]]] = MappingProxyType({
    Mode.PARTITIONED: _partitioned_error, Mode.WRITING: _writing_error, Mode.READING: _reading_error,
    Mode.SHARED: _shared_error, Mode.BORROWED: _borrowed_error, Mode.BORROWED_TO_WRITE: _borrowed_error,
    Mode.CAPTURED: _captured_error, Mode.CAPTURED_TO_WRITE: _captured_error,
})


def check(handle: Handle, use: Use, name: Callable[[], str] | None = None) -> None:
    """Raises the OwnershipError that forbids a use of a handle. The caller holds the lock if it acts on the result.

    name  returns the name for messages, if that is not the variable
    """
    with LOCK:
        refused = _find_refusal(handle, use)
        if refused is not None:
            try:
                raise refused(name() if name is not None else label(handle))
            finally:
                del refused  # it references the hold, which must not live as long as the error and its frame


def _find_refusal(handle: Handle, use: Use) -> Callable[[str], OwnershipError] | None:
    """Returns a function that builds the error that forbids a use, from the name of the handle; None if the use is
    allowed."""
    dead = _moved_handle(handle)
    if dead is not None:
        return lambda name: _moved_error(handle, dead, name)
    if use in _MUTABLE and handle.readonly:
        return lambda name: _read_only_error(handle, use, name)
    worst = _find_conflict(handle, use)
    if worst is not None:
        return lambda name: _REFUSED[worst.mode](name, worst, use, current_location())
    return None


def _find_conflict(handle: Handle, use: Use) -> Hold | None:
    """Returns the most severe hold that forbids a use. Holds of unreachable objects do not count: reference cycles,
    such as an exception and its frame, are collected before a use is refused."""
    for attempt in range(2):
        conflicts = handle._storage.holders(handle.region, CONFLICTS[use], handle._hold)
        if not conflicts:
            return None
        if attempt == 0:
            del conflicts
            gc.collect()
    return min(conflicts, key=lambda h: _ORDER[h.mode])


_ORDER: Final = {mode: n for n, mode in enumerate(
    (Mode.CAPTURED_TO_WRITE, Mode.CAPTURED, Mode.WRITING, Mode.READING, Mode.PARTITIONED, Mode.BORROWED_TO_WRITE,
     Mode.SHARED, Mode.BORROWED))}
"""The more specific finding first."""


def _moved_handle(handle: Handle) -> Handle | None:
    """Returns the handle that was moved: the handle itself or its nearest moved parent."""
    found: Handle | None = handle
    while found is not None and found._moved is None:
        found = found._parent
    return found


def _moved_error(handle: Handle, dead: Handle, name: str) -> OwnershipError:
    move = dead._moved
    assert move is not None
    flights = handle._storage.holders(handle.region, frozenset({Mode.WRITING}))
    whose = name if dead is handle else f"{name} is a view of {label(dead)}, which"
    if flights:
        hold = flights[0]
        return InFlightError(f"{whose} was moved into {hold.what}, which is in flight and writes it", names=(name,),
                             use=current_location(), before=hold.place, what="launched", fix=_wait(hold))
    return MovedError(f"{whose} was moved into {move.into}", names=(name,), use=current_location(), before=move.place,
                      what="moved",
                      fix=move.fix)


def _read_only_error(handle: Handle, use: Use, name: str) -> OwnershipError:
    why = "its memory is read-only" if handle._storage.readonly else "it is a read-only view"
    return ReadOnlyError(f"{name} cannot be {use.value}: {why}", names=(name,), use=current_location(),
                         fix="take a copy of your own: `.copy()`")


def end_handle(handle: Handle, into: str, fix: str, place: Location | None = None) -> None:
    """Ends a handle, after `check`, and releases its hold. `place` is the location of the move, by default the current
    one."""
    EPOCH.now += 1
    handle._moved = Move(place or current_location(), into, fix)
    release(handle)


def release(handle: Handle) -> None:
    """Releases the hold of a handle."""
    if handle._hold is not None:
        handle._hold.release()
        handle._hold = None
