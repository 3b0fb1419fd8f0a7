"""Sampled values satisfy the facts of launches, and splitting the facts into conjuncts changes nothing."""

from __future__ import annotations

import random
from itertools import product

import pytest

from tilecheck.interp.host import sampling as samples
from tilecheck.interp.host.sampling import is_refuted, outcomes, witnesses
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import (
    FALSE,
    TRUE,
    ArrayParam,
    Cond,
    Extent,
    Opaque,
    Point,
    Scalar,
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
    lt,
    mod,
    ne,
    symbol,
    symbol_from_text,
)

N, M, T, K = map(symbol, ("x.shape[0]", "y.shape[1]", "T", "k"))
VIEW, REST = map(symbol, ("view.shape[:-1]", "view.shape[-1]"))
UNKNOWN = Opaque("seen", uniform=True)


def test_facts_with_a_common_symbol_form_one_part() -> None:
    facts = conj(ge(N, 1), ge(M, 1), le(N, M), ge(T, 1), ge(K, 1), eq(mod(K, const(8)), 0))
    parts = samples._parts(facts)
    assert sorted(sorted(map(str, part.leaves)) for part in parts) == [["T"], ["k"], ["x.shape[0]", "y.shape[1]"]]


def test_a_fact_joins_the_parts_of_its_symbols() -> None:
    names = [symbol(f"n{i}") for i in range(9)]
    rng = random.Random(3)
    for _ in range(60):
        conds = [ge(rng.choice(names), i) for i in range(3)] + [
            lt(rng.choice(names), rng.choice(names) + rng.choice(names) + i) for i in range(6)]
        facts = conj(*conds)
        parts = samples._parts(facts)
        assert sorted(c.key for part in parts for c in part._facts) == sorted(c.key for c in conjuncts(facts))
        for one, other in product(parts, parts):
            assert one is other or one.free.isdisjoint(other.free)


@pytest.mark.parametrize(("facts", "goal", "seen"), [
    (conj(ge(N, 1), ge(T, 1)), le(T, N), {True, False}),
    (conj(eq(N, M), ge(N, 1)), eq(M, N), {True}),
    (conj(ge(N, 5), le(N, 4)), ge(N, 0), set()),
    (conj(ge(N, 5), le(N, 9), ge(T, 1)), ge(N, 10), {False}),
    (FALSE, TRUE, set()),
    (conj(bool_opaque(UNKNOWN), ge(N, 1)), bool_opaque(UNKNOWN), {True}),
    (conj(eq(T, 0), ge(N, 1)), ge(floordiv(N, T), 0), set()),
])
def test_outcomes_are_the_values_of_a_goal_where_the_facts_hold(facts: Cond, goal: Cond, seen: set[bool]) -> None:
    assert outcomes(facts, goal) == seen


def test_refuted_goals_fail_and_proved_goals_hold() -> None:
    assert is_refuted(conj(ge(N, 1), ge(T, 1)), le(T, N))
    assert not is_refuted(conj(ge(N, 4), eq(N, M)), ge(M, 3))
    assert not is_refuted(conj(ge(N, 4), le(N, 3)), FALSE)


def test_determined_values_do_not_stop_sampling() -> None:
    # of extents drawn at random, hardly any satisfy either equation
    facts = conj(
        eq(VIEW * REST, N * M * 128), ge(VIEW, 1), ge(REST, 1), ge(N, 1), ge(M, 1), eq(K, N * 3 + 7), lt(N, M),
        ne(N, T))
    assert is_refuted(facts, le(N * M, 8000))
    assert is_refuted(facts, le(K, 100))
    assert not is_refuted(facts, ge(K, 10))


def test_quantities_of_two_facts_are_the_same_quantity() -> None:
    # each half of the facts has values of its own in which the goal fails; together they have none
    facts = conj(eq(mod(N, T), 0), ge(N, 1), ge(T, 1), ge(K, N * T), le(K, M))
    assert not is_refuted(facts, le(N, M))
    assert not is_refuted(facts, le(T, M))


def test_witnesses_satisfy_the_facts_and_the_goal() -> None:
    choice = ite(ge(N, 100), M, T)
    facts, goal = conj(ge(N, 1), ge(M, 1), ge(T, 1), le(M, 2 * N)), le(choice, 64)
    found = list(witnesses(facts, goal))
    assert len(found) > 1
    for point in found:
        assert point.holds(goal)
        values = {a: point.at(a) for a in map(symbol_from_text, ("x.shape[0]", "y.shape[1]", "T"))}
        assert holds(facts, values)
        assert point.holds(ge(N, 100)) == (values[symbol_from_text("x.shape[0]")] >= 100)


def test_a_sampled_point_agrees_with_evaluation() -> None:
    term = ite(lt(N, T), floordiv(N, K), mod(N, T) * M) + M
    cond = disj(lt(term, 9), conj(eq(mod(N, T), 0), bool_opaque(UNKNOWN)))
    for n, m, t, k in product((0, 1, 7), repeat=4):
        rows, columns = Extent(ArrayParam("x"), 0), Extent(ArrayParam("y"), 1)
        env = {rows: n, columns: m, Scalar("T"): t, Scalar("k"): k, UNKNOWN: n % 2}
        point = Point(env)
        try:
            expected = evaluate(term, env), holds(cond, env)
        except ArithmeticError:
            with pytest.raises(ArithmeticError):
                list(map(Point.holds, (point, point), (ge(term, 0), cond)))
            continue
        assert (point.value(term), point.holds(cond)) == expected
    with pytest.raises(KeyError):
        Point({}).value(N)
    assert not Point({}).satisfies(ge(N, 0))
