"""A thread that polls devices for waiters that cannot block: event loops and combined flights."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

__all__ = ["POLLER", "Poller"]

_PAUSE: Final = 50e-6


class Watched(Protocol):
    """An object with callbacks to run when a device is done."""

    def has_pending_calls(self) -> bool:
        """Queries the device, runs the callbacks that are due, and returns whether any remain."""
        ...


class Poller:
    """Polls the watched objects until none of them has pending calls. Its thread exists only while there are any."""

    def __init__(self, pause: float = _PAUSE) -> None:
        self._pause, self._guard = pause, threading.Lock()
        self._watched: dict[int, tuple[Watched, object]] = {}
        self._running = False

    def watch(self, something: Watched) -> None:
        """Polls an object from now on, until it has no pending calls."""
        with self._guard:
            self._watched[id(something)] = something, object()
            if not self._running:
                threading.Thread(target=self._run, name="tilecheck-poller", daemon=True).start()
                self._running = True  # last, because starting a thread may fail

    def _run(self) -> None:
        while True:
            with self._guard:
                every = list(self._watched.values())
                if not every:
                    self._running = False
                    return
            for something, asked in every:
                if not something.has_pending_calls():
                    self._forget(something, asked)
            time.sleep(self._pause)

    def _forget(self, something: Watched, asked: object) -> None:
        """Stops watching an object, unless it was added again since it was polled."""
        with self._guard:
            if self._watched.get(id(something), (None, None))[1] is asked:
                del self._watched[id(something)]


POLLER: Final = Poller()
