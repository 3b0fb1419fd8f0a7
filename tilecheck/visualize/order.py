"""The steps of a picture: program order, as far as loops make it repeat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilecheck.interp.kernel.access import Access
from tilecheck.text.block_names import block_name, rank_of_axes
from tilecheck.visualize.touches import Touch

__all__ = ["Steps", "steps_of"]

_MOST: Final = 60
_UNNAMED: Final = {"_": "the loop", "": "the loop", "while": "the while loop"}
_AFTER: Final = 1 << 30

_Key: TypeAlias = tuple[tuple[int, int], ...]


class Steps(Struct, frozen=True):
    """Names of the steps in order, and the number of the step of each touch; no names where nothing repeats."""

    names: tuple[str, ...]
    of: Mapping[int, int]


def steps_of(accesses: Sequence[Access], touches: Sequence[Touch]) -> Steps:
    """A step is one iteration of all loops around an access. Code outside of loops is a step of its own. If there are
    very many steps, only the outermost loop counts."""
    loops = _loops(accesses)
    keys = [_key(accesses[t.access], t, loops) for t in touches]
    if len(set(keys)) > _MOST:
        keys = [key[:1] for key in keys]
    ordered = sorted(set(keys))
    repeats = any(t.iterations for t in touches)
    if len(ordered) < 2 or not repeats or len(ordered) > _MOST:
        return Steps((), dict.fromkeys(range(len(touches)), 0))
    place = {key: i for i, key in enumerate(ordered)}
    names: dict[int, str] = {}
    for t, key in zip(touches, keys, strict=True):
        names.setdefault(place[key], _name(accesses[t.access], t, key))
    return Steps(tuple(names[i] for i in range(len(ordered))), {n: place[key] for n, key in enumerate(keys)})


class _Loop(Struct, frozen=True):
    """Where a loop begins: number of its first statement; and the loops around it."""

    first: int
    outer: tuple[str, ...]


def _loops(accesses: Sequence[Access]) -> dict[str, _Loop]:
    found: dict[str, _Loop] = {}
    for a in accesses:
        for depth, name in enumerate(a.loops):
            known = found.get(name)
            if known is None or a.site < known.first:
                found[name] = _Loop(a.site, a.loops[:depth])
    return found


def _key(access: Access, touch: Touch, loops: Mapping[str, _Loop]) -> _Key:
    """In the order of execution of one block. Loops that the location does not depend on do not count."""
    at = dict(touch.iterations)
    around = tuple((loops[name].first, at[name]) for name in access.loops if name in at)
    unnamed = tuple((access.site, n) for name, n in touch.iterations if name not in access.loops)
    told = tuple(name for name in access.loops if name in at)
    inner = [x.first for name, x in loops.items()
             if name not in access.loops and x.first <= access.site and x.outer[:len(told)] == told]
    # beside a loop: before it, or after all of it
    return (*around, *unnamed, (max(inner), _AFTER) if inner else (-1, 0))


def _name(access: Access, touch: Touch, key: _Key) -> str:
    after = key[-1][1] == _AFTER
    if touch.iterations:
        inward = sorted(touch.iterations, key=lambda x: (x[0] not in access.loops, (*access.loops, x[0]).index(x[0])))
        where = ", ".join(f"{readable_loop(name)}: iteration {n}" for name, n in inward)
        return f"{where}, after the inner loop" if after else where
    return "after the loop" if after else "before the loop"


def readable_loop(name: str) -> str:
    """The name of a loop as its author knows it."""
    plain = name.partition("@")[0].partition(".")[0]
    for mark in ("__nested", "__coordinate"):
        if mark in plain:
            array, _, axis = plain.partition(mark)
            return f"pieces of {array}, axis {axis}"
    return _UNNAMED.get(plain, plain)


def block_names(blocks: Iterable[tuple[int, int, int]], axes: Sequence[int]) -> tuple[str, ...]:
    """The names of blocks of a kernel that reads these axes."""
    rank = rank_of_axes(axes)
    return tuple(block_name(b, rank) for b in blocks)
