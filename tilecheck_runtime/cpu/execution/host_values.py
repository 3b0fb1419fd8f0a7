"""Values that expressions of the host see, inside `static_eval` and its relatives."""

from __future__ import annotations

import dataclasses
import operator
import sys
from collections.abc import Callable
from typing import Any, Final

from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["HostValue", "known_value", "to_device", "to_host"]


class HostValue:
    """A value that is not known when the kernel is compiled: its type and shape are, and nothing else."""

    __slots__ = ("_value", "_view")

    def __init__(self, value: Any, view: Callable[[Any], Any]) -> None:
        self._value, self._view = value, view

    def __getattr__(self, name: str) -> Any:
        return self._view(getattr(self._value, name))

    def __bool__(self) -> bool:
        raise TileTypeError("a value that is not known when the kernel is compiled is not a condition")

    def __getitem__(self, index: Any) -> Any:
        return self._view(self._value[index])

    __hash__ = object.__hash__


def _forward(function: Callable[..., Any], swapped: bool) -> Callable[..., Any]:
    def operation(host: HostValue, *others: Any) -> Any:
        operands = [host._value, *map(known_value, others)]
        return host._view(function(*(reversed(operands) if swapped else operands)))

    return operation


def known_value(value: Any) -> Any:
    """The device value of one that is not known; other values are themselves."""
    return value._value if type(value) is HostValue else value


_BINARY: Final = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor",
                  "matmul")
for _name in (*_BINARY, "lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert", "abs"):
    setattr(HostValue, f"__{_name}__", _forward(getattr(operator, f"__{_name}__"), False))
for _name in _BINARY:
    setattr(HostValue, f"__r{_name}__", _forward(getattr(operator, f"__{_name}__"), True))


def to_host(value: Any, original: Callable[[Any], Any]) -> Any:
    """A device value as the host sees it. `original` gives the object that a translated one stands for."""

    def view(item: Any) -> Any:
        return to_host(item, original)

    kind = type(value)
    if kind is Tile:
        return value.data.item() if value.constant else HostValue(value, view)
    if kind is DType:
        return getattr(sys.modules.get("cuda.tile"), value.name, value)
    if kind is tuple:
        return tuple(map(view, value))
    if kind.__module__.startswith("tilecheck_runtime.cpu."):
        return HostValue(value, view)
    if dataclasses.is_dataclass(kind) and original(kind) is not kind:
        return _copy_fields(value, original(kind), view)
    return original(value)


def to_device(value: Any, translated: Callable[[Any], Any]) -> Any:
    """The result of an expression of the host, in the kernel."""
    if type(value) is HostValue:
        return value._value
    if type(value) in (tuple, list):
        return type(value)(to_device(item, translated) for item in value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return _copy_fields(value, translated(type(value)), lambda item: to_device(item, translated))
    return translated(value)


def _copy_fields(value: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    copy: Any = object.__new__(kind)
    for field in dataclasses.fields(value):
        object.__setattr__(copy, field.name, change(getattr(value, field.name)))
    return copy
