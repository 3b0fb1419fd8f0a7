"""Operations: built now, run later, once."""

from __future__ import annotations

import atexit
import os
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Generic, Protocol, TypeVar

from tilecheck_runtime.errors.locations import Location, current_location
from tilecheck_runtime.errors.ownership import MovedError, NeverRunWarning
from tilecheck_runtime.launches.flight import Flight, OrderedFlight, ThreadFlight
from tilecheck_runtime.launches.reentrancy import enter_operation, refuse_nested
from tilecheck_runtime.launches.registry import find_alive
from tilecheck_runtime.launches.streams import use_stream
from tilecheck_runtime.ownership.storage import LOCK
from tilecheck_runtime.ownership.unique import Unique

__all__ = ["PENDING", "Listed", "Operation", "Recorder", "Then", "warn_never_run"]

R = TypeVar("R")
S = TypeVar("S")


class Recorder(Protocol):
    """Collects operations that become part of a graph."""

    def launch(self, ready: Any, what: str, place: Location) -> Any:
        """Records a launch and returns its future result."""
        ...


class Operation(Unique, ABC, Generic[R]):
    """A unit of work: a launch, or several combined. It runs on request and only once; one that is dropped without
    having run warns (TC404)."""

    if not TYPE_CHECKING:  # most subclasses have a dictionary
        __slots__ = ()  # frequently created ones have neither a dictionary nor a finalizer
    _instead = "build another one: call the kernel again"
    _ended: tuple[str, Location] | None = None
    _reported: bool = False
    _place: Location

    @property
    @abstractmethod
    def what(self) -> str:
        """A description for messages: "the launch of `add`"."""

    @abstractmethod
    def _begin(self, place: Location) -> Flight[R]:
        """Starts the operation. `place` is the location of the request."""

    @abstractmethod
    def _record(self, recorder: Recorder, place: Location) -> Any:
        """Records the operation in a graph instead of running it. Returns its future result."""

    def sync(self) -> R:
        """Runs the operation and returns its result: the new state of its `Mut` arguments. Raises OwnershipError."""
        return self.start().wait()

    def start(self, stream: Any = None) -> Flight[R]:
        """Starts the operation on a stream: one of `tilecheck_runtime.stream()`, or of torch, CuPy or the driver. Its
        memory is in flight until the returned flight is waited for. Raises OwnershipError."""
        quiet, self._reported = self._reported, True  # a refused start raises an error, so TC404 is not reported
        refuse_nested(self.what)
        place = current_location()
        self._end("run", place)
        try:
            if stream is None:
                flight = self._begin(place)
            else:
                with use_stream(stream):
                    flight = self._begin(place)
        except Exception:
            self._reopen()
            raise
        self._reported = quiet
        return flight

    def _reopen(self) -> None:
        """Called when the start was refused. Makes the operation runnable again if no part of it has begun."""

    def __await__(self) -> Generator[Any, None, R]:
        return self.start().__await__()

    def then(self, following: Callable[[R], Operation[S]]) -> Operation[S]:
        """Combines this operation with the one that `following` returns for its result."""
        return Then(self._hand_over("then"), following)

    def _hand_over(self, into: str) -> Operation[R]:
        """Gives this operation to a combined one."""
        self._end(f"made part of a `{into}`")
        return self

    def _check_not_run(self) -> None:
        """Raises MovedError for an operation that has run or became part of another one."""
        if self._ended is not None:
            before, place = self._ended
            raise MovedError(f"{self.what} was already {before}; an operation runs once", use=current_location(),
                             before=place,
                             what=before, fix="build it again from the tensors that the first run returned")

    def _describe(self) -> str:
        return self.what

    def _end(self, how: str, place: Location | None = None) -> None:
        with LOCK:  # only one thread runs it
            if self._ended is not None:
                self._check_not_run()
            self._ended = how, place or current_location()
        PENDING.pop(id(self), None)


class Listed(Operation[R]):
    """An operation that is listed until it has run, and that warns when it is dropped."""

    def __init__(self, place: Location | None = None) -> None:
        self._place, self._ended = place or current_location(), None
        PENDING[id(self)] = weakref.ref(self)

    def __del__(self) -> None:
        PENDING.pop(id(self), None)
        if getattr(self, "_ended", ()) is None:
            self._ended = "dropped", self._place
            warn_never_run(self.what, self._place, self._reported)


class Then(Listed[S], Generic[R, S]):
    """An operation, followed by another that depends on its result."""

    def __init__(self, first: Operation[R], following: Callable[[R], Operation[S]]) -> None:
        super().__init__()
        self._first, self._following = first, following

    def _steps(self) -> tuple[Operation[Any], list[Callable[[Any], Operation[Any]]]]:
        """Returns the first operation and the functions that continue it. A chain of any length is traversed without
        recursion."""
        first: Operation[Any] = self
        steps: list[Callable[[Any], Operation[Any]]] = []
        while isinstance(first, Then):
            steps.append(first._following)
            first = first._first
        return first, steps[::-1]

    @property
    def what(self) -> str:
        return f"{self._steps()[0].what} and its follow-up"

    def _begin(self, place: Location) -> Flight[S]:
        start, steps = self._steps()
        first = start._begin(place)
        following = [partial(_start_step, step, place) for step in steps]
        if first.ordered:
            return OrderedFlight(first, following, place)
        return ThreadFlight(lambda: _run_steps(first, following), place)

    def _record(self, recorder: Recorder, place: Location) -> Any:
        start, steps = self._steps()
        result = start._record(recorder, place)
        for step in steps:
            result = _next_operation(step, result, place)._record(recorder, place)
        return result


def _next_operation(step: Callable[[Any], Operation[Any]], result: Any, place: Location) -> Operation[Any]:
    """Returns the next operation, built from the result of the previous one."""
    with enter_operation(place):
        made = step(result)
    if not isinstance(made, Operation):
        raise TypeError(f"the function given to `.then` at {place} returned {made!r}; it returns an operation that has "
                        "not run, such as `kernel(...)`")
    made._end("run")
    return made


def _start_step(step: Callable[[Any], Operation[Any]], place: Location, result: Any) -> Flight[Any]:
    return _next_operation(step, result, place)._begin(place)


def _run_steps(flight: Flight[Any], following: Sequence[Callable[[Any], Flight[Any]]]) -> Any:
    """Waits for each step before the next one is built from its result."""
    for start in following:
        flight = start(flight.wait())
    return flight.wait()


PENDING: Final[dict[int, weakref.ref[Operation[Any]]]] = {}
"""Operations that have not run. Each removes itself, at the latest when it is destroyed."""


def _pending_operations() -> list[Operation[Any]]:
    return [operation for operation in find_alive(PENDING, Operation) if operation._ended is None]


def warn_never_run(what: str, place: Location, quiet: bool) -> None:
    """Warns (TC404) about an operation that was dropped, unless another error was reported for it."""
    if quiet:
        return
    text = (f"TC404 {what} was built and never run\n  --> {place}\n"
            "  = help: run it: `.sync()`, or `.start()` and wait for it later")
    warnings.warn_explicit(text, NeverRunWarning, place.file, place.line)


def _at_exit() -> None:
    """Warns about operations that still exist at exit, in a module or in a reference cycle."""
    for operation in sorted(_pending_operations(), key=lambda o: (o._place.file, o._place.line)):
        place = operation._place
        warn_never_run(operation.what, place, operation._reported)
        operation._reported = True
        operation._ended = "dropped", place


atexit.register(_at_exit)


def _after_fork() -> None:
    """Ends the responsibility of a child process for operations of its parent."""
    for operation in _pending_operations():
        operation._reported = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
