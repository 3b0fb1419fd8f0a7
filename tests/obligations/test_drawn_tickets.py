"""Places that blocks compute from numbers that they draw from a counter."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Report

HEAD = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n"


def check(body: str, declared: str = "") -> tuple[str, Report]:
    text = "".join(f"    {line}\n" for line in ("i = ct.bid(0)", *body.strip().splitlines()))
    report = check_source(f"{HEAD}{declared}@ct.kernel\ndef k(c, o, d, n: int, T: Int):\n{text}")
    assert not report.failures
    (kernel,) = report.kernels
    verdicts = {s.verdict for s in kernel.obligations if s.kind == "disjoint" and s.array == "o"}
    return next(v for v in ("refuted", "unproven", "proved") if v in verdicts), report


def store(place: str, draw: str = "ct.atomic_add(c, 0, 1)") -> str:
    return f"t = {draw}\nct.store(o, ({place},), ct.full((T,), 1, ct.int32))"


@pytest.mark.parametrize("body", [
    store("t // 2"),
    store("t % n"),
    store("t - t % 3"),
    # where blocks draw in reverse
    store("t + i"),
    store("t // 4", "ct.atomic_add(c, 0, 2)"),
    store("t") + "\nct.store(o, (t + 1,), ct.full((T,), 1, ct.int32))",
])
def test_two_numbers_that_lead_to_one_place_are_shown(body: str) -> None:
    verdict, report = check(body)
    assert verdict == "refuted"
    # the counter may begin elsewhere, and blocks may come in another order
    found = [d for d in report.diagnostics if d.code == "TC101"]
    assert [d.severity for d in found] == ["warning"] * len(found) and found
    assert any("one after the other" in n.message for d in found for n in d.notes)


@pytest.mark.parametrize("body", [
    store("t"),
    store("2 * t"),
    store("t // 2", "ct.atomic_add(c, 0, 2)"),
    # who draws, and how often, is not known
    "if ct.gather(d, i) == 0:\n    return\n" + store("t // 2"),
    "t = 0\nfor j in range(n):\n    t = ct.atomic_add(c, 0, 1)\nct.store(o, (t // 2,), ct.full((T,), 1, ct.int32))",
    "ct.atomic_add(c, 0, 1)\n" + store("t // 2"),
    # an operation that may give two blocks one number
    store("t // 2", "ct.atomic_max(c, 0, 1)"),
    store("t // 2", "ct.atomic_add(c, 0, n)"),
    # the place depends on other data as well
    store("t // 2 + ct.gather(d, i)"),
])
def test_other_numbers_are_not_known(body: str) -> None:
    assert check(body)[0] == "unproven"


def test_a_declaration_that_separates_blocks_comes_first() -> None:
    assert check(store("t"), '@requires("ticket(c)")\n')[0] == "proved"
    assert check(store("t // 2"), '@requires("ticket(c)")\n')[0] == "refuted"
