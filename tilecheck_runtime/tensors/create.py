"""New tensors."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np

from tilecheck_runtime.backends.selection.select import backend_of
from tilecheck_runtime.cpu.dtypes import INTEGRAL, DType
from tilecheck_runtime.cpu.tile import cast
from tilecheck_runtime.ownership.handles import as_strided
from tilecheck_runtime.tensors import random
from tilecheck_runtime.tensors.dtypes import element_type
from tilecheck_runtime.tensors.layouts import extents
from tilecheck_runtime.tensors.tensor import Tensor, allocate_tensor

__all__ = ["arange", "empty", "eye", "full", "linspace", "ones", "rand", "randn", "upload_tensor", "zeros"]


def upload_tensor(values: Any, dtype: DType) -> Tensor:
    """A tensor with the elements of a NumPy array, which has that element type."""
    made = allocate_tensor(values.shape, dtype)
    backend_of(made._storage.memory.device).upload(values, as_strided(made))
    return made


def _tensor_of_numbers(values: Any, kind: DType) -> Tensor:
    """A tensor of NumPy's numbers. Raises as `_elements` does."""
    return upload_tensor(_elements(values, kind), kind)


def _elements(values: Any, kind: DType) -> Any:
    """NumPy's numbers as elements of a type: rounded to nearest, without their fraction in an integer.

    Raises OverflowError, as NumPy does, for a number that an integer type does not have.
    """
    if kind.category == INTEGRAL and values.size:
        info = np.iinfo(kind.storage)
        inside = (values >= info.min) & (values <= info.max)  # a NaN is not inside
        if not np.all(inside):
            raise OverflowError(f"{values[~inside].flat[0]} is outside of {kind}, which goes from {info.min} to "
                                f"{info.max}")
    return np.asarray(cast(values, kind))


def full(shape: Any, value: float, dtype: Any) -> Tensor:
    """A tensor that holds one value.

    Raises TypeError and ValueError for what is no shape, number or element type, and OverflowError for a number that
    an integer type does not have.
    """
    kind = element_type(dtype)
    number = np.asarray(value)
    if number.dtype.kind == "O" and isinstance(value, int):
        raise OverflowError(f"{value} is outside of every integer type")
    if number.ndim or number.dtype.kind not in "biuf":
        raise TypeError(f"a tensor is filled with one real number, not with {value!r}: for several write "
                        "`from_numpy(np.array(...))`")
    wanted = extents(shape)
    return _fill_tensor(wanted, _elements(number, kind) if math.prod(wanted) else _simple(0, kind), kind)


def _fill_tensor(shape: tuple[int, ...], element: Any, kind: DType) -> Tensor:
    made = allocate_tensor(shape, kind)
    backend_of(made._storage.memory.device).fill(element, as_strided(made))
    return made


@lru_cache(maxsize=256)
def _simple(number: int, kind: DType) -> Any:
    """A number that every type has, as an element."""
    return _elements(np.asarray(number), kind)


def zeros(shape: Any, dtype: Any) -> Tensor:
    """A tensor of zeros. Raises TypeError and ValueError for what is no shape or element type."""
    kind = element_type(dtype)
    return _fill_tensor(extents(shape), _simple(0, kind), kind)


def ones(shape: Any, dtype: Any) -> Tensor:
    """A tensor of ones. Raises as `zeros` does."""
    kind = element_type(dtype)
    return _fill_tensor(extents(shape), _simple(1, kind), kind)


def empty(shape: Any, dtype: Any, *, unsafe: str) -> Tensor:
    """A tensor with whatever its memory held before. An opt-out: `unsafe` says why nothing reads it too early.

    Raises TypeError when the reason is empty.
    """
    if not isinstance(unsafe, str) or not unsafe.strip():
        raise TypeError('memory that nobody filled is an opt-out: write `empty(shape, dtype, unsafe="why")` or `zeros`')
    return allocate_tensor(extents(shape), element_type(dtype))


def arange(*bounds: float, dtype: Any) -> Tensor:
    """`arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`, as NumPy's, converted at the end. Raises
    OverflowError as `full` does."""
    kind = element_type(dtype)
    return _tensor_of_numbers(np.arange(*bounds), kind)


def linspace(start: float, stop: float, count: int, dtype: Any) -> Tensor:
    """`count` numbers at equal distances, both ends included; for integers the next below each. Raises OverflowError as
    `full` does."""
    kind = element_type(dtype)
    values = np.linspace(start, stop, count)
    return _tensor_of_numbers(np.floor(values) if kind.category == INTEGRAL else values, kind)


def eye(rows: int, columns: int | None = None, *, dtype: Any) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    kind = element_type(dtype)
    return _tensor_of_numbers(np.eye(rows, columns), kind)


def rand(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Random numbers, at least 0 and less than 1: the same for the same seed on every backend."""
    kind = element_type(dtype)
    return upload_tensor(random.uniform(extents(shape), kind, seed), kind)


def randn(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Random numbers of a normal distribution: the same for the same seed on every backend."""
    kind = element_type(dtype)
    return upload_tensor(random.normal(extents(shape), kind, seed), kind)
