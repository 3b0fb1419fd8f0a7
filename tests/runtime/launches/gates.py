"""Launches that are held up, so that tests can look at what is in flight."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tilecheck_runtime.backends.selection.select import current


def settled() -> None:
    """Waits until the stream has let go of what was launched before."""
    current().default.submit(lambda: None).wait(10)


@contextmanager
def held_up() -> Iterator[threading.Event]:
    """What is launched inside does not begin until the event is set, or the block is left."""
    gate = threading.Event()
    current().default.submit(lambda: gate.wait() and None)  # the stream does one thing after another
    try:
        yield gate
    finally:
        gate.set()
