"""Polynomials in certificates."""

from __future__ import annotations

from collections.abc import Collection
from math import gcd

from tilecheck.proof.terms import Atom, Monomial, Term, add_times


def reduced(p: Term) -> Term:
    """p divided by the gcd of its non-constant coefficients: p >= 0 iff floor(p / g) >= 0 over the integers."""
    g = 0
    for m, c in p.monos.items():
        if m:
            g = gcd(g, c)
            if g == 1:
                return p
    if g <= 1:
        return p
    return Term({m: q for m, c in p.monos.items() if (q := c // g)})


def shifted(p: Term, shift: Collection[Atom]) -> dict[Monomial, int]:
    """The coefficients of p after each atom a of `shift` is replaced by 1 + a."""
    total: dict[Monomial, int] = {}
    for m, c in p.monos.items():
        parts: list[Monomial] = [()]
        for a in m:
            times = [(*part, a) for part in parts]
            parts = parts + times if a in shift else times
        for part in parts:
            total[part] = total.get(part, 0) + c
    return total


def combined(p: Term, scale: int, weight: Monomial, factor: int, g: Term) -> Term:
    """`scale*p - factor*weight*g`"""
    out = p.monos.copy() if scale == 1 else {m: c * scale for m, c in p.monos.items()}
    add_times(out, weight, -factor, g)
    return Term(out)


def at_ones(p: Term, shift: Collection[Atom]) -> int:
    """The constant term after each atom a of `shift` is replaced by 1 + a."""
    return sum(c for m, c in p.monos.items() if all(a in shift for a in m))
