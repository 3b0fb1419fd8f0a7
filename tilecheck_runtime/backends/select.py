"""The backend that tensors are made on."""

from __future__ import annotations

import functools

from tilecheck_runtime.backends.cpu import CPU
from tilecheck_runtime.backends.interface import Backend

__all__ = ["backend_of", "current"]


@functools.cache
def _cpu() -> CPU:
    return CPU()


def current() -> Backend:
    """The backend for new tensors."""
    return _cpu()


def backend_of(device: str) -> Backend:
    """The backend of a device. Raises LookupError for one that there is not."""
    if device != "cpu":
        raise LookupError(f"there is no backend for device {device!r}")
    return _cpu()
