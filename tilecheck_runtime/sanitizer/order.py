"""Order from synchronization: the operations of other blocks that happen before those of the running block.

Blocks run one after another, so every acquire finds the releases of earlier blocks. That alone proves nothing: in
another schedule the release might not have happened yet. An acquire therefore counts only once the kernel branches on
the value it returned (the loop of a spin lock, `if old == n - 1` of a last block, the wait for a flag): the code behind
the branch then runs in every schedule after the release. A read-modify-write keeps that power through `==` and `!=`
only; `<` asks which ticket was drawn, which says nothing about the progress of others.

   lock      while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) != 0: pass    both critical sections are ordered
   last      if ct.atomic_add(count, 0, 1) == n - 1: read what all blocks wrote     ordered after every block
   no order  ct.atomic_add(count, 0, 1); ct.store(c, 0, t)                          still a race on c
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["TRACKED", "Clock", "Release", "Token", "join_release"]

Clock = dict[int, int]
"""For each block (by order of execution) the last of its operations that happens before."""

TRACKED: Final = 64
"""Operations on more elements than this are treated as data, not as locks or flags."""


@dataclass(frozen=True, slots=True)
class Release:
    """A release at one element, and earlier releases that a read-modify-write continued."""

    clock: Clock
    before: Release | None


@dataclass(frozen=True, slots=True)
class Token:
    """The releases that reading an element would prove. `exact`: lost in comparisons other than `==` and `!=`."""

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
