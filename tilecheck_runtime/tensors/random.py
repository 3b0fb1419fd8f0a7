"""Random numbers that depend only on the seed: generated on the host, equal for every backend."""

from __future__ import annotations

import math
import operator
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.tile import cast

__all__ = ["random_normal", "random_uniform"]

DIGITS: Final = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8, "float8_e4m3fn": 4, "float8_e5m2": 3}
"""Binary digits of the numbers of a type."""


def _bits(shape: tuple[int, ...], seed: int, stream: int) -> Any:
    """63 random bits for each element. Philox is counter-based, so the bits depend only on key and position."""
    key = np.array([operator.index(seed) & (1 << 64) - 1, stream], np.uint64)
    source = np.random.Philox(key=key)
    return (source.random_raw(math.prod(shape)) >> np.uint64(1)).reshape(shape)


def _digits(dtype: DType) -> int:
    if dtype.name not in DIGITS:
        raise TypeError(f"random numbers are {', '.join(DIGITS)}, not {dtype}: convert them with `.astype(...)`")
    return DIGITS[dtype.name]


def random_uniform(shape: tuple[int, ...], dtype: DType, seed: int) -> Any:
    """Numbers from 0, inclusive, to 1, exclusive, in steps of the type. Raises TypeError for an unsupported type."""
    digits = _digits(dtype)
    steps = _bits(shape, seed, 0) >> np.uint64(63 - digits)
    return (steps.astype(np.float64) / (1 << digits)).astype(dtype.storage)


def random_normal(shape: tuple[int, ...], dtype: DType, seed: int) -> Any:
    """Numbers with mean 0 and standard deviation 1, by the method of Box and Muller. Raises TypeError as
    `random_uniform` does."""
    _digits(dtype)
    first, second = ((_bits(shape, seed, stream) >> np.uint64(10)).astype(np.float64) for stream in (1, 2))
    radius = np.sqrt(-2.0 * np.log((first + 1.0) / (1 << 53)))
    return cast(radius * np.cos(2.0 * np.pi * second / (1 << 53)), dtype)
