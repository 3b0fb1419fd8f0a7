"""The operations that the state of a handle allows.

The states are those of the runtime (`tilecheck_runtime/ownership/state.py`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from tilecheck.interp.ownership.event import Event
from tilecheck.interp.ownership.liveness import is_alive
from tilecheck.interp.ownership.objects import Flight, Handle, Hold, HoldMode, Move
from tilecheck.interp.ownership.region import meet
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["Use", "check", "move_handle"]

Use: TypeAlias = Literal["viewed", "read", "moved", "partitioned", "written"]

_ALL: Final = frozenset[HoldMode]({"partitioned", "writing", "reading", "shared", "graph"})
_CONFLICTS: Final[Mapping[Use, frozenset[HoldMode]]] = {
    "viewed": frozenset(), "read": frozenset[HoldMode]({"partitioned", "writing"}), "moved": _ALL,
    "partitioned": _ALL, "written": _ALL}
_ORDER: Final[Mapping[HoldMode, int]] = {"writing": 0, "reading": 1, "graph": 2, "partitioned": 3, "shared": 4}
"""The more specific finding first."""


def check(m: Machine, handle: Handle, use: Use, span: Span, name: str) -> bool:
    """Whether a use is allowed; says so where it is not."""
    event = _refusal(m, handle, use, span, name)
    if event is None:
        return True
    m.report(event, handle.storage)
    return False


def _refusal(m: Machine, handle: Handle, use: Use, span: Span, name: str) -> Event | None:
    dead = _find_moved(handle)
    if dead is not None and dead.moved is not None:
        return _describe_moved(handle, dead, dead.moved, use, span, name)
    if use in ("partitioned", "written") and handle.readonly:
        return Event("TC104", "read-only", span, name, use, fix="take a copy of your own: `.copy()`")
    found = sorted(_conflicts(m, handle, _CONFLICTS[use]), key=lambda pair: (not pair[1], _ORDER[pair[0].mode]))
    return _describe_hold(*found[0], use, span, name) if found else None


def _find_moved(handle: Handle) -> Handle | None:
    """The handle, or the nearest that it is a view of, that was moved away."""
    found: Handle | None = handle
    while found is not None and found.moved is None:
        found = found.parent
    return found


def _conflicts(m: Machine, handle: Handle, modes: frozenset[HoldMode]) -> list[tuple[Hold, bool]]:
    """The other holds on a region that overlaps the handle, each with whether the overlap is certain."""
    found = []
    for hold in handle.storage.holds:
        if hold.ended or hold.mode not in modes or hold is handle.hold or hold.owner is handle:
            continue
        shared = meet(hold.region, handle.region)
        if shared is False:
            continue
        if hold.owner.escaped:
            found.append((hold, False))
        elif isinstance(hold.owner, Flight) or is_alive(m, hold.owner):
            found.append((hold, shared is True))
    return found


def _describe_moved(handle: Handle, dead: Handle, move: Move, use: Use, span: Span, name: str) -> Event:
    kind = "handle" if handle is dead else "view"
    flights = [h for h in handle.storage.holds if not h.ended and h.mode == "writing" and meet(h.region, handle.region)]
    if flights:
        hold = flights[0]
        return Event("TC403", kind, span, name, use, hold.what, hold.span, hold.name, _wait(hold),
                     not hold.owner.escaped)
    return Event("TC402", kind, span, name, use, move.into, move.span, fix=move.fix)


def _describe_hold(hold: Hold, sure: bool, use: Use, span: Span, name: str) -> Event:
    if hold.mode in ("writing", "reading"):
        return Event("TC403", hold.mode, span, name, use, hold.what, hold.span, hold.name, _wait(hold), sure)
    if hold.mode == "graph":
        return Event("TC406", "held", span, name, use, hold.what, hold.span, hold.name,
                     "let go of the graph first (`del graph`), or capture it with a copy: `.copy()`", sure)
    if hold.mode == "shared":
        return Event("TC104", "shared", span, name, use, hold.what, hold.span, sure=sure,
                     fix="let go of the other handle with `del`, or take a copy: `.copy()`")
    return Event("TC402", "memory", span, name, use, hold.what, hold.span, sure=sure,
                 fix="take it back first, with `.unpartition()` on the partition, or let go of that with `del`")


def _wait(hold: Hold) -> str:
    return "wait for it before: `flight.wait()` on what `.start()` returned"


def move_handle(handle: Handle, span: Span, into: str, fix: str) -> None:
    """End a handle, after `check`, and release the storage that it holds."""
    handle.moved = Move(span, into, fix)
    if handle.hold is not None:
        handle.hold.ended = True
        handle.hold = None
