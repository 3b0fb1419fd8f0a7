"""Matrix products. The contracted axis is observed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.dtypes import DTYPES, INTEGRAL, DType
from tilecheck_runtime.cpu.operations.operands import joint_dtype
from tilecheck_runtime.cpu.taint import Taint, merge_taints
from tilecheck_runtime.cpu.tile import Tile, convert, extend
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["NAMES"]

_ACCUMULATORS: Final = {
    "float8_e4m3fn": ("float16", "float32"), "float8_e5m2": ("float16", "float32"),
    "float16": ("float16", "float32"), "bfloat16": ("float32",), "float32": ("float32",), "tfloat32": ("float32",),
    "float64": ("float64",), "int8": ("int32",), "uint8": ("int32",),
}
"""For each type of operand, the types of accumulator."""


def _widen(tile: Tile) -> Any:
    """Operands for the product: integers in double precision, which holds their products exactly."""
    return tile.data.astype(np.float64 if tile.dtype.category == INTEGRAL else tile.dtype.compute, copy=False)


def _contract_taint(tile: Tile, axis: int, shape: tuple[int, ...], what: str) -> Taint | None:
    """The taint that a factor gives to the product: all of a line in which a lane is undefined."""
    taint = tile.taint
    if taint is None or taint.lanes is None:
        return None
    some = taint.lanes.any(axis=axis, keepdims=True)
    mixed = (some & ~taint.lanes.all(axis=axis, keepdims=True)).any()
    sources = machine.recorder().undefined_met(taint.sources, f"ct.{what}") if mixed else taint.sources
    return Taint(np.broadcast_to(some, shape), sources) if some.any() else None


def _product_taint(x: Tile, y: Tile, acc: Taint | None, shape: tuple[int, ...], what: str) -> Taint | None:
    if x.taint is None and y.taint is None and acc is None:
        return None
    return merge_taints([acc, _contract_taint(x, -1, shape, what), _contract_taint(y, -2, shape, what)], shape)


def _check_rank(*tiles: Tile) -> None:
    for tile in tiles:
        if tile.ndim not in (2, 3):
            raise TileTypeError(f"mma of a tile of rank {tile.ndim}")


def _product(a: Any, b: Any) -> Any:
    if a.shape[-1] != b.shape[-2]:
        raise TileTypeError(f"mma of tiles of shapes {a.shape} and {b.shape}: the contracted extents differ")
    return np.matmul(a, b)


def mma(x: Any, y: Any, /, acc: Any, *, use_fast_acc: Any = False) -> Tile:
    """`x @ y + acc`, in the type of `acc`."""
    _check_rank(x, y, acc)
    integral = x.dtype.category == INTEGRAL and y.dtype.category == INTEGRAL
    if x.dtype is not y.dtype and not (integral and {x.dtype.name, y.dtype.name} == {"int8", "uint8"}):
        raise TileTypeError(f"mma of {x.dtype} and {y.dtype}: they must be the same")
    allowed = _ACCUMULATORS.get(x.dtype.name)
    if allowed is None or acc.dtype.name not in allowed:
        raise TileTypeError(f"mma of {x.dtype} with an accumulator of {acc.dtype}")
    product = _product(_widen(x), _widen(y))
    data = (product + acc.data.astype(product.dtype, copy=False)).astype(acc.dtype.storage, copy=False)
    if data.shape != acc.shape:
        raise TileTypeError(f"mma of tiles of shapes {x.shape} and {y.shape} with an accumulator of {acc.shape}")
    return Tile(data, acc.dtype, _product_taint(x, y, acc.taint, data.shape, "mma"))


def _apply_scale(x: Tile, scale: Tile, axis: int) -> Tile:
    """Elements times the scale of their group along an axis, in single precision."""
    count, groups = x.shape[axis], scale.shape[axis]
    if count % groups:
        raise TileTypeError(f"mma_scaled: {groups} scales for {count} elements")
    repeat = count // groups
    factor = np.repeat(scale.data.astype(np.float32), repeat, axis=axis)
    taint = scale.taint
    if taint is not None and taint.lanes is not None:
        taint = Taint(np.repeat(taint.lanes, repeat, axis=axis), taint.sources)
    return Tile(x.data.astype(np.float32) * factor, DTYPES["float32"], merge_taints((x.taint, taint), x.shape))


def mma_scaled(x: Any, x_scale: Any, y: Any, y_scale: Any, /, acc: Any) -> Tile:
    """A product of elements that share a scale in groups along the contracted axis."""
    _check_rank(x, y, acc)
    a, b = _apply_scale(x, x_scale, x.ndim - 1), _apply_scale(y, y_scale, y.ndim - 2)
    data = (_product(a.data, b.data) + acc.data).astype(acc.dtype.storage, copy=False)
    return Tile(data, acc.dtype, _product_taint(a, b, acc.taint, data.shape, "mma_scaled"))


def matmul(x: Any, y: Any, /) -> Tile:
    """The product, in the common type of the operands."""
    dtype: DType = joint_dtype(x, y)
    a, b = convert(x, dtype), convert(y, dtype)
    data = np.matmul(_widen(a), _widen(b))
    if a.ndim < 2 or b.ndim < 2:
        # ranks are those of two matrices until the axes that were added are dropped
        rows, columns = a if a.ndim > 1 else a[None, :], b if b.ndim > 1 else b[:, None]
        lead = np.broadcast_shapes(rows.shape[:-2], columns.shape[:-2])
        taint = _product_taint(rows, columns, None, (*lead, rows.shape[-2], columns.shape[-1]), "matmul")
        if taint is not None and taint.lanes is not None:
            taint = Taint(taint.lanes.reshape(np.shape(data)), taint.sources)
        return Tile(np.asarray(data).astype(dtype.storage)[()], dtype, taint)
    return Tile(data.astype(dtype.storage, copy=False), dtype, _product_taint(a, b, None, data.shape, "matmul"))


NAMES: Final[dict[str, Callable[..., Any]]] = {"mma": mma, "mma_scaled": mma_scaled, "matmul": matmul}


extend(Tile, {"__matmul__": matmul, "__rmatmul__": lambda self, other: matmul(other, self)})
