"""Whether a term or a condition is of a size that is worth computing with."""

from __future__ import annotations

from functools import cache
from typing import Final

from tilecheck.symbolic.atoms import Atom
from tilecheck.symbolic.conditions import Cond
from tilecheck.symbolic.polynomials import Term
from tilecheck.symbolic.walk import children

__all__ = ["is_flat", "is_short", "is_small"]

WIDTH: Final = 48
"""Monomials of a term."""
DEGREE: Final = 48
"""Factors of a monomial."""
LENGTH: Final = 6_000
"""Characters of the key of an atom: terms inside terms."""
NESTED: Final = 24
"""Quotients, choices and the like inside each other: procedures recurse into their operands, several times."""
LARGEST: Final = 1 << 512
"""Size of a coefficient: far larger than any index."""


def is_short(cond: Cond) -> bool:
    """False for a condition that grows exponentially, as when a loop joins it with itself: it would fill the memory."""
    return len(cond.key) <= 4 * LENGTH


def is_small(term: Term) -> bool:
    """False for terms that code makes by squaring or doubling again and again, which would fill any memory, or by
    dividing again and again, which would take any stack."""
    monos = term.monos
    if len(monos) > WIDTH:
        return False
    return is_flat(term) and all(-LARGEST < c < LARGEST and len(m) <= DEGREE and all(len(a.key) <= LENGTH for a in m)
                                 for m, c in monos.items())


def is_flat(term: Term) -> bool:
    """False for terms with too many quotients, choices and the like inside each other."""
    return all(_depth(a) <= NESTED for m in term.monos for a in m)


@cache
def _depth(a: Atom) -> int:
    """How many atoms are inside each other, this one included."""
    return 1 + max(map(_depth_of, children(a)), default=0)


def _depth_of(value: Term | Cond) -> int:
    inside = max((_depth_of(c) for c in value.args), default=0) if type(value) is Cond else 0
    atoms = value.term.atoms() if type(value) is Cond else value.atoms()
    named = _depth(value.atom) if type(value) is Cond and value.atom is not None else 0
    return max(inside, named, max(map(_depth, atoms), default=0))
