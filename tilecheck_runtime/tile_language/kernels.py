"""Kernel objects: the Python function of a kernel, and the limits of its grid."""

from __future__ import annotations

from types import FunctionType
from typing import Any, Final

__all__ = ["AUTHORED", "GRID_LIMIT", "function_of"]

AUTHORED: Final = "_tilecheck_kernel"
"""The attribute of a generated function that holds the kernel as its author wrote it."""


GRID_LIMIT: Final = (1 << 24) - 1


def function_of(kernel: Any) -> FunctionType:
    """The Python function of a kernel. Raises TypeError for other objects."""
    found = getattr(kernel, "_pyfunc", kernel)
    if not isinstance(found, FunctionType):
        raise TypeError(f"{kernel!r} is not a kernel")
    return found
