"""Launches that are held up, so that tests can look at what is in flight."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tilecheck_runtime.backends.selection.select import current


def wait_for_stream() -> None:
    """Waits until the stream has released all earlier launches."""
    current().default.submit(lambda: None).wait(10)


@contextmanager
def held_up() -> Iterator[threading.Event]:
    """Delays all launches inside the block until the event is set, or the block ends."""
    gate = threading.Event()
    current().default.submit(lambda: gate.wait() and None)  # the stream does one thing after another
    try:
        yield gate
    finally:
        gate.set()
