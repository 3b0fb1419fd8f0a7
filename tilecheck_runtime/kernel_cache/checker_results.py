"""What was worked out about kernels, kept beside their machine code, so that a program need not do it again when it
starts: verdicts, and which code came of which function."""

from __future__ import annotations

import sys
from functools import cache
from pathlib import Path
from typing import Any, Final

from tilecheck_runtime.errors.compilation import CacheFolderError
from tilecheck_runtime.kernel_cache.folder import choose_folder, prepare_folder

__all__ = ["load_result", "runtime_signature", "store_result"]

_FOLDER: Final = "checked"
_MOST: Final = 4096
"""Entries of a kind."""
_EVERY: Final = 64
"""Entries of a kind that one program adds before it counts them."""
_added: dict[str, int] = {}


def load_result(kind: str, *parts: bytes | str) -> Any:
    """What was kept under a kind and everything that it depends on; None where there is nothing."""
    from tilecheck.pipeline.cache import digest

    store = _store(choose_folder())
    return None if store is None else store.load(kind, digest(*parts))


def store_result(value: object, kind: str, *parts: bytes | str) -> None:
    """Keeps a value, where there is a place for it."""
    from tilecheck.pipeline.cache import digest

    store = _store(choose_folder())
    if store is not None:
        store.store(kind, digest(*parts), value)
        _added[kind] = _added.get(kind, 0) + 1
        if _added[kind] % _EVERY == 0:
            store.prune(kind, _MOST)


@cache
def _store(folder: Path | None) -> Any:
    """The cache of the checker in the folder of kernels: what is in it is authenticated by a key of the user's. None
    where that is impossible, which costs time and nothing else."""
    if folder is None:
        return None
    from tilecheck.pipeline.cache import open_cache

    try:
        prepare_folder(folder)
        return open_cache(folder / _FOLDER)
    except (OSError, CacheFolderError):
        return None


@cache
def runtime_signature() -> str:
    """Another one whenever this package or the interpreter is."""
    from tilecheck.pipeline.cache import digest, tool_signature

    package = Path(__file__).parent.parent
    files = ((path, path.stat()) for path in sorted(package.rglob("*.py")))
    return digest(tool_signature(), sys.version, *(f"{p}:{s.st_size}:{s.st_mtime_ns}" for p, s in files))
