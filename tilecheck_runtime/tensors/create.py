"""New tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tilecheck_runtime.backends.select import backend_of
from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.tensors import random
from tilecheck_runtime.tensors.dtypes import element_type
from tilecheck_runtime.tensors.layouts import extents
from tilecheck_runtime.tensors.reading import strided
from tilecheck_runtime.tensors.tensor import Tensor, fresh

__all__ = ["arange", "empty", "eye", "filled_from", "full", "linspace", "ones", "rand", "randn", "zeros"]


def filled_from(values: Any, dtype: DType) -> Tensor:
    """A tensor with the elements of a NumPy array, which has that element type."""
    made = fresh(values.shape, dtype)
    backend_of(made._storage.memory.device).upload(values, strided(made))
    return made


def full(shape: Any, value: complex, dtype: Any) -> Tensor:
    """A tensor that holds one value. Raises TypeError and ValueError for what is no shape or element type."""
    kind = element_type(dtype)
    return filled_from(np.full(extents(shape), value).astype(kind.storage), kind)


def zeros(shape: Any, dtype: Any) -> Tensor:
    """A tensor of zeros. Raises as `full` does."""
    return full(shape, 0, dtype)


def ones(shape: Any, dtype: Any) -> Tensor:
    """A tensor of ones. Raises as `full` does."""
    return full(shape, 1, dtype)


def empty(shape: Any, dtype: Any, *, unsafe: str) -> Tensor:
    """A tensor with whatever its memory held before. An opt-out: `unsafe` says why nothing reads it too early.

    Raises TypeError when the reason is empty.
    """
    if not isinstance(unsafe, str) or not unsafe.strip():
        raise TypeError('memory that nobody filled is an opt-out: write `empty(shape, dtype, unsafe="why")` or `zeros`')
    return fresh(extents(shape), element_type(dtype))


def arange(*bounds: float, dtype: Any) -> Tensor:
    """`arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`, as NumPy's, converted at the end."""
    kind = element_type(dtype)
    return filled_from(np.arange(*bounds).astype(kind.storage), kind)


def linspace(start: float, stop: float, count: int, dtype: Any) -> Tensor:
    """`count` numbers at equal distances, both ends included."""
    kind = element_type(dtype)
    return filled_from(np.linspace(start, stop, count).astype(kind.storage), kind)


def eye(rows: int, columns: int | None = None, *, dtype: Any) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    kind = element_type(dtype)
    return filled_from(np.eye(rows, columns).astype(kind.storage), kind)


def rand(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Random numbers, at least 0 and less than 1: the same for the same seed on every backend."""
    kind = element_type(dtype)
    return filled_from(random.uniform(extents(shape), kind, seed), kind)


def randn(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Random numbers of a normal distribution: the same for the same seed on every backend."""
    kind = element_type(dtype)
    return filled_from(random.normal(extents(shape), kind, seed), kind)
