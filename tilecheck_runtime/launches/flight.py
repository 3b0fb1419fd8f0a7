"""Operations that were started. What they touch is held until they are through and their owner knows it."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from concurrent import futures
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast

from tilecheck_runtime.backends.interface import Event
from tilecheck_runtime.ownership.errors import LostFlightWarning
from tilecheck_runtime.ownership.places import Place
from tilecheck_runtime.ownership.storage import LOCK, Hold

__all__ = ["Flight", "JointFlight", "KernelFlight", "Passage", "ThreadFlight"]

R = TypeVar("R")
T = TypeVar("T")


class Flight(ABC, Generic[R]):
    """A handle on something that runs. Wait for it, or `await` it, to get the result back."""

    @abstractmethod
    def done(self) -> bool:
        """Whether it is through, well or not. The result is still held until it is waited for."""

    @abstractmethod
    def wait(self, timeout: float | None = None) -> R:
        """Waits and returns the result. Raises what went wrong, and TimeoutError after `timeout` seconds."""

    @abstractmethod
    def when_done(self, call: Callable[[], None]) -> None:
        """Calls something, in any thread, once it is through."""

    def __await__(self) -> Generator[Any, None, R]:
        loop = asyncio.get_running_loop()
        through: asyncio.Future[None] = loop.create_future()

        def tell() -> None:
            if not through.done():
                through.set_result(None)

        def landed() -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(tell)

        self.when_done(landed)
        yield from through
        return self.wait()


@dataclass(eq=False)
class Passage:
    """A launch under way: what it holds, and what keeps its memory alive.

    finish  makes the result, under the lock, after the holds were given back
    """

    kernel: str
    place: Place
    event: Event
    holds: Sequence[Hold]
    kept: Sequence[object]
    finish: Callable[[], Any]
    lost: bool = field(default=False)

    def land(self) -> None:
        """Gives everything back."""
        for hold in self.holds:
            hold.release()


def _through(box: list[Passage]) -> None:
    passage = box.pop()
    if passage.lost:
        _complain(passage)


def _complain(passage: Passage) -> None:
    """A flight that nobody waits for any more went wrong."""
    error = passage.event.error()
    if error is not None:
        text = f"the launch of `{passage.kernel}` failed, and nobody waited for it: {error}"
        warnings.warn_explicit(text, LostFlightWarning, passage.place.file, passage.place.line)


class KernelFlight(Flight[R]):
    """One launch."""

    def __init__(self, passage: Passage) -> None:
        self._passage: Passage | None = passage
        self._event = passage.event
        self._result: R | None = None
        self._error: BaseException | None = None
        box = [passage]
        passage.event.when_done(lambda: _through(box))  # the launch holds on to the passage until then

    def done(self) -> bool:
        return self._event.done()

    def when_done(self, call: Callable[[], None]) -> None:
        self._event.when_done(call)

    def wait(self, timeout: float | None = None) -> R:
        if not self._event.wait(timeout):
            raise TimeoutError(f"the launch has not ended after {timeout} seconds")
        with LOCK:
            passage, self._passage = self._passage, None
            if passage is not None:
                passage.land()
                self._error = self._event.error()
                if self._error is None:
                    self._result = passage.finish()
        if self._error is not None:
            raise self._error
        return cast(R, self._result)

    def __del__(self) -> None:
        passage = getattr(self, "_passage", None)
        if passage is None:
            return
        passage.lost = True
        if self._event.done():
            _complain(passage)


class JointFlight(Flight[tuple[Any, ...]]):
    """Several flights as one."""

    def __init__(self, flights: Sequence[Flight[Any]]) -> None:
        self._flights = tuple(flights)

    def done(self) -> bool:
        return all(f.done() for f in self._flights)

    def wait(self, timeout: float | None = None) -> tuple[Any, ...]:
        """Waits for all of them, also when one fails; then raises the first error."""
        end = None if timeout is None else time.monotonic() + timeout
        results, errors = [], []
        for flight in self._flights:
            try:
                results.append(flight.wait(None if end is None else max(end - time.monotonic(), 0)))
            except Exception as error:
                errors.append(error)
        if errors:
            for further in errors[1:]:
                errors[0].add_note(f"another operation of the same `zip` failed as well: {further}")
            raise errors[0]
        return tuple(results)

    def when_done(self, call: Callable[[], None]) -> None:
        left = [len(self._flights)]
        guard = threading.Lock()

        def one() -> None:
            with guard:
                left[0] -= 1
                last = left[0] == 0
            if last:
                call()

        if not self._flights:
            call()
        for flight in self._flights:
            flight.when_done(one)


class ThreadFlight(Flight[R]):
    """Steps of the host between launches, in a thread of their own. The interpreter does not exit before it ends."""

    def __init__(self, steps: Callable[[], R], place: Place) -> None:
        self._future: Future[R] = Future()
        self._place = place
        self._seen = False
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=(_run, self._future, steps), name="tilecheck-steps").start()

    def done(self) -> bool:
        return self._future.done()

    def wait(self, timeout: float | None = None) -> R:
        if not futures.wait([self._future], timeout).done:
            raise TimeoutError(f"the operation has not ended after {timeout} seconds")
        self._seen = True
        return self._future.result()

    def when_done(self, call: Callable[[], None]) -> None:
        self._future.add_done_callback(lambda _: call())

    def __del__(self) -> None:
        if not self._seen:
            self._future.add_done_callback(_Lost(self._place))


@dataclass(frozen=True)
class _Lost:
    """Complains when something nobody waits for failed."""

    place: Place

    def __call__(self, future: Future[Any]) -> None:
        error = future.exception()
        if error is not None:
            text = f"an operation failed, and nobody waited for it: {error}"
            warnings.warn_explicit(text, LostFlightWarning, self.place.file, self.place.line)


def _run(future: Future[T], steps: Callable[[], T]) -> None:
    try:
        result = steps()
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(result)
