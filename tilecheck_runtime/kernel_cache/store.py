"""The files of the cache.

   <folder>/<version>/ab/abcdef...     one compiled kernel
   <folder>/<version>/locks/abc        held while a kernel whose key starts with abc is compiled
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tilecheck_runtime.kernel_cache.folder import prepare_folder
from tilecheck_runtime.kernel_cache.locks import hold_lock
from tilecheck_runtime.kernel_cache.record import DamagedRecord, Record, decode, encode

__all__ = ["LIMIT", "Info", "Store", "limit"]

LIMIT: Final = "TILECHECK_KERNEL_CACHE_SIZE"
"""Environment variable with the maximal size of the cache in bytes; K, M and G stand for powers of 1024."""
_DEFAULT: Final = 1 << 30
_VERSION: Final = "v1"
_NAME: Final = re.compile(r"[0-9a-f]{64}")
_LOCKS: Final = 3
"""Digits of a key that select its lock. There are a few thousand locks, which are never removed."""
_STALE: Final = 3600.0
"""Seconds after which an unfinished file belongs to a process that died."""
_ROOM: Final = 0.9
"""The fraction of the limit that remains after a removal, so that not every new file causes one."""


@dataclass(frozen=True)
class Info:
    """The size of a cache: `bytes` of `limit` are in use."""

    folder: Path
    kernels: int
    bytes: int
    limit: int


@dataclass(frozen=True)
class _File:
    path: Path
    size: int
    used: float


class Store:
    """A cache in a folder, which is created with the first entry. Every operation is safe for concurrent processes,
    each of which may be killed at any time."""

    def __init__(self, folder: Path, most: int | None = None) -> None:
        self.folder, self._root = folder, folder / _VERSION
        self._most = limit() if most is None else most

    def get_or_make(self, key: str, make: Callable[[], Record], good: Callable[[Record], bool]) -> tuple[Record, bool]:
        """Returns the record of a key, and whether it was found. One process creates a missing record; damaged records
        and records that are not `good` are created again.

        Raises the errors of `make`, and CacheFolderError for a folder that other users could have written to.
        """
        try:
            prepare_folder(self.folder)
            for part in (self._root, self._root / "locks", self._place(key).parent):
                part.mkdir(mode=0o700, exist_ok=True)
        except OSError:
            return make(), False  # the folder cannot be written
        found = self._get(key, good)
        if found is not None:
            return found, True
        with hold_lock(self._root / "locks" / key[:_LOCKS]):
            found = self._get(key, good)
            if found is not None:
                return found, True
            made = make()
            self._put(made)
            return made, False

    def _place(self, key: str) -> Path:
        return self._root / key[:2] / key

    def _get(self, key: str, good: Callable[[Record], bool]) -> Record | None:
        path = self._place(key)
        try:
            data = _read_own(path)
        except OSError:
            return None
        try:
            record = decode(data, key) if data is not None else None
            if record is None or not good(record):
                raise DamagedRecord
        except (ValueError, KeyError, TypeError):
            with contextlib.suppress(OSError):
                path.unlink()
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # updates the time of its last use
        return record

    def _put(self, record: Record) -> None:
        path = self._place(record.key)
        draft = path.with_name(f".{os.getpid()}-{secrets.token_hex(8)}")
        try:
            handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(handle, "wb") as file:
                file.write(encode(record))
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, path)
        except OSError:
            draft.unlink(missing_ok=True)  # the disk may be full; the kernel is in memory
            return
        self._shrink(path)

    def _shrink(self, keep: Path) -> None:
        """Removes the least recently used files, except `keep`, until the rest fits."""
        files = list(self._files())
        total = sum(f.size for f in files)
        if total <= self._most:
            return
        for file in sorted(files, key=lambda f: f.used):
            if total <= self._most * _ROOM:
                return
            if file.path != keep:
                file.path.unlink(missing_ok=True)
                total -= file.size

    def _files(self) -> Iterator[_File]:
        """Yields the compiled kernels, and removes files that dead processes left."""
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            try:
                found = path.lstat()
            except OSError:
                continue
            if _NAME.fullmatch(path.name):
                yield _File(path, found.st_size, found.st_mtime)
            elif time.time() - found.st_mtime > _STALE:
                path.unlink(missing_ok=True)

    def info(self) -> Info:
        files = list(self._files())
        return Info(self.folder, len(files), sum(f.size for f in files), self._most)

    def clear(self) -> Info:
        """Removes all compiled kernels, and returns their size."""
        before = self.info()
        for path in self._root.glob("[0-9a-f][0-9a-f]/*"):
            path.unlink(missing_ok=True)
        return before


def _read_own(path: Path) -> bytes | None:
    """The contents of a file that only the user can write; None for other files."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(file.fileno())
        mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if not stat.S_ISREG(found.st_mode) or not mine or found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None
        return file.read()


def limit() -> int:
    """The maximal size in bytes. Raises ValueError if the variable is not a size."""
    given = os.environ.get(LIMIT, "").strip()
    if not given:
        return _DEFAULT
    found = re.fullmatch(r"(\d+)\s*([KMG]?)i?B?", given, re.IGNORECASE)
    if found is None:
        raise ValueError(f"{LIMIT} is a number of bytes such as 500M, not {given!r}")
    return int(found[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[found[2].upper()]
