"""Clauses on bounds that no author expects a kernel to have. They indicate a mistake in it.

Every launch ensures that extents agree, or that the grid has no more blocks than there are tiles. Where the clauses of
this module are needed, the index is wrong for the launches that the kernel is written for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

from tilecheck.symbolic import (
    EXTENTS,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Scalar,
    Symbol,
    Term,
    atoms_of,
    divide_monomial,
    ge,
    holds,
    of,
)

__all__ = ["goes_past", "is_degenerate", "select_usual", "shares"]

_USUAL: Final = (2, 3, 4, 8, 16, 64)
"""Extents of tiles, windows and counts as launches have them: 1 is what they degenerate to."""
_MANY: Final = 3
"""Scalars of which all combinations of these are tried."""


def shares(c: Cond) -> bool:
    """Whether a clause is `g*cdiv(m, d) <= m`: m tiles in shares that are rounded up.

    Together the shares are more than m, unless they divide m exactly. Agreement of extents does not imply this clause,
    and few launches satisfy it.
    """
    t = c.term
    for m, factor in t.monos.items() if c.op == "ge" else ():
        for a in m:
            if factor == -1 and isinstance(a, FloorDiv) and len(m) > 1:
                blocks = divide_monomial(m, (a,))
                if blocks is not None and t + Term({m: 1}) + Term({blocks: 1}) == a.num + 1:
                    return True
    return False


def goes_past(c: Cond) -> bool:
    """Whether a clause is `cdiv(n, T) < cdiv(x.shape[i], T)`: a used tile begins after all of n elements.

    The array must be larger than n by more than the padding of the last tile.
    """
    if c.op != "ge" or len([m for m in c.term.monos if m]) != 2:
        return False
    parts = {factor: m[0] for m, factor in c.term.monos.items() if len(m) == 1}
    have, want = parts.get(1), parts.get(-1)
    if have is None or want is None or not isinstance(have, FloorDiv) or not _is_last(have, have.den):
        return False
    extent = (have.num + 1).single
    return isinstance(extent, EXTENTS) and all(
        added > c.term.offset and a is not None and _is_last(a, have.den) for a, added in _choices(want))


def _choices(a: Atom, added: int = 0) -> Iterator[tuple[Atom | None, int]]:
    """Yields the atoms of a choice, each with the constant that is added to it."""
    if not isinstance(a, Ite):
        yield a, added
        return
    for t in (a.then, a.other):
        inner = (t - t.offset).single
        yield from ((None, 0),) if inner is None else _choices(inner, added + t.offset)


def _is_last(a: Atom, tile: Term) -> bool:
    """`(n - 1) // T`, the last of the tiles of n elements."""
    return isinstance(a, FloorDiv) and a.num.offset == -1 and a.den == tile and tile.constant != 1


def is_degenerate(c: Cond) -> bool:
    """Whether a clause on scalars alone fails for all but the least of them: `T + window <= 2`."""
    names = sorted({a for a in atoms_of(c) if isinstance(a, Symbol)})
    if c.op != "ge" or not 0 < len(names) <= _MANY or not all(isinstance(a, Scalar) for a in names):
        return False
    try:
        return not any(holds(c, dict(zip(names, values, strict=True)))
                       for values in product(_USUAL, repeat=len(names)))
    except (KeyError, ArithmeticError):
        return False


def select_usual(clauses: Iterable[Cond]) -> Iterator[Cond]:
    """Launches as they are meant, of clauses that only degenerate ones satisfy."""
    yield from (ge(of(a), 2) for c in clauses if is_degenerate(c) for a in sorted(atoms_of(c)) if isinstance(a, Symbol))
