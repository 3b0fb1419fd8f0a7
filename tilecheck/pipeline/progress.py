"""A progress line on a terminal, for runs that take long."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, TextIO, TypeAlias

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of files that are done, and the number of all files."""

_QUIET_SECONDS: Final = 0.7
_STEP_SECONDS: Final = 0.1


def no_progress(done: int, total: int) -> None:
    """Say nothing."""


@contextmanager
def progress_on(stream: TextIO) -> Iterator[Progress]:
    """A progress line on `stream` if it is a terminal; wiped at the end."""
    if not stream.isatty():
        yield no_progress
        return
    last = started = time.monotonic()
    shown = False

    def show(done: int, total: int) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - started < _QUIET_SECONDS or now - last < _STEP_SECONDS:
            return
        last, shown = now, True
        stream.write(f"\rChecking: {done} of {total} files ")
        stream.flush()

    try:
        yield show
    finally:
        if shown:
            stream.write("\r\x1b[K")
            stream.flush()
