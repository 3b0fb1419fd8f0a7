"""A stride that is a number limits the grid by a clause, where the blocks are right below it."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import KernelReport, Report

HEAD = "import cuda.tile as ct\nimport torch\nWIDTH = 128\nInt = ct.Constant[int]\n\n\n"


def check(body: str, launch: str = "") -> tuple[KernelReport, Report]:
    lines = ("i, j = ct.bid(0), ct.bid(1)", *body.splitlines())
    text = "@ct.kernel\ndef k(x, T: Int, n: int):\n" + "".join(f"    {line}\n" for line in lines)
    report = check_source(HEAD + text + launch)
    (kernel,) = report.kernels
    return kernel, report


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.scatter(x, i + 64 * j, 1.0)", "grid[0] <= 64"),
    ("ct.scatter(x, i + WIDTH * j, 1.0)", "grid[0] <= 128"),
    ("ct.scatter(x, i * 4 + WIDTH * j + ct.arange(4, dtype=ct.int32), 1.0)", "grid[0] <= 32"),
])
def test_a_literal_stride_limits_the_grid(body: str, clause: str) -> None:
    kernel, report = check(body)
    (found,) = (s for s in kernel.obligations if s.kind == "disjoint")
    assert (found.verdict, found.clauses) == ("conditional", (clause,))
    assert {(d.code, d.severity) for d in report.diagnostics} == {("TC102", "warning")}


@pytest.mark.parametrize("body", [
    # two blocks meet in every grid of several blocks
    "ct.scatter(x, i + j, 1.0)",
    "ct.scatter(x, i + 1 * j + 0 * n, 1.0)",
    # the number of iterations is not a matter of the grid
    "for m in range(n):\n        ct.scatter(x, i * 64 + m + j * 4096 * 4096, 1.0)",
])
def test_other_numbers_are_not_limited(body: str) -> None:
    kernel, _ = check(body)
    assert not any("grid[0] <=" in c for s in kernel.obligations if s.kind == "disjoint" for c in s.clauses)


def test_a_scalar_is_not_limited_to_a_number() -> None:
    kernel, _ = check("ct.scatter(x, i * 64 + j * 4096 + ct.arange(T, dtype=ct.int32), 1.0)")
    (found,) = (s for s in kernel.obligations if s.kind == "disjoint")
    assert "T <= 64" not in found.clauses


@pytest.mark.parametrize(("blocks", "errors"), [(64, set()), (65, {"TC405"})])
def test_a_seen_launch_decides(blocks: int, errors: set[str]) -> None:
    launch = f"ct.launch(None, ({blocks}, 2), k, (torch.zeros(8192), 4, 4))\n"
    _, report = check("ct.scatter(x, i + 64 * j, 1.0)", launch)
    assert {d.code for d in report.diagnostics if d.severity == "error"} == errors
    assert errors or not report.diagnostics
