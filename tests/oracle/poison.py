"""Undefined lanes: the padding of loads that leave its value open, followed lane by lane to where it is observed.

A tile load whose padding is unspecified marks its lanes outside the array with a bit of its own. A lane that is
computed from marked lanes is marked with all of their bits; these are the exceptions:

* `where` takes the marks of the side that it selects; a marked condition adds its own marks and those of both sides;
* `False & x` and `True | x` are known for any boolean `x`. `0 * x` is not: `x` may be NaN.

A lane that came from outside the array of a load is *outside* of it, also when a `where` has put a number there.
A load is **observed** where one of its marked lanes

* enters a reduction, or the contracted axis of a matrix product, together with a lane that is not outside. A line that
  is outside throughout gives a lane that is marked and outside, and is followed further: rows past the end of which
  nothing is stored;
* reaches, in a scan, a lane that is not outside (padding at the end of a forward scan stays there);
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
"""For each lane of a tile the loads that it is marked with (lower half of the bits) and those that it is outside of
(upper half); None where there are none."""
_BITS: Final = 31
_LOWER: Final = (1 << _BITS) - 1


def live(marks: Marks) -> Any:
    """The marks alone."""
    return np.asarray(marks) & _LOWER


def _outside_bits(marks: Any) -> Any:
    """Returns the upper half of the marks: the loads whose arrays the lanes are outside of."""
    return np.asarray(marks) & ~_LOWER


def _allocate_bits(array: str) -> int:
    """The bits of the load in progress: the same ones each time its statement is executed."""
    key = (array, lines_now())
    place = Machine.sources.setdefault(key, len(Machine.sources))
    return (1 | 1 << _BITS) << place if place < _BITS else 0


def padding(array: str, inside: Any) -> Marks:
    """Marks of a load: lanes for which `inside` is false."""
    return np.where(inside, np.int64(0), np.int64(_allocate_bits(array)))


def union(shape: tuple[int, ...], *parts: Marks) -> Marks:
    """Marks of lanes that are computed from the same lanes of several tiles."""
    known = [p for p in parts if p is not None]
    if not known:
        return None
    total: Any = np.zeros(shape, dtype=np.int64)
    for part in known:
        total = total | np.broadcast_to(part, shape)
    return _or_none(total)


def mark_selected(shape: tuple[int, ...], condition: Any, of_condition: Marks, x: Marks, y: Marks) -> Marks:
    """Marks of `where`."""
    if of_condition is None and x is None and y is None:
        return None
    c, left, right = (np.broadcast_to(0 if m is None else m, shape) for m in (of_condition, x, y))
    taken = np.where(np.broadcast_to(condition, shape), left, right)
    return _or_none(np.where(live(c) != 0, c | left | right, live(taken)) | _outside_bits(c | left | right))


def mark_absorbed(shape: tuple[int, ...], a: Any, of_a: Marks, b: Any, of_b: Marks, dominant: bool) -> Marks:
    """Marks of a boolean `&` (dominant False) or `|` (dominant True)."""
    if of_a is None and of_b is None:
        return None
    left, right = (np.broadcast_to(0 if m is None else m, shape) for m in (of_a, of_b))
    known = (live(left) == 0) & (np.broadcast_to(a, shape) == dominant)
    known = known | ((live(right) == 0) & (np.broadcast_to(b, shape) == dominant))
    return _or_none(np.where(known, _outside_bits(left | right), left | right))


def observe(marks: Marks, how: str) -> None:
    """Every load with a bit in `marks` is observed by the statement in progress."""
    bits = 0 if marks is None else int(np.bitwise_or.reduce(np.asarray(marks, dtype=np.int64), axis=None)) & _LOWER
    if not bits:
        return
    where = lines_now()
    for (array, lines), place in Machine.sources.items():
        if place < _BITS and bits >> place & 1:
            Machine.log.observed[Observed(array, lines, where, Machine.block, how)] = None


def _or_none(marks: Any) -> Marks:
    return marks if np.any(marks) else None


def _line(marks: Any, axis: Any, keepdims: bool, how: str) -> Any:
    """Marks of each line along `axis` taken together; loads are observed where a lane of a marked line is inside."""
    given = np.asarray(marks)
    some = live(np.bitwise_or.reduce(given, axis=axis, keepdims=keepdims))
    outer = _outside_bits(np.bitwise_and.reduce(given, axis=axis, keepdims=keepdims))
    observe(some & ~(outer >> _BITS), how)
    return some | outer


def mark_reduced(marks: Marks, axis: Any, keepdims: bool = False) -> Marks:
    """Marks of a reduction along an axis, several, or all (None)."""
    return None if marks is None else _or_none(_line(marks, axis, keepdims, "reduction"))


def mark_scanned(marks: Marks, axis: int, reverse: bool) -> Marks:
    """Marks of an inclusive scan."""
    if marks is None:
        return None
    given = np.flip(marks, axis) if reverse else np.asarray(marks)
    done = np.bitwise_or.accumulate(live(given), axis=axis)
    observe(done & ~(_outside_bits(given) >> _BITS), "scan")
    done = done | _outside_bits(given)
    return _or_none(np.flip(done, axis) if reverse else done)


def mark_multiplied(shape: tuple[int, ...], x: Marks, y: Marks) -> Marks:
    """Marks of the matrix product of `x` and `y`, whose result has the given shape."""
    if x is None and y is None:
        return None
    total: Any = np.zeros(shape, dtype=np.int64)
    for marks, contracted in ((x, -1), (y, -2)):
        if marks is not None:
            vector = np.ndim(marks) == 1
            total = total | _line(marks, 0 if vector else contracted, not vector, "mma")
    return _or_none(total)
