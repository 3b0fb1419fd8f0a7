"""Terms and conditions go from one process to another."""

from __future__ import annotations

import copy
import pickle

import pytest

from tilecheck.symbolic import FALSE, TRUE, bid, conj, const, disj, ge, lt, symbol


@pytest.mark.parametrize("only", [TRUE, FALSE])
def test_true_and_false_are_unique(only: object) -> None:
    assert pickle.loads(pickle.dumps(only)) is only
    assert copy.deepcopy(only) is only and copy.copy(only) is only


def test_conditions_are_equal_after_the_way() -> None:
    cond = disj(conj(ge(bid(0), 1), lt(bid(1), symbol("n"))), lt(bid(2), const(3)))
    again = pickle.loads(pickle.dumps(cond))
    assert again == cond and hash(again) == hash(cond) and again.key == cond.key
