"""What may be done with a handle now.

    owned -> partitioned (moved) -> in flight -> owned
    owned -> shared (n readers) -> owned
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final

from tilecheck_runtime.errors.locations import Place, here
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

__all__ = ["CONFLICTS", "Use", "check", "moved", "release"]


class Use(Enum):
    """What is wanted of a handle."""

    VIEW = "viewed"
    READ = "read"
    OWN = "moved"
    PARTITION = "partitioned"
    WRITE = "written"


CONFLICTS: Final[Mapping[Use, frozenset[Mode]]] = MappingProxyType({
    Use.VIEW: frozenset(),  # what can be done with a view is asked of its own part
    Use.READ: frozenset({Mode.PARTITIONED, Mode.WRITING, Mode.LENT_TO_WRITE, Mode.CAPTURED_TO_WRITE}),
    **{use: frozenset(Mode) for use in (Use.OWN, Use.PARTITION, Use.WRITE)},
})
"""How memory is held where a use of it is refused."""

_MUTABLE: Final = frozenset({Use.PARTITION, Use.WRITE})


def _wait(hold: Hold) -> str:
    return f"wait for {hold.what} before: `flight.wait()` on what `.start()` returned"


def _partitioned(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    return MovedError(f"{name} is {use.value}, but part of its memory was moved into {hold.what}", names=(name,),
                      use=place, before=hold.place, what="moved",
                      fix="take it back first, with `.unpartition()` on the partition, or let go of that with `del`")


def _writing(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    return InFlightError(f"{name} is {use.value} while {hold.what}, which is in flight, writes it", names=(name,),
                         use=place, before=hold.place, what="launched", fix=_wait(hold))


def _reading(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    return InFlightError(f"{name} is {use.value} while {hold.what}, which is in flight, reads it", names=(name,),
                         use=place, before=hold.place, what="launched", fix=_wait(hold))


def _shared(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    return SharedError(f"{name} is {use.value}, but another handle shares its memory", names=(name,), use=place,
                       before=hold.place, what="shared",
                       fix="only the sole owner may: let go of the other handle with `del`, or take a copy: `.copy()`")


def _lent(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    return SharedError(f"{name} is {use.value}, but its memory is lent to {hold.what}", names=(name,), use=place,
                       before=hold.place, what="lent",
                       fix="let go of the array there with `del`, or take a copy: `.copy()`")


def _captured(name: str, hold: Hold, use: Use, place: Place) -> OwnershipError:
    how = "writes" if hold.mode is Mode.CAPTURED_TO_WRITE else "reads"
    return GraphLifetimeError(f"{name} is {use.value}, but {hold.what} {how} its memory whenever it is replayed",
                              names=(name,), use=place, before=hold.place, what="captured",
                              fix="let go of the graph first, with `del`; to give it other values, write "
                              "`graph.update(x, values)`")


_REFUSED: Final[Mapping[Mode, Callable[[str, Hold, Use, Place], OwnershipError]]] = MappingProxyType({
    Mode.PARTITIONED: _partitioned, Mode.WRITING: _writing, Mode.READING: _reading, Mode.SHARED: _shared,
    Mode.LENT: _lent, Mode.LENT_TO_WRITE: _lent, Mode.CAPTURED: _captured, Mode.CAPTURED_TO_WRITE: _captured,
})


def check(handle: Handle, use: Use, name: Callable[[], str] | None = None) -> None:
    """Raises the OwnershipError that forbids a use of a handle; call it under the lock when something follows from it.

    name  makes what messages call it, when that is not its variable
    """
    with LOCK:
        refused = _refusal(handle, use)
        if refused is not None:
            try:
                raise refused(name() if name is not None else label(handle))
            finally:
                del refused  # which has the hold: that must not live as long as the error, which has this frame


def _refusal(handle: Handle, use: Use) -> Callable[[str], OwnershipError] | None:
    """Makes the error that forbids a use, of the name of the handle; None when it is allowed."""
    dead = _dead(handle)
    if dead is not None:
        return lambda name: _gone(handle, dead, name)
    if use in _MUTABLE and handle.readonly:
        return lambda name: _only_read(handle, use, name)
    worst = _conflict(handle, use)
    if worst is not None:
        return lambda name: _REFUSED[worst.mode](name, worst, use, here())
    return None


def _conflict(handle: Handle, use: Use) -> Hold | None:
    """The gravest hold that forbids a use. One that only garbage has is none: what was dropped in a reference cycle,
    such as an exception and its frame, is collected before anything is refused."""
    for attempt in range(2):
        conflicts = handle._storage.holders(handle.region, CONFLICTS[use], handle._hold)
        if not conflicts:
            return None
        if attempt == 0:
            del conflicts
            gc.collect()
    return min(conflicts, key=lambda h: _ORDER[h.mode])


_ORDER: Final = {mode: n for n, mode in enumerate(
    (Mode.CAPTURED_TO_WRITE, Mode.CAPTURED, Mode.WRITING, Mode.READING, Mode.PARTITIONED, Mode.LENT_TO_WRITE,
     Mode.SHARED, Mode.LENT))}
"""The more specific finding first."""


def _dead(handle: Handle) -> Handle | None:
    """The handle, or the nearest that it is a view of, that was moved away."""
    found: Handle | None = handle
    while found is not None and found._moved is None:
        found = found._parent
    return found


def _gone(handle: Handle, dead: Handle, name: str) -> OwnershipError:
    move = dead._moved
    assert move is not None
    flights = handle._storage.holders(handle.region, frozenset({Mode.WRITING}))
    whose = name if dead is handle else f"{name} is a view of {label(dead)}, which"
    if flights:
        hold = flights[0]
        return InFlightError(f"{whose} was moved into {hold.what}, which is in flight and writes it", names=(name,),
                             use=here(), before=hold.place, what="launched", fix=_wait(hold))
    return MovedError(f"{whose} was moved into {move.into}", names=(name,), use=here(), before=move.place, what="moved",
                      fix=move.fix)


def _only_read(handle: Handle, use: Use, name: str) -> OwnershipError:
    why = "its memory is read-only" if handle._storage.readonly else "it is a read-only view"
    return ReadOnlyError(f"{name} cannot be {use.value}: {why}", names=(name,), use=here(),
                         fix="take a copy of your own: `.copy()`")


def moved(handle: Handle, into: str, fix: str, place: Place | None = None) -> None:
    """Ends a handle, after `check`, here or at a place that is known. What it holds is given back."""
    EPOCH.now += 1
    handle._moved = Move(place or here(), into, fix)
    release(handle)


def release(handle: Handle) -> None:
    """Gives back what a handle holds of its storage."""
    if handle._hold is not None:
        handle._hold.release()
        handle._hold = None
