"""Blocks that exchange tile (i, j) with tile (j, i) in place, one of each pair."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

HEAD = "import cuda.tile as ct\nInt = ct.Constant[int]\n"
EXCHANGE = """
x, y = ct.load(a, (i, j), (T, T)), ct.load(a, (j, i), (T, T))
ct.store(a, (i, j), ct.transpose(y))
ct.store(a, (j, i), ct.transpose(x))
"""


def verdicts(body: str) -> set[str]:
    text = "\n".join(f"    {line}" for line in ("i, j = ct.bid(0), ct.bid(1)", *body.strip().splitlines()))
    (kernel,) = check_source(f"{HEAD}@ct.kernel\ndef k(a, n: int, T: Int, U: Int):\n{text}\n").kernels
    return {s.verdict for s in kernel.obligations if s.kind in ("disjoint", "cross-read")}


def exchange_if(cond: str) -> str:
    return f"if {cond}:" + EXCHANGE.replace("\n", "\n    ")


@pytest.mark.parametrize("cond", ["i <= j", "i < j", "j <= i", "i - j >= 1"])
def test_an_order_makes_the_pair_of_one_block(cond: str) -> None:
    assert verdicts(exchange_if(cond)) == {"proved"}


def test_a_block_that_returns_early_leaves_the_pair_to_the_other() -> None:
    assert verdicts("if j > i:\n    return" + EXCHANGE) == {"proved"}


@pytest.mark.parametrize("body", [
    EXCHANGE,
    # the two of a pair both satisfy it
    exchange_if("i != j"),
    exchange_if("i <= j + 1"),
    exchange_if("i + j >= n"),
    # tiles of different extents do not lie on each other
    exchange_if("i <= j").replace("(j, i), ct.transpose(x))", "(j, i), ct.full((T, U), 0, ct.float32))"),
    # neighbours of the pair
    exchange_if("i <= j").replace("ct.store(a, (j, i)", "ct.store(a, (j + 1, i)"),
])
def test_without_an_order_it_is_not_proved(body: str) -> None:
    assert not verdicts(body) <= {"proved", "single-block"}
