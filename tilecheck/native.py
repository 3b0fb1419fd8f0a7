"""Whether the modules that a run spends most of its time in are compiled in this installation."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from typing import Final

__all__ = ["compiled_library"]

_LIBRARY: Final = "tilecheck__mypyc"


def compiled_library() -> Path | None:
    """The extension module that holds all compiled code, next to the package; None where sources are interpreted."""
    folder = Path(__file__).resolve().parents[1]
    found = (folder / (_LIBRARY + suffix) for suffix in EXTENSION_SUFFIXES)
    return next((path for path in found if path.is_file()), None)
