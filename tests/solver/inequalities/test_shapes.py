"""The cached properties of a polynomial equal its computed ones, and a cancellation equals the sum that it replaces."""

from __future__ import annotations

import random
from itertools import chain, combinations

import pytest

from tilecheck.solver.inequalities import Facts, placed_in
from tilecheck.solver.inequalities.polynomials import combine, reduce_term, shift_term, subtract_weighted, weight_fact
from tilecheck.solver.inequalities.shapes import Shape
from tilecheck.symbolic import Bid, Lane, Term, bid, conj, const, floordiv, ge, lane, le, maximum, of, symbol

B = bid(0)
S, T = symbol("S"), symbol("T")
ATOMS = (B, S, T, floordiv(B, S), maximum(S, T))


def _polynomial(r: random.Random, terms: int = 5) -> Term:
    out = const(r.randint(-3, 3))
    for _ in range(r.randint(1, terms)):
        out = out + r.choice(ATOMS) * r.choice((const(1), *ATOMS)) * r.randint(-3, 3)
    return out


def _reverse(p: Term) -> Term:
    return Term(dict(reversed(p.monos.items())))


@pytest.mark.parametrize("seed", range(100))
def test_a_shape_does_not_depend_on_the_order_of_terms(seed: int) -> None:
    p = _polynomial(random.Random(seed))
    one, two = Shape(p), Shape(_reverse(p))
    for name in ("choices", "large", "lowest", "open_terms", "ranked", "shiftable", "signed"):
        assert getattr(one, name) == getattr(two, name), name


@pytest.mark.parametrize("seed", range(200))
def test_acceptable_terms_are_shiftable(seed: int) -> None:
    p = _polynomial(random.Random(seed), 3)
    atoms = p.atoms()
    some = chain.from_iterable(combinations(atoms, n) for n in range(len(atoms) + 1))
    accepted = any(min(shift_term(p, set(shift)).values(), default=0) >= 0 for shift in some)
    assert Shape(p).shiftable == accepted


@pytest.mark.parametrize("seed", range(100))
def test_a_cancellation_is_the_weighted_sum(seed: int) -> None:
    r = random.Random(seed)
    p, g = _polynomial(r), _polynomial(r)
    for m, c in p.monos.items():
        for factor, gc in g.monos.items():
            fact = weight_fact(g, factor, m, c < 0)
            if fact is None or not factor:
                continue
            rest = subtract_weighted(p, c, fact)
            assert m not in rest.monos
            assert rest == reduce_term(combine(p * abs(gc), 1, fact[0], abs(c), g))


def test_the_most_expensive_term_comes_first() -> None:
    ranked = [m for m, _ in Shape(S * T - B - floordiv(B, S) + 3).ranked]
    assert ranked[:2] == [(floordiv(B, S).single,), (B.single,)]
    assert ranked[-1] == ()


def test_inequalities_that_oppose_each_other() -> None:
    known = Facts([conj(ge(B, S), le(B, S), ge(B, T), ge(S, T), le(S, T))])
    assert known.opposite == {B - S, S - B}


def test_the_coordinates_and_lanes_in_terms() -> None:
    assert placed_in([B * S, floordiv(lane(0, T) + S, T)]) == {Bid(0), Lane(0, of(T))}
    assert placed_in([S - T]) == frozenset()
