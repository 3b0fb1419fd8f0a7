"""Reductions and scans."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.dtypes import BOOL, FLOAT, INT32, DType
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile, as_integers, convert
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["NAMES"]

Axes = tuple[int, ...]


def _axes(axis: Any, rank: int) -> Axes:
    if axis is None:
        return tuple(range(rank))
    places = tuple(a % rank if -rank <= a < rank else rank for a in as_integers(axis))
    if any(a == rank for a in places):
        raise TileTypeError(f"axis {axis} of a tile of rank {rank}")
    if len(set(places)) < len(places):
        raise TileTypeError(f"an axis occurs twice in {axis}")
    return places


def _reduce_taint(taint: Taint | None, axes: Axes, keepdims: bool, what: str) -> Taint | None:
    """Lines with an undefined lane are undefined. If a line also has defined lanes, its use is reported here."""
    if taint is None or taint.lanes is None:
        return None
    some = taint.lanes.any(axis=axes, keepdims=keepdims)
    if not some.any():
        return None
    mixed = (some & ~taint.lanes.all(axis=axes, keepdims=keepdims)).any()
    return Taint(some, machine.recorder().undefined_met(taint.sources, what) if mixed else taint.sources)


def _prepare_operand(x: Tile, wide: DType) -> tuple[Any, DType]:
    """Returns the elements to reduce, booleans as integers, and the type of the result."""
    dtype = wide if x.dtype.category == BOOL else x.dtype
    return (convert(x, dtype) if dtype is not x.dtype else x).data.astype(dtype.compute, copy=False), dtype


def _reduce_with(name: str, ufunc: Any, x: Any, axis: Any, keepdims: Any) -> Tile:
    tile = astile_like(x)
    axes, keep = _axes(axis, tile.ndim), bool(keepdims)
    data, dtype = _prepare_operand(tile, INT32)
    done = ufunc.reduce(data, axis=axes, keepdims=keep, dtype=data.dtype)
    taint = _reduce_taint(tile.taint, axes, keep, f"ct.{name}")
    return Tile(np.asarray(done).astype(dtype.storage)[()], dtype, taint)


def _total(name: str, ufunc: Any) -> Callable[..., Tile]:
    def operation(x: Any, /, axis: Any = None, *, keepdims: Any = False, rounding_mode: Any = None,
                  flush_to_zero: Any = False) -> Tile:
        return _reduce_with(name, ufunc, x, axis, keepdims)

    return operation


def _extremum(name: str, ignoring: Any, propagating: Any) -> Callable[..., Tile]:
    def operation(x: Any, /, axis: Any = None, *, keepdims: Any = False, flush_to_zero: Any = False,
                  propagate_nan: Any = False) -> Tile:
        exact = propagate_nan or astile_like(x).dtype.category < FLOAT
        return _reduce_with(name, propagating if exact else ignoring, x, axis, keepdims)

    return operation


def _argument(name: str, pick: Callable[..., Any], worst: float) -> Callable[..., Tile]:
    def operation(x: Any, /, axis: Any = None, *, keepdims: Any = False, propagate_nan: Any = False) -> Tile:
        tile = astile_like(x)
        data = np.asarray(_prepare_operand(tile, INT32)[0])
        if tile.dtype.category >= FLOAT and not propagate_nan:
            data = np.where(np.isnan(data), data.dtype.type(worst), data)
        axes, keep = _axes(axis, tile.ndim), bool(keepdims)
        if len(axes) > 1 and axis is not None:
            raise TileTypeError(f"{name} takes one axis")
        found = pick(data, axis=None if axis is None else axes[0], keepdims=keep)
        taint = _reduce_taint(tile.taint, axes, keep, f"ct.{name}")
        return Tile(np.asarray(found).astype(INT32.storage)[()], INT32, taint)

    return operation


def _parts(x: Any) -> tuple[list[Tile], bool]:
    tiles = [astile_like(t) for t in x] if isinstance(x, tuple) else [astile_like(x)]
    shape = np.broadcast_shapes(*(t.shape for t in tiles))
    spread = [t if t.shape == shape else Tile(np.broadcast_to(t.data, shape), t.dtype, _spread(t, shape))
              for t in tiles]
    return spread, isinstance(x, tuple)


def _spread(tile: Tile, shape: tuple[int, ...]) -> Taint | None:
    taint = tile.taint
    if taint is None or taint.lanes is None:
        return taint
    return Taint(np.broadcast_to(taint.lanes, shape), taint.sources, taint.tokens)


def _clean(tile: Tile) -> Tile:
    return Tile(tile.data, tile.dtype)


def _combine(func: Callable[..., Any], a: list[Tile], b: list[Tile], dtypes: list[DType]) -> list[Tile]:
    done = func(*a, *b)
    many = done if isinstance(done, tuple) else (done,)
    return [convert(t, d) for t, d in zip(many, dtypes, strict=True)]


def _slice_tiles(tiles: list[Tile], place: int, cut: slice) -> list[Tile]:
    index = (slice(None),) * place + (cut,)
    return [Tile(t.data[index], t.dtype) for t in tiles]


def reduce(x: Any, /, axis: Any, func: Callable[..., Any], identity: Any, *, keepdims: Any = False) -> Any:
    """Reduces by a function: combines neighbours, then their results, as in a tree."""
    parts, many = _parts(x)
    (place,), keep = _axes(axis, parts[0].ndim), bool(keepdims)
    taints = [_reduce_taint(t.taint, (place,), keep, "ct.reduce") for t in parts]
    dtypes = [t.dtype for t in parts]
    level = [_clean(t) for t in parts]
    while level[0].shape[place] > 1:
        level = _combine(func, _slice_tiles(level, place, slice(0, None, 2)),
                         _slice_tiles(level, place, slice(1, None, 2)),
                         dtypes)
    done = tuple(Tile(t.data if keep else np.take(t.data, 0, place)[()], t.dtype, taint)
                 for t, taint in zip(level, taints, strict=True))
    return done if many else done[0]


def _scan_taint(taint: Taint | None, place: int, reverse: bool, what: str) -> Taint | None:
    """Undefined from the first undefined lane on."""
    if taint is None or taint.lanes is None:
        return None
    turned = np.flip(taint.lanes, place) if reverse else taint.lanes
    spread = np.logical_or.accumulate(turned, axis=place)
    lanes = np.flip(spread, place) if reverse else spread
    mixed = (lanes & ~taint.lanes).any()
    return Taint(lanes, machine.recorder().undefined_met(taint.sources, what) if mixed else taint.sources)


def scan(x: Any, /, axis: Any, func: Callable[..., Any], identity: Any, *, reverse: Any = False) -> Any:
    """Computes an inclusive scan by an associative function, in steps that double."""
    parts, many = _parts(x)
    (place,), backwards = _axes(axis, parts[0].ndim), bool(reverse)
    taints = [_scan_taint(t.taint, place, backwards, "ct.scan") for t in parts]
    dtypes = [t.dtype for t in parts]
    level = [Tile(np.flip(t.data, place) if backwards else t.data, t.dtype) for t in parts]
    step, extent = 1, parts[0].shape[place]
    while step < extent:
        later = _combine(func, _slice_tiles(level, place, slice(0, extent - step)),
                         _slice_tiles(level, place, slice(step, None)),
                         dtypes)
        head = _slice_tiles(level, place, slice(0, step))
        level = [Tile(np.concatenate([h.data, t.data], place), t.dtype) for h, t in zip(head, later, strict=True)]
        step *= 2
    done = tuple(Tile(np.flip(t.data, place) if backwards else t.data, t.dtype, taint)
                 for t, taint in zip(level, taints, strict=True))
    return done if many else done[0]


def _accumulation(name: str, ufunc: Any) -> Callable[..., Tile]:
    def operation(x: Any, /, axis: Any = 0, *, reverse: Any = False, rounding_mode: Any = None,
                  flush_to_zero: Any = False) -> Tile:
        tile = astile_like(x)
        (place,), backwards = _axes(axis, tile.ndim), bool(reverse)
        data, dtype = _prepare_operand(tile, INT32)
        turned = np.flip(data, place) if backwards else data
        done = ufunc.accumulate(turned, axis=place, dtype=data.dtype)
        taint = _scan_taint(tile.taint, place, backwards, f"ct.{name}")
        return Tile((np.flip(done, place) if backwards else done).astype(dtype.storage), dtype, taint)

    return operation


NAMES: Final[dict[str, Callable[..., Any]]] = {
    "sum": _total("sum", np.add), "prod": _total("prod", np.multiply),
    "max": _extremum("max", np.fmax, np.maximum), "min": _extremum("min", np.fmin, np.minimum),
    "argmax": _argument("argmax", np.argmax, -np.inf), "argmin": _argument("argmin", np.argmin, np.inf),
    "reduce": reduce, "scan": scan, "cumsum": _accumulation("cumsum", np.add),
    "cumprod": _accumulation("cumprod", np.multiply),
}
