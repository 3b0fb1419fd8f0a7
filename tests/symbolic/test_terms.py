"""The constructors of terms and conditions keep the value that plain Python gives."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from itertools import combinations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.symbolic.strategies import ATOMS, NAMES, Recipe, assignments, build, conditions, evaluate_recipe, integers
from tilecheck import symbolic as t

FEW = settings(max_examples=300, deadline=None)


def environment(values: Mapping[str, int]) -> dict[t.Atom, int]:
    return {ATOMS[n]: v for n, v in values.items()}


def evaluate_defined(recipe: Recipe, values: Mapping[str, int]) -> object:
    try:
        return evaluate_recipe(recipe, values)
    except ArithmeticError:
        assume(False)


@FEW
@given(integers(), assignments())
def test_terms_keep_their_value(recipe: Recipe, values: dict[str, int]) -> None:
    expected = evaluate_defined(recipe, values)
    assert t.evaluate(build(recipe), environment(values)) == expected


@FEW
@given(conditions(), assignments())
def test_conditions_keep_their_value(recipe: Recipe, values: dict[str, int]) -> None:
    expected = evaluate_defined(recipe, values)
    cond = build(recipe)
    assert t.holds(cond, environment(values)) == expected
    assert t.holds(t.negate(cond), environment(values)) == (not expected)
    assert t.negate(t.negate(cond)) == cond


@FEW
@given(st.lists(conditions(divide=False), min_size=1, max_size=4), assignments())
def test_conjunction_and_disjunction(recipes: list[Recipe], values: dict[str, int]) -> None:
    expected = [bool(evaluate_recipe(r, values)) for r in recipes]
    conds = [build(r) for r in recipes]
    assert t.holds(t.conj(*conds), environment(values)) == all(expected)
    assert t.holds(t.disj(*conds), environment(values)) == any(expected)
    assert t.conj(*conds).key == t.conj(*reversed(conds)).key
    assert t.disj(*conds).key == t.disj(*reversed(conds)).key


@FEW
@given(integers(3), conditions(), st.fixed_dictionaries({n: integers(2) for n in NAMES}), assignments())
def test_substitution(recipe: Recipe, condition: Recipe, by: dict[str, Recipe], values: dict[str, int]) -> None:
    inner = {n: evaluate_defined(by[n], values) for n in NAMES}
    mapping = {ATOMS[n]: build(by[n]) for n in NAMES}
    env = environment(values)
    expected = evaluate_defined(recipe, inner)  # type: ignore[arg-type]
    assert t.evaluate(t.substitute(build(recipe), mapping), env) == expected
    truth = evaluate_defined(condition, inner)  # type: ignore[arg-type]
    assert t.holds(t.substitute_cond(build(condition), mapping), env) == truth


@FEW
@given(integers(3), integers(2))
def test_split_multiples(recipe: Recipe, divisor: Recipe) -> None:
    term, by = build(recipe), build(divisor)
    assume(by.constant != 0)
    quotient, rest = t.split_multiples(term, by)
    assert quotient * by + rest == term


@FEW
@given(integers(3), integers(3), integers(3))
def test_ring_laws_are_canonical(x: Recipe, y: Recipe, z: Recipe) -> None:
    a, b, c = build(x), build(y), build(z)
    assert (a + b).key == (b + a).key
    assert (a * b).key == (b * a).key
    assert (a * (b + c)).key == (a * b + a * c).key
    assert (a - a).key == "0"
    assert ((a + b) + c) == (a + (b + c))


@FEW
@given(integers(3), conditions())
def test_pickling(recipe: Recipe, condition: Recipe) -> None:
    for value in (build(recipe), build(condition)):
        again = pickle.loads(pickle.dumps(value))
        assert again == value and again.key == value.key and again.varying == value.varying


@FEW
@given(integers(3), integers(3), assignments())
def test_equal_keys_mean_equal_values(x: Recipe, y: Recipe, values: dict[str, int]) -> None:
    a, b = build(x), build(y)
    if a.key == b.key:
        assert a == b and hash(a) == hash(b)
        assert evaluate_defined(x, values) == evaluate_defined(y, values)


ONE_EACH = (
    t.symbol_from_text("x"), t.Bid(0), t.Bid(0, 1), t.Counter("x"), t.Counter("x", 1), t.Lane(0, t.const(4)),
    t.Lane(0, t.const(4), 1), t.Lane(1, t.const(4)), t.Opaque("x"), t.Opaque("x", True), t.Opaque("x", False, 1),
    t.Load(t.ArrayParam("x"), (t.symbol("i"),)), t.App("x", (t.symbol("i"),)), t.GridDim(0),
    t.Load(t.ArrayParam("grid"), (t.ZERO,)),
    t.symbol_from_text("x.shape[0]"), t.Min((t.symbol("x"), t.symbol("y"))),
    t.Max((t.symbol("x"), t.symbol("y"))), t.FloorDiv(t.symbol("x"), t.symbol("y")),
    t.Mod(t.symbol("x"), t.symbol("y")),
)


@pytest.mark.parametrize(("a", "b"), list(combinations(ONE_EACH, 2)))
def test_different_atoms_differ(a: t.Atom, b: t.Atom) -> None:
    assert a != b and a.key != b.key


def test_lane_of_size_one_is_zero() -> None:
    assert t.lane(0, 1) == t.ZERO
    assert t.substitute(t.lane(0, t.symbol("T")), {t.symbol_from_text("T"): t.ONE}) == t.ZERO


def test_boolean_opaque() -> None:
    flag = t.symbol_from_text("flag")
    for positive in (True, False):
        c = t.bool_opaque(flag, positive)
        assert t.holds(c, {flag: 1}) is positive
        assert t.holds(t.negate(c), {flag: 1}) is not positive
        assert t.holds(c, {flag: 0}) is not positive
        assert t.substitute_cond(c, {flag: t.const(3)}) == (t.TRUE if positive else t.FALSE)
    assert t.conj(t.bool_opaque(flag), t.bool_opaque(flag, False)) == t.FALSE


def test_nested_division_by_positive_constants_only() -> None:
    x = t.symbol("x")
    nested = t.floordiv(t.floordiv(x, t.const(-3)), t.const(2))
    for value in range(-20, 20):
        assert t.evaluate(nested, {t.symbol_from_text("x"): value}) == value // -3 // 2


def test_evaluation_outside_the_domain() -> None:
    with pytest.raises(ArithmeticError):
        t.evaluate(t.floordiv(t.symbol("x"), t.ZERO), {t.symbol_from_text("x"): 1})
    with pytest.raises(KeyError):
        t.evaluate(t.symbol("x"), {})
