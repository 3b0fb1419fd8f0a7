"""Operations: built now, run later, once."""

from __future__ import annotations

import atexit
import os
import warnings
import weakref
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from typing import Any, Final, Generic, TypeVar

from tilecheck_runtime.launches.flight import Flight, ThreadFlight
from tilecheck_runtime.launches.nesting import inside, refuse
from tilecheck_runtime.ownership.errors import MovedError, NeverRunWarning, OwnershipError
from tilecheck_runtime.ownership.places import Place, here
from tilecheck_runtime.ownership.storage import LOCK
from tilecheck_runtime.ownership.unique import Unique

__all__ = ["Operation", "Then"]

R = TypeVar("R")
S = TypeVar("S")


class Operation(Unique, ABC, Generic[R]):
    """Something to run: a launch, or several put together. It runs when it is told to, and only once; one that is
    dropped without having run warns (TC404)."""

    _instead = "build another one: call the kernel again"

    def __init__(self) -> None:
        self._place = here()
        self._ended: tuple[str, Place] | None = None
        self._quiet = False
        _PENDING.add(self)

    @property
    @abstractmethod
    def what(self) -> str:
        """For messages: "the launch of `add`"."""

    @abstractmethod
    def _begin(self, place: Place) -> Flight[R]:
        """Starts it. `place` is where the program asked for it."""

    def sync(self) -> R:
        """Runs it and returns its result: what its `Mut` arguments have become. Raises OwnershipError."""
        return self.start().wait()

    def start(self) -> Flight[R]:
        """Starts it. What it touches is in flight until the handle is waited for. Raises OwnershipError."""
        quiet, self._quiet = self._quiet, True  # what is refused is said by the error, not by TC404 as well
        refuse(self.what)
        self._end("run")
        try:
            flight = self._begin(here())
        except OwnershipError:
            self._reopen()
            raise
        self._quiet = quiet
        return flight

    def _reopen(self) -> None:
        """Called when it was refused: it can be run again after that if nothing of it has begun."""

    def __await__(self) -> Generator[Any, None, R]:
        return self.start().__await__()

    def then(self, following: Callable[[R], Operation[S]]) -> Operation[S]:
        """This operation, and after it the one that `following` makes of its result."""
        return Then(self._handed_over("then"), following)

    def _handed_over(self, into: str) -> Operation[R]:
        """This operation, as part of another one."""
        self._end(f"made part of a `{into}`")
        return self

    def _unspent(self) -> None:
        """Raises MovedError for an operation that has run, or went into another one."""
        if self._ended is not None:
            before, place = self._ended
            raise MovedError(f"{self.what} was already {before}; an operation runs once", use=here(), before=place,
                             what=before, fix="build it anew with what the first run returned")

    def _called(self) -> str:
        return self.what

    def _end(self, how: str) -> None:
        with LOCK:  # of several threads one runs it
            self._unspent()
            self._ended = how, here()
        _PENDING.discard(self)

    def __del__(self) -> None:
        if getattr(self, "_ended", ()) is None:
            self._ended = "dropped", self._place
            _never_run(self)


class Then(Operation[S], Generic[R, S]):
    """One operation, and another that is made of its result."""

    def __init__(self, first: Operation[R], following: Callable[[R], Operation[S]]) -> None:
        super().__init__()
        self._first, self._following = first, following

    @property
    def what(self) -> str:
        return f"{self._first.what} with what follows"

    def _begin(self, place: Place) -> Flight[S]:
        first, following = self._first._begin(place), self._following

        def steps() -> S:
            result = first.wait()
            with inside(place):
                second = following(result)
            if not isinstance(second, Operation):
                raise TypeError(f"the function given to `.then` at {place} returned {second!r}; it returns an "
                                "operation that has not run, such as `kernel(...)`")
            second._end("run")
            return second._begin(place).wait()

        return ThreadFlight(steps, place)


_PENDING: Final[weakref.WeakSet[Operation[Any]]] = weakref.WeakSet()


def _never_run(operation: Operation[Any]) -> None:
    place = operation._place
    if operation._quiet:
        return
    text = (f"TC404 {operation.what} was built and never run\n  --> {place}\n"
            "  = help: run it: `.sync()`, or `.start()` and wait for it later")
    warnings.warn_explicit(text, NeverRunWarning, place.file, place.line)


def _at_exit() -> None:
    """What is still alive at the end, in a module or in a cycle, did not run either."""
    for operation in sorted(_PENDING, key=lambda o: (o._place.file, o._place.line)):
        operation._ended = "dropped", operation._place
        _never_run(operation)


atexit.register(_at_exit)


def _after_fork() -> None:
    """What the parent has built is its to run."""
    for operation in list(_PENDING):
        operation._quiet = True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
