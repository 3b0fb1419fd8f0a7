"""Clauses on numbers of a launch that may be fractions."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from tilecheck.contracts import annotation_of, parse
from tilecheck_runtime.contracts.contract import Contract, Demand, enforce
from tilecheck_runtime.errors.ownership import ContractError


def _enforce(
    text: str, values: Mapping[str, int], floats: Mapping[str, float], *, declared: bool = False,
    complete: bool = False,
) -> None:
    (clause,) = parse(text)
    enforce("k", Contract(None, (Demand(text, clause, annotation_of(clause), declared),)), values, complete, floats)


@pytest.mark.parametrize("declared", [False, True])
@pytest.mark.parametrize("complete", [False, True])
def test_an_integer_satisfies_the_clause_and_nothing_else_does(declared: bool, complete: bool) -> None:
    _enforce("integer(n)", {"n": 3}, {}, declared=declared, complete=complete)
    for values, floats, said in (
        ({}, {"n": 0.5}, "`n` is 0.5"), ({}, {"n": 2.0}, "`n` is 2.0"), ({"n": True}, {}, "`n` is True"),
        ({"m": 3}, {}, "`n` is not an integer"), ({}, {"n": math.nan}, "`n` is nan"),
    ):
        with pytest.raises(ContractError) as caught:
            _enforce("integer(n)", values, floats, declared=declared, complete=complete)
        assert said in str(caught.value) and caught.value.names == ("n",)


@pytest.mark.parametrize(("text", "value", "fails"), [
    ("n >= 1", 1.0, False), ("n >= 1", 1.5, False), ("n >= 1", 0.5, True), ("n <= 1", 0.5, False),
    ("n <= 1", 1.5, True), ("2*n <= T", 2.0, False), ("2*n <= T", 1.5, False), ("2*n <= T", 2.5, True),
    ("n != 1", 0.5, True), ("n == 1 or n >= 2", 1.5, False), ("n >= 1", math.inf, True), ("n >= 1", math.nan, True),
    ("T >= 1", 0.5, False), ("m >= 1", 0.5, False), ("n <= -1", -0.5, True), ("n <= 0", -0.5, False),
])
def test_an_inferred_clause_holds_for_the_integers_beside_a_float(text: str, value: float, fails: bool) -> None:
    if not fails:
        _enforce(text, {"T": 4}, {"n": value})
        return
    with pytest.raises(ContractError):
        _enforce(text, {"T": 4}, {"n": value})


def test_a_declared_clause_requires_an_integer() -> None:
    with pytest.raises(ContractError, match="no `n` that is an integer"):
        _enforce("n >= 1", {}, {"n": 3.0}, declared=True)
