"""Raw launches that are just like one before: the guards of raw launches look at nothing else than what is told here,
so what they let through they would let through again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from tilecheck.declare import ATTRIBUTE

__all__ = ["passed", "remember", "told"]

_MOST: Final = 4096
"""Launches that are unlike each other, before all of them are forgotten."""
_PASSED: Final[dict[tuple[Any, ...], object]] = {}
"""With what keeps the objects alive that stand in a key by their number only."""


class _Untold(Exception):
    """An argument that may be another one without looking so."""


def told(kernel: Any, grid: Any, values: Sequence[Any], ordinal: Callable[[int], int | None]) -> tuple[Any, ...] | None:
    """Everything about a launch that its guards look at; None where that is more than can be told. `ordinal` finds the
    device of an address."""
    for value in values:
        if type(value) not in _READERS:
            _READERS[type(value)] = _reader_of(value)
    try:
        tokens = [_READERS[type(value)](value, ordinal) for value in values]
        declared = vars(kernel._pyfunc).get(ATTRIBUTE)
        key = (kernel, id(declared), grid, *map(type, grid), *tokens)
        hash(key)
    except (_Untold, AttributeError, KeyError, TypeError):  # also what is no kernel, no grid, or no array
        return None
    return key


def passed(key: tuple[Any, ...]) -> bool:
    """Whether the guards let it through before."""
    return key in _PASSED


def remember(key: tuple[Any, ...], kernel: Any) -> None:
    """Says that they did."""
    if len(_PASSED) >= _MOST:
        _PASSED.clear()
    _PASSED[key] = vars(kernel._pyfunc).get(ATTRIBUTE)


_Reader = Callable[[Any, Callable[[int], "int | None"]], object]


def _of_torch(tensor: Any, ordinal: Callable[[int], int | None]) -> object:
    if not tensor.is_cuda:
        raise _Untold
    return tensor.data_ptr(), tensor.shape, tensor.stride(), tensor.dtype, tensor.get_device()


def _of_interface(array: Any, ordinal: Callable[[int], int | None]) -> object:
    interface = array.__cuda_array_interface__
    strides, data = interface.get("strides"), tuple(interface["data"])
    return (data, tuple(interface["shape"]), None if strides is None else tuple(strides), interface["typestr"],
            ordinal(int(data[0])))


def _of_number(value: Any, ordinal: Callable[[int], int | None]) -> object:
    return type(value), value


def _of_float(value: Any, ordinal: Callable[[int], int | None]) -> object:
    return float  # contracts do not speak of it


def _of_others(value: Any, ordinal: Callable[[int], int | None]) -> object:
    raise _Untold


_READERS: Final[dict[type, _Reader]] = {int: _of_number, bool: _of_number, float: _of_float}


def _reader_of(value: Any) -> _Reader:
    """How values of a type are told apart."""
    kind = type(value)
    if kind.__module__.partition(".")[0] == "torch" and hasattr(value, "data_ptr"):
        return _of_torch
    return _of_interface if hasattr(kind, "__cuda_array_interface__") or hasattr(
        value, "__cuda_array_interface__") else _of_others
