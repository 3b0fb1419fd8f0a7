"""Models of conditions: they satisfy them, coordinates stay in range, and each is the same in every run."""

from __future__ import annotations

import pytest

from tilecheck.solver.inequalities import models
from tilecheck.solver.inequalities.models import Models
from tilecheck.symbolic import Cond, bid, conj, counter, eq, floordiv, ge, grid, lane, le, lt, mod, ne, symbol

N, M, T, G = map(symbol, ("n", "m", "T", "x.shape[0]"))
B, K, L = bid(0), counter("k"), lane(0, T)


@pytest.mark.parametrize("conds", [
    (lt(B * T + L, N),),
    (eq(N, M * 4), ge(M, 3)),
    (eq(mod(N, T), 0), ge(T, 2), lt(K, floordiv(N, T))),
    (le(grid(0), floordiv(G, T)), ge(B, 5)),
    (ne(N, 1), lt(N, M)),
])
@pytest.mark.parametrize("signs", [True, False])
def test_a_model_satisfies_its_conditions(conds: tuple[Cond, ...], signs: bool) -> None:
    found = list(models(conds, signs))
    assert found
    for model in found:
        assert all(map(model.holds, conds))
        assert 0 <= model.value(B) < model.value(grid(0))
        assert 0 <= model.value(L) < model.value(T)
        assert not signs or model.value(N) >= 1


def test_contradictory_conditions_have_no_model() -> None:
    assert not list(models((lt(N, M), lt(M, N)), True))


def test_undefined_terms_are_not_false() -> None:
    (model, *_) = models((eq(N, 0),), False)
    assert not model.falsifies(floordiv(M, N) - 1)
    assert not model.breaks(conj(ge(floordiv(M, N), 1)))


def test_models_do_not_depend_on_the_order_of_queries() -> None:
    conds = (lt(B * T + L, N), eq(mod(N, T), 0))
    whole, one_by_one = Models(conds, True), Models(conds, True)
    second = one_by_one.at(1)
    values = [[model.value(t) for t in (N, T, B, L)] for model in whole]
    assert second is not None and [second.value(t) for t in (N, T, B, L)] == values[1]
    assert [[model.value(t) for t in (N, T, B, L)] for model in one_by_one] == values
    assert one_by_one.at(len(values)) is None
