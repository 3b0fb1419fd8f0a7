"""Checks whether a stored value has the extents of its piece.

The location of a tile is its index times its own extents. A tile of another shape lies in another block's piece.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.values import Shape, Value
from tilecheck.symbolic import Symbol, Term

__all__ = ["Fit", "agree", "fit", "is_rigid"]

Fit: TypeAlias = Literal["fits", "differs", "unknown"]


def is_rigid(extent: Term) -> bool:
    """Whether an extent is a number or one symbol: two different ones of these are different types."""
    return extent.constant is not None or isinstance(extent.single, Symbol)


def agree(a: Term, b: Term) -> Fit:
    if a == b:
        return "fits"
    return "differs" if (is_rigid(a) and is_rigid(b)) or _one_sign(a - b) else "unknown"


def _one_sign(t: Term) -> bool:
    """Whether a difference of extents is never zero, because every extent is at least 1: `2*A - A`."""
    plain = all(isinstance(a, Symbol) for m in t.monos for a in m)
    return plain and bool(t.monos) and (all(c > 0 for c in t.monos.values()) or all(c < 0 for c in t.monos.values()))


def fit(value: Value, tile: Shape) -> Fit:
    """How the shape of a value compares with that of a piece."""
    shape = shape_of(value)
    if shape is None:
        return "unknown"
    if len(shape) != len(tile):
        return "differs"
    parts = {agree(a, b) for a, b in zip(shape, tile, strict=True)}
    return "differs" if "differs" in parts else "unknown" if "unknown" in parts else "fits"
