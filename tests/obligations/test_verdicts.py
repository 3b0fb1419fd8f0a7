"""Verdicts on kernels that synchronise, schedule or guard in ways that index arithmetic alone does not tell."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Report

HEAD = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n\n\n"

SCHEDULER = """
@ct.kernel
def k(cnt, a, o, n: int, T: Int):
    t = ct.atomic_add(cnt, 0, 1).item()
    while t < n:
        ct.store(o, (t,), ct.load(a, (t,), (T,)))
        t = ct.atomic_add(cnt, 0, 1).item()


def go(s, cnt, a, o, n):
    ct.launch(s, (132, 1, 1), k, (cnt, a, o, n, 64))
"""

LAST_BLOCK = """
@ct.kernel
def k(ws, cnt, o, S: Int, T: Int):
    i = ct.bid(0)
    ct.store(ws, (i,), ct.full((T,), 1, ct.float32))
    n = ct.atomic_add(cnt, 0, 1).item()
    if n == S - 1:
        acc = ct.zeros((T,), ct.float32)
        for j in range(S):
            acc = acc + ct.load(ws, (j,), (T,))
        ct.store(o, (0,), acc)
"""

LOOK_BACK = """
@ct.kernel
def k(flags, part, o, T: Int):
    i = ct.bid(0)
    ct.store(part, (i,), ct.full((T,), 1, ct.float32))
    ct.atomic_xchg(flags, i, 1, memory_order=ct.MemoryOrder.RELEASE)
    while ct.atomic_add(flags, i - 1, 0, memory_order=ct.MemoryOrder.ACQUIRE).item() == 0:
        pass
    ct.store(o, (i,), ct.load(part, (i - 1,), (T,)))
"""


def verdicts(report: Report, kind: str) -> list[str]:
    return [o.verdict for k in report.kernels for o in k.obligations if o.kind == kind]


def test_a_kernel_that_takes_work_from_a_counter_is_for_several_blocks() -> None:
    report = check_source(HEAD + SCHEDULER)
    assert "single-block" not in verdicts(report, "disjoint")
    assert not [d for d in report.diagnostics if d.severity == "error"]


@pytest.mark.parametrize("kernel", [LAST_BLOCK, LOOK_BACK])
def test_reads_that_atomics_may_order_are_not_refuted(kernel: str) -> None:
    report = check_source(HEAD + kernel)
    assert verdicts(report, "cross-read") == ["unproven"]
    assert {d.severity for d in report.diagnostics} == {"warning"}


def test_a_sign_that_an_access_denies_proves_nothing() -> None:
    text = "@ct.kernel\ndef k(c, pos: int):\n    if pos < 1:\n        ct.scatter(c, ct.bid(0) * pos + 7, 1.0)\n"
    report = check_source(HEAD + text)
    assert verdicts(report, "disjoint") == ["unproven"]


@pytest.mark.parametrize(("index", "verdict"), [
    ("ct.load(ids, (i // 2,), (1,)).item()", "refuted"),  # two blocks read one element, for any value
    ("ct.load(ids, (i,), (1,)).item()", "unproven"),  # ids may hold a value twice, or not
])
def test_a_collision_counts_when_it_does_not_depend_on_data(index: str, verdict: str) -> None:
    text = (f"@ct.kernel\ndef k(ids, c, T: Int):\n    i = ct.bid(0)\n    j = {index}\n"
            "    ct.store(c, (j, 0), ct.full((1, T), 1, ct.float32))\n")
    report = check_source(HEAD + text)
    assert verdicts(report, "disjoint") == [verdict]


def test_a_wrong_step_is_not_excused_by_a_loop_that_ends_at_once() -> None:
    text = ("@ct.kernel\ndef k(c, n: int, T: Int):\n    for i in range(ct.bid(0), n, ct.num_blocks(0) - 1):\n"
            "        ct.store(c, (i,), ct.full((T,), 1, ct.float32))\n")
    report = check_source(HEAD + text)
    assert verdicts(report, "disjoint") == ["refuted"]


MASKED_ROWS = """
@ct.kernel
def k(y, stride, n, size, BLOCK: Int):
    base = ct.bid(0) * stride
    cols = ct.arange(BLOCK, dtype=ct.int32)
    index = ct.where(cols < n, base + cols, ct.full((BLOCK,), size, dtype=ct.int32))
    ct.scatter(y, (index,), ct.full((BLOCK,), 1, ct.float32), check_bounds=True)


def go(s, x):
    rows, n = x.shape
    y = torch.empty_like(x)
    ct.launch(s, (rows, 1, 1), k, (y.reshape(-1), n, n, y.numel(), next_power_of_2(n)))
"""


def test_masked_rows_need_only_their_unmasked_part() -> None:
    """The tile is rounded up, so that it is larger than a row; the lanes that write are not."""
    report = check_source(HEAD.replace("import cuda", "import torch\nimport cuda") + MASKED_ROWS)
    assert "n <= stride" in {c.clause for c in report.kernels[0].contract}
    assert not [d for d in report.diagnostics if d.code == "TC102"]
    unmasked = MASKED_ROWS.replace("cols < n", "cols < BLOCK")
    report = check_source(HEAD.replace("import cuda", "import torch\nimport cuda") + unmasked)
    assert "BLOCK <= stride" in {c.clause for c in report.kernels[0].contract}
    assert [d.code for d in report.diagnostics if d.code in ("TC102", "TC405")]
