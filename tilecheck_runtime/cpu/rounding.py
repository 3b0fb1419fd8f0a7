"""Conversion to narrow floats via single precision, with a single effective rounding."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

__all__ = ["to_single"]

_DIGITS: Final = 53
"""Binary digits of a double."""


def to_single(data: Any) -> Any:
    """Converts elements to single precision, rounded to odd: towards zero, with the last digit set if the result is
    inexact. The next rounding, to a type of at most 22 digits, then gives the correctly rounded result (Boldo and
    Melquiond 2008, "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd")."""
    values = np.asarray(data)
    if values.dtype.kind in "biu":
        values = _integers_to_double(values)
    if values.dtype != np.float64:
        return values.astype(np.float32, copy=False)  # exact
    single: Any = values.astype(np.float32)
    back = single.astype(np.float64)
    inexact = (back != values) & ~np.isnan(values)
    bits = single.view(np.uint32) - (np.abs(back) > np.abs(values)).astype(np.uint32)
    return np.where(inexact, bits | np.uint32(1), single.view(np.uint32)).astype(np.uint32).view(np.float32)


def _integers_to_double(values: Any) -> Any:
    """Converts integers to doubles, rounded to odd."""
    if values.dtype.itemsize < 8:
        return values.astype(np.float64)
    negative = values < 0
    size = np.where(negative, np.uint64(0) - values.astype(np.uint64), values.astype(np.uint64))
    spare = np.uint64(64 - _DIGITS)
    low = size & ((np.uint64(1) << spare) - np.uint64(1))
    folded = ((size >> spare) | (low != 0).astype(np.uint64)).astype(np.float64) * float(1 << int(spare))
    exact = size < np.uint64(1 << _DIGITS)
    return np.where(negative, -1.0, 1.0) * np.where(exact, size.astype(np.float64), folded)
