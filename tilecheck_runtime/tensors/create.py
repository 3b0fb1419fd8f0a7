"""Creation of tensors."""

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
    """Creates a tensor from a NumPy array of that element type."""
    made = allocate_tensor(values.shape, dtype)
    backend_of(made._storage.memory.device).upload(values, as_strided(made))
    return made


def _tensor_of_numbers(values: Any, kind: DType) -> Tensor:
    """Creates a tensor from NumPy numbers. Raises the errors of `_elements`."""
    return upload_tensor(_elements(values, kind), kind)


def _elements(values: Any, kind: DType) -> Any:
    """Converts NumPy numbers to elements of a type: rounded to nearest, truncated for integers.

    Raises OverflowError, as NumPy does, for a number outside the range of an integer type.
    """
    if kind.category == INTEGRAL and values.size:
        info = np.iinfo(kind.storage)
        inside = (values >= info.min) & (values <= info.max)  # a NaN is not inside
        if not np.all(inside):
            raise OverflowError(f"{values[~inside].flat[0]} is outside of {kind}, which goes from {info.min} to "
                                f"{info.max}")
    return np.asarray(cast(values, kind))


def full(shape: Any, value: float, dtype: Any) -> Tensor:
    """Creates a tensor filled with one value.

    Raises TypeError and ValueError for an invalid shape, number or element type, and OverflowError for a number outside
    the range of an integer type.
    """
    kind = element_type(dtype)
    number = np.asarray(value)
    if number.dtype.kind == "O" and isinstance(value, int):
        raise OverflowError(f"{value} is outside of every integer type")
    if number.ndim or number.dtype.kind not in "biuf":
        raise TypeError(f"a tensor is filled with one real number, not with {value!r}: for several write "
                        "`from_numpy(np.array(...))`")
    wanted = extents(shape)
    return _fill_tensor(wanted, _elements(number, kind) if math.prod(wanted) else _simple_element(0, kind), kind)


def _fill_tensor(shape: tuple[int, ...], element: Any, kind: DType) -> Tensor:
    made = allocate_tensor(shape, kind)
    backend_of(made._storage.memory.device).fill(element, as_strided(made))
    return made


@lru_cache(maxsize=256)
def _simple_element(number: int, kind: DType) -> Any:
    """A number that every type has, as an element."""
    return _elements(np.asarray(number), kind)


def zeros(shape: Any, dtype: Any) -> Tensor:
    """Creates a tensor of zeros. Raises TypeError and ValueError for an invalid shape or element type."""
    kind = element_type(dtype)
    return _fill_tensor(extents(shape), _simple_element(0, kind), kind)


def ones(shape: Any, dtype: Any) -> Tensor:
    """Creates a tensor of ones. Raises as `zeros` does."""
    kind = element_type(dtype)
    return _fill_tensor(extents(shape), _simple_element(1, kind), kind)


def empty(shape: Any, dtype: Any, *, unsafe: str) -> Tensor:
    """Creates a tensor with arbitrary contents. `unsafe` gives the reason why no code reads it before it is written.

    Raises TypeError if the reason is empty.
    """
    if not isinstance(unsafe, str) or not unsafe.strip():
        raise TypeError('uninitialized memory needs a reason: write `empty(shape, dtype, unsafe="why")` or `zeros`')
    return allocate_tensor(extents(shape), element_type(dtype))


def arange(*bounds: float, dtype: Any) -> Tensor:
    """`arange(stop)`, `arange(start, stop)` or `arange(start, stop, step)`, as in NumPy, converted at the end. Raises
    OverflowError as `full` does."""
    kind = element_type(dtype)
    return _tensor_of_numbers(np.arange(*bounds), kind)


def linspace(start: float, stop: float, count: int, dtype: Any) -> Tensor:
    """Creates `count` equidistant numbers, both ends included, rounded down for integers. Raises OverflowError as
    `full` does."""
    kind = element_type(dtype)
    values = np.linspace(start, stop, count)
    return _tensor_of_numbers(np.floor(values) if kind.category == INTEGRAL else values, kind)


def eye(rows: int, columns: int | None = None, *, dtype: Any) -> Tensor:
    """Ones on the diagonal, zeros elsewhere."""
    kind = element_type(dtype)
    return _tensor_of_numbers(np.eye(rows, columns), kind)


def rand(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Creates random numbers from 0, inclusive, to 1, exclusive; equal for equal seeds on every backend."""
    kind = element_type(dtype)
    return upload_tensor(random.random_uniform(extents(shape), kind, seed), kind)


def randn(shape: Any, dtype: Any, *, seed: int = 0) -> Tensor:
    """Creates random numbers of a normal distribution; equal for equal seeds on every backend."""
    kind = element_type(dtype)
    return upload_tensor(random.random_normal(extents(shape), kind, seed), kind)
