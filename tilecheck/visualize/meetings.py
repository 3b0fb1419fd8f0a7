"""Elements that several blocks touch where nothing orders them: two writes, or a write and a read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from tilecheck.interp.kernel.access import Access
from tilecheck.obligations.atomicity import synchronises
from tilecheck.symbolic import Array
from tilecheck.visualize.setting import Block
from tilecheck.visualize.touches import Element, Touch

__all__ = ["Meeting", "MeetingKind", "meetings"]

MeetingKind: TypeAlias = Literal["write-write", "read-write", "mixed", "duplicate"]
_ORDER: Final[tuple[MeetingKind, ...]] = ("write-write", "mixed", "read-write", "duplicate")


class Meeting(Struct, frozen=True):
    """Blocks that meet in one element, with their accesses; `kind` is the most severe relation of them.

    A `duplicate` has one block, several lanes of which write the element.
    """

    array: Array
    element: Element
    kind: MeetingKind
    blocks: tuple[Block, ...]
    accesses: tuple[int, ...]


def meetings(accesses: Sequence[Access], touches: Iterable[Touch]) -> tuple[Meeting, ...]:
    """Every element at which two blocks meet, in order of arrays and elements.

    Atomics, and accesses that are ordered at a scope that includes other blocks, do not collide among each other, nor
    do accesses that hold one lock.
    """
    written = {a.array for a in accesses if a.mode != "read"}
    at: dict[tuple[Array, Element], dict[tuple[Block, int], None]] = {}
    twice: dict[tuple[Array, Element], Meeting] = {}
    for t in touches:
        access = accesses[t.access]
        if access.array in written:
            for e in t.inside:
                at.setdefault((access.array, e), {})[(t.block, t.access)] = None
        if access.mode == "write" and not access.tile:
            for e in t.twice:
                twice[access.array, e] = Meeting(access.array, e, "duplicate", (t.block,), (t.access,))
    found = {key: m for key, who in at.items() if len(who) > 1 and (m := _classify_meeting(accesses, *key, tuple(who)))}
    return tuple(sorted({**twice, **found}.values(), key=lambda m: (m.array, m.element)))


def _classify_meeting(
    accesses: Sequence[Access], array: Array, element: Element, who: tuple[tuple[Block, int], ...],
) -> Meeting | None:
    if len({block for block, _ in who}) < 2:
        return None
    kinds: set[MeetingKind] = set()
    blocks: dict[Block, None] = {}
    numbers: dict[int, None] = {}
    for i, (block, a) in enumerate(who):
        for other, b in who[i + 1:]:
            kind = _kind(accesses[a], accesses[b]) if block != other else None
            if kind is not None:
                kinds.add(kind)
                blocks.update(dict.fromkeys((block, other)))
                numbers.update(dict.fromkeys((a, b)))
    if not kinds:
        return None
    worst = min(kinds, key=_ORDER.index)
    return Meeting(array, element, worst, tuple(sorted(blocks)), tuple(sorted(numbers)))


def _kind(a: Access, b: Access) -> MeetingKind | None:
    if a.mode == b.mode == "read" or (synchronises(a) and synchronises(b)) or _share_lock(a, b):
        return None
    if synchronises(a) or synchronises(b):
        return "mixed"
    return "write-write" if a.mode == b.mode else "read-write"


def _share_lock(a: Access, b: Access) -> bool:
    return any(x[0] == y[0] and x[2] == y[2] == "ordered" for x in a.locks for y in b.locks)
