"""Results about kernels, stored beside their machine code, so that a program need not compute them at every start:
verdicts, and the bytecode of each function."""

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
"""Entries of a kind that one program adds between two prunings."""
_added: dict[str, int] = {}


def load_result(kind: str, *parts: bytes | str) -> Any:
    """Returns the value that was stored under a kind and its dependencies; None if there is none."""
    from tilecheck.pipeline.cache import digest

    store = _store(choose_folder())
    return None if store is None else store.load(kind, digest(*parts))


def store_result(value: object, kind: str, *parts: bytes | str) -> None:
    """Stores a value under a kind and its dependencies, if there is a cache folder."""
    from tilecheck.pipeline.cache import digest

    store = _store(choose_folder())
    if store is not None:
        store.store(kind, digest(*parts), value)
        _added[kind] = _added.get(kind, 0) + 1
        if _added[kind] % _EVERY == 0:
            store.prune(kind, _MOST)


@cache
def _store(folder: Path | None) -> Any:
    """The checker's cache in the folder of kernels; its contents are authenticated by a key of the user. None if it
    cannot be used, which costs only time."""
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
    """A digest that changes with this package and the interpreter."""
    from tilecheck.pipeline.cache import digest, tool_signature

    package = Path(__file__).parent.parent
    files = ((path, path.stat()) for path in sorted(package.rglob("*.py")))
    return digest(tool_signature(), sys.version, *(f"{p}:{s.st_size}:{s.st_mtime_ns}" for p, s in files))
