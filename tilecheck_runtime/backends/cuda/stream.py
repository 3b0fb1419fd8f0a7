"""Order of work on a device. A launch needs no event: work of a stream is numbered, and an event is recorded only when
its completion is queried."""

from __future__ import annotations

import operator
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable
from typing import Any, Final

from tilecheck_runtime.backends.cuda.driver import Driver
from tilecheck_runtime.backends.cuda.errors import LOST, DeviceFailureError, DriverError
from tilecheck_runtime.backends.cuda.poller import POLLER
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.ownership.storage import LOCK

__all__ = ["LATEST", "WAITED_FOR", "DeviceStream", "Mark", "describe_work", "handle_of"]

_REMEMBERED: Final = 4096
"""Launches that a failure can name."""
_LATER: Final = 256
"""Pending callbacks after which the device is queried without a request."""
LATEST: Final = 1 << 62
"""The number of the latest work, at any time of evaluation."""
_FIRST_PAUSE: Final = 20e-6
_LONGEST_PAUSE: Final = 1e-3


class Mark(tuple["DeviceStream", int]):
    """An event: all work of a stream up to a number."""

    __slots__ = ()

    def __new__(cls, stream: DeviceStream, number: int) -> Mark:
        return tuple.__new__(cls, (stream, number))

    @property
    def stream(self) -> DeviceStream:
        return self[0]

    @property
    def number(self) -> int:
        return self[1]

    def done(self) -> bool:
        return self.stream.has_reached(self.number)

    def wait(self, timeout: float | None = None) -> bool:
        return self.stream.wait(self.number, timeout)

    def error(self) -> BaseException | None:
        return self.stream.error_of(self.number)

    def when_done(self, call: Callable[[], None]) -> None:
        self.stream.call_later(self.number, call)
        POLLER.watch(self.stream)

    def call_later(self, call: Callable[[], None]) -> None:
        self.stream.call_later(self.number, call)


def describe_work(what: str | tuple[str, Location]) -> str:
    """Describes work for messages."""
    return what if isinstance(what, str) else f"`{what[0]}` launched at {what[1]}"


class DeviceStream:
    """A stream of a device.

    handle    of the driver
    handed    the number of work items so far; changed under the lock of ownership, which every launch holds
    finished  the number of items known to be done
    lock      guards queries. It differs from the lock of ownership: allocation holds its own lock while it queries
              streams, and launches hold the lock of ownership while they allocate
    """

    _all: Final[weakref.WeakSet[DeviceStream]] = weakref.WeakSet()

    def __init__(self, name: str, ordinal: int, driver: Driver, handle: Any, owner: object = None) -> None:
        self.name, self.ordinal, self.driver, self.handle, self.owner = name, ordinal, driver, handle, owner
        self.handed = self.finished = 0
        self.lock = threading.RLock()
        self._recorded: deque[tuple[int, Any]] = deque()
        self._spare: list[Any] = []
        self._pending: deque[tuple[int, Callable[[], None]]] = deque()
        self.recent: deque[tuple[int, str | tuple[str, Location]]] = deque(maxlen=_REMEMBERED)
        self._failure: tuple[int, DeviceFailureError] | None = None
        DeviceStream._all.add(self)

    def mark(self, what: str | tuple[str, Location] | None = None) -> Mark:
        """Numbers work that was just submitted. `what` describes it in a failure: a text, or a kernel with the location
        of its launch."""
        with LOCK:
            self.handed = number = self.handed + 1
            if what is not None:
                self.recent.append((number, what))
        return tuple.__new__(Mark, (self, number))

    def has_reached(self, number: int) -> bool:
        """Returns whether all work up to a number has ended."""
        number = min(number, self.handed)
        if self.finished >= number:
            return True
        with self.lock:
            self._poll()
            if self.finished < number and not self._covers(number):
                self._record()
                self._poll()
        self._run_due_calls()
        return self.finished >= number

    def wait(self, number: int, timeout: float | None = None) -> bool:
        """Waits until all work up to a number has ended, and returns whether it has."""
        number = min(number, self.handed)
        if self.finished >= number:
            return True
        if timeout is not None:
            return self._wait_for(number, timeout)
        with self.lock:
            if not self._covers(number):
                self._record()
            event = next((e for n, e in self._recorded if n >= number), None)
        try:
            if event is not None:
                self.driver.await_event(event)
        except DriverError as error:
            self._fail(error)
        return self.has_reached(number)

    def _wait_for(self, number: int, timeout: float) -> bool:
        end, pause = time.monotonic() + timeout, _FIRST_PAUSE
        while not self.has_reached(number):
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(pause, left))
            pause = min(pause * 2, _LONGEST_PAUSE)
        return True

    def synchronize(self) -> None:
        """Waits for all submitted work. Raises DeviceFailureError."""
        self.wait(self.handed)
        error = self.error_of(self.handed)
        if error is not None:
            raise error

    def follow(self, other: DeviceStream, number: int) -> None:
        """Orders later work of this stream after work of another stream up to a number."""
        number = min(number, other.handed)
        if other is self or other.finished >= number:
            return
        with other.lock:
            if not other._covers(number):
                other._record()
            event = next((e for n, e in other._recorded if n >= number), None)
            if event is not None:
                self.driver.enter(self.ordinal)
                self.driver.wait_event(self.handle, event)

    def call_later(self, number: int, call: Callable[[], None]) -> None:
        """Calls a function when all work up to a number has ended, at the latest when the stream is queried next."""
        with self.lock:
            self._pending.append((number, call))
            WAITED_FOR.add(self)
        if len(self._pending) % _LATER == 0:
            self.has_reached(number)

    def has_pending_calls(self) -> bool:
        """Returns whether callbacks are pending. Queries the device."""
        if self._pending:
            self.has_reached(self._pending[0][0])
        return bool(self._pending)

    def error_of(self, number: int) -> DeviceFailureError | None:
        """Returns the failure, for work that was not known to be done before it."""
        if self._failure is not None and number > self._failure[0]:
            return self._failure[1]
        return None

    def explain_failure(self, error: DriverError) -> Exception:
        """Returns the exception to raise for a rejected call: an earlier failure, if that is the reason."""
        if error.code in LOST:
            self._fail(error)
        return error if self._failure is None else self._failure[1]

    def _covers(self, number: int) -> bool:
        return self._failure is not None or (bool(self._recorded) and self._recorded[-1][0] >= number)

    def _record(self) -> None:
        handed = self.handed  # read first: later work is not covered by the event
        try:
            self.driver.enter(self.ordinal)
            event = self._spare.pop() if self._spare else self.driver.new_event()
            self.driver.record(event, self.handle)
        except DriverError as error:
            self._fail(error)
        else:
            self._recorded.append((handed, event))

    def _poll(self) -> None:
        try:
            while self._recorded and self.driver.has_passed(self._recorded[0][1]):
                self.finished, event = self._recorded.popleft()
                self._spare.append(event)
        except DriverError as error:
            self._fail(error)
        while self.recent and self.recent[0][0] <= self.finished:
            self.recent.popleft()

    def _fail(self, error: DriverError) -> None:
        """Marks all unfinished work as failed and ended, because the context is lost."""
        with self.lock:
            if self._failure is None:
                mine = [stream for stream in list(DeviceStream._all) if stream.driver is self.driver]
                kernels = tuple(describe_work(what) for stream in mine for number, what in list(stream.recent)
                                if number > stream.finished)
                self._failure = self.finished, DeviceFailureError(error.code, kernels)
            self._recorded.clear()
            self.finished = self.handed

    def _run_due_calls(self) -> None:
        """Runs the callbacks of work that has ended."""
        while True:
            with self.lock:
                if not self._pending:
                    WAITED_FOR.discard(self)
                    return
                if self._pending[0][0] > self.finished:
                    return
                _, call = self._pending.popleft()
            call()


WAITED_FOR: Final[set[DeviceStream]] = set()
"""Streams with pending callbacks."""


def handle_of(stream: Any) -> int:
    """The driver's handle of a stream of torch, CuPy or cuda.core, or of an integer. Raises TypeError."""
    if hasattr(stream, "cuda_stream"):
        return int(stream.cuda_stream)
    if hasattr(stream, "__cuda_stream__"):
        return int(stream.__cuda_stream__()[1])
    if hasattr(stream, "ptr"):
        return int(stream.ptr)
    try:
        return operator.index(stream)
    except TypeError:
        raise TypeError(f"{stream!r} is not a stream: pass one of torch, CuPy or cuda.core, its handle as an "
                        "integer, or `tilecheck_runtime.stream()`") from None
