"""Operations of the representation that access no memory. Integers wrap as on the device; fractions are unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilecheck_runtime.tile_ir.values import Known, Tile, make_unknown

__all__ = ["combine", "compare", "convert", "is_all_unknown", "select", "shift", "transform"]

_Data = npt.NDArray[Any]


def _divide_up(a: _Data, b: _Data) -> Any:
    return np.add(np.floor_divide(a, b), (np.mod(a, b) != 0).astype(a.dtype))


_INTEGER: Final[Mapping[str, Callable[[_Data, _Data], _Data]]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "floordiv": np.floor_divide, "cdiv": _divide_up,
    "c_mod": np.fmod, "min": np.minimum, "max": np.maximum,
}
_BITWISE: Final[Mapping[str, Callable[[_Data, _Data], _Data]]] = {
    "and_": np.bitwise_and, "or_": np.bitwise_or, "xor": np.bitwise_xor}
_COMPARISON: Final[Mapping[str, Callable[[_Data, _Data], _Data]]] = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}
_DIVISIONS: Final = frozenset({"floordiv", "cdiv", "c_mod"})


def _require_both(a: Known, b: Known) -> Known:
    if a is True:
        return b
    return a if b is True else np.logical_and(a, b)


def combine(fn: str, x: Tile, y: Tile) -> Tile:
    """A binary operation on numbers or bits. A fraction is unknown: the compiler may contract or reorder."""
    if x.data.dtype.kind == "f":
        return make_unknown(x.shape, x.data.dtype)
    if fn in _BITWISE:
        return _combine_bits(fn, x, y)
    rule = _INTEGER.get(fn)
    if rule is None:
        return make_unknown(x.shape, x.data.dtype)
    known = _require_both(x.known, y.known)
    if fn in _DIVISIONS:
        known = _require_both(known, y.data != 0)
    with np.errstate(all="ignore"):
        return Tile(np.asarray(rule(x.data, y.data), x.data.dtype), known)


def _combine_bits(fn: str, x: Tile, y: Tile) -> Tile:
    """Bits. Of `a and b` one false operand decides, and of `a or b` a true one."""
    data = np.asarray(_BITWISE[fn](x.data, y.data), x.data.dtype)
    known = _require_both(x.known, y.known)
    if known is not True and fn != "xor" and x.data.dtype == np.bool_:
        decisive = fn == "or_"
        known = known | (x.known_lanes() & (x.data == decisive)) | (y.known_lanes() & (y.data == decisive))
        data = np.where(x.known_lanes() & (x.data == decisive), x.data, np.where(
            y.known_lanes() & (y.data == decisive), y.data, data))
    return Tile(data, known)


def shift(fn: str, x: Tile, y: Tile) -> Tile:
    """A shift of bits, which is undefined by as many places as the type has, or more."""
    inside = (y.data >= 0) & (y.data < x.data.dtype.itemsize * 8)
    places = np.where(inside, y.data, 0).astype(x.data.dtype)
    rule = np.left_shift if fn == "lshift" else np.right_shift
    return Tile(np.asarray(rule(x.data, places), x.data.dtype), _require_both(_require_both(x.known, y.known), inside))


def compare(fn: str, x: Tile, y: Tile) -> Tile:
    return Tile(np.asarray(_COMPARISON[fn](x.data, y.data)), _require_both(x.known, y.known))


def select(cond: Tile, x: Tile, y: Tile) -> Tile:
    """`x` where the condition holds, else `y`. Where it is unknown, an element is known if both have it."""
    data = np.where(cond.data, x.data, y.data)
    if cond.known is True and x.known is True and y.known is True:
        return Tile(data)
    chosen = np.where(cond.data, x.known_lanes(), y.known_lanes())
    same = x.known_lanes() & y.known_lanes() & (x.data == y.data)
    return Tile(np.where(cond.known_lanes(), data, x.data), np.where(cond.known_lanes(), chosen, same))


def transform(fn: str, x: Tile) -> Tile:
    """An operation on one operand."""
    data = x.data
    if fn in ("invert", "bitwise_not"):
        return Tile(np.invert(data), x.known)
    rule = {"neg": np.negative, "abs": np.absolute}.get(fn)
    if rule is None or data.dtype == np.bool_:
        return make_unknown(x.shape, data.dtype)
    with np.errstate(all="ignore"):
        return Tile(np.asarray(rule(data), data.dtype), x.known)


def convert(x: Tile, dtype: np.dtype[Any], exact: bool) -> Tile:
    """The values as elements of another type. `exact` is whether NumPy has both types; else fractions are unknown."""
    if not exact and (x.data.dtype.kind == "f" or dtype.kind == "f"):
        return make_unknown(x.shape, dtype)
    if x.data.dtype.kind == "f" and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        with np.errstate(all="ignore"):
            fits = np.isfinite(x.data) & (x.data > float(limits.min) - 1) & (x.data < float(limits.max) + 1)
            return Tile(np.where(fits, x.data, 0).astype(dtype), _require_both(x.known, fits))
    if dtype == np.bool_:
        return Tile(np.asarray(x.data != 0), x.known)
    with np.errstate(all="ignore"):
        return Tile(x.data.astype(dtype), x.known)


def is_all_unknown(tiles: tuple[Tile, ...]) -> bool:
    return not any(np.any(t.known) for t in tiles)
