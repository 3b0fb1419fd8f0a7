"""Ends the process of a command quickly."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn, TextIO

__all__ = ["leave"]

_LATER: Final = ("tilecheck_runtime", "coverage")
"""Modules that run code when the interpreter exits."""


def leave(status: int, unwritten: int) -> NoReturn:
    """End the process. Its status is `unwritten` if the reader of a stream is gone before all output is written.

    At a normal exit the interpreter frees all values of a run one by one, which takes a twentieth of its time.
    `os._exit` avoids this. It is used only if no thread, tracer or module of `_LATER` needs the normal exit.
    """
    written = [_flush(stream) for stream in (sys.stdout, sys.stderr)]
    if not all(written):
        status = unwritten
    if threading.active_count() == 1 and sys.gettrace() is None and sys.modules.keys().isdisjoint(_LATER):
        os._exit(status)
    sys.exit(status)


def _flush(stream: TextIO | None) -> bool:
    """Write the buffer of `stream`. Return whether that succeeded; a missing or closed stream has no buffer."""
    if stream is None or stream.closed:
        return True
    try:
        stream.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # otherwise the interpreter prints an error
        return False
    return True
