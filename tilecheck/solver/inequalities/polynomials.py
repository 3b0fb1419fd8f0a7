"""Polynomials in certificates."""

from __future__ import annotations

from collections.abc import Collection
from functools import cache
from itertools import chain, combinations
from math import gcd
from typing import TypeAlias

from tilecheck.symbolic import Atom, Monomial, Term, add_times, divide_monomial, in_order

Weighted: TypeAlias = tuple[Monomial, int, tuple[tuple[Monomial, int], ...]]
"""A polynomial times a monomial that makes one of its terms one of a monomial to cancel: the weight, the size of the
coefficient of that term, and the product."""


def reduce_term(p: Term) -> Term:
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


def shift_term(p: Term, shift: Collection[Atom]) -> dict[Monomial, int]:
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


def combine(p: Term, scale: int, weight: Monomial, factor: int, g: Term) -> Term:
    """`scale*p - factor*weight*g`"""
    out = p.monos.copy() if scale == 1 else {m: c * scale for m, c in p.monos.items()}
    add_times(out, weight, -factor, g)
    return Term(out)


def at_ones(p: Term, shift: Collection[Atom]) -> int:
    """The constant term after each atom a of `shift` is replaced by 1 + a."""
    return sum(c for m, c in p.monos.items() if all(a in shift for a in m))


def weight_fact(g: Term, factor: Monomial, m: Monomial, negative: bool) -> Weighted | None:
    """g with the weight that makes `m` of one of its monomials, if that has the sign and divides `m`."""
    c = g.monos[factor]
    if (c < 0) != negative:
        return None
    weight = divide_monomial(m, factor)
    if weight is None:
        return None
    parts = g.monos.items()
    return weight, abs(c), tuple([(in_order(weight + n), d) for n, d in parts] if weight else parts)


def subtract_weighted(p: Term, c: int, fact: Weighted) -> Term:
    """`k*p - w*fact`, reduced, with the numbers k and w that cancel a term of p with coefficient c."""
    _, size, product = fact
    common = gcd(c, size)
    scale, factor = size // common, abs(c) // common
    out = p.monos.copy() if scale == 1 else {m: d * scale for m, d in p.monos.items()}
    for m, d in product:
        if m in out:
            total = out[m] - factor * d
            if total:
                out[m] = total
            else:
                del out[m]
        else:
            out[m] = -factor * d
    return reduce_term(Term(out))


def atoms_in_order(p: Term) -> dict[Atom, None]:
    """The atoms of a polynomial, each once, in the order of its terms."""
    return dict.fromkeys(chain.from_iterable(p.monos))


@cache
def list_factors(m: Monomial) -> frozenset[Monomial]:
    """The monomials that divide another, but for 1."""
    return frozenset(factor for degree in range(1, len(m) + 1) for factor in combinations(m, degree))
