"""Inequalities: a proved one holds for all small values, and a missing fact leaves it unproven."""

from __future__ import annotations

import random
from itertools import pairwise, product

import pytest

from tilecheck.solver.inequalities import Assumed, Budget, Facts, prove_factored
from tilecheck.symbolic import Cond, Term, bid, conj, const, eq, evaluate, floordiv, ge, holds, lt, mod, symbol

B = bid(0)
S, R, C, Q, T = map(symbol, "SRCQT")
POSITIVE = conj(ge(S, 1), ge(R, 1), ge(C, 1), ge(T, 1), ge(Q, 0))
SWIZZLED = floordiv(mod(B, S * C), S)
LAST = floordiv(mod(B, S * C), R)
IN_LAST = conj(ge(floordiv(B, S * C), Q), lt(B, (Q * S + R) * C))


@pytest.mark.parametrize(("facts", "p"), [
    (POSITIVE, C - 1 - SWIZZLED),
    (POSITIVE, T * (C - 1) - T * SWIZZLED),
    (conj(POSITIVE, IN_LAST), C - 1 - LAST),
    (conj(POSITIVE, IN_LAST), T * (C - 1) - T * LAST),
])
def test_quotients_of_remainders_stay_below_the_other_factor(facts: Cond, p: Term) -> None:
    assert prove_factored(Facts([facts], [p], signs=False), p) is not None


@pytest.mark.parametrize(("facts", "p"), [
    # the multiplier may be negative
    (conj(ge(S, 1), ge(C, 1)), T * (C - 1) - T * SWIZZLED),
    # the divisor may be 0 or negative
    (conj(ge(T, 1), ge(C, 1)), T * (C - 1) - T * SWIZZLED),
    # nothing says that the block is in the last group
    (conj(POSITIVE, lt(B, (Q * S + R) * C)), T * (C - 1) - T * LAST),
    (conj(POSITIVE, ge(floordiv(B, S * C), Q)), T * (C - 1) - T * LAST),
    (conj(POSITIVE, IN_LAST), T * (C - 2) - T * LAST),
])
def test_a_missing_fact_leaves_them_open(facts: Cond, p: Term) -> None:
    assert prove_factored(Facts([facts], [p], signs=False), p) is None


def _term(r: random.Random) -> Term:
    q = floordiv(r.choice([B, mod(B, S), mod(B, S * 2), B + 1]), r.choice([S, const(2), const(3), S + 1]))
    leaf = r.choice([q, q, mod(B, S), B, S, const(r.randint(-2, 3)), T])
    return leaf * r.choice([const(1), const(-1), T, -T, S, -S])


@pytest.mark.parametrize("seed", range(150))
def test_proved_inequalities_hold(seed: int) -> None:
    r = random.Random(seed)
    p = _term(r) + _term(r) + _term(r)
    known = conj(ge(S, r.choice([0, 1, 1, 2])), ge(T, r.choice([-1, 0, 1])),
                 *(r.choice([ge, lt, eq])(_term(r), _term(r)) for _ in range(r.randint(0, 2))))
    if prove_factored(Facts([known], [p], signs=False), p) is None:
        return
    for b, s, t, blocks in product(range(6), range(4), range(-2, 4), (6,)):
        env = {B.single: b, S.single: s, T.single: t, symbol("grid[0]").single: blocks}
        try:
            assert not holds(known, env) or evaluate(p, env) >= 0, (known, p, env)
        except ArithmeticError:
            continue


class _Forgetful(Facts):
    """Searches for everything anew."""

    def _search(self, p: Term, depth: int) -> Assumed | None:
        self._dead.clear()
        self._unsigned.clear()
        return super()._search(p, depth)


# in those listed something is proved later on, or a question is asked while it is open
@pytest.mark.parametrize("seed", [*range(150), 222, 240, 475, 635, 749, 3145, 3163, 3865])
def test_failed_searches_are_cached_without_changing_answers(seed: int) -> None:
    r = random.Random(seed)
    known = conj(ge(S, r.choice([0, 1, 1, 2])), ge(T, r.choice([-1, 0, 1])),
                 *(r.choice([ge, lt, eq])(_term(r), _term(r)) for _ in range(r.randint(0, 3))))
    goals = [_term(r) + _term(r) + _term(r) for _ in range(4)]
    one, other = (kind([known], goals, signs=False, budget=Budget(300)) for kind in (Facts, _Forgetful))
    for goal in (*goals, *goals):
        assert one.prove(goal) == other.prove(goal), (known, goal)
    # a search that is not repeated costs what it took at first, which is never less
    assert max(one.budget.left, 0) <= max(other.budget.left, 0)


def test_searches_cut_short_are_repeated_with_a_full_budget() -> None:
    chain = [symbol(name) for name in "abcdefg"]
    known = [ge(b, a) for a, b in pairwise(chain)]
    facts = Facts(known, signs=False, budget=Budget(3))
    assert facts.prove(chain[-1] - chain[0]) is None
    assert facts.with_budget().prove(chain[-1] - chain[0]) is not None
