"""Work of a thread as an event."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent import futures
from concurrent.futures import Future

from tilecheck_runtime.cpu.machine import interrupt
from tilecheck_runtime.errors.locations import current_location
from tilecheck_runtime.errors.ownership import ForkedError

__all__ = ["HostEvent"]


class HostEvent:
    """Work of a thread. In a child process that was forked during the work, the event has ended with an error, because
    threads stay in the parent."""

    def __init__(self, future: Future[None]) -> None:
        self._future, self._process = future, os.getpid()

    def _left_behind(self) -> bool:
        return self._process != os.getpid() and not self._future.done()

    def done(self) -> bool:
        """Whether it has ended, well or not."""
        return self._future.done() or self._left_behind()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits until it has ended, for at most `timeout` seconds, and says whether it has."""
        if self._left_behind():
            return True
        try:
            return bool(futures.wait([self._future], timeout).done)
        except KeyboardInterrupt:
            interrupt()  # else the program, which waits for its threads, could not be stopped
            raise

    def error(self) -> BaseException | None:
        """Returns the error, after the work has ended."""
        if self._left_behind():
            return ForkedError("this work was started before the process was forked, and goes on in the parent only",
                               use=current_location(),
                               fix="wait before the fork for all work that was started, or start it in the child")
        return self._future.exception()

    def when_done(self, call: Callable[[], None]) -> None:
        """Calls something, in any thread, once the work has ended; at once when it has."""
        if self._left_behind():
            call()
        else:
            self._future.add_done_callback(lambda _: call())

    call_later = when_done
