"""Each entailment that the solver derives is valid: checked on all small values of random facts and goals."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilecheck.interp.host.entailment import (
    abstract_choices,
    drop_weaker,
    follows,
    is_entailed,
    lemmas,
    simplify_truth_tests,
    unreachable,
)
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import (
    Atom,
    Cond,
    FloorDiv,
    Mod,
    Opaque,
    Symbol,
    Term,
    app,
    atoms_of,
    bool_opaque,
    conj,
    const,
    disj,
    eq,
    evaluate,
    floordiv,
    ge,
    holds,
    ite,
    le,
    maximum,
    minimum,
    mod,
    ne,
    negate,
    symbol,
)

NAMES = ("a", "b", "c", "d.shape[0]")
TRIALS = 300
ALL = 100_000
VALUES = (-3, -1, 0, 1, 2, 3, 4, 6, 8, 9)
TRUTH = Opaque("t", uniform=True)


def term(rng: random.Random, depth: int) -> Term:
    if depth == 0 or rng.random() < 0.2:
        return symbol(rng.choice(NAMES)) if rng.random() < 0.7 else const(rng.randint(-2, 8))
    make = rng.choice(MAKERS)
    return make(rng, depth - 1)


def divisor(rng: random.Random, depth: int) -> Term:
    """A divisor is never 0."""
    found = term(rng, depth)
    return const(2) if found.constant == 0 else found


MAKERS = (
    lambda r, d: term(r, d) + term(r, d), lambda r, d: term(r, d) - term(r, d), lambda r, d: term(r, d) * term(r, d),
    lambda r, d: floordiv(term(r, d), divisor(r, d)), lambda r, d: mod(term(r, d), divisor(r, d)),
    lambda r, d: floordiv(term(r, d) - 1, divisor(r, d)) + 1,
    lambda r, d: minimum(term(r, d), term(r, d)), lambda r, d: maximum(term(r, d), term(r, d)),
    lambda r, d: app("next_pow2", term(r, d)), lambda r, d: app("and", n := term(r, d), n - 1),
    lambda r, d: ite(condition(r, d), term(r, d), term(r, d)),
)


def condition(rng: random.Random, depth: int) -> Cond:
    pick = rng.random()
    if pick < 0.1:
        return bool_opaque(TRUTH, rng.random() < 0.5)
    if pick < 0.75 or depth == 0:
        return rng.choice((ge, ge, ge, eq, ne))(term(rng, depth), term(rng, depth))
    return rng.choice((disj, conj))(condition(rng, depth - 1), condition(rng, depth - 1))


def fact(rng: random.Random) -> Cond:
    """Draws a fact as host code states it: a multiple, equal extents, a power of two, a limit, or any condition."""
    first, second = symbol(rng.choice(NAMES)), symbol(rng.choice(NAMES))
    return rng.choice((
        lambda: condition(rng, 1), lambda: eq(mod(first, second), 0), lambda: eq(first, second),
        lambda: eq(mod(first, const(rng.randint(2, 8))), 0), lambda: eq(app("and", first, first - 1), 0),
        lambda: ge(first, rng.randint(0, 4)), lambda: ge(first, second),
        lambda: eq(ite(condition(rng, 0), first, second), term(rng, 1))))()


SEEDS = st.integers(0, 2**32)
# one seed for all that is drawn: drawing each node from Hypothesis costs seconds
FACTS = SEEDS.map(random.Random).map(lambda rng: conj(*(fact(rng) for _ in range(rng.randint(0, 4)))))


def conditions(depth: int) -> st.SearchStrategy[Cond]:
    return SEEDS.map(lambda seed: condition(random.Random(seed), depth))


def counterexample(facts: Cond, goal: Cond, trials: int = TRIALS) -> dict[str, int] | None:
    """Small values that satisfy the facts and not the goal, where both have a meaning."""
    leaves = sorted({a for value in (facts, goal) for a in atoms_of(value) if isinstance(a, Symbol | Opaque)})
    for values in _assignments([_values(a) for a in leaves], trials):
        env: dict[Atom, int] = dict(zip(leaves, values, strict=True))
        try:
            if _are_defined((facts, goal), env) and holds(facts, env) and not holds(goal, env):
                return {a.key: v for a, v in env.items()}
        except (ArithmeticError, KeyError):
            continue
    return None


def _assignments(columns: list[tuple[int, ...]], trials: int) -> Iterator[tuple[int, ...]]:
    """All of them, or many."""
    if prod(map(len, columns)) <= trials:
        yield from product(*columns)
        return
    rng = random.Random(1)
    for _ in range(trials):
        yield tuple(rng.choice(column) for column in columns)


def _values(a: Atom) -> tuple[int, ...]:
    """An extent is not negative."""
    return (0, 1) if isinstance(a, Opaque) else tuple(v for v in VALUES if v >= 0 or ".shape[" not in a.key)


def _are_defined(conds: tuple[Cond, ...], env: dict[Atom, int]) -> bool:
    """Whether no divisor is 0, wherever it occurs."""
    return all(evaluate(a.den, env) != 0 for c in conds for a in atoms_of(c) if isinstance(a, FloorDiv | Mod))


@settings(max_examples=300, deadline=None)
@given(FACTS, conditions(2))
def test_decided_clauses_follow_from_the_facts(facts: Cond, goal: Cond) -> None:
    if facts.op != "false" and is_entailed(facts, goal):
        assert counterexample(facts, goal) is None


@settings(max_examples=300, deadline=None)
@given(conditions(1), st.data())
def test_an_exception_excuses_no_more_than_itself(facts: Cond, data: st.DataObject) -> None:
    first, second, third = (data.draw(conditions(1)) for _ in range(3))
    goal = disj(first, second, third)
    if facts.op != "false" and is_entailed(facts, goal):
        assert counterexample(facts, goal) is None


@settings(max_examples=300, deadline=None)
@given(FACTS)
def test_unreachable_cases_are_never_reached(facts: Cond) -> None:
    if unreachable(facts):
        assert counterexample(facts, ge(const(-1), 0)) is None


@settings(max_examples=300, deadline=None)
@given(FACTS, conditions(1))
def test_immediate_consequences_are_found(facts: Cond, goal: Cond) -> None:
    if facts.op != "false" and follows(facts, goal):
        assert counterexample(facts, goal) is None


@settings(max_examples=300, deadline=None)
@given(conditions(2))
def test_lemmas_always_hold(cond: Cond) -> None:
    for lemma in lemmas(cond):
        assert counterexample(conj(), disj(lemma, negate(conj()))) is None, lemma


@settings(max_examples=100, deadline=None)
@given(st.lists(conditions(2), min_size=1, max_size=3))
def test_other_forms_say_the_same(conds: list[Cond]) -> None:
    for cond in conds:
        assert counterexample(cond, simplify_truth_tests(cond)) is None
        assert counterexample(simplify_truth_tests(cond), cond) is None
    assert counterexample(conj(*conds), conj(*drop_weaker(conds))) is None
    assert counterexample(conj(*drop_weaker(conds)), conj(*conds)) is None


@settings(max_examples=100, deadline=None)
@given(FACTS, conditions(2), st.sampled_from((0, 10, 30)))
def test_consequences_of_every_choice_are_found(facts: Cond, goal: Cond, longest: int) -> None:
    goal_, *facts_ = abstract_choices([goal, *conjuncts(facts)], longest)
    if facts.op != "false" and conj(*facts_).op != "false" and is_entailed(conj(*facts_), goal_):
        assert counterexample(facts, goal) is None


A, B, C, D = (symbol(n) for n in NAMES)
POWER = eq(app("and", A, A - 1), 0)
CHOICE = bool_opaque(TRUTH)


@pytest.mark.parametrize(("facts", "goal"), [
    # n & (n - 1) == 0 says that n is rounded already, for n >= 1
    (conj(POWER, ge(A, 1)), eq(app("next_pow2", A), A)),
    (conj(POWER, ge(A, 1)), ge(A, app("next_pow2", A))),
    (ge(A, 1), disj(ne(app("and", A, A - 1), 0), ge(A, app("next_pow2", A)))),
    # a positive multiple is no smaller, and quotients of it are exact
    (conj(eq(mod(A, B), 0), ge(A, 1), ge(B, 1)), ge(A, B)),
    (conj(ge(A, 1), ge(B, 1)), disj(ne(mod(A, B), 0), ge(A, B))),
    (conj(eq(mod(A, B), 0), ge(A, 1), ge(B, 1)), ge(floordiv(A, B), 1)),
    (eq(mod(A, const(16)), 0), eq(floordiv(A, const(2)) * 2, A)),
    # n // (n // k) >= k
    (conj(ge(A, 0), ge(B, 1)), ge(floordiv(A, floordiv(A, B)), B)),
    (conj(), ge(floordiv(const(-1), A), -1)),
    # choices that the facts make, in the facts too
    (conj(eq(ite(ne(C, 0), A, B), D), eq(C, 0), ge(D, 3)), ge(B, 3)),
    (conj(disj(CHOICE, ge(A, 3)), negate(CHOICE)), ge(A, 3)),
    (conj(eq(ite(CHOICE, A, B), D), negate(CHOICE), ge(D, 3)), ge(B, 3)),
    # alternatives that cannot all fail
    (conj(), disj(ge(A, B), ne(A, B), ne(floordiv(A, C), 2))),
])
def test_shortcuts(facts: Cond, goal: Cond) -> None:
    assert is_entailed(facts, goal)
    assert counterexample(facts, goal, ALL) is None


@pytest.mark.parametrize(("facts", "goal"), [
    # each without one of its conditions
    (POWER, ge(A, app("next_pow2", A))),
    (conj(POWER, ge(B, 1)), eq(app("next_pow2", B), B)),
    (conj(eq(mod(A, B), 0), ge(B, 1)), ge(A, B)),
    (conj(eq(mod(A, B), 0), ge(A, 1)), ge(A, B + 1)),
    (conj(eq(mod(A, const(3)), 0)), eq(floordiv(A, const(2)) * 2, A)),
    (ge(B, 1), ge(floordiv(A, floordiv(A, B)), B)),
    (conj(ge(A, 0), ge(B, 1)), le(floordiv(A, floordiv(A, B)), B)),
    (conj(), ge(floordiv(const(-2), A), -1)),
    (conj(eq(ite(ne(C, 0), A, B), D), ne(C, 0), ge(D, 3)), ge(B, 3)),
    (conj(disj(CHOICE, ge(A, 3)), CHOICE), ge(A, 3)),
    (conj(), disj(ge(A, B + 1), ne(A, B), ne(floordiv(A, C), 2))),
])
def test_shortcuts_that_would_be_wrong(facts: Cond, goal: Cond) -> None:
    assert not is_entailed(facts, goal)
    assert counterexample(facts, goal, ALL) is not None
