"""Tiles and element types of the fake `cuda.tile`: numpy underneath, Python scalars for 0-d values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tests.oracle import poison
from tests.oracle.machine import Ticks
from tests.oracle.poison import Marks


class UndefinedBehaviour(Exception):
    """The kernel did something that Tile IR leaves undefined, and cannot go on."""


class TileError(Exception):
    """The kernel is not a cuTile program for these constants (a tile extent that is not a power of two, ...)."""


class RankError(TileError):
    """An array has another rank than its use needs."""

    def __init__(self, array: str, rank: int, what: str) -> None:
        super().__init__(f"{what} needs rank {rank} of {array}")
        self.array, self.rank = array, rank


class DType:
    """An element type. Calling it converts."""

    __slots__ = ("bits", "kind", "name", "numpy")

    def __init__(self, name: str, kind: str, bits: int) -> None:
        self.name, self.kind, self.bits = name, kind, bits
        self.numpy: Any = {"b": np.bool_, "f": np.float64}.get(kind, np.int64)

    def __call__(self, value: Any) -> Tile:
        return astype(value, self)

    def __repr__(self) -> str:
        return self.name

    @property
    def bitwidth(self) -> int:
        return self.bits


def _dtypes() -> dict[str, DType]:
    table = {"bool_": DType("bool_", "b", 8)}
    for bits in (8, 16, 32, 64):
        table[f"int{bits}"] = DType(f"int{bits}", "i", bits)
        table[f"uint{bits}"] = DType(f"uint{bits}", "u", bits)
    floats = {"float16": 16, "float32": 32, "float64": 64, "bfloat16": 16, "tfloat32": 32, "float8_e4m3fn": 8,
              "float8_e5m2": 8, "float8_e8m0fnu": 8, "float8_e5m3fnu": 8, "float4_e2m1fn": 4}
    table.update({name: DType(name, "f", bits) for name, bits in floats.items()})
    return table


DTYPES = _dtypes()
_DEFAULT = {"b": DTYPES["bool_"], "i": DTYPES["int32"], "u": DTYPES["int32"], "f": DTYPES["float32"]}


def raw(value: Any) -> Any:
    """The numpy array or Python scalar under a value."""
    return value.data if isinstance(value, Tile) else value


def _kind_of(data: Any) -> str:
    if isinstance(data, np.ndarray):
        return data.dtype.kind
    return "b" if isinstance(data, (bool, np.bool_)) else "i" if isinstance(data, (int, np.integer)) else "f"


def _scalar(data: Any) -> Any:
    return data.item() if isinstance(data, (np.ndarray, np.generic)) and np.ndim(data) == 0 else data


class Tile:
    """An immutable tile. Unknown attributes are errors, so that a misspelt method does not pass.

    `marks` tells undefined lanes; see `poison`.
    """

    __slots__ = ("_dtype", "data", "marks")
    __array_ufunc__ = None

    def __init__(self, data: Any, dtype: DType | None = None, marks: Marks = None) -> None:
        self.data = _scalar(data)
        self._dtype = dtype
        self.marks = marks

    @property
    def dtype(self) -> DType:
        kind = _kind_of(self.data)
        given = self._dtype
        if given is not None and (given.kind == kind or {given.kind, kind} == {"i", "u"}):
            return given
        return _DEFAULT[kind]

    @property
    def shape(self) -> tuple[int, ...]:
        return np.shape(self.data)

    @property
    def ndim(self) -> int:
        return np.ndim(self.data)

    def item(self) -> Tile:
        return reshape(self, ())

    def extract(self, index: Any, shape: Any) -> Tile:
        return extract(self, index, shape)

    def insert(self, index: Any, value: Any) -> Tile:
        return insert(self, index, value)

    def reshape(self, shape: Any) -> Tile:
        return reshape(self, shape)

    def permute(self, axes: Any) -> Tile:
        return permute(self, axes)

    def transpose(self, axis0: int | None = None, axis1: int | None = None) -> Tile:
        return transpose(self, axis0, axis1)

    def astype(self, dtype: DType, *, rounding_mode: Any = None) -> Tile:
        return astype(self, dtype)

    def __getitem__(self, index: Any) -> Tile:
        parts = index if isinstance(index, tuple) else (index,)
        if any(p is not None and p is not Ellipsis and p != slice(None) for p in parts):
            raise TileError("a tile can only be indexed with None, ':' and '...'")
        return like(self, lambda data: np.asarray(data)[index])

    def __bool__(self) -> bool:
        Ticks.tick()
        if np.size(self.data) != 1:
            raise TileError("the truth value of a tile of several elements")
        poison.observe(self.marks, "branch")
        return bool(self.data)

    def __index__(self) -> int:
        poison.observe(self.marks, "index")
        return operator.index(self.data)

    def __int__(self) -> int:
        poison.observe(self.marks, "conversion")
        return int(self.data)

    def __float__(self) -> float:
        return float(self.data)

    def __neg__(self) -> Tile:
        return Tile(-self.data, self._dtype, self.marks)

    def __pos__(self) -> Tile:
        return self

    def __abs__(self) -> Tile:
        return Tile(abs(self.data), self._dtype, self.marks)

    def __invert__(self) -> Tile:
        if _kind_of(self.data) == "b":
            return Tile(np.logical_not(self.data), None, self.marks)
        return Tile(~self.data, self._dtype, self.marks)

    def __divmod__(self, other: Any) -> tuple[Tile, Tile]:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> tuple[Tile, Tile]:
        return other // self, other % self

    def __repr__(self) -> str:
        return f"Tile({self.data!r})"

    __hash__ = object.__hash__


def _guard_zero(divisor: Any) -> None:
    if isinstance(divisor, np.ndarray) and divisor.dtype.kind in "iu" and not divisor.all():
        raise UndefinedBehaviour("division by zero")


def _floordiv(a: Any, b: Any) -> Any:
    _guard_zero(b)
    return a // b


def _mod(a: Any, b: Any) -> Any:
    _guard_zero(b)
    return a % b


def _truediv(a: Any, b: Any) -> Any:
    if isinstance(b, (int, float)) and b == 0:
        return np.divide(a, np.float64(b))
    return a / b


def _power(a: Any, b: Any) -> Any:
    if _kind_of(a) == _kind_of(b) == "i":
        return a ** b
    return np.power(np.asarray(a, float), b)


OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "truediv": _truediv, "floordiv": _floordiv,
    "mod": _mod, "pow": _power, "and": operator.and_, "or": operator.or_, "xor": operator.xor,
    "lshift": operator.lshift, "rshift": operator.rshift, "matmul": operator.matmul,
}
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge, "eq": operator.eq, "ne": operator.ne,
}


def _dtype_of(value: Any) -> DType | None:
    return value._dtype if isinstance(value, Tile) else None


def marks_of(value: Any) -> Marks:
    return value.marks if isinstance(value, Tile) else None


def like(x: Any, change: Callable[[Any], Any], dtype: DType | None = None) -> Tile:
    """Moves the lanes of a tile about, and their marks with them."""
    marks = marks_of(x)
    return Tile(change(raw(x)), dtype or _dtype_of(x), None if marks is None else change(marks))


_DOMINANT = {operator.and_: False, operator.or_: True}


def _join_marks(function: Callable[[Any, Any], Any], a: Any, b: Any, result: Any) -> Marks:
    """Marks of the result of an operator."""
    if marks_of(a) is None and marks_of(b) is None:
        return None
    if function in _DOMINANT and _kind_of(raw(a)) == _kind_of(raw(b)) == "b":
        return poison.mark_absorbed(np.shape(result), raw(a), marks_of(a), raw(b), marks_of(b), _DOMINANT[function])
    if function is operator.matmul:
        return poison.mark_multiplied(np.shape(result), marks_of(a), marks_of(b))
    return poison.union(np.shape(result), marks_of(a), marks_of(b))


def binary(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Tile:
    """Applies an operator of scalars and arrays to tiles."""
    Ticks.tick()
    result = function(raw(a), raw(b))
    return Tile(result, _dtype_of(a) or _dtype_of(b), _join_marks(function, a, b, result))


def _compare(function: Callable[[Any, Any], Any], a: Any, b: Any) -> Tile:
    result = function(raw(a), raw(b))
    return Tile(result, None, _join_marks(function, a, b, result))


def _install() -> None:
    for name, function in OPERATORS.items():
        setattr(Tile, f"__{name}__", lambda a, b, f=function: binary(f, a, b))
        setattr(Tile, f"__r{name}__", lambda a, b, f=function: binary(f, b, a))
    for name, function in COMPARISONS.items():
        setattr(Tile, f"__{name}__", lambda a, b, f=function: _compare(f, a, b))


_install()


def to_whole_shape(shape: Any) -> tuple[int, ...]:
    """A shape or index as a tuple of integers; a bare integer is a tuple of one."""
    parts = shape if isinstance(shape, (tuple, list)) else (shape,)
    return tuple(operator.index(p) for p in parts)


def extents(shape: Any) -> tuple[int, ...]:
    """A tile shape: every extent a power of two."""
    result = to_whole_shape(shape)
    for extent in result:
        if extent < 1 or extent & (extent - 1):
            raise TileError(f"tile extent {extent} is not a power of two")
    return result


def astype(value: Any, dtype: DType, *, rounding_mode: Any = None) -> Tile:
    data = raw(value)
    if not isinstance(dtype, DType):
        dtype = DTYPES["float32"]  # of a host library that is not installed
    if isinstance(data, np.ndarray):
        with np.errstate(all="ignore"):
            if dtype.kind in "iu" and data.dtype.kind == "f":
                data = np.nan_to_num(data, nan=0.0, posinf=0.0, neginf=0.0)
            return Tile(data.astype(dtype.numpy), dtype, marks_of(value))
    if dtype.kind == "b":
        return Tile(bool(data), dtype, marks_of(value))
    if dtype.kind == "f":
        return Tile(float(data), dtype, marks_of(value))
    if isinstance(data, float) and not np.isfinite(data):
        data = 0
    return Tile(int(data), dtype, marks_of(value))


def reshape(x: Any, shape: Any) -> Tile:
    return like(x, lambda data: np.asarray(data).reshape(to_whole_shape(shape)))


def permute(x: Any, axes: Any) -> Tile:
    return like(x, lambda data: np.transpose(data, to_whole_shape(axes)))


def transpose(x: Any, axis0: Any = None, axis1: Any = None) -> Tile:
    data = raw(x)
    if axis0 is None:
        if np.ndim(data) != 2:
            raise TileError("transpose without axes needs a 2-d tile")
        return like(x, np.transpose)
    return like(x, lambda data: np.swapaxes(data, operator.index(axis0), operator.index(axis1)))


def extract(x: Any, index: Any, shape: Any) -> Tile:
    data, places, sizes = np.asarray(raw(x)), to_whole_shape(index), extents(shape)
    cut = tuple(slice(i * n, i * n + n) for i, n in zip(places, sizes, strict=True))
    piece = data[cut]
    if piece.shape != sizes:
        raise UndefinedBehaviour("extract outside the tile")
    return like(x, lambda data: np.asarray(data)[cut])


def insert(x: Any, index: Any, value: Any) -> Tile:
    data, piece = np.array(raw(x)), np.asarray(raw(value))
    sizes = piece.shape or (1,) * data.ndim
    cut = tuple(slice(i * n, i * n + n) for i, n in zip(to_whole_shape(index), sizes, strict=True))
    data[cut] = piece
    if marks_of(x) is None and marks_of(value) is None:
        return Tile(data, _dtype_of(x))
    marks = np.zeros(data.shape, dtype=np.int64) if marks_of(x) is None else np.array(marks_of(x))
    marks[cut] = 0 if marks_of(value) is None else marks_of(value)
    return Tile(data, _dtype_of(x), marks)
