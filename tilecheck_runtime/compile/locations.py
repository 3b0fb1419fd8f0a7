"""Locations in the author's source that messages of a compiler refer to."""

from __future__ import annotations

import inspect
import os
from collections.abc import Iterable
from types import FunctionType

from tilecheck_runtime.tile_language.kernels import AUTHORED

__all__ = ["authored_function", "location_of"]


def authored_function(function: FunctionType) -> FunctionType:
    """Returns the author's function that a function was generated from."""
    found = getattr(function, AUTHORED, function)
    return found if isinstance(found, FunctionType) else function


def location_of(function: FunctionType, places: Iterable[tuple[str | None, int | None]] = ()) -> str:
    """Returns file and line in the author's source: the first of `places` that the author wrote, else the kernel."""
    for file, line in places:
        if file and line and os.path.exists(file) and not _is_dialect_file(file):
            return f"{file}:{line}"
    kernel = authored_function(function)
    return f"{inspect.getsourcefile(kernel) or kernel.__code__.co_filename}:{_definition_line(kernel)}"


def _definition_line(kernel: FunctionType) -> int:
    """The line of `def`, below the decorators."""
    first = kernel.__code__.co_firstlineno
    try:
        lines, _ = inspect.getsourcelines(kernel)
    except (OSError, TypeError):
        return first
    return next((first + n for n, line in enumerate(lines) if line.lstrip().startswith("def ")), first)


def _is_dialect_file(file: str) -> bool:
    from tilecheck_runtime.dialect import device

    return os.path.realpath(file).startswith(os.path.dirname(os.path.realpath(device.__file__)) + os.sep)
