"""Operands of element-wise operations: their common type, their NumPy values, and the tile that comes out."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.dtypes import DTYPES, DType, common_dtype, loose_dtype, promote
from tilecheck_runtime.cpu.taint import merge_taints
from tilecheck_runtime.cpu.tile import Tile, cast, scalar
from tilecheck_runtime.errors.language import TileValueError

__all__ = ["BOOLEAN", "adapt_number", "astile_like", "joint_dtype", "operand", "result", "undefined_lanes"]

BOOLEAN: Final = DTYPES["bool_"]


def joint_dtype(a: Any, b: Any) -> DType:
    """The type in which an operation on both is done; one of them at least is a tile."""
    if type(a) is Tile:
        return promote(a.dtype, b.dtype) if type(b) is Tile else common_dtype(a.dtype, b)
    return common_dtype(b.dtype, a)


def operand(value: Any, dtype: DType) -> Any:
    """A tile or number as NumPy elements in which operations of `dtype` are computed."""
    compute = dtype.compute
    if type(value) is Tile:
        data = value.data
        return data if data.dtype is compute else cast(data, dtype).astype(compute)
    try:
        return compute.type(value)
    except OverflowError:
        raise TileValueError(f"{value} is out of the range of {dtype}") from None


def result(data: Any, dtype: DType, *operands: Any) -> Tile:
    """A tile of computed elements, rounded to storage, with the taint of its operands."""
    if data.dtype is not dtype.storage:
        data = data.astype(dtype.storage)
    tile = Tile(data, dtype)
    tile.constant = data.ndim == 0 and all(type(o) is not Tile or o.constant for o in operands)
    for item in operands:
        if type(item) is Tile and item.taint is not None:
            tile.taint = merge_taints([o.taint for o in operands if type(o) is Tile], np.shape(data))
            break
    return tile


def astile_like(value: Any) -> Tile:
    """A number as a constant of the type it has by itself; a tile is itself."""
    if type(value) is Tile:
        return value
    made = scalar(value, loose_dtype(value))
    made.constant = True
    return made


def undefined_lanes(value: Any, shape: tuple[int, ...]) -> Any:
    """The undefined lanes of an operand in the shape of the result."""
    taint = value.taint if type(value) is Tile else None
    return np.broadcast_to(False if taint is None or taint.lanes is None else taint.lanes, shape)


def adapt_number(value: Any, other: Any) -> Tile:
    """A tile or number as a tile; a number takes the type of the other operand where it can."""
    if type(value) is Tile:
        return value
    dtype = common_dtype(other.dtype, value) if type(other) is Tile else joint_loose(value, other)
    return scalar(value, dtype)


def joint_loose(a: Any, b: Any) -> DType:
    """The type of two Python numbers together."""
    return promote(loose_dtype(a), loose_dtype(b))
