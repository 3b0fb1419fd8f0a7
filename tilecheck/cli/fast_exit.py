"""How the process of a command ends."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn, TextIO

__all__ = ["leave"]

_LATER: Final = ("tilecheck_runtime", "coverage")
"""Modules that have something to do as the interpreter ends."""


def leave(status: int, unwritten: int) -> NoReturn:
    """End the process, with `unwritten` as its status when nobody takes what is still to be written.

    The interpreter would free one by one all values that a run has made, a twentieth of its time; the system takes them
    at once. It is left its own way where threads, tracers or other libraries are there too.
    """
    written = [_written(stream) for stream in (sys.stdout, sys.stderr)]
    if not all(written):
        status = unwritten
    if threading.active_count() == 1 and sys.gettrace() is None and sys.modules.keys().isdisjoint(_LATER):
        os._exit(status)
    sys.exit(status)


def _written(stream: TextIO | None) -> bool:
    """Whether all that `stream` holds went out. One that is closed, or was never there, holds nothing."""
    if stream is None or stream.closed:
        return True
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # or the interpreter complains
        return False
    return True
