"""The backend for new tensors: a GPU if there is one, else the CPU; TILECHECK_BACKEND overrides the choice."""

from __future__ import annotations

import functools
import os
from typing import Final

from tilecheck_runtime.backends.cpu.backend import CPU
from tilecheck_runtime.backends.interface import Backend

__all__ = ["backend_of", "current"]

CHOICE: Final = "TILECHECK_BACKEND"
"""Environment variable: "cpu", or "cuda" with or without a number ("cuda:1")."""


@functools.cache
def _cpu() -> CPU:
    return CPU()


@functools.cache
def _cuda(ordinal: int) -> Backend:
    from tilecheck_runtime.backends.cuda.backend import CUDA

    return CUDA(ordinal)


def current() -> Backend:
    """The backend for new tensors. Raises ValueError for an invalid choice, and NoGPUError if the requested GPU cannot
    be used."""
    return _choose(os.environ.get(CHOICE, ""))


@functools.lru_cache(maxsize=16)
def _choose(choice: str) -> Backend:
    if choice == "":
        return _cuda(0) if _has_gpu() else _cpu()
    return backend_of("cuda:0" if choice == "cuda" else choice)


def _has_gpu() -> bool:
    from tilecheck_runtime.backends.cuda.driver import driver
    from tilecheck_runtime.backends.cuda.errors import NoGPUError

    try:
        driver()
    except NoGPUError:
        return False
    return True


def backend_of(device: str) -> Backend:
    """The backend of a device: "cpu", "cuda:0". Raises LookupError for an unknown device, and NoGPUError for a GPU that
    cannot be used."""
    kind, _, number = device.partition(":")
    if device == "cpu":
        return _cpu()
    if kind == "cuda" and number.isdecimal():
        return _cuda(int(number))
    raise LookupError(f"there is no backend for device {device!r}: {CHOICE} is `cpu`, `cuda`, or `cuda:` with a number")
