"""The connection to the analysing process: it is started when it is needed, and again when it dies."""

from __future__ import annotations

import asyncio
import multiprocessing
import queue
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from typing import Final

from tilecheck.server.messages import Closed, Opened, Reply, Request, Settings

__all__ = ["Link"]

_DEATHS: Final = 3
_WITHIN: Final = 60.0
"""That many deaths within so many seconds, and it is not started again until something is opened or edited."""
_FAREWELL: Final = 2.0
"""Seconds that it has to end by itself."""


class Link:
    """Sends requests to the analysing process and, once attached, passes its replies on.

    The link remembers the open documents, so that a process that replaces a dead one knows them.
    """

    def __init__(self, analyse: Callable[[Connection], None]) -> None:
        """`analyse` is what the process runs, a function of a module that the process can import."""
        self._analyse = analyse
        self._receive: Callable[[Reply], None] | None = None
        self._died: Callable[[bool], None] | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._settings: Settings | None = None
        self._open: dict[str, Opened] = {}
        self._deaths: list[float] = []
        self._process: SpawnProcess | None = None
        self._requests: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
        self._start()  # it takes a while to load, as the editor's side does

    def attach(self, receive: Callable[[Reply], None], died: Callable[[bool], None]) -> None:
        """Pass replies to `receive` in the running event loop. Each death of the process calls `died` with whether the
        process was started again. Call this before the first request is sent."""
        self._receive, self._died, self._loop = receive, died, asyncio.get_running_loop()
        if self._process is not None and not self._process.is_alive():
            self._handle_end(self._process)

    def send(self, request: Request) -> None:
        """Send a request; never waits."""
        self._remember(request)
        if self._process is None:
            self._start()
            return  # it has received all remembered requests
        self._requests.put(request)

    def _remember(self, request: Request) -> None:
        match request:
            case Settings():
                self._settings = request
            case Opened(path):
                self._open[path] = request
            case Closed(path):
                self._open.pop(path, None)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        self._process = context.Process(target=self._analyse, args=(theirs,), name="tilecheck-analysis")
        self._process.start()
        theirs.close()
        self._requests = queue.SimpleQueue()
        threading.Thread(target=_write, args=(ours, self._requests), daemon=True).start()
        threading.Thread(target=self._read, args=(ours, self._process), daemon=True).start()
        if self._settings is not None:
            self._requests.put(self._settings)
        for opened in self._open.values():
            self._requests.put(opened)

    def _read(self, connection: Connection, process: SpawnProcess) -> None:
        try:
            while True:
                reply = connection.recv()
                self._in_loop(self._receive, reply)
        except (EOFError, OSError):
            self._in_loop(self._handle_end, process)

    def _in_loop(self, what: Callable[..., None] | None, value: object) -> None:
        if self._loop is None or what is None:
            return  # nothing is attached yet
        try:
            self._loop.call_soon_threadsafe(what, value)
        except RuntimeError:
            return  # the event loop is closed: the server ends

    def _handle_end(self, process: SpawnProcess) -> None:
        if process is not self._process:
            return
        self._requests.put(None)
        self._process = None
        now = time.monotonic()
        self._deaths = [*(t for t in self._deaths if now - t < _WITHIN), now]
        again = len(self._deaths) < _DEATHS
        if again:
            self._start()
        if self._died is not None:
            self._died(again)

    def close(self) -> None:
        """End the analysing process."""
        process, self._process = self._process, None
        self._requests.put(None)
        if process is None:
            return
        process.terminate()  # it may be in the middle of a proof whose result is no longer wanted
        process.join(_FAREWELL)
        if process.is_alive():
            process.kill()


def _write(connection: Connection, requests: queue.SimpleQueue[Request | None]) -> None:
    """Requests may have to wait until the other end takes them; the event loop does not wait with them."""
    try:
        while (request := requests.get()) is not None:
            connection.send(request)
        connection.send(None)
    except OSError:
        return  # it died, which the reader tells
