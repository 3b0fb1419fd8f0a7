"""More kernels, and questions to the prover, on which a verdict or a contract was wrong."""

from __future__ import annotations

import textwrap

from tilecheck.api import check_source
from tilecheck.diagnostics import Report
from tilecheck.solver.inequalities import Facts
from tilecheck.symbolic import GridDim, bid, conj, evaluate, ge, grid, holds, symbol, symbol_from_text

HEADER = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n"


def report_of(text: str) -> Report:
    return check_source(HEADER + textwrap.dedent(text))


def clauses(report: Report) -> dict[str, str]:
    """Kind of each clause of the only kernel."""
    (kernel,) = report.kernels
    return {c.clause: c.kind for c in kernel.contract}


def codes(report: Report) -> set[str]:
    return {d.code for d in report.diagnostics}


def test_a_sign_is_not_shown_by_itself() -> None:
    # `2*m >= m*n*t + grid[1]` gives m >= 1 only where m >= 0 is assumed: m == -1, n == 1, t == 6 satisfy it
    m, n, t = map(symbol, "mnt")
    fact = ge(2 * m, m * n * t + grid(1))
    got = Facts([fact, ge(n, bid(0))]).at_least(symbol_from_text("m"), 0)
    values = {symbol_from_text("m"): -1, symbol_from_text("n"): 1, symbol_from_text("t"): 6, GridDim(1): 4}
    assert holds(fact, values) and evaluate(m, values) < 0
    assert got is None or not holds(conj(*got), values)


def test_a_product_with_a_ticket_is_not_a_ticket() -> None:
    # with n == 0 every block writes c[0]
    report = report_of("""
        @ct.kernel
        @requires("ticket(cnt)")
        def k(c, cnt, n: int):
            i = ct.bid(0)
            t = ct.atomic_add(cnt, 0, 1)
            if t * n == 0:
                ct.scatter(c, 0, i)
    """)
    assert report.kernels[0].verdict in ("unproven", "refuted")


def test_a_ticket_comes_from_inside_its_array() -> None:
    # an atomic outside its array does nothing, and what it returns is not defined
    report = report_of("""
        @ct.kernel
        @requires("ticket(cnt)")
        def k(c, cnt, n: int):
            i = ct.bid(0)
            ct.scatter(c, ct.atomic_add(cnt, n, 1), i)
    """)
    assert report.kernels[0].verdict == "unproven" or {"n >= 0", "n < cnt.shape[0]"} <= clauses(report).keys()


FLAG = """
    @ct.kernel
    def k(c, FLAG: Int):
        i = ct.bid(0)
        if FLAG:
            j = ct.bid(1)
        else:
            j = 0
        ct.scatter(c, (i, j), 1.0)
"""


def test_a_flag_may_be_zero() -> None:
    found = clauses(report_of(FLAG))
    assert found["FLAG != 0 or grid[1] == 1"] == "semantic"
    assert "FLAG >= 1" not in found


def test_a_launch_of_the_variant_without_an_axis_is_accepted() -> None:
    report = report_of(FLAG + """
    def host(s, c):
        ct.launch(s, (4, 1, 1), k, (c, 0))
        ct.launch(s, (4, 4, 1), k, (c, 1))
    """)
    assert not report.diagnostics


SIGN = """
    @ct.kernel
    def k(c, n: int):
        b = ct.bid(0)
        if n < 0:
            ct.scatter(c, {place}, 1.0)
        else:
            ct.scatter(c, b, 1.0)
"""


def test_the_condition_of_a_branch_on_a_scalar_is_a_clause() -> None:
    # with n == -1 every block writes c[0]
    report = report_of(SIGN.format(place="0"))
    assert clauses(report).get("n >= 0") == "semantic" or report.kernels[0].verdict == "refuted"
    assert codes(report) & {"TC101", "TC102"}


def test_exclusive_accesses_need_no_condition_on_the_grid() -> None:
    report = report_of(SIGN.format(place="b + 1"))
    assert report.kernels[0].verdict == "proved"
    assert not {"grid[0] == 1", "True"} & clauses(report).keys()


def test_two_halves_of_a_row_by_flat_offset() -> None:
    # right wherever the rows of one token end before the next: a contract, not an error
    report = report_of("""
        @ct.kernel
        def k(q, S, D: Int):
            base = ct.bid(0) * S + ct.bid(1) * D
            c = ct.arange(D // 2, dtype=ct.int32)
            a, b = ct.gather(q, base + c), ct.gather(q, base + D // 2 + c)
            ct.scatter(q, base + c, a - b)
            ct.scatter(q, base + D // 2 + c, a + b)
    """)
    assert report.kernels[0].verdict == "conditional"
    assert "TC101" not in codes(report)
