"""Stamps of files, which show whether the files have changed. The module imports nothing that takes long to load."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path

__all__ = ["Stamp", "Stamps", "digest", "is_unchanged", "stamp_of", "stamps_of", "tool_stamp"]

Stamp = list[int | str]
"""Size in bytes, time of the last change in ns, and a digest of the content; empty for no file."""

Stamps = Mapping[str, Stamp]


def digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def stamp_of(path: str) -> Stamp:
    """The stamp of a file."""
    try:
        info = os.stat(path)
        return [info.st_size, info.st_mtime_ns, digest(Path(path).read_bytes())]
    except OSError:
        return []


def stamps_of(paths: Iterable[str]) -> dict[str, Stamp]:
    return {path: stamp_of(path) for path in paths}


def is_unchanged(path: str, stamp: Stamp) -> bool:
    """Whether a file has the content that it had. As for mypy, one that has the size and time it had is not read."""
    try:
        info = os.stat(path)
    except OSError:
        return not stamp
    if not stamp or info.st_size != stamp[0]:
        return False
    return info.st_mtime_ns == stamp[1] or stamp_of(path)[2:] == stamp[2:]


def tool_stamp() -> str:
    """Changes with the checker, the interpreter and the libraries that verdicts depend on."""
    parts = [sys.version]
    parts += _files(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    solver = find_spec("z3")
    parts += [_file(solver.origin)] if solver and solver.origin else []
    return digest("\n".join(sorted(parts)).encode())


def _files(folder: str) -> Iterator[str]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield _file(entry.path)
            elif entry.is_dir() and entry.name != "__pycache__":
                yield from _files(entry.path)


def _file(path: str) -> str:
    info = os.stat(path)
    return f"{path}:{info.st_size}:{info.st_mtime_ns}"
