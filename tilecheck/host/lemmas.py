"""Entailment for the terms that host code builds."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from tilecheck.proof.facts import entails
from tilecheck.proof.terms import (
    FALSE,
    App,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Max,
    Min,
    Mod,
    Term,
    atoms_of,
    conj,
    disj,
    ge,
    le,
    lt,
    negate,
    of,
    substitute_cond,
)

_SPLITS: Final = 4


def lemmas(cond: Cond) -> list[Cond]:
    """What holds of the atoms of a condition, whatever their arguments."""
    out: list[Cond] = []
    for atom in sorted(atoms_of(cond)):
        out += _about(atom)
    return out


def _about(atom: Atom) -> list[Cond]:
    value = of(atom)
    if isinstance(atom, App) and atom.fn == "next_pow2":
        (inner,) = atom.args
        return [ge(value, inner), ge(value, 1), disj(le(inner, 0), le(value, inner * 2 - 1))]
    if isinstance(atom, FloorDiv):
        return _division(value, atom.num, atom.den)
    if isinstance(atom, Min):
        return [le(value, part) for part in atom.args]
    if isinstance(atom, Max):
        return [ge(value, part) for part in atom.args]
    if isinstance(atom, Mod) and (atom.den.constant or 0) > 0:
        return [ge(value, 0), lt(value, atom.den)]
    return []


def _division(value: Term, num: Term, den: Term) -> list[Cond]:
    positive = den.constant is not None and den.constant > 0
    inside = conj(le(value * den, num), lt(num, value * den + den))
    return [inside] if positive else [disj(le(den, 0), inside)]


@lru_cache(maxsize=1024)
def unreachable(facts: Cond) -> bool:
    """Whether the facts contradict each other."""
    return facts.op == "false" or entails(facts, FALSE)


def decided(facts: Cond, goal: Cond, splits: int = _SPLITS) -> bool:
    """Whether the goal follows from the facts."""
    if goal.op == "true":
        return True
    if goal.op == "and":
        return all(decided(facts, part, splits) for part in goal.args)
    if entails(facts, goal):
        return True
    extra = conj(*lemmas(goal))
    if extra.op != "true" and entails(conj(facts, extra), goal):
        return True
    return splits > 0 and _by_cases(facts, goal, splits)


def _by_cases(facts: Cond, goal: Cond, splits: int) -> bool:
    """Decide a goal with a conditional value in it on both sides of its condition."""
    choices = sorted(a for a in atoms_of(goal) if isinstance(a, Ite))
    if not choices:
        return False
    # an innermost one first, so that the condition itself has none
    atom = next((a for a in choices if not any(isinstance(b, Ite) for b in atoms_of(a.cond))), choices[0])
    for cond, value in ((atom.cond, atom.then), (negate(atom.cond), atom.other)):
        here = conj(substitute_cond(facts, {atom: value}), cond)
        if here.op != "false" and not decided(here, substitute_cond(goal, {atom: value}), splits - 1):
            return False
    return True
