"""Rules on what the conditions of the two copies say together."""

from __future__ import annotations

from tilecheck.solver.disjointness.copies import show_term
from tilecheck.solver.disjointness.state import State
from tilecheck.symbolic import Bid, Counter, Lane, Term, negate, of
from tilecheck.symbolic.steps import Lemma, ProofStep

_SMALL = 4
"""Terms of an equation whose range is worth more effort."""


def squeeze(state: State) -> bool:
    """p >= 0 and -p >= 0 among the conditions: p == 0. `a <= 0` for a coordinate: a == 0."""
    opposite = state.facts.opposite
    for g in state.facts.inequalities:
        if g in opposite and g not in state.equations and -g not in state.equations:
            state.equations.append(g)
            state.use("squeeze", ProofStep(Lemma.ZERO, (show_term(g),)))
            return True
        if len(g.monos) == 1:
            ((m, c),) = g.monos.items()
            if len(m) == 1 and c < 0 and isinstance(m[0], (Bid, Counter, Lane)) and of(m[0]) not in state.equations:
                state.equations.append(of(m[0]))
                state.use("squeeze", ProofStep(Lemma.ZERO, (of(m[0]),)))
                return True
    return False


def out_of_range(state: State) -> bool:
    """An equation whose left side is never 0."""
    open_ended = [e for e in state.equations if not is_mirrored(e)]
    for effort in (0, 1):
        for e in open_ended:
            if effort and len(e.monos) > _SMALL:
                continue
            for side in (e, -e):
                got = state.facts.prove_positive(side, effort)
                if got is not None:
                    state.absurd = True
                    state.use("range", ProofStep(Lemma.OUT_OF_RANGE, (show_term(e),)), got)
                    return True
    return False


def is_mirrored(e: Term) -> bool:
    """Whether an equation is the difference of one expression in two copies: 0 where they agree, so never absurd."""
    total: dict[str, int] = {}
    for m, c in e.monos.items():
        key = "*".join(a.key for a in m).replace("'", "")
        total[key] = total.get(key, 0) + c
    return not any(total.values())


def exclusive(state: State) -> bool:
    """A fact whose negation follows from the others."""
    facts = state.facts
    if facts.false:
        state.absurd = True
        state.use("exclusive", ProofStep(Lemma.EXCLUSIVE))
        return True
    for c in facts.conds:
        if not c.varying or c.op not in ("ge", "ne") or c in state.first:
            # a guard of one copy alone is consistent; after an equality is substituted it may not be
            continue
        got = facts.holds(negate(c), 0)
        if got is not None:
            state.absurd = True
            state.use("exclusive", ProofStep(Lemma.EXCLUSIVE_CONDITIONS), got)
            return True
    return False


def by_order(state: State) -> bool:
    """A goal that the guards alone force to 0 (`L <= x*n < L + n`)."""
    for g in state.goals:
        if not g.monos or g in state.equations:
            continue
        upper = state.facts.prove(-g, 0)
        lower = None if upper is None else state.facts.prove(g, 0)
        if upper is not None and lower is not None:
            state.equations.append(g)
            state.use("squeeze", ProofStep(Lemma.FIXED, (show_term(g),)), upper | lower)
            return True
    return False
