"""Locks between processes."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # Windows: two processes may compile the same kernel, and the last one's file stays
    fcntl = None  # type: ignore[assignment, unused-ignore]

__all__ = ["hold_lock"]


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Holds the lock of a file, which is created if necessary. The lock ends with its process, and also excludes
    threads of one process. On a file system without locks nothing is held, and work may be done twice."""
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    try:
        handle = os.open(path, flags, 0o600)
    except OSError:
        yield
        return
    try:
        with contextlib.suppress(OSError):
            if fcntl:
                fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
