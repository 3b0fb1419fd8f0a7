"""One thread that asks devices, for whoever cannot wait: event loops, and flights that were combined."""

from __future__ import annotations

import threading
import time
from typing import Final, Protocol

__all__ = ["POLLER", "Poller"]

_PAUSE: Final = 50e-6


class Watched(Protocol):
    """Something with calls to make when a device is done."""

    def has_pending_calls(self) -> bool:
        """Asks the device, makes the calls that are due, and says whether some are left."""
        ...


class Poller:
    """Asks what it watches, again and again, until nothing is left of it. Its thread runs only while it has any."""

    def __init__(self, pause: float = _PAUSE) -> None:
        self._pause, self._guard = pause, threading.Lock()
        self._watched: dict[int, tuple[Watched, object]] = {}
        self._running = False

    def watch(self, something: Watched) -> None:
        """Asks it from now on, until it has nothing left."""
        with self._guard:
            self._watched[id(something)] = something, object()
            if not self._running:
                threading.Thread(target=self._run, name="tilecheck-poller", daemon=True).start()
                self._running = True  # not before: there may be no threads now, and again later

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
        """Unless it was to be watched once more since it was looked at."""
        with self._guard:
            if self._watched.get(id(something), (None, None))[1] is asked:
                del self._watched[id(something)]


POLLER: Final = Poller()
