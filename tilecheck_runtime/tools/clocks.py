"""Measures durations on a device: with events on a GPU, with the clock of the host on the CPU."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final, Protocol

from tilecheck_runtime.backends.interface import Backend

__all__ = ["Clock", "clock_for"]

_FLUSHED: Final = 256 << 20
"""Bytes that are written to evict everything else from the caches of a GPU."""


class Clock(Protocol):
    """Measures calls that submit work to the default stream."""

    def time(self, call: Callable[[], object], repeats: int, flush: bool) -> float:
        """Microseconds of one call, as a mean over `repeats` calls in a row."""
        ...


class _HostClock:
    def time(self, call: Callable[[], object], repeats: int, flush: bool) -> float:
        begin = time.perf_counter()
        for _ in range(repeats):
            call()
        return (time.perf_counter() - begin) / repeats * 1e6


class _DeviceClock:
    def __init__(self, backend: Any) -> None:
        self._driver, self._stream = backend.driver, backend.default
        self._driver.enter(backend.ordinal)
        self._begin, self._end = (self._driver.new_event(timing=True) for _ in range(2))
        self._rubbish = backend.allocate(_FLUSHED)

    def time(self, call: Callable[[], object], repeats: int, flush: bool) -> float:
        driver, stream = self._driver, self._stream
        driver.enter(stream.ordinal)
        if flush:
            driver.fill(self._rubbish.address, 0, 1, _FLUSHED, stream.handle)
        driver.record(self._begin, stream.handle)
        for _ in range(repeats):
            call()
        driver.record(self._end, stream.handle)
        driver.await_event(self._end)
        return float(driver.elapsed_time(self._begin, self._end)) * 1e3 / repeats


def clock_for(backend: Backend) -> Clock:
    """The clock of a backend."""
    return _HostClock() if backend.device == "cpu" else _DeviceClock(backend)
