"""Arithmetic with a rounding mode, and flushing of subnormal numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

__all__ = ["DIRECTED", "compute_directed", "flush", "round_directed"]

DIRECTED: Final = frozenset({"RZ", "RM", "RP"})
"""Rounding towards zero, down and up."""
_SPLIT: Final = float((1 << 27) + 1)
"""Splits a double into halves whose products are exact (Dekker 1971)."""


def _error_of_sum(a: Any, b: Any, total: Any) -> Any:
    """The exact difference between a sum and its rounded value (Knuth's TwoSum)."""
    back = total - a
    return (a - (total - back)) + (b - back)


def _halves(a: Any) -> tuple[Any, Any]:
    scaled = a * _SPLIT
    high = scaled - (scaled - a)
    return high, a - high


def _error_of_product(a: Any, b: Any, product: Any) -> Any:
    """The exact difference between a product and its rounded value (Dekker's TwoProduct)."""
    (ah, al), (bh, bl) = _halves(a), _halves(b)
    return ((ah * bh - product) + ah * bl + al * bh) + al * bl


def _quotient_error(a: Any, b: Any, quotient: Any) -> Any:
    product = quotient * b
    rest = (a - product) - _error_of_product(quotient, b, product)
    return rest * np.sign(b)


def _root_error(a: Any, root: Any) -> Any:
    square = root * root
    return (a - square) - _error_of_product(root, root, square)


_EXACT: Final[Mapping[str, tuple[Callable[..., Any], Callable[..., Any]]]] = {
    "add": (np.add, _error_of_sum),
    "sub": (np.subtract, lambda a, b, total: _error_of_sum(a, -b, total)),
    "mul": (np.multiply, _error_of_product),
    "truediv": (np.divide, _quotient_error),
    "sqrt": (np.sqrt, _root_error),
}
"""Operations on doubles, and the errors of their results."""


def compute_directed(name: str, storage: Any, mode: str, *operands: Any) -> Any:
    """The elements of an operation in the type `storage`, rounded in a direction."""
    compute, error = _EXACT[name]
    wide = [np.asarray(value).astype(np.float64) for value in operands]
    value = compute(*wide)
    rest = np.asarray(error(*wide, value))
    return round_directed(value, np.where(np.isfinite(rest), np.sign(rest), 0), value.astype(storage), mode)


def round_directed(value: Any, rest: Any, near: Any, mode: str) -> Any:
    """Doubles as elements of another type, rounded in a direction.

    rest  the sign of the difference between the exact values and the doubles
    near  the elements of that type that are nearest, or next to that
    """
    exact, nearest = np.asarray(value), np.asarray(near)
    storage = nearest.dtype
    back = nearest.astype(np.float64)
    over = (back > exact) | ((back == exact) & (rest < 0))
    under = (back < exact) | ((back == exact) & (rest > 0))
    positive = (exact > 0) | ((exact == 0) & (rest > 0))
    wrong = {"RZ": np.where(positive, over, under), "RP": under, "RM": over}[mode]
    wrong = wrong & np.isfinite(exact)
    if not np.any(wrong):
        return nearest[()]
    bits = nearest.view(f"u{nearest.dtype.itemsize}")
    down = over & wrong
    outward = np.where(np.signbit(nearest), down, ~down) & (mode != "RZ")
    step = np.where(outward, bits + 1, bits - 1).astype(bits.dtype)
    first = np.asarray(np.where(down, -1.0, 1.0)).astype(storage).view(bits.dtype)
    smallest = (np.ones_like(bits) | (first & (np.ones_like(bits) << (8 * bits.dtype.itemsize - 1)))).astype(bits.dtype)
    step = np.where(back == 0, smallest, step)
    return np.where(wrong, step, bits).astype(bits.dtype).view(nearest.dtype)[()]


def flush(data: Any) -> Any:
    """Single precision with subnormal numbers replaced by zeros of their sign."""
    small = np.abs(data) < np.finfo(np.float32).tiny
    return np.where(small, np.copysign(np.float32(0), data), data)[()]
