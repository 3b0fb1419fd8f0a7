"""Repeated launches of kernels of cuTile (`tilecheck_runtime.launch`).

Guards of these launches depend only on what `launch_key` reads, so a launch with the key of one that passed passes as
well. Most launches equal the last one of their kernel, with which they are compared value by value; others are looked
up by their key.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from tilecheck.decorators import ATTRIBUTE

__all__ = ["has_passed", "launch_key", "remember_launch", "repeats_last_launch"]

_MOST: Final = 4096
"""Launches that are remembered before all of them are forgotten."""
_PASSED: Final[dict[tuple[Any, ...], object]] = {}
"""Keys of launches that passed, each with the declarations that occur in the key by their identity, to keep them
alive."""


class _LastLaunch:
    """The last launch of a kernel that passed its guards.

    types       of the numbers in the grid
    expected    for each argument its type, how it is compared, and what its reader returned
    attributes  of the function; its author's declarations are among them
    declared    these declarations at the time of the launch
    """

    __slots__ = ("attributes", "count", "declared", "expected", "grid", "types")

    def __init__(self, kernel: Any, grid: Any, values: Sequence[Any], tokens: Sequence[Any]) -> None:
        self.grid, self.types, self.count = grid, tuple(map(type, grid)), len(values)
        self.expected = tuple([(type(v), _HOW.get(_READERS[type(v)], _ASKED), t)
                               for v, t in zip(values, tokens, strict=True)])
        self.attributes: Mapping[str, Any] = vars(kernel._pyfunc)
        self.declared = self.attributes.get(ATTRIBUTE)


_LAST: Final[dict[Any, _LastLaunch]] = {}
"""By kernel."""


class _NotComparable(Exception):
    """An argument that can change without a visible difference."""


def repeats_last_launch(kernel: Any, grid: Any, values: Sequence[Any], ordinal: Callable[[int], int | None]) -> bool:
    """Returns whether a launch equals the last launch of its kernel that passed, in everything that guards read. This
    is the cost of a guarded launch, so it is written out."""
    try:
        last = _LAST[kernel]
        if (grid is not last.grid and (grid != last.grid or tuple(map(type, grid)) != last.types)) or (
                len(values) != last.count) or last.attributes.get(ATTRIBUTE) is not last.declared:
            return False
        for value, (kind, how, token) in zip(values, last.expected):  # noqa: B905  # as many, and faster
            if type(value) is not kind:
                return False
            if how is _TENSOR:
                address, shape, strides, dtype, device = token
                if (value.data_ptr() != address or value.shape != shape or value.stride() != strides
                        or value.dtype is not dtype or value.get_device() != device):
                    return False
            elif how is _NUMBER:
                if value != token:
                    return False
            elif _READERS[kind](value, ordinal) != token:
                return False
        return True
    except (_NotComparable, AttributeError, KeyError, TypeError):
        return False


def launch_key(kernel: Any, grid: Any, values: Sequence[Any],
               ordinal: Callable[[int], int | None]) -> tuple[Any, ...] | None:
    """Returns everything about a launch that its guards read; None if it cannot be read completely. `ordinal` returns
    the device of an address."""
    for value in values:
        if type(value) not in _READERS:
            _READERS[type(value)] = _choose_reader(value)
    try:
        tokens = [_READERS[type(value)](value, ordinal) for value in values]
        declared = vars(kernel._pyfunc).get(ATTRIBUTE)
        if not all(isinstance(n, (int, np.integer)) for n in grid):
            return None  # may change its value without being another object
        key = (kernel, id(declared), grid, *map(type, grid), *map(type, values), *tokens)
        hash(key)
    except (_NotComparable, AttributeError, KeyError, TypeError):  # also for invalid kernels, grids and arrays
        return None
    return key


def has_passed(key: tuple[Any, ...]) -> bool:
    """Returns whether a launch with this key passed its guards."""
    return key in _PASSED


def remember_launch(key: tuple[Any, ...], kernel: Any, grid: Any, values: Sequence[Any]) -> None:
    """Records that a launch passed its guards."""
    if len(_PASSED) >= _MOST:
        _PASSED.clear()
        _LAST.clear()
    _PASSED[key] = vars(kernel._pyfunc).get(ATTRIBUTE)
    _LAST[kernel] = _LastLaunch(kernel, grid, values, key[len(key) - len(values):])


_Reader = Callable[[Any, Callable[[int], "int | None"]], object]


def _read_torch_tensor(tensor: Any, ordinal: Callable[[int], int | None]) -> object:
    if not tensor.is_cuda:
        raise _NotComparable
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.get_device()


def _read_array_interface(array: Any, ordinal: Callable[[int], int | None]) -> object:
    interface = array.__cuda_array_interface__
    strides, data = interface.get("strides"), tuple(interface["data"])
    return (data, tuple(interface["shape"]), None if strides is None else tuple(strides), interface["typestr"],
            ordinal(int(data[0])))


def _read_number(value: Any, ordinal: Callable[[int], int | None]) -> object:
    return value


def _round_float(value: Any, ordinal: Callable[[int], int | None]) -> object:
    """The integers on both sides, with which guards check a clause."""
    return (math.floor(value), math.ceil(value)) if math.isfinite(value) else float


def _refuse_value(value: Any, ordinal: Callable[[int], int | None]) -> object:
    raise _NotComparable


_READERS: Final[dict[type, _Reader]] = {int: _read_number, bool: _read_number, float: _round_float}
_TENSOR, _NUMBER, _ASKED = object(), object(), object()
_HOW: Final[dict[_Reader, object]] = {_read_torch_tensor: _TENSOR, _read_number: _NUMBER}


def _choose_reader(value: Any) -> _Reader:
    """Returns the reader for the type of a value."""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr"):
        return _read_torch_tensor
    return _read_array_interface if hasattr(kind, "__cuda_array_interface__") or hasattr(
        value, "__cuda_array_interface__") else _refuse_value
