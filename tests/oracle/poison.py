"""Undefined lanes: the padding of loads that leave its value open, followed lane by lane to where it is observed.

A tile load whose padding is unspecified marks its lanes outside the array with a bit of its own. A lane that is
computed from marked lanes is marked with all of their bits; these are the exceptions:

* `where` takes the marks of the side that it selects; a marked condition adds its own marks and those of both sides;
* `False & x` and `True | x` are known whatever a boolean `x` is. `0 * x` is not: `x` may be NaN.

A load is **observed** where one of its marked lanes

* enters a reduction or the contracted axis of a matrix product whose line also has a lane without its mark (a line
  that is marked throughout gives a marked result and is followed further: rows past the end that nobody stores);
* reaches, in a scan, a lane that had not its mark (padding at the end of a forward scan stays at the end);
* is part of an index or mask of an element access that is not dropped anyway, or of a tile index;
* decides a branch, a loop or a Python conversion;
* is stored, or combined by an atomic, into an element inside the destination and under its mask.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from tests.oracle.log import Observed
from tests.oracle.machine import Machine, lines_now

Marks: TypeAlias = Any
"""A bit mask for each lane, in the shape of the tile; None where no lane is marked."""
_BITS: Final = 62


def fresh(array: str) -> int:
    """The bit of the load in progress: the same one each time its statement is executed."""
    key = (array, lines_now())
    place = Machine.sources.setdefault(key, len(Machine.sources))
    return 1 << place if place < _BITS else 0


def padding(array: str, inside: Any) -> Marks:
    """Marks of a load: lanes for which `inside` is false."""
    return np.where(inside, np.int64(0), np.int64(fresh(array)))


def union(shape: tuple[int, ...], *parts: Marks) -> Marks:
    """Marks of lanes that are computed from the same lanes of several tiles."""
    known = [p for p in parts if p is not None]
    if not known:
        return None
    total: Any = np.zeros(shape, dtype=np.int64)
    for part in known:
        total = total | np.broadcast_to(part, shape)
    return _or_none(total)


def selected(shape: tuple[int, ...], condition: Any, of_condition: Marks, x: Marks, y: Marks) -> Marks:
    """Marks of `where`."""
    if of_condition is None and x is None and y is None:
        return None
    c, left, right = (np.broadcast_to(0 if m is None else m, shape) for m in (of_condition, x, y))
    return _or_none(np.where(c != 0, c | left | right, np.where(np.broadcast_to(condition, shape), left, right)))


def absorbed(shape: tuple[int, ...], a: Any, of_a: Marks, b: Any, of_b: Marks, dominant: bool) -> Marks:
    """Marks of a boolean `&` (dominant False) or `|` (dominant True)."""
    if of_a is None and of_b is None:
        return None
    left, right = (np.broadcast_to(0 if m is None else m, shape) for m in (of_a, of_b))
    known = (left == 0) & (np.broadcast_to(a, shape) == dominant)
    known = known | ((right == 0) & (np.broadcast_to(b, shape) == dominant))
    return _or_none(np.where(known, 0, left | right))


def observe(marks: Marks, how: str) -> None:
    """Every load with a bit in `marks` is observed by the statement in progress."""
    if marks is None or not np.any(marks):
        return
    bits = int(np.bitwise_or.reduce(np.asarray(marks, dtype=np.int64), axis=None))
    where = lines_now()
    for (array, lines), place in Machine.sources.items():
        if place < _BITS and bits >> place & 1:
            Machine.log.observed[Observed(array, lines, where, Machine.block, how)] = None


def _or_none(marks: Any) -> Marks:
    return marks if np.any(marks) else None


def _lines_of(marks: Any, axis: Any, keepdims: bool) -> tuple[Any, Any]:
    """For each line along `axis`: bits of any of its lanes, and bits of all of them."""
    some = np.bitwise_or.reduce(marks, axis=axis, keepdims=keepdims)
    every = np.bitwise_and.reduce(marks, axis=axis, keepdims=keepdims)
    return some, every


def reduced(marks: Marks, axis: Any, keepdims: bool = False, how: str = "reduction") -> Marks:
    """Marks of a reduction along an axis, several, or all (None)."""
    if marks is None:
        return None
    some, every = _lines_of(np.asarray(marks), axis, keepdims)
    observe(some & ~every, how)
    return _or_none(some)


def scanned(marks: Marks, axis: int, reverse: bool) -> Marks:
    """Marks of an inclusive scan."""
    if marks is None:
        return None
    given = np.flip(marks, axis) if reverse else np.asarray(marks)
    done = np.bitwise_or.accumulate(given, axis=axis)
    observe(done & ~given, "scan")
    return _or_none(np.flip(done, axis) if reverse else done)


def multiplied(shape: tuple[int, ...], x: Marks, y: Marks) -> Marks:
    """Marks of the matrix product of `x` and `y`, whose result has the given shape."""
    if x is None and y is None:
        return None
    total: Any = np.zeros(shape, dtype=np.int64)
    for marks, contracted in ((x, -1), (y, -2)):
        if marks is None:
            continue
        marks = np.asarray(marks)
        if marks.ndim == 1:
            contracted = 0
        some, every = _lines_of(marks, contracted, marks.ndim > 1)
        observe(some & ~every, "mma")
        total = total | some
    return _or_none(total)
