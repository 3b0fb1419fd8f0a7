"""The optional solver backend."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from tests.solver.model_search.test_search import B0, B1, COLLIDING, SAFE, K, L, N, T, X, Y, grouped_indices, region
from tests.symbolic.strategies import Recipe, build, conditions, integers
from tilecheck.solver import smt as solver
from tilecheck.solver.model_search import confirm
from tilecheck.symbolic import (
    TRUE,
    ArrayParam,
    Atom,
    Bid,
    Counter,
    GridDim,
    Opaque,
    Scalar,
    Symbol,
    app,
    bool_opaque,
    build_opaque,
    cdiv,
    const,
    evaluate,
    floordiv,
    grid,
    holds,
    le,
    load,
    lt,
    mod,
    symbol,
    symbol_from_text,
)
from tilecheck.symbolic.footprint import Region

needs_z3 = pytest.mark.skipif(not solver.available(), reason="the optional solver (z3) is not installed")

UNDECIDED = {"grouped", "persistent", "exclusive or"}


@needs_z3
@pytest.mark.parametrize("name", sorted(set(SAFE) - UNDECIDED - {"digits"}))
def test_disjoint_accesses_are_proved(name: str) -> None:
    access, axes, assume = SAFE[name]
    assert solver.disjoint(access, access, axes, assume) == "unsat"
    assert solver.model(access, access, axes, assume) is None


@needs_z3
@pytest.mark.parametrize("name", COLLIDING)
def test_colliding_accesses_are_never_proved(name: str) -> None:
    access, axes = COLLIDING[name]
    assert solver.disjoint(access, access, axes, TRUE, 300) != "unsat"


@needs_z3
@pytest.mark.parametrize("name", ["constant", "half step", "mask", "constant radix", "cases", "row too short", "flag"])
def test_models_are_confirmed(name: str) -> None:
    access, axes = COLLIDING[name]
    found = solver.model(access, access, axes)
    assert found is not None and confirm(found, access, access)


def _values(grid: int, **scalars: int) -> dict[Symbol, int]:
    return {GridDim(0): grid, **{Scalar(name): value for name, value in scalars.items()}}


@needs_z3
def test_concrete_scalars() -> None:
    persistent = region((B0 + K * grid(0)) * T + L, guard=lt(B0 + K * grid(0), N))
    assert solver.disjoint(persistent, persistent, X, fixed=_values(grid=132, T=64, n=1000)) == "unsat"
    rows, columns = cdiv(symbol("M"), T), cdiv(symbol("N"), symbol("U"))
    order = region(*grouped_indices(B0))
    sizes = {"M": 1000, "N": 900, "T": 64, "U": 128}
    inside = le(grid(0), rows * columns)
    assert solver.disjoint(order, order, X, inside, 5000, fixed=_values(grid=128, **sizes)) == "unsat"
    assert solver.disjoint(order, order, X, TRUE, 2000, fixed=_values(grid=140, **sizes)) != "unsat"


@needs_z3
def test_a_model_with_given_scalars() -> None:
    stuck = region((B0 + K) * T + L, guard=lt(B0 + K, N))
    given = _values(grid=132, T=64, n=1000)
    found = solver.model(stuck, stuck, X, fixed=given)
    assert found is not None and found.grid == (132, 1, 1)
    assert dict(found.scalars) == {Scalar("T"): 64, Scalar("n"): 1000}
    assert confirm(found, stuck, stuck)


@needs_z3
def test_mirrored_pair() -> None:
    upper, lower = region(B0, B1, guard=le(B0, B1)), region(B1, B0, guard=lt(B0, B1))
    assert solver.disjoint(upper, lower, Y) == "unsat"
    assert solver.disjoint(upper, region(B1, B0), Y) == "sat"


@needs_z3
def test_the_unknown_is_free() -> None:
    for access in (
        region(load(ArrayParam("ids"), (B0,))), region(app("hash", B0)),
        region(app("xor", B0, const(1))), region(build_opaque("p")),
        region(const(0), guard=bool_opaque(Opaque("p"))),
    ):
        assert solver.disjoint(access, access, X) == "sat"
    # equal in both blocks
    assert solver.disjoint(*[region(B0 + build_opaque("p", uniform=True))] * 2, X) == "unsat"
    assert solver.disjoint(*[region(B0 + load(ArrayParam("ids"), (const(1),)))] * 2, X) == "unsat"


@needs_z3
def test_inexact_accesses_have_no_models_and_may_be_proved() -> None:
    assert solver.model(*[region(const(0), exact=False)] * 2, X) is None
    assert solver.disjoint(*[region(B0, exact=False)] * 2, X) == "unsat"


@needs_z3
def test_the_solver_respects_its_limit() -> None:
    n, m, k = symbol("n"), symbol("m"), symbol("q")
    hard = region(mod(B0 * B0 * n + m, k * n + 7) * floordiv(B0, m) + mod(B0 * k, n))
    assert solver.disjoint(hard, hard, X, TRUE, 100) in ("unknown", "sat")


def test_without_a_common_rank() -> None:
    assert solver.disjoint(region(B0), region(B0, B1), X) == "unknown"


LEAVES: tuple[Atom, ...] = (symbol_from_text("a"), Bid(0), Counter("c"))


@needs_z3
@settings(max_examples=120, deadline=None)
@given(integers(3), conditions(3))
def test_encoding_agrees_with_evaluation(recipe: Recipe, condition: Recipe) -> None:
    import z3

    term, cond = build(recipe), build(condition)
    copy = solver._Copy(solver._Shared(z3, frozenset()), "a")
    encoded, truth = copy.term(term), copy.cond(cond)
    for values in ((1, 2, 3), (-4, 0, 5), (6, 1, 0), (7, 3, 2)):
        env = dict(zip(LEAVES, values, strict=True))
        put = [(copy.atom(a), z3.IntVal(v)) for a, v in env.items()]
        for expression, reference in ((encoded, lambda e: evaluate(term, e)), (truth, lambda e: holds(cond, e))):
            try:
                expected = reference(env)
            except ArithmeticError:
                continue
            got = z3.simplify(z3.substitute(expression, *put))
            if z3.is_int_value(got):
                assert got.as_long() == expected
            elif z3.is_true(got) or z3.is_false(got):
                assert z3.is_true(got) == expected


@needs_z3
@settings(max_examples=40, deadline=None)
@given(integers(3), conditions(3))
def test_never_contradicts_the_search(recipe: Recipe, condition: Recipe) -> None:
    from tilecheck.solver.model_search import find_collision

    access = Region((build(recipe),), build(condition))
    if solver.disjoint(access, access, X, TRUE, 100) == "unsat":
        assert find_collision(access, access, axes=X, same_site=True, budget=2000) is None
