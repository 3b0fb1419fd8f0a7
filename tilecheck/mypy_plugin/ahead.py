"""The findings of a run, computed by another process while mypy checks the modules that come first.

mypy knows all modules before it checks any, and it checks those of the standard library and of other packages before
those that import them. The findings are wanted only then.
"""

from __future__ import annotations

import atexit
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Final, Generic, TypeVar

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

__all__ = ["Ahead", "start"]

Value = TypeVar("Value")
_SAFE_TO_FORK: Final = sys.platform == "linux"


class Ahead(Generic[Value]):
    """A computation in a forked process. It ends early if this process ends.

    modules  the modules that it is about: names by path
    """

    def __init__(self, modules: Mapping[str, str], compute: Callable[[], Value]) -> None:
        import multiprocessing

        context = multiprocessing.get_context("fork")
        self.modules = dict(modules)
        self._connection, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(self._connection, there, compute))
        self._process.start()
        there.close()
        atexit.register(self._connection.close)  # before `multiprocessing` waits for the process

    def take(self) -> Value | None:
        """Wait for the result. None if the process failed."""
        value: Value | None = None
        with suppress(EOFError, OSError):
            value = self._connection.recv()
        atexit.unregister(self._connection.close)
        self._connection.close()
        self._process.join()
        return value


def start(modules: Mapping[str, str], compute: Callable[[], Value]) -> Ahead[Value] | None:
    """Start a computation; None where this process cannot be forked."""
    if not _SAFE_TO_FORK:
        return None
    try:
        return Ahead(modules, compute)
    except OSError:
        return None


def _serve(theirs: Connection, ours: Connection, compute: Callable[[], Value]) -> None:
    theirs.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent ends, and that ends this process
    threading.Thread(target=_end_with_parent, args=(ours,), daemon=True).start()
    ours.send(compute())


def _end_with_parent(connection: Connection) -> None:
    """Wait for the end of the parent, which never sends anything."""
    with suppress(EOFError, OSError):
        connection.recv()
    os._exit(0)
