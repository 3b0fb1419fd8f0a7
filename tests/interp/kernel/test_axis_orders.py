"""Accesses whose order of axes a condition chooses are made in both orders, each where it is chosen."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import KernelReport

HEAD = "import cuda.tile as ct\nInt = ct.Constant[int]\n"


def check(body: str) -> KernelReport:
    text = "\n".join(f"    {line}" for line in ("i, j = ct.bid(0), ct.bid(1)", *body.splitlines()))
    report = check_source(f"{HEAD}@ct.kernel\ndef k(x, y, T: Int, U: Int, FLIP: Int):\n{text}\n")
    assert not report.failures
    (kernel,) = report.kernels
    return kernel


def test_each_order_has_clauses_of_its_own() -> None:
    kernel = check("ct.store(y, (i, j), ct.full((T, U), 1, ct.float32), order='F' if FLIP == 1 else 'C')")
    assert kernel.verdict == "proved"
    (found,) = (s for s in kernel.obligations if s.kind == "bounds")
    assert set(found.clauses) == {
        "grid[0] <= cdiv(y.shape[1], T) or FLIP != 1", "grid[1] <= cdiv(y.shape[0], U) or FLIP != 1",
        "grid[0] <= cdiv(y.shape[0], T) or FLIP == 1", "grid[1] <= cdiv(y.shape[1], U) or FLIP == 1"}


def test_a_collision_in_one_of_the_orders_is_found() -> None:
    # the tile is stored at (0, i) in the one order and at (j, 0) in the other
    body = "ct.store(y, (i if FLIP == 1 else j, 0), ct.full((T, T), 1, ct.float32), order='F' if FLIP == 1 else 'C')"
    assert check(body).verdict == "refuted"


@pytest.mark.parametrize("order", ["'F' if U == FLIP else made", "made"])
def test_an_order_that_is_not_known_is_not_followed(order: str) -> None:
    assert check(f"ct.store(y, (i, j), ct.full((T, U), 1, ct.float32), order={order})").verdict == "unproven"


def test_a_load_in_two_orders_may_be_read_back_in_the_other() -> None:
    body = "t = ct.load(y, (i, j), (T, T), order='F' if FLIP == 1 else 'C')\nct.store(y, (i, j), t)"
    assert {s.verdict for s in check(body).obligations if s.kind == "cross-read"} == {"refuted"}
