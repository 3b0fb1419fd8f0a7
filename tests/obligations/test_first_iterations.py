"""Pairs that the first iterations of a loop refute, also where nothing is known of an arbitrary iteration."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Report

HEAD = "import cuda.tile as ct\nimport torch\nfrom tilecheck import requires\nInt = ct.Constant[int]\n\n\n"


def check(body: str, launch: str = "", declared: str = "") -> tuple[set[str], Report]:
    lines = ("i = ct.bid(0)", "t = ct.full((T,), 1, ct.int32)", *body.strip().splitlines())
    text = "".join(f"    {line}\n" for line in lines)
    report = check_source(f"{HEAD}{declared}@ct.kernel\ndef k(a, b, n: int, T: Int):\n{text}{launch}")
    assert not report.failures
    (kernel,) = report.kernels
    return {s.verdict for s in kernel.obligations if s.kind in ("disjoint", "cross-read")}, report


WRONG = {
    "left late": """
j = 0
while True:
    ct.store(a, (j,), t)
    j = j + 1
    if j >= n:
        break
""",
    "left in a later iteration": """
for j in range(n):
    ct.store(a, (i + j,), t)
    if j == 3:
        break
""",
    "renamed": """
src, dst = a, b
for j in range(n):
    ct.store(dst, (i,), ct.load(src, (i + 1,), (T,), padding_mode=ct.PaddingMode.ZERO))
    src, dst = dst, src
""",
    "a flag without order": """
if i == 0:
    ct.scatter(a, 0, 1)
else:
    while ct.gather(a, 0) == 0:
        pass
""",
    "after the loop": """
j = 0
while j < n:
    j = j + 1
    if j == 7:
        break
ct.store(a, (j,), t)
""",
}


@pytest.mark.parametrize("name", WRONG)
def test_the_first_iterations_are_executed(name: str) -> None:
    verdicts, report = check(WRONG[name])
    assert "refuted" in verdicts
    assert any(d.severity == "error" and d.witness is not None for d in report.diagnostics)


RIGHT = {
    # in all other iterations the data may say so
    "left by a condition on data": """
for j in range(n):
    ct.store(a, (i + j,), t)
    if ct.gather(b, j) == 0:
        break
""",
    "left before a second iteration": """
for j in range(n):
    ct.store(a, (i + j,), t)
    if j >= 0:
        break
""",
    "skips the first iteration, and leaves in the second": """
j = 0
while True:
    j = j + 1
    if j == 1:
        continue
    ct.store(a, (i * 1,), t)
    break
""",
    "strides": """
j = 0
while True:
    ct.store(a, (i + j * ct.num_blocks(0),), t)
    j = j + 1
    if j >= n:
        break
""",
    "renamed, each block for itself": """
src, dst = a, b
for j in range(n):
    ct.store(dst, (i,), ct.load(src, (i,), (T,)))
    src, dst = dst, src
""",
    "locked": """
for j in range(n):
    while ct.atomic_cas(b, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) != 0:
        pass
    ct.store(a, (j,), t)
    ct.atomic_xchg(b, 0, 0, memory_order=ct.MemoryOrder.RELEASE)
    if j == 3:
        break
""",
    "returns in the loop": """
for j in range(n):
    if j > 0:
        return
    ct.store(a, (i + j,), t)
""",
    "one block at a time": """
j = 0
while True:
    if i == j:
        ct.store(a, (0,), t)
        break
    j = j + 1
    if j >= 1:
        break
""",
}


@pytest.mark.parametrize("name", RIGHT)
def test_first_iterations_that_are_right_are_not_refuted(name: str) -> None:
    verdicts, report = check(RIGHT[name])
    assert "refuted" not in verdicts
    assert not any(d.severity == "error" for d in report.diagnostics)


def test_a_declaration_that_excludes_the_iteration_holds() -> None:
    renamed = WRONG["renamed"]
    assert "refuted" in check(renamed, declared='@requires("n <= 2")\n')[0]
    # the arrays change places after the only iteration
    assert "refuted" not in check(renamed, declared='@requires("n <= 1")\n')[0]


@pytest.mark.parametrize(("count", "code"), [(2, {"TC101"}), (1, set())])
def test_a_seen_launch_decides_in_its_numbers(count: int, code: set[str]) -> None:
    body = """
for j in range(n):
    ct.store(a, (i + j,), t)
    if j == 3:
        break
"""
    launch = f"\n\nct.launch(None, (4,), k, (torch.zeros(64), torch.zeros(64), {count}, 8))\n"
    assert {d.code for d in check(body, launch)[1].diagnostics if d.severity == "error"} == code
