"""Launches of corpus kernels with the results that they must have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import ml_dtypes
import numpy as np

BF16 = ml_dtypes.bfloat16
F16, F32, I32 = np.float16, np.float32, np.int32


@dataclass(frozen=True)
class Run:
    """One launch.

    args       in order
    expected   position of an argument, what it must hold afterwards
    tolerance  relative and absolute
    findings   codes that the sanitizer reports, rightly; `why` says what they mean
    """

    grid: tuple[int, ...]
    args: tuple[Any, ...]
    expected: Mapping[int, Any]
    tolerance: float = 1e-5
    findings: frozenset[str] = field(default_factory=frozenset)
    why: str = ""


Build = Callable[[np.random.Generator], Run]
EXAMPLES: dict[str, tuple[str, str, Build]] = {}
"""By name: the module under `tilegym`, the kernel, and its launch."""


def example(module: str, kernel: str, variant: str = "") -> Callable[[Build], Build]:
    """Registers a launch of a kernel."""

    def register(build: Build) -> Build:
        name = f"{module}::{kernel}" + (f"[{variant}]" if variant else "")
        assert name not in EXAMPLES, name
        EXAMPLES[name] = (module, kernel, build)
        return build

    return register


def normal(rng: np.random.Generator, *shape: int, dtype: Any = F32) -> Any:
    return rng.standard_normal(shape).astype(dtype)


def to_double(x: Any) -> Any:
    """As double precision."""
    return np.asarray(x).astype(np.float64)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-to_double(x)))


def softmax(x: Any, axis: int = -1) -> Any:
    e = np.exp(to_double(x) - to_double(x).max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def erf(x: Any) -> Any:
    from math import erf as scalar

    return np.vectorize(scalar, otypes=[np.float64])(to_double(x))


def gelu(x: Any) -> Any:
    x = to_double(x)
    return 0.5 * x * (1 + erf(x / np.sqrt(2)))


def gelu_tanh(x: Any) -> Any:
    x = to_double(x)
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))


def slope(function: Callable[[Any], Any], x: Any) -> Any:
    """Numerical derivative."""
    h = 1e-5
    return (function(to_double(x) + h) - function(to_double(x) - h)) / (2 * h)


def next_power_of_2(n: int) -> int:
    return 1 << (n - 1).bit_length()


def cdiv(a: int, b: int) -> int:
    return -(-a // b)
