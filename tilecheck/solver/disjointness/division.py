"""Rules on quotients, remainders, minima and maxima."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.solver.disjointness.copies import show_term
from tilecheck.solver.disjointness.state import State
from tilecheck.symbolic import (
    ZERO,
    FloorDiv,
    Max,
    Min,
    Mod,
    Term,
    atoms_in,
    eq,
    floordiv,
    ge,
    key_of,
    mod,
    of,
    split_multiples,
)
from tilecheck.symbolic.steps import Lemma, ProofStep


def inverse(state: State) -> bool:
    """Equal quotient and equal remainder by one divisor: the numbers are equal."""
    for x, y, d in state.equal_quotients():
        for u, v, g in state.equal_remainders():
            if d == g and (x - y) == (u - v) and (x - y).monos and (x - y) not in state.equations:
                state.equations.append(x - y)
                state.use("inverse", ProofStep(Lemma.INVERSE, (show_term(x), d)))
                return True
    return False


def quotient(state: State) -> bool:
    """Equal quotients: the difference of the numbers is that of the remainders, and below the divisor."""
    for x, y, d in state.equal_quotients():
        got = state.facts.prove_positive(d)
        if got is None or not (x - y).monos:
            continue
        news = [ge(d - 1, x - y), ge(d - 1, y - x)]
        rest = (x - mod(x, d)) - (y - mod(y, d))
        news += [ge(rest, 0), ge(-rest, 0)]
        news = [c for c in news if c.op != "true" and c not in state.conds]
        if not news:
            continue
        state.use("quotient", None, got)
        for c in news:
            state.conds.append(c)
            if c.op == "false":
                state.absurd = True
        state._facts = None
        return True
    return False


def congruent(state: State) -> bool:
    """x ≡ x' modulo d and -d < x - x' < d: equal."""
    for x, y, d in state.equal_remainders():
        difference = x - y
        if not difference.monos or difference in state.equations or -difference in state.equations:
            continue
        got = state.facts.below(difference, d)
        if got is None:
            continue
        state.equations.append(difference)
        state.use("congruent", ProofStep(Lemma.CONGRUENT, (show_term(x), d)), got)
        return True
    return False


def reduce(state: State) -> bool:
    """0 <= x < d makes x % d be x and x // d be 0; an argument never below another leaves a minimum."""
    atoms = atoms_in(*state.equations, *state.goals)
    for a in sorted(atoms, key=key_of):
        if isinstance(a, (FloorDiv, Mod)):
            low = state.facts.prove(a.num, 0)
            high = None if low is None else state.facts.prove(a.den - 1 - a.num, 0)
            if low is not None and high is not None:
                state.use("reduce", ProofStep(Lemma.BELOW, (show_term(a.num), a.den)), low | high)
                state.substitute({a: a.num if isinstance(a, Mod) else ZERO})
                return True
        elif isinstance(a, (Min, Max)):
            sign = 1 if isinstance(a, Min) else -1
            for t in a.args:
                for u in a.args:
                    got = state.facts.prove((u - t) * sign, 0) if u is not t else None
                    if got is not None:
                        others = tuple(x for x in a.args if x is not u)
                        state.use("reduce", None, got)
                        state.substitute({a: others[0] if len(others) == 1 else of(type(a)(others))})
                        return True
    return False


def divide_exactly(state: State) -> bool:
    """u % d == 0 makes (u*v + r) // d be (u // d)*v + r // d."""
    atoms = atoms_in(*state.equations)
    for a in sorted(atoms, key=key_of):
        if isinstance(a, FloorDiv):
            for u, v, r in factors(a.num):
                if eq(mod(u, a.den), 0) in state.conds:
                    state.use("exact", ProofStep(Lemma.DIVIDES, (a.den, u)))
                    state.substitute({a: floordiv(u, a.den) * v + floordiv(r, a.den)})
                    return True
    return False


def factors(t: Term) -> Iterator[tuple[Term, Term, Term]]:
    """(u, v, r) with t == u*v + r, u one launch scalar and v block-dependent."""
    for u in sorted({a for m in t.monos if any(x.varying for x in m) for a in m if not a.varying}):
        v, r = split_multiples(t, of(u))
        if v.varying:
            yield of(u), v, r
