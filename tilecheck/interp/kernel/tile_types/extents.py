"""Extents of tiles, which are positive powers of two: whether two can be equal, or combine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tilecheck.interp.kernel.values import Shape
from tilecheck.symbolic import ONE, Term

__all__ = ["broadcast_shapes", "broadcastable", "differ_always", "do_clash", "pairs", "power_of_two"]


def differ_always(a: Term, b: Term) -> bool | None:
    """Whether two extents differ for every value of the constants in them; None when that depends on these."""
    if a == b:
        return False
    if (a - b).constant is not None or _multiple(a, b) or _multiple(b, a):
        return True
    return None


def _multiple(a: Term, b: Term) -> bool:
    """Whether one is a fixed number of times the other, which is positive: then they differ."""
    if len(a.monos) != 1 or len(b.monos) != 1:
        return False
    ((first, x),), ((second, y),) = a.monos.items(), b.monos.items()
    return first == second and x != y


def do_clash(a: Term, b: Term) -> bool | None:
    """Whether two extents do not combine element by element: they differ and neither is 1."""
    if a == b or ONE in (a, b):
        return False
    return True if a.constant is not None and b.constant is not None else None


def broadcast_shapes(*shapes: Shape | None) -> Shape | None:
    """The shape of an element-wise operation; None where that is not known."""
    known = [s for s in shapes if s is not None]
    if len(known) != len(shapes):
        return None
    rank = max((len(s) for s in known), default=0)
    out: list[Term] = []
    for k in range(rank):
        extent = ONE
        for s in known:
            d = k - (rank - len(s))
            if d < 0 or s[d] in (ONE, extent):
                continue
            if extent != ONE:
                return None
            extent = s[d]
        out.append(extent)
    return tuple(out)


def pairs(a: Shape, b: Shape) -> Iterator[tuple[int, Term, Term]]:
    """Extents that meet, with the axis of the result."""
    rank = max(len(a), len(b))
    for k in range(1, min(len(a), len(b)) + 1):
        yield rank - k, a[-k], b[-k]


def broadcastable(source: Sequence[Term], target: Sequence[Term]) -> bool | None:
    """Whether a tile can be repeated to a shape."""
    if len(source) > len(target):
        return False
    answers = [True if s in (t, ONE) else False if s.constant is not None and t.constant is not None else None
               for s, t in zip(reversed(source), reversed(target), strict=False)]
    return False if False in answers else None if None in answers else True


def power_of_two(extent: Term) -> bool | None:
    """Whether it is one for every value of the constants in it (True), for none of them (False), or for some."""
    n = extent.constant
    if n is not None:
        return n > 0 and n & (n - 1) == 0
    if len(extent.monos) == 1:
        factor = abs(next(iter(extent.monos.values())))
        if factor & (factor - 1):
            return False
    return None
