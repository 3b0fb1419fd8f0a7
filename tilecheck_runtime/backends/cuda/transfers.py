"""Copies between a GPU and the host, and on the GPU."""

from __future__ import annotations

import itertools
import math
import os
import sys
from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from tilecheck_runtime.backends.cuda.stream import LATEST, DeviceStream, Mark, describe_work
from tilecheck_runtime.cpu.tile import cast
from tilecheck_runtime.errors.locations import NOWHERE, Location
from tilecheck_runtime.errors.ownership import StreamError
from tilecheck_runtime.ownership.memory import Strided

__all__ = [
    "CHANGES",
    "contiguous_runs",
    "copy",
    "download",
    "fill",
    "order_after",
    "plan_copies",
    "record_use",
    "streams_are_strict",
    "upload",
    "uses_of",
]

Uses: TypeAlias = dict[DeviceStream, int]
"""The uses of some memory: by stream, the number of the last work that uses it."""

class _Changes:
    """Counts changes that can make a launch wait for other streams: memory that a second stream starts to use, memory
    that is reserved or released, and forks."""

    __slots__ = ("now",)

    def __init__(self) -> None:
        self.now = 0

    def count(self) -> None:
        self.now += 1


CHANGES: Final = _Changes()

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=CHANGES.count)

STREAMS: Final = "TILECHECK_STREAMS"
"""Environment variable: "strict" refuses launches on streams that would have to wait for each other."""
_WORD: Final = 4
"""Bytes of the longest number that the driver fills memory with."""
_MANY: Final = 4096
"""Copies of single runs above which one copy through the host is faster."""


def contiguous_runs(array: Strided) -> tuple[int, list[int]]:
    """Splits an array into contiguous runs. Returns the elements of each run, and the offsets of the runs in elements,
    in row-major order."""
    axes = [(n, s) for n, s in zip(array.shape, array.strides, strict=True) if n != 1]
    length = 1
    while axes and axes[-1][1] == length:
        length *= axes.pop()[0]
    if math.prod(array.shape) == 0:
        return 0, []
    starts = itertools.product(*(range(0, n * s, s) if s else (0,) * n for n, s in axes))
    return length, [sum(start) for start in starts]


def upload(source: Any, target: Strided, stream: DeviceStream) -> None:
    """Copies a NumPy array of the same shape and element type to the device, and waits for it."""
    values = np.ascontiguousarray(source)
    start, size = _start(target), values.itemsize
    length, offsets = contiguous_runs(target)
    order_after(stream, [uses_of(target)])
    driver = stream.driver
    driver.enter(stream.ordinal)
    address = values.ctypes.data
    for number, offset in enumerate(offsets):
        driver.copy_in(start + offset * size, address + number * length * size, length * size, stream.handle)
    _finish_copy(stream)


def fill(element: Any, target: Strided, stream: DeviceStream) -> None:
    """Fills a new contiguous array with one element. Only work that uses the array waits for it. With strict streams
    the host waits, because the program did not request this work."""
    count = math.prod(target.shape)
    if count == 0:
        return
    uses, driver, start = uses_of(target), stream.driver, _start(target)
    order_after(stream, [uses])
    driver.enter(stream.ordinal)
    pattern = _shortest_period(element.tobytes())
    size, nbytes = len(pattern), count * element.itemsize
    if size <= _WORD:
        driver.fill(start, int.from_bytes(pattern, sys.byteorder), size, nbytes // size, stream.handle)
    else:  # write the pattern once, then double it
        for offset in range(0, size, _WORD):
            word = int.from_bytes(pattern[offset:offset + _WORD], sys.byteorder)
            driver.fill(start + offset, word, _WORD, 1, stream.handle)
        done = size
        while done < nbytes:
            driver.copy(start + done, start, min(done, nbytes - done), stream.handle)
            done *= 2
    record_use(stream.mark(), [uses])  # a fill cannot fail
    if streams_are_strict():
        stream.synchronize()


def _shortest_period(pattern: bytes) -> bytes:
    """Returns the shortest repeated part of a pattern, of 1, 2, 4 or more bytes."""
    while len(pattern) > 1 and pattern[:len(pattern) // 2] == pattern[len(pattern) // 2:]:
        pattern = pattern[:len(pattern) // 2]
    return pattern


def streams_are_strict() -> bool:
    """Returns whether launches on streams that would have to wait for each other are refused."""
    return os.environ.get(STREAMS) == "strict"


def download(source: Strided, stream: DeviceStream) -> Any:
    """Returns a new NumPy array with the elements, after all earlier work on them is done."""
    kind = source.dtype.storage
    if math.prod(source.shape) == 0:
        return np.empty(source.shape, kind)
    span = 1 + sum((n - 1) * s for n, s in zip(source.shape, source.strides, strict=True))
    values = np.empty(span, kind)
    order_after(stream, [uses_of(source)])
    driver = stream.driver
    driver.enter(stream.ordinal)
    driver.copy_out(values.ctypes.data, _start(source), span * kind.itemsize, stream.handle)
    _finish_copy(stream)
    found = np.lib.stride_tricks.as_strided(values, source.shape, [s * kind.itemsize for s in source.strides])
    return found if span == found.size and found.flags.c_contiguous else found.copy()


def copy(source: Strided, target: Strided, stream: DeviceStream) -> Mark:
    """Copies between two arrays of the same shape: on the device if its copy engines can, else through the host."""
    found = plan_copies(source, target)
    if found is None:
        upload(_convert(download(source, stream), target), target, stream)
        return stream.mark()
    order_after(stream, [uses_of(source), uses_of(target)])
    stream.driver.enter(stream.ordinal)
    for to, where, nbytes in found:
        stream.driver.copy(to, where, nbytes, stream.handle)
    mark = stream.mark("a copy")
    record_use(mark, [uses_of(source), uses_of(target)])
    return mark


def plan_copies(source: Strided, target: Strided) -> list[tuple[int, int, int]] | None:
    """Returns the copies of the driver that make up one copy, each as target, source and bytes. None if elements must
    be converted or there would be too many copies."""
    (length, theirs), (other, mine) = contiguous_runs(source), contiguous_runs(target)
    common, size = math.gcd(length, other), source.dtype.storage.itemsize
    if source.dtype != target.dtype or (common and len(theirs) * (length // common) > _MANY):
        return None
    pairs = zip(_split_runs(theirs, length, common), _split_runs(mine, other, common), strict=True)
    return [(_start(target) + here * size, _start(source) + there * size, common * size) for there, here in pairs]


def _split_runs(starts: Sequence[int], length: int, part: int) -> list[int]:
    return [start + n for start in starts for n in range(0, length, part)] if part else []


def _convert(values: Any, target: Strided) -> Any:
    with np.errstate(all="ignore"):
        return cast(values, target.dtype)


def _start(array: Strided) -> int:
    return array.memory.address + array.offset


def _finish_copy(stream: DeviceStream) -> None:
    stream.mark("a copy")
    stream.synchronize()


def uses_of(array: Strided) -> Uses:
    """The uses of the memory of an array."""
    memory: Any = array.memory
    found: Uses = memory.uses
    return found


def order_after(stream: DeviceStream, uses: Sequence[Uses], place: Location = NOWHERE) -> None:
    """Orders later work of a stream after all uses of some memory on other streams.

    Raises StreamError instead, for a launch at `place`, if TILECHECK_STREAMS is "strict".
    """
    for used_by in uses:
        for other, number in tuple(used_by.items()):
            if other is not stream and not other.has_reached(number):
                if place is not NOWHERE and streams_are_strict():
                    raise _unordered_error(stream, other, place)
                stream.follow(other, number)


def _unordered_error(stream: DeviceStream, other: DeviceStream, place: Location) -> StreamError:
    last = describe_work(other.recent[-1][1]) if other.recent else "something"
    return StreamError(
        f"a launch on stream `{stream.name}` uses memory that stream `{other.name}` still uses ({last})", use=place,
        fix=f"wait for that one first, or launch on the same stream; without {STREAMS}=strict streams are put in order")


def record_use(mark: Mark, uses: Sequence[Uses]) -> None:
    """Records the last work of a stream as a use of some memory."""
    stream, number = mark
    for used_by in uses:
        if used_by and stream not in used_by:
            CHANGES.count()
        if used_by.get(stream) != LATEST:
            used_by[stream] = number


