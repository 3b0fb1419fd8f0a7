"""Flights: operations that were started. Their memory is held until they end and their owner takes the result."""

from __future__ import annotations

import atexit
import contextlib
import contextvars
import os
import threading
import time
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from tilecheck_runtime.backends.cpu.events import HostEvent
from tilecheck_runtime.backends.interface import Event
from tilecheck_runtime.errors.locations import BEHALF, Location, current_location
from tilecheck_runtime.errors.ownership import LostFlightWarning, MovedError
from tilecheck_runtime.launches.registry import find_alive
from tilecheck_runtime.ownership.storage import BUSY, LOCK, RUNNING, Chain, Hold, land
from tilecheck_runtime.ownership.unique import Unique

__all__ = [
    "OPEN",
    "Flight",
    "JointFlight",
    "KernelFlight",
    "OrderedFlight",
    "Passage",
    "ThreadFlight",
    "Underway",
    "abandon_flight",
    "already_taken_error",
    "in_chain",
]

R = TypeVar("R")
S = TypeVar("S")
T = TypeVar("T")


class Flight(Unique, ABC, Generic[R]):
    """A handle on an operation under way. Wait for it, or `await` it, to get the result."""

    if not TYPE_CHECKING:  # most subclasses have a dictionary
        __slots__ = ()  # frequently created ones have neither a dictionary nor a finalizer
    ordered: bool = False
    """Whether later work on the same stream runs after it without further synchronization."""
    _instead = "wait for it where it was started, and pass on the result"
    _taken: Location | None = None
    _given_up: bool = False
    _error: BaseException | None = None

    def _describe(self) -> str:
        return "this flight"

    @abstractmethod
    def has_ended(self, timeout: float | None = None) -> bool:
        """Waits until the operation has ended, for at most `timeout` seconds, and returns whether it has. The result
        stays held until `wait` takes it."""

    @abstractmethod
    def when_done(self, call: Callable[[], None]) -> None:
        """Calls a function, in any thread, when the operation has ended."""

    @abstractmethod
    def _land(self) -> R:
        """Releases the holds and returns the result. Raises the error of the operation. Called once, after it has
        ended."""

    def take_early(self) -> R:
        """Returns the result before the operation has ended, for later work on the device. Only if it is `ordered`."""
        raise NotImplementedError

    def _abandon(self) -> None:
        """Called when no code can wait for it any more: a failure is then reported as a warning."""

    def _give_up(self) -> None:
        if self._taken is None and not self._given_up:
            self._given_up = True
            self._abandon()

    def done(self) -> bool:
        """Returns whether the operation has ended, successfully or not."""
        return self.has_ended(0)

    def wait(self, timeout: float | None = None) -> R:
        """Waits and returns the result, which moves to the caller: only once. Raises the error of the operation,
        MovedError if the result was already taken, and TimeoutError after `timeout` seconds."""
        if not self.has_ended(timeout):
            raise TimeoutError(f"it has not ended after {timeout} seconds: wait for it again")
        with LOCK:
            before, self._taken = self._taken, self._taken or current_location()
        if self._error is not None:
            raise self._error
        if before is not None:
            raise already_taken_error(before)
        OPEN.pop(id(self), None)
        try:
            return self._land()
        except BaseException as error:
            self._error = error
            raise

    def __await__(self) -> Generator[Any, None, R]:
        import asyncio  # importing takes longer than a launch

        loop = asyncio.get_running_loop()
        through: asyncio.Future[None] = loop.create_future()

        def wake() -> None:
            if not through.done():
                through.set_result(None)

        def notify_loop() -> None:
            with contextlib.suppress(RuntimeError):  # the loop may be closed
                loop.call_soon_threadsafe(wake)

        self.when_done(notify_loop)
        yield from through
        return self.wait()


class Noticed(Flight[R]):
    """A flight that detects when it is dropped."""

    def __del__(self) -> None:
        OPEN.pop(id(self), None)
        self._give_up()


OPEN: Final[dict[int, weakref.ref[Flight[Any]]]] = {}
"""Flights whose result was not taken. Each removes itself, at the latest when it is destroyed."""


def _open_flights() -> list[Flight[Any]]:
    return [flight for flight in find_alive(OPEN, Flight) if flight._taken is None]


def _at_exit() -> None:
    """Abandons all open flights. They have ended, because the interpreter waits for its threads first."""
    for flight in _open_flights():
        flight._give_up()


atexit.register(_at_exit)


def _after_fork() -> None:
    """Ends the responsibility of a child process for flights of its parent."""
    for flight in _open_flights():
        flight._given_up = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class Underway(Protocol):
    """A launch under way. It holds the memory of the launch and keeps it alive."""

    kernel: str
    place: Location
    event: Event

    def land(self) -> Any:
        """Releases everything and returns the result. Called once, under the lock."""
        ...

    def release_holds(self) -> None:
        """Releases everything without a result. Called instead of `land`, under the lock."""
        ...


class Passage:
    """A launch under way.

    `kept`    objects that stay alive until it ends
    `finish`  returns the result, under the lock, after the holds were released
    """

    def __init__(self, kernel: str, place: Location, event: Event, holds: Sequence[Hold], kept: Sequence[object],
                 finish: Callable[[], Any]) -> None:
        self.kernel, self.place, self.event = kernel, place, event
        self._holds, self._kept, self._finish = holds, kept, finish

    def land(self) -> Any:
        self.release_holds()
        finish, self._finish = self._finish, _no_result
        return finish()

    def release_holds(self) -> None:
        """Releases the holds. Handles are dropped here, because the thread of the launch may keep this object for a
        moment."""
        for hold in self._holds:
            land(hold)
        self._holds = self._kept = ()

    def __del__(self) -> None:
        for hold in self._holds:
            hold.release()


def already_taken_error(before: Location) -> MovedError:
    """The error of a result that is requested twice."""
    return MovedError("the result of this flight was already taken", use=current_location(), before=before,
                      what="taken",
                      fix="keep it: `z = flight.wait()`")


def _no_result() -> None:
    """The result of a passage whose result was taken."""


def _warn_lost(passage: Underway) -> None:
    """Warns if a flight that no code waits for failed."""
    error = passage.event.error()
    if isinstance(error, Exception):
        text = f"the launch of `{passage.kernel}` failed, and no code waited for it: {error}"
        warnings.warn_explicit(text, LostFlightWarning, passage.place.file, passage.place.line)


def abandon_flight(passage: Underway) -> None:
    """Warns later if a launch fails that no code waits for any more."""
    if passage.event.done():
        _warn_lost(passage)
    else:
        box = [passage]
        passage.event.call_later(lambda: _warn_lost(box.pop()))  # the launch keeps it until then, and no longer


class KernelFlight(Noticed[R]):
    """The flight of one launch."""

    def __init__(self, passage: Underway, ordered: bool = False) -> None:
        self._passage: Underway | None = passage
        self.ordered = ordered
        self._event = passage.event
        OPEN[id(self)] = weakref.ref(self)

    def _completion_event(self) -> Event:
        """The event that it waits for."""
        return self._event

    def has_ended(self, timeout: float | None = None) -> bool:
        return self._completion_event().wait(timeout)

    def when_done(self, call: Callable[[], None]) -> None:
        self._completion_event().when_done(call)

    def take_early(self) -> R:
        self._taken = current_location()
        passage = self._passage
        assert passage is not None
        with LOCK:
            self._passage = None
            result: R = passage.land()
        return result

    def _land(self) -> R:
        error, passage = self._event.error(), self._passage
        assert passage is not None
        with LOCK:  # until the result itself holds the memory
            self._passage = None
            if error is not None:
                passage.release_holds()
                raise error
            result: R = passage.land()
        return result

    def _abandon(self) -> None:
        passage, self._passage = getattr(self, "_passage", None), None
        if passage is not None:
            abandon_flight(passage)


class JointFlight(Noticed[tuple[Any, ...]]):
    """Several flights as one."""

    def __init__(self, flights: Sequence[Flight[Any]]) -> None:
        self._flights = tuple(flights)
        self.ordered = bool(flights) and all(f.ordered for f in flights)

    def take_early(self) -> tuple[Any, ...]:
        self._taken = current_location()
        return tuple(f.take_early() for f in self._flights)

    def has_ended(self, timeout: float | None = None) -> bool:
        end = None if timeout is None else time.monotonic() + timeout
        return all(f.has_ended(None if end is None else max(end - time.monotonic(), 0)) for f in self._flights)

    def _land(self) -> tuple[Any, ...]:
        """Takes all results, then raises the first error."""
        results, errors = [], []
        for flight in self._flights:
            try:
                results.append(flight.wait())
            except Exception as error:
                errors.append(error)
        if errors:
            results.clear()  # the error keeps this frame, which must not keep the results
            for further in errors[1:]:
                errors[0].add_note(f"another operation of the same `zip` failed as well: {further}")
            raise errors[0]
        return tuple(results)

    def when_done(self, call: Callable[[], None]) -> None:
        left = [len(self._flights)]
        guard = threading.Lock()

        def count_down() -> None:
            with guard:
                left[0] -= 1
                last = left[0] == 0
            if last:
                call()

        if not self._flights:
            call()
        for flight in self._flights:
            flight.when_done(count_down)


class OrderedFlight(Noticed[S]):
    """The flight of steps that are submitted at once, because the device runs them in order: no thread waits in
    between."""

    def __init__(self, first: Flight[Any], following: Sequence[Callable[[Any], Flight[Any]]], place: Location) -> None:
        self._chain = Chain(outer=RUNNING.chain)
        self._last: Flight[Any] = first
        self._refused: BaseException | None = None
        with in_chain(self._chain, place):
            for start in following:
                try:
                    self._last = start(self._last.take_early() if self._last.ordered else self._last.wait())
                except Exception as error:
                    self._refused = error
                    break
        self.ordered = self._refused is None and self._last.ordered

    def has_ended(self, timeout: float | None = None) -> bool:
        return self._last.has_ended(timeout)

    def when_done(self, call: Callable[[], None]) -> None:
        self._last.when_done(call)

    def take_early(self) -> S:
        self._taken = current_location()
        return self._finish_chain(self._last.take_early)

    def _land(self) -> S:
        if self._refused is not None:
            with LOCK:
                self._chain.release()
            raise self._refused
        return self._finish_chain(self._last.wait)

    def _finish_chain(self, take: Callable[[], S]) -> S:
        try:
            with in_chain(self._chain, BEHALF.get()):
                result = take()
        finally:
            with LOCK:
                self._chain.release()
        return result


@contextlib.contextmanager
def in_chain(chain: Chain, place: Location) -> Generator[None, None, None]:
    """Makes holds that are released meanwhile part of a chain."""
    BUSY.enter()
    before, RUNNING.chain = RUNNING.chain, chain
    token = BEHALF.set(place)
    try:
        yield
    finally:
        RUNNING.chain = before
        BEHALF.reset(token)
        BUSY.leave()


class ThreadFlight(Noticed[R]):
    """The flight of steps between which the host waits, in a thread of its own. The interpreter does not exit before it
    ends."""

    def __init__(self, steps: Callable[[], R], place: Location) -> None:
        future: Future[None] = Future()
        self._event = HostEvent(future)
        self._results: list[R] = []
        self._place, self._chain = place, Chain(outer=RUNNING.chain)
        OPEN[id(self)] = weakref.ref(self)
        arguments = (_run, future, self._results, steps, self._chain, place)
        context = contextvars.copy_context()
        threading.Thread(target=context.run, args=arguments, name="tilecheck-steps").start()

    def has_ended(self, timeout: float | None = None) -> bool:
        return self._event.wait(timeout)

    def when_done(self, call: Callable[[], None]) -> None:
        self._event.when_done(call)

    def _land(self) -> R:
        with LOCK:
            self._chain.release()
        error = self._event.error()
        if error is not None:
            raise error
        return self._results.pop()

    def _abandon(self) -> None:
        self._event.when_done(_Lost(self._place, self._event))


@dataclass(frozen=True)
class _Lost:
    """Warns when an operation that no code waits for failed."""

    place: Location
    event: Event

    def __call__(self) -> None:
        error = self.event.error()
        if isinstance(error, Exception):
            text = f"an operation failed, and no code waited for it: {error}"
            warnings.warn_explicit(text, LostFlightWarning, self.place.file, self.place.line)


def _run(future: Future[None], results: list[T], steps: Callable[[], T], chain: Chain, place: Location) -> None:
    BUSY.enter()
    RUNNING.chain = chain
    BEHALF.set(place)
    try:
        results.append(steps())
    except BaseException as error:
        future.set_exception(error)
    else:
        future.set_result(None)
    finally:
        RUNNING.chain = None
        BUSY.leave()
