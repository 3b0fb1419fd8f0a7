"""Tiles: immutable arrays of an element type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.dtypes import DTYPES, FLOAT, INTEGRAL, DType, as_dtype
from tilecheck_runtime.cpu.rounding import to_single
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.errors.language import TileTypeError, TileValueError

__all__ = ["Tile", "as_integers", "axis_of", "cast", "extend", "extents", "raw", "scalar", "to_tf32"]

BOOL = DTYPES["bool_"]


class Tile:
    """A tile, or a scalar of known type when it has no axes. Its operators are installed by `operations.elementwise`,
    and its text by `operations.output`.

    data      NumPy array or scalar of the storage type of `dtype`
    taint     undefined lanes and pending acquires, None for most tiles
    constant  whether the compiler knows the value; of scalars
    """

    __slots__ = ("constant", "data", "dtype", "taint")
    __array_ufunc__ = None
    __iter__ = None

    def __init__(self, data: Any, dtype: DType, taint: Taint | None = None, constant: bool = False) -> None:
        self.data = data
        self.dtype = dtype
        self.taint = taint
        self.constant = constant

    @property
    def shape(self) -> tuple[int, ...]:
        return self.data.shape  # type: ignore[no-any-return]

    @property
    def ndim(self) -> int:
        return self.data.ndim  # type: ignore[no-any-return]

    def _scalar(self, what: str) -> Any:
        """The value as a Python number, on which the kernel then depends."""
        if self.data.ndim:
            raise TileTypeError(f"{what} must be a scalar, not a tile of shape {self.shape}")
        if self.taint is not None:
            machine.observe(self.taint, what)
        return self.data.item()

    def __bool__(self) -> bool:
        return bool(self._scalar("a condition"))

    def __index__(self) -> int:
        if self.dtype.category > INTEGRAL:
            raise TileTypeError(f"an index must be an integer, not {self.dtype}")
        return int(self._scalar("an index"))

    def __int__(self) -> int:
        return int(self._scalar("a number"))

    def __float__(self) -> float:
        return float(self._scalar("a number"))

    def __hash__(self) -> int:
        return hash(self.data.item()) if self.data.ndim == 0 else id(self)

    def __getitem__(self, index: Any) -> Tile:
        parts = index if isinstance(index, tuple) else (index,)
        if any(p is not None and p is not Ellipsis and p != slice(None) for p in parts):
            raise TileTypeError("a tile can only be indexed with None, ':' and '...'")
        taint = self.taint
        if taint is not None and taint.lanes is not None:
            taint = Taint(taint.lanes[index], taint.sources, taint.tokens)
        return Tile(np.asarray(self.data)[index], self.dtype, taint)


def raw(value: Any) -> Any:
    """The NumPy value of a tile; any other value is itself."""
    return value.data if type(value) is Tile else value


def scalar(value: Any, dtype: DType) -> Tile:
    """A scalar of known type. Raises TileValueError when an integer does not fit."""
    try:
        return Tile(dtype.storage.type(value), dtype)
    except OverflowError:
        raise TileValueError(f"{value} is out of the range of {dtype}") from None


def as_integers(shape: Any) -> tuple[int, ...]:
    """An index, shape or order as integers; a bare integer stands for a tuple of one."""
    if isinstance(shape, (tuple, list)):
        return tuple([p if type(p) is int else p.__index__() for p in shape])
    return (shape if type(shape) is int else shape.__index__(),)


def extents(shape: Any) -> tuple[int, ...]:
    """A tile shape. Raises TileTypeError unless every extent is a power of two."""
    result = as_integers(shape)
    for extent in result:
        if extent < 1 or extent & (extent - 1):
            raise TileTypeError(f"tile extent {extent} of {result} is not a power of two")
    return result


def axis_of(axis: Any, rank: int, what: str) -> int:
    """An axis, counted from the first one. Raises TileTypeError unless there are so many."""
    (place,) = as_integers(axis)
    if not -rank <= place < rank:
        raise TileTypeError(f"{what}: axis {place} of a tile of rank {rank}")
    return place % rank


def convert(value: Any, dtype: Any) -> Tile:
    """A number or tile as elements of another type: truncated, wrapped or rounded as on the device."""
    target = as_dtype(dtype)
    if type(value) is not Tile:
        if target.category == BOOL.category:
            value = bool(value)
        elif target.category == INTEGRAL:
            value = int(value)
        return Tile(cast(np.asarray(value), target)[()], target, None, True)
    if value.dtype is target:
        return value
    return Tile(cast(value.data, target), target, value.taint, value.constant)


def cast(data: Any, target: DType) -> Any:
    """NumPy elements as those of another type."""
    storage = target.storage
    kind = data.dtype.kind
    if target.category == BOOL.category:
        return data != 0 if kind != "V" else data.astype(np.float32) != 0
    if target.category == INTEGRAL:
        if kind in "biu":
            return data.astype(storage)
        wide = np.nan_to_num(data.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf)
        info = np.iinfo(storage)
        clipped = np.clip(np.trunc(wide), float(info.min), float(info.max))
        if info.bits == 64:
            high = clipped >= float(info.max)
            return np.where(high, info.max, np.where(high, 0, clipped).astype(storage))[()].astype(storage)
        return clipped.astype(storage)
    if target.name == "tfloat32":
        return to_tf32(to_single(data))
    if storage.kind == "f" and storage.itemsize > 1:
        return (data if data.dtype.kind in "biuf" else to_single(data)).astype(storage)
    data = to_single(data)
    if storage.itemsize == 1 and target.category > FLOAT:
        return _saturate(data, target)
    return data.astype(storage)[()]


def _saturate(data: Any, target: DType) -> Any:
    """Converts to a narrow float: values that are too large become the largest finite value, as on the device."""
    values = np.asarray(data)
    if target.name == "float8_e8m0fnu":
        values = np.where(values == 0, SMALLEST_POWER, values)  # there is no zero
    limit = LARGEST.get(target.name)
    if limit is not None:
        values = np.clip(values, -limit, limit)
    return values.astype(target.storage)[()]


SMALLEST_POWER = np.float32(2.0**-127)
LARGEST = {"float8_e4m3fn": 448.0, "float8_e5m2": 57344.0, "float4_e2m1fn": 6.0}


def to_tf32(data: Any, mode: str = "RN") -> Any:
    """Single precision rounded to 10 explicit bits of mantissa: to nearest even, RZ towards zero, or RA to nearest with
    ties away from zero."""
    bits: Any = np.asarray(data, dtype=np.float32).view(np.uint32)
    last = (bits >> np.uint32(13)) & np.uint32(1)
    added: Any = {"RN": np.uint32(0xFFF) + last, "RZ": np.uint32(0), "RA": np.uint32(0x1000)}[mode]
    rounded = ((bits + added) & np.uint32(0xFFFFE000)).view(np.float32)
    return np.where(np.isfinite(data), rounded, data).astype(np.float32)[()]


def extend(kind: type, members: Mapping[str, Any]) -> None:
    """Adds the methods that the operation families define to a class."""
    for name, member in members.items():
        setattr(kind, name, member)


DType.convert = staticmethod(convert)
