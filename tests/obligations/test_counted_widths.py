"""Numbers that loops count and that data give wrap at 32 bits like others: what bounds them is in the contract, and
what nothing bounds proves nothing."""

from __future__ import annotations

import pytest

from tilecheck import api
from tilecheck.config import Config
from tilecheck.diagnostics import KernelReport

FOR = "for j in range(i, n, nb):\n        "
WHILE = "j = i\n    while j < n:\n        {}\n        j += nb"
BREAK = "j = i\n    while True:\n        if j >= n:\n            break\n        {}\n        j += nb"


def report(body: str, declared: str = "", parameters: str = "a, c, ids, n: int, m: int") -> KernelReport:
    source = f"""
import cuda.tile as ct
from tilecheck import requires


def through(x, k):
    return x * k


@requires("injective(ids)"{declared})
@ct.kernel
def k({parameters}, T: ct.Constant[int], K: ct.Constant[int]):
    i, nb = ct.bid(0), ct.num_blocks(0)
    t = ct.load(a, (i, 0), (1, T))
    lanes = ct.arange(T, dtype=ct.int32)
    {body}
"""
    (kernel,) = api.check_source(source, "m.py", Config(use_cache=False)).kernels
    return kernel


def clauses(kernel: KernelReport) -> set[str]:
    return {c.clause for c in kernel.contract if c.clause.endswith("< 2**31") and not c.clause.startswith("numel")}


def write(kernel: KernelReport) -> tuple[str, str]:
    found = [o for o in kernel.obligations if o.kind == "disjoint"]
    worst = next((o for o in found if o.verdict == "unproven"), found[-1])
    return worst.verdict, worst.why


def row(index: str) -> str:
    return f"ct.store(c, ({index}, 0), t)"


@pytest.mark.parametrize("body", [
    FOR + row("j"), FOR + row("j + 3"), FOR + row("j * 5 + 2"), FOR + row("j // 4"),
    FOR + "ct.store(c, (j // m, j % m), t)", WHILE.format(row("j")), BREAK.format("ct.store(c, (j // m, j % m), t)"),
    "for k in range(ct.cdiv(n, T)):\n        ct.scatter(c, (i, k * T + lanes), t, mask=k * T + lanes < 1)",
    "for j in range(i, ct.cdiv(n, T) * ct.cdiv(m, T), nb):\n"
    "        ct.store(c, (j // ct.cdiv(m, T), j % ct.cdiv(m, T)), t)",
])
def test_the_end_of_a_loop_fits_in_32_bits(body: str) -> None:
    kernel = report(body)
    assert not {c for c in clauses(kernel) if "n*" in c or "*n" in c or "*cdiv" in c}
    assert "bits" not in write(kernel)[1]


@pytest.mark.parametrize(("body", "clause"), [
    (FOR + row("(j * 1000000) // 1000000"), "1000000*n < 2**31"),
    (FOR + row("(j * K) // K"), "K*n < 2**31"),
    (FOR + row("(j * -1000) // -1000"), "1000*n < 2**31"),
    (FOR + row("-((j * -1000) // 1000)"), "1000*n < 2**31"),
    (FOR + row("(j << 20) >> 20"), "1048576*n < 2**31"),
    (FOR + row("min(j * 65536, j)"), "65536*n < 2**31"),
    (FOR + row("ct.cdiv(j * 65536, 65536)"), "65536*n < 2**31"),
    (FOR + row("j + (j * 65536 & 65535)"), "65536*n < 2**31"),
    (FOR + row("through(j, 1000) // 1000"), "1000*n < 2**31"),
    (FOR + row("(i * j) // i + j"), "grid[0]*n < 2**31"),
    (FOR + f"if j * 65536 >= 0:\n            {row('j')}", "65536*n < 2**31"),
    ("for j in range(n):\n        for q in range(j):\n            "
     "ct.store(c, (i, (q * j) // (q + 1)), t)", "n*n < 2**31"),
    (WHILE.format(row("(j * 1000000) // 1000000")), "1000000*n < 2**31"),
    (BREAK.format(row("(j * 1000000) // 1000000")), "1000000*n < 2**31"),
    ("j = i\n    while j * K < n:\n        ct.store(c, (j, 0), t)\n        j += nb", "grid[0]*K + n < 2**31"),
    (FOR + "ct.scatter(c, j * K + lanes, t)", "K*n + T < 2**31"),
    ("for j in range(i * K, i * K + K):\n        " + row("j"), "grid[0]*K < 2**31"),
    # by a negative number, what is not negative is negative
    (FOR + row("(j * 65536 - j // (n - m) * 65536) // 65536"), "131072*n < 2**31"),
    (FOR + row("(j * 65536 - j % (n - m) * 65536) // 65536"), "65536*m + 131072*n < 2**31"),
])
def test_a_product_in_a_loop_has_a_clause(body: str, clause: str) -> None:
    kernel = report(body)
    assert clause in clauses(kernel), clauses(kernel)
    assert "bits" not in write(kernel)[1]


@pytest.mark.parametrize(("body", "says"), [
    ("v = ct.load(ids, (i,), (1,)).item()\n    " + row("(v * 1000) // 1000"),
     "`1000*ids[bid(0)]` is computed in 32 bits, and nothing bounds it; declaring `range(ids, lo, hi)`, with "
     "numbers between which it lies, would bound it"),
    ("v = ct.load(ids, (i,), (1,)).item()\n    ct.scatter(c, v * K + lanes, t)", "is computed in 32 bits"),
    ("j = i\n    while True:\n        " + row("(j * 1000) // 1000") + "\n        j += nb",
     "is computed in 32 bits, and nothing bounds it"),
    (FOR + row("ct.astype(j, ct.int16) * 1000 // 1000"), "is computed in 16 bits, and nothing bounds it"),
])
def test_unbounded_values_prove_nothing(body: str, says: str) -> None:
    verdict, why = write(report(body))
    assert verdict == "unproven" and says in why, why


@pytest.mark.parametrize(("body", "clause"), [
    ("v = ct.load(ids, (i,), (1,)).item()\n    " + row("(v * 1000) // 1000"), "1000*m < 2**31"),
    ("v = ct.load(ids, (i,), (1,)).item()\n    ct.scatter(c, v * K + lanes, t)", "K*m + T < 2**31"),
])
def test_declared_ranges_bound_read_values(body: str, clause: str) -> None:
    kernel = report(body, ', "range(ids, 0, m)"')
    assert write(kernel)[0] in ("proved", "conditional") and clause in clauses(kernel)


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.store(c, (min((n * m) // m, n) * 0 + i, 0), t)", "m*n < 2**31"),
    ("if n * m > 0:\n        " + row("i"), "m*n < 2**31"),
    ("if i + n >= m:\n        " + row("i"), "grid[0] + n < 2**31"),
    ("if n >= n + m:\n        ct.store(c, (0, 0), t)", "m + n < 2**31"),
])
def test_numbers_that_the_launch_passes_fit_together(body: str, clause: str | None) -> None:
    found = clauses(report(body))
    assert clause in found if clause else not found


@pytest.mark.parametrize(("body", "asked"), [
    (FOR + row("(j * K) // K"), {"K >= 0", "n >= 0"}),
    (FOR + row("j"), set()),
    ("if i + n >= m:\n        " + row("i"), set()),
    ("if K >= 0:\n        " + row("(i * K) // K"), {"K >= 0"}),
    (row("(i * n) // n"), {"n >= 0"}),
    (row("(i * T) // T"), set()),
    # what is only added may have either sign
    ("ct.scatter(c, ((i * 1024 + n) // 1024, lanes), t)", {"1024*grid[0] + n < 2**31", "1024*grid[0] - n < 2**31"}),
    (row("ct.cdiv(i * n + 1, n)"), {"n >= 0"}),
    # the bound does not cover the parts that it omits because of their sign
    (FOR + "v = j - m * j\n        ct.scatter(c, (ct.astype(min(max(v, -128), 127), ct.int8) + j, lanes), t)",
     {"m >= 0", "n >= 0"}),
])
def test_bounds_are_for_numbers_that_are_not_negative(body: str, asked: set[str]) -> None:
    found = {c.clause for c in report(body).contract}
    signs = {c for c in found if c.endswith(" >= 0") and "shape" not in c}
    assert asked <= found and (signs <= asked)


WIDE = "b = ct.astype(i, ct.int64)\n    "


@pytest.mark.parametrize("body", [
    WIDE + row("(b * n) // n"), WIDE + row("ct.cdiv(b * n, n)"), WIDE + row("min(b * n, b)"),
    WIDE + "ct.scatter(c, b * T * n + lanes, t)", WIDE + f"if b * n < m:\n        {row('i')}",
    FOR + row("(ct.astype(j, ct.int64) * 1000000) // 1000000"), "b = ct.int64(i)\n    " + row("(b * n) % n + b"),
])
def test_a_computation_in_64_bits_has_no_clause(body: str) -> None:
    assert not clauses(report(body))


@pytest.mark.parametrize(("body", "clause"), [
    (row("ct.astype(i * n, ct.int64) // n"), "grid[0]*n < 2**31"),
    (f"if ct.astype(i * n, ct.int64) >= 0:\n        {row('i')}", "grid[0]*n < 2**31"),
    (WIDE + "ct.scatter(c, b + ct.int32(i * n), t)", "grid[0]*n < 2**31"),
    (WIDE + row("ct.astype(b * n, ct.int32) // n"), "grid[0]*n < 2**31"),
    (FOR + row("ct.astype(j * 1000000, ct.int64) // 1000000"), "1000000*n < 2**31"),
])
def test_a_value_widened_too_late_has_a_clause(body: str, clause: str) -> None:
    assert clause in clauses(report(body))


def test_arrays_that_are_indexed_in_64_bits() -> None:
    wide = "a, c: ct.IndexedWithInt64, ids, n: int, m: int"
    body = "ct.scatter(c, (i * c.shape[1] // c.shape[1], lanes), t)"
    assert not clauses(report(body, parameters=wide)) and clauses(report(body))
    assert not any(c.clause.startswith("numel") for c in report(body, parameters=wide).contract)
    # a tile inside the array may have a number that an index of 32 bits does not hold
    assert clauses(report(row("i * n"), parameters=wide)) == {"grid[0]*n < 2**31"}
    assert not clauses(report(row("i * n")))


@pytest.mark.parametrize(("body", "clause"), [
    ("ct.scatter(c, (ct.astype((i * n) // n, ct.int32), lanes), t)", "grid[0]*n < 2**63"),
    ("ct.scatter(c, ((i + n * 4) // 4 - n + i, lanes), t)", "grid[0] + 4*n < 2**63"),
    ("if i * 4 + n * 4 >= n * 4:\n        ct.scatter(c, (i, lanes), t)", "4*grid[0] + 4*n < 2**63"),
    ("ct.scatter(c, (ct.astype((n * n * i) // (n * n), ct.int32), lanes), t)", "grid[0]*n*n < 2**63"),
    ("if i + n >= m:\n        ct.scatter(c, (i, lanes), t)", None),
    ("ct.scatter(c, (i, lanes), t, mask=lanes + i < n)", None),
])
def test_numbers_that_are_passed_in_64_bits(body: str, clause: str | None) -> None:
    found = {c.clause for c in report(body, parameters="a, c, ids, n: ct.ScalarInt64, m: ct.ScalarInt64").contract}
    assert clause in found if clause is not None else not any("2**63" in c for c in found)
    assert clause is None or found & {"n >= 0", clause.replace("+", "-")} - {clause}


@pytest.mark.parametrize(("body", "clause"), [
    ("j = i if ct.astype(n, ct.int32) > 0 else i // 2\n    if n > 0:\n        ct.scatter(c, (j, lanes), t)",
     "n < 2**31"),
    ("ct.scatter(c, (ct.astype(n * i, ct.int32), lanes), t)", "grid[0]*n < 2**31"),
    ("ct.scatter(c, (ct.astype(n + m, ct.int32) * 0 + i, lanes), t)", "m + n < 2**31"),
])
def test_numbers_that_are_passed_in_64_bits_and_put_into_32(body: str, clause: str) -> None:
    wide = report(body, parameters="a, c, ids, n: ct.ScalarInt64, m: ct.ScalarInt64")
    assert clause in {c.clause for c in wide.contract}
