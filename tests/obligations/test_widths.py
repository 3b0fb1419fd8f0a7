"""Index arithmetic is in 32 bits: a value that wraps on the way to a tile proves nothing."""

from __future__ import annotations

import pytest

from tilecheck import api
from tilecheck.config import Config
from tilecheck.diagnostics import KernelReport


def report(index: str, load: str = "i") -> KernelReport:
    source = f"""
import cuda.tile as ct


@ct.kernel
def k(a, c, n: ct.Constant[int], T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(c, ({index}, 0), ct.load(a, ({load}, 0), (T, T)))
"""
    (kernel,) = api.check_source(source, "m.py", Config(use_cache=False)).kernels
    return kernel


def clauses(kernel: KernelReport) -> set[str]:
    return {c.clause for c in kernel.contract if c.clause.endswith("< 2**31")}


@pytest.mark.parametrize("index", [
    "i * 4294967296",
    "(i + n) * 65536 * 65536",
    "i * 65536 * 65536 // 65536 // 65536",
    "i * 2147483648 // 2147483648",
])
def test_constants_that_leave_32_bits_in_every_launch_of_several_blocks_prove_nothing(index: str) -> None:
    kernel = report(index)
    (write,) = [o for o in kernel.obligations if o.kind == "disjoint"]
    assert write.verdict == "unproven" and "32 bits" in write.why


@pytest.mark.parametrize(("index", "clause"), [
    ("(i * n) // n", "grid[0]*n < 2**31"),
    ("(i * 1024 + n) // 1024", "1024*grid[0] + n < 2**31"),
    ("min(i * n, n * n)", "grid[0]*n < 2**31"),
    ("ct.cdiv(i * n, n)", "grid[0]*n < 2**31"),
    ("(i << 20) >> 20", "1048576*grid[0] < 2**31"),
    ("-(i * -1000) // 1000", "1000*grid[0] < 2**31"),
    ("min(i * 65536, i)", "65536*grid[0] < 2**31"),
    ("max(i * 65536, i) // 65536", "65537*grid[0] < 2**31"),
    ("(i * 65536) & 65535", "65536*grid[0] < 2**31"),
    ("ct.where(i * 65536 >= 0, i, 0)", "65536*grid[0] < 2**31"),
    ("(i + i + i + i) // 4", "4*grid[0] < 2**31"),
])
def test_operands_of_divisions_and_choices_have_to_fit(index: str, clause: str) -> None:
    assert clause in clauses(report(index))
    assert clause in clauses(report("i", index))


def test_operands_compared_in_64_bits_need_not_fit_in_32() -> None:
    wide = "ct.where(ct.astype(i, ct.int64) * 65536 + ct.astype(n, ct.int64) >= 0, i, 0)"
    assert not clauses(report(wide))


@pytest.mark.parametrize("index", ["i", "i * n + 3", "i * 65536", "i // n", "i % n"])
def test_an_index_inside_the_array_fits(index: str) -> None:
    kernel = report(index)
    assert not clauses(kernel)
    assert all(o.verdict != "unproven" or "32 bits" not in o.why for o in kernel.obligations)


@pytest.mark.parametrize(("index", "verdict", "clause"), [
    # rounded up, -2*i // -2 is i, and 1 - 2*i // -2 is i also
    ("ct.cdiv(-2 * i, -2) - 1", "refuted", None),
    ("ct.cdiv(1 - 2 * i, -2)", "proved", "grid[0] <= cdiv(c.shape[0], T)"),
    ("ct.cdiv(i * n + 1, n) - 1", "proved", "n >= 0"),
    ("ct.cdiv(i * (n - T) + 1, n - T) - 1", "proved", "T < n"),
])
def test_rounding_up_by_a_negative_number(index: str, verdict: str, clause: str | None) -> None:
    kernel = report(index)
    (store,) = [o for o in kernel.obligations if o.kind == "bounds" and o.array == "c"]
    assert store.verdict == verdict
    assert clause is None or clause in {c.clause for c in kernel.contract}
