"""The rule `peel`: an equation of two numbers in mixed radix is one equation for each digit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import gcd

from tilecheck.solver.disjointness.copies import show_term
from tilecheck.solver.disjointness.state import State
from tilecheck.symbolic import (
    ONE,
    Atom,
    Counter,
    Load,
    Monomial,
    Opaque,
    Term,
    const,
    divide_monomial,
    split_multiples,
)
from tilecheck.symbolic.steps import Lemma, ProofStep


def divisors(e: Term) -> tuple[Term, ...]:
    """Candidate digits of an equation: the coefficients of its block-dependent atoms, largest first."""
    return _divisors(e, tuple(e.monos))


@lru_cache(maxsize=1 << 10)
def _divisors(e: Term, order: tuple[Monomial, ...]) -> tuple[Term, ...]:
    """The same; `order` is that of the terms of the equation, which those of its divisors follow."""
    coefficients: dict[Atom, dict[tuple[Atom, ...], int]] = {}
    for m, c in e.monos.items():
        for a in dict.fromkeys(x for x in m if x.varying):
            rest = list(m)
            rest.remove(a)
            coefficients.setdefault(a, {})[tuple(rest)] = c
    found: dict[Term, None] = {}
    constants: list[int] = []
    for q in coefficients.values():
        term = Term(dict(q))
        value = term.constant
        if value is not None:
            constants.append(abs(value))
            continue
        lead = max(term.monos)
        found[term if term.monos[lead] > 0 else -term] = None
        if len(term.monos) > 1:
            for m in term.monos:
                if m:
                    found[Term({m: abs(term.monos[m])})] = None
    for x in list(constants):
        for y in constants:
            constants.append(gcd(x, y))
            if len(constants) > 24:
                break
    for value in set(constants):
        if value > 1:
            found[const(value)] = None
    return tuple(sorted(
        found, key=lambda t: (-max(len(m) for m in t.monos), -len(t.monos), -max(t.monos.values()), t.key)))


def splits_of(e: Term, d: Term) -> Iterator[tuple[Term, Term]]:
    """(h, r) with e == d*h + r and h not zero; rounding towards zero, then the constant the other way too."""
    if len(d.monos) != 1:
        h, r = split_multiples(e, d)
        if h.monos:
            yield h, r
        return
    ((dm, dc),) = d.monos.items()
    high: dict[tuple[Atom, ...], int] = {}
    low: dict[tuple[Atom, ...], int] = {}
    for m, c in e.monos.items():
        rest = divide_monomial(m, dm)
        if rest is None:
            low[m] = c
            continue
        q = abs(c) // dc * (1 if c > 0 else -1)
        if q:
            high[rest] = q
        if c - q * dc:
            low[m] = c - q * dc
    if not any(a.varying for m in high for a in m):
        return
    yield Term(high), Term(low)
    left = low.get(dm, 0)
    if left:
        step = 1 if left > 0 else -1
        yield Term(high) + step, Term(low) - Term({dm: step * dc})


def peel(state: State) -> bool:
    """d*h + r == 0 with -d < r < d gives h == 0 and r == 0 (r is a multiple of d in the open interval)."""
    return _peel(state, 0)


def peel_deeply(state: State) -> bool:
    """`peel` with more effort to bound the low part, for when nothing cheaper goes on."""
    return _peel(state, 1)


def _peel(state: State, effort: int) -> bool:
    for i, e in enumerate(state.equations):
        for d in divisors(e):
            for h, r in splits_of(e, d):
                if d == ONE or (not r.monos and h == e) or _is_unbounded(state, r):
                    continue
                assumed = state.facts.below(r, d, effort)
                if assumed is None:
                    continue
                state.equations[i:i + 1] = [h, r] if r.monos else [h]
                step = ProofStep(Lemma.DIGIT, (show_term(h), show_term(r), d)) if r.monos else None
                state.use("peel", step, assumed)
                return True
    return False


def _is_unbounded(state: State, r: Term) -> bool:
    """Whether a term of the low part is a count or data that no condition bounds."""
    return any(isinstance(a, (Counter, Load, Opaque)) and a not in state.facts.bounded for m in r.monos for a in m)
