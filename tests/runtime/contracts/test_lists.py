"""Clauses that speak of every array of a list, at a launch."""

from __future__ import annotations

import pytest

from tilecheck.contracts import parse
from tilecheck_runtime.contracts.contract import Contract, Demand, enforce
from tilecheck_runtime.errors.ownership import ContractError

VALUES = {"T": 4, "xs[0].shape[1]": 8, "xs[1].shape[1]": 12, "ys[0].shape[1]": 8, "ys[1].shape[1]": 16}


def _enforce(text: str, values: dict[str, int], *, complete: bool = True) -> None:
    (clause,) = parse(text)
    enforce("k", Contract(None, (Demand(text, clause, None, True),)), values, complete)


@pytest.mark.parametrize("text", [
    "xs[*].shape[1] % T == 0", "xs[*].shape[1] <= ys[*].shape[1]", "xs[1].shape[1] == 12", "T <= xs[*].shape[1]",
])
def test_a_clause_that_holds_for_all_lets_the_launch_through(text: str) -> None:
    _enforce(text, VALUES)


@pytest.mark.parametrize(("text", "said"), [
    ("xs[*].shape[1] % 8 == 0", "xs[*].shape[1] = 12"),
    ("ys[*].shape[1] <= xs[*].shape[1]", "16 <= 12 is false"),
    ("xs[*].shape[1] == 8", "12 == 8 is false"),
])
def test_one_array_that_breaks_it_is_enough(text: str, said: str) -> None:
    with pytest.raises(ContractError) as caught:
        _enforce(text, VALUES)
    assert said in str(caught.value)


def test_an_empty_list_has_no_known_properties() -> None:
    with pytest.raises(ContractError):
        _enforce("zs[*].shape[1] % T == 0", VALUES)
