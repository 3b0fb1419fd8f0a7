"""Python's builtins as kernels know them: `range` counts in int32, `min` works on tiles, `float` means float32."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterator
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.arrays import ArrayList
from tilecheck_runtime.cpu.dtypes import DTYPES, FLOAT32, INT32, INT64, INTEGRAL, DType
from tilecheck_runtime.cpu.machine import track_loop
from tilecheck_runtime.cpu.operations.elementwise import maximum, minimum
from tilecheck_runtime.cpu.tile import Tile, convert, scalar
from tilecheck_runtime.errors.language import TileTypeError, TileValueError

__all__ = ["DEVICE_BUILTINS", "DeviceRange"]


class DeviceRange:
    """`range` in a kernel. Its counters are int32 scalars, int64 where a bound is."""

    def __init__(self, *bounds: Any) -> None:
        numbers = [operator.index(b) for b in bounds]
        if len(numbers) == 3 and numbers[2] < 1:
            raise TileValueError(f"range with step {numbers[2]}: steps must be positive")
        self._range = builtins.range(*numbers)
        self._wide = any(type(b) is Tile and b.dtype is INT64 for b in bounds)

    def as_range(self) -> builtins.range:
        """The same with Python integers, for loops that are unrolled."""
        return self._range

    def __iter__(self) -> Iterator[Tile]:
        make, dtype = (np.int64, INT64) if self._wide else (np.int32, INT32)
        for value in track_loop(iter(self._range)):
            yield Tile(make(value), dtype)

    def __len__(self) -> int:
        return len(self._range)

    def __contains__(self, item: Any) -> bool:
        return operator.index(item) in self._range

    def __getitem__(self, index: Any) -> Any:
        return self._range[index]

    def __reversed__(self) -> Iterator[int]:
        return reversed(self._range)


def _extremum(combine: Callable[[Any, Any], Any], plain: Callable[..., Any]) -> Callable[..., Any]:
    def operation(*items: Any, **options: Any) -> Any:
        given = items[0] if len(items) == 1 else items
        if not options and isinstance(given, tuple) and any(type(i) is Tile for i in given):
            result = given[0]
            for item in given[1:]:
                result = combine(result, item)
            return result
        return plain(*items, **options)

    return operation


class _Conversion(type):
    """Calls of `int`, `float` and `bool` convert tiles; they still are the types of Python values."""

    plain: type
    target: DType | None

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        value = args[0] if args else None
        if type(value) is not Tile or kwargs:
            return cls.plain(*args, **kwargs)
        if value.ndim:
            raise TileTypeError(f"{cls.__name__}() of a tile of shape {value.shape}")
        if value.constant:
            return cls.plain(value.data.item())
        target = cls.target
        if target is None:
            target = value.dtype if value.dtype.category == INTEGRAL else INT32
        return convert(value, target)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.plain)

    def __subclasscheck__(cls, subclass: type) -> bool:
        return issubclass(subclass, cls.plain)

    def __eq__(cls, other: object) -> bool:
        return other is cls or other is cls.plain

    def __hash__(cls) -> int:
        return hash(cls.plain)


def _conversion(plain: type, target: DType | None) -> Any:
    return _Conversion(plain.__name__, (), {"plain": plain, "target": target})


def _length(value: Any) -> Any:
    return scalar(len(value), INT32) if isinstance(value, ArrayList) else len(value)



DEVICE_BUILTINS: Final[dict[str, Any]] = {
    "range": DeviceRange, "min": _extremum(minimum, builtins.min), "max": _extremum(maximum, builtins.max),
    "int": _conversion(int, None), "float": _conversion(float, FLOAT32), "bool": _conversion(bool, DTYPES["bool_"]),
    "len": _length,
}
