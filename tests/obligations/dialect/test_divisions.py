"""Divisions in what selects elements: a divisor that a launch passes is not zero."""

from __future__ import annotations

import pytest

from tests.obligations.dialect.test_static_rules import asks, only_report

HEAD = "def k(z: Mut[f32, B], x: Ref[f32, Dyn, Dyn], s: Shared[f32, Dyn], n: int, t: BK) -> None:\n"
LANES = "    i = ct.arange(z.tile[0], dtype=ct.int32)\n"
ASKED = {
    "gather": "z.store(x.gather((i // n, 0)))",
    "remainder": "z.store(x.gather((i % n, 0)))",
    "one element": "z.store(ct.full(z.tile, x.at(7 // n, 0), ct.float32))",
    "an update": "s.add((i // n,), 1.0)",
    "a place in the piece": "z.store_at((7 // n,), ct.zeros((1,), ct.float32))",
    "a condition on numbers": "if t // n > 3:\n        z.store(z.load())",
    "a condition": "if ct.bid(0) // n > 3:\n        z.store(z.load())",
}


@pytest.mark.parametrize("name", ASKED)
def test_a_divisor_that_may_be_zero_needs_a_clause(name):
    found = only_report(f"{HEAD}{LANES}    {ASKED[name]}\n")
    assert found.verdict in ("proved", "atomic") and asks(found, "n != 0")


EXCUSED = {
    "a test before": "if n > 0:\n        z.store(x.gather((i // n, 0)))",
    "extents of tiles": "z.store(x.gather((i // (t + 2 * z.tile[0]), i % t)))",
    "a number": "z.store(x.gather((i // 4, i % 4)))",
}


@pytest.mark.parametrize("name", EXCUSED)
def test_a_divisor_that_is_not_zero_needs_no_clause(name):
    found = only_report(f"{HEAD}{LANES}    {EXCUSED[name]}\n")
    assert found.verdict == "proved" and not [c.clause for c in found.contract if "!= 0" in c.clause]


def test_an_extent_that_is_divided_by_is_not_zero():
    assert asks(
        only_report(f"{HEAD}{LANES}    z.store(x.gather((i // x.extent(1), i % x.extent(1))))\n"), "x.shape[1] != 0"
    )


@pytest.mark.parametrize(("size", "clause"), [("z.tile[0] // 2", "B // 2 >= 1"), ("z.tile[0] - t", "B - t >= 1")])
def test_a_nested_tile_has_an_element(size, clause):
    found = only_report(f"{HEAD}    for p in z.pieces({size}):\n        z[p] = ct.zeros(({size},), ct.float32)\n")
    assert found.verdict == "proved" and asks(found, clause)
