"""Polynomials in certificates."""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd

from tilecheck.proof.terms import Atom, Term, const, of


def reduced(p: Term) -> Term:
    """p divided by the gcd of its non-constant coefficients: p >= 0 iff floor(p / g) >= 0 over the integers."""
    g = 0
    for m, c in p.monos.items():
        if m:
            g = gcd(g, abs(c))
            if g == 1:
                return p
    if g <= 1:
        return p
    return Term({m: q for m, c in p.monos.items() if (q := c // g)})


def shifted(p: Term, shift: Mapping[Atom, Term]) -> Term:
    total = const(0)
    for m, c in p.monos.items():
        part = const(c)
        for a in m:
            part = part * shift.get(a, of(a))
        total = total + part
    return total
