"""How the process of a command ends."""

from __future__ import annotations

import os
import sys
import threading
from typing import Final, NoReturn

__all__ = ["leave"]

_LATER: Final = ("tilecheck_runtime", "coverage")
"""Modules that have something to do as the interpreter ends."""


def leave(status: int, unwritten: int) -> NoReturn:
    """End the process, with `unwritten` as its status when nobody takes what is still to be written.

    The interpreter would free one by one all values that a run has made, a twentieth of its time; the system takes them
    at once. It is left its own way where threads, tracers or other libraries are there too.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter complains
        status = unwritten
    if threading.active_count() == 1 and sys.gettrace() is None and sys.modules.keys().isdisjoint(_LATER):
        os._exit(status)
    sys.exit(status)
