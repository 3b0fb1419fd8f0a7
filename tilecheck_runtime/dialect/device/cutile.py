"""`cuda.tile`, or its stand-in if the package is not installed."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["ct"]


def _import_tile() -> Any:
    try:
        return import_module("cuda.tile")
    except ImportError:
        from tilecheck_runtime.standin.cutile import make_modules

        return make_modules()["cuda.tile"]


ct: Any = _import_tile()
