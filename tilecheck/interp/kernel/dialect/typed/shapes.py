"""Shapes: what element-wise operations, reductions and products make of them."""

from __future__ import annotations

from tilecheck.interp.kernel.dialect.fitting import agree, is_rigid
from tilecheck.interp.kernel.dialect.typed.kinds import Extents
from tilecheck.symbolic import ONE, Term

__all__ = ["broadcast", "conflict", "differ", "product", "reduce_shape"]


def differ(a: Term | None, b: Term | None) -> bool:
    """Whether two extents are known to be different types."""
    return a is not None and b is not None and agree(a, b) == "differs"


def conflict(a: Extents | None, b: Extents | None) -> bool:
    """Whether two tiles cannot be combined element by element."""
    if a is None or b is None:
        return False
    pairs = zip(reversed(a), reversed(b), strict=False)
    # of `A` and `2*A` the first may be 1
    return any(x is not None and y is not None and x != y and is_rigid(x) and is_rigid(y) and ONE not in (x, y)
               for x, y in pairs)


def broadcast(a: Extents | None, b: Extents | None) -> Extents | None:
    if a is None or b is None:
        return None
    rank = max(len(a), len(b))
    wide = tuple((ONE,) * (rank - len(s)) + s for s in (a, b))
    return tuple(_find_common(x, y) for x, y in zip(*wide, strict=True))


def _find_common(x: Term | None, y: Term | None) -> Term | None:
    if x == y:
        return x
    if x == ONE:
        return y
    if y == ONE:
        return x
    # an extent that is not a constant might be 1
    return x if x is not None and y is None and x.constant is not None else y if (
        y is not None and x is None and y.constant is not None) else None


def reduce_shape(shape: Extents | None, axes: tuple[int, ...] | None, kept: bool) -> Extents | None:
    """The shape after a reduction; `axes` None reduces all of them."""
    if shape is None:
        return None
    rank = len(shape)
    gone = set(range(rank)) if axes is None else {a % rank for a in axes if -rank <= a < rank}
    if kept:
        return tuple(ONE if k in gone else e for k, e in enumerate(shape))
    return tuple(e for k, e in enumerate(shape) if k not in gone)


def product(a: Extents | None, b: Extents | None) -> Extents | None:
    """Of two matrices, with the same leading axes or none."""
    if a is None or b is None or len(a) < 2 or len(b) < 2:
        return None
    lead = broadcast(a[:-2], b[:-2])
    return None if lead is None else (*lead, a[-2], b[-1])
