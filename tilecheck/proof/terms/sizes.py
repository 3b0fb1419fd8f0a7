"""Whether a term or a condition is of a size that is worth computing with."""

from __future__ import annotations

from typing import Final

from tilecheck.proof.terms.conditions import Cond
from tilecheck.proof.terms.polynomials import Term

__all__ = ["is_short", "is_small"]

WIDTH: Final = 48
"""Monomials of a term."""
DEGREE: Final = 48
"""Factors of a monomial."""
LENGTH: Final = 6_000
"""Characters of the key of an atom: terms inside terms."""
LARGEST: Final = 1 << 512
"""Size of a coefficient: far from what an index can be."""


def is_short(cond: Cond) -> bool:
    """False for conditions that code makes by joining one with itself again and again, which would fill any memory."""
    return len(cond.key) <= 4 * LENGTH


def is_small(term: Term) -> bool:
    """False for terms that code makes by squaring or doubling again and again, which would fill any memory."""
    monos = term.monos
    if len(monos) > WIDTH:
        return False
    return all(-LARGEST < c < LARGEST and len(m) <= DEGREE and all(len(a.key) <= LENGTH for a in m)
               for m, c in monos.items())
