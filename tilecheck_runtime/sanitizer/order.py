"""What synchronisation orders: which operations of other blocks happen before those of the running one.

Blocks run one after another, so every acquire finds what earlier blocks released. That alone proves nothing: in
another schedule the release might not have happened yet. An acquire therefore counts only once the kernel branches on
the value it returned (the loop of a spin lock, `if old == n - 1` of a last block, the wait for a flag): then the code
behind the branch runs in every schedule after the release. A read-modify-write keeps that power through `==` and `!=`
only; `<` asks which ticket was drawn, which says nothing about what others have finished.

    lock      while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) != 0: pass    both critical sections are ordered
    last      if ct.atomic_add(count, 0, 1) == n - 1: read what all blocks wrote     ordered after every block
    no order  ct.atomic_add(count, 0, 1); ct.store(c, 0, t)                          still a race on c
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["TRACKED", "Clock", "Release", "Token", "join_release"]

Clock = dict[int, int]
"""For a block (by order of execution) the last of its operations that happens before."""

TRACKED: Final = 64
"""Operations on more elements than this are taken for data, not for locks or flags."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release at one element, and those before it that a read-modify-write carried on."""

    clock: Clock
    before: Release | None


@dataclass(frozen=True, slots=True)
class Token:
    """What reading an element would prove. `exact`: lost in comparisons other than `==` and `!=`."""

    release: Release
    exact: bool


def join_release(clock: Clock, release: Release) -> Clock:
    """The clock after an acquire of `release`."""
    result = dict(clock)
    link: Release | None = release
    while link is not None:
        for block, number in link.clock.items():
            if result.get(block, 0) < number:
                result[block] = number
        link = link.before
    return result
