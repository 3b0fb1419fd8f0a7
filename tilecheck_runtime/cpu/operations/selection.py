"""Selection and conversion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu.directed import DIRECTED, round_directed
from tilecheck_runtime.cpu.dtypes import FLOAT, DType, as_dtype, promote
from tilecheck_runtime.cpu.operations.operands import BOOLEAN, adapt_number, astile_like, operand, undefined_lanes
from tilecheck_runtime.cpu.taint import Taint, merge_taints
from tilecheck_runtime.cpu.tile import Tile, cast, convert, extend, to_tf32
from tilecheck_runtime.errors.language import TileTypeError, TileUnsupportedFeatureError

__all__ = ["NAMES"]


def where(cond: Any, x: Any, y: Any, /) -> Tile:
    """Selects elements. Lanes that are not selected are not observed."""
    cond, x, y = astile_like(cond), adapt_number(x, y), adapt_number(y, x)
    dtype = promote(x.dtype, y.dtype)
    chosen = cond.data if cond.dtype is BOOLEAN else cond.data != 0
    data = np.where(chosen, operand(x, dtype), operand(y, dtype))[()]
    tile = Tile(data if data.dtype is dtype.storage else data.astype(dtype.storage), dtype)
    if cond.taint is None and x.taint is None and y.taint is None:
        return tile
    shape = tile.shape
    whole = merge_taints((cond.taint, x.taint, y.taint), shape)
    if whole is None or whole.lanes is None:
        tile.taint = whole
        return tile
    lanes = np.where(chosen, undefined_lanes(x, shape), undefined_lanes(y, shape)) | undefined_lanes(cond, shape)
    tile.taint = Taint(lanes, whole.sources, whole.tokens) if lanes.any() else None
    return tile


def astype(x: Any, dtype: Any, /, *, rounding_mode: Any = None) -> Tile:
    """Conversion. Raises TileUnsupportedFeatureError for directed rounding, except of floats to integers."""
    target = as_dtype(dtype)
    name = getattr(rounding_mode, "name", None)
    if name in (None, "RN", "RZI", "FULL", "APPROX"):
        return convert(x, target)
    return _round_directed(x, target, str(name))


def _round_directed(x: Any, target: DType, mode: str) -> Tile:
    source = astile_like(x)
    if target.name == "tfloat32" and mode in ("RZ", "RA"):
        return Tile(to_tf32(source.data.astype(np.float32), mode), target, source.taint)
    if target.category < FLOAT or mode not in DIRECTED:
        raise TileUnsupportedFeatureError(f"astype to {target} with rounding mode {mode} is not supported on the CPU")
    data = round_directed(source.data.astype(np.float64), 0, cast(source.data, target), mode)
    return Tile(data, target, source.taint, source.constant)


def bitcast(x: Any, /, dtype: Any) -> Tile:
    """The same bits as another type of the same width."""
    target, source = as_dtype(dtype), astile_like(x)
    if target.bits != source.dtype.bits:
        raise TileTypeError(f"bitcast of {source.dtype} to {target}: the widths differ")
    return Tile(np.asarray(source.data).view(target.storage)[()], target, source.taint)


NAMES: Final[dict[str, Callable[..., Any]]] = {"where": where, "astype": astype, "bitcast": bitcast}

extend(Tile, {"astype": astype})
