"""Rows of variable length that begin where an array says: refuted by an example only where nothing ends them."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Report

HEAD = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n"
ROWS = """
@ct.kernel
def k(x, cu, lens, out, n: int, T: Int):
    i, j = ct.bid(0), ct.bid(1)
    start = ct.load(cu, (i,), (1,)).item()
    rows = start + j * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(out, rows, ct.gather(x, rows))
"""
NEXT = "    end = ct.load(cu, (i + 1,), (1,)).item()\n"
STORE = "    ct.scatter(out, rows, ct.gather(x, rows))\n"


def _check(text: str, declared: str = "") -> tuple[str, Report]:
    report = check_source(HEAD + text.replace("@ct.kernel", f"{declared}@ct.kernel"))
    (kernel,) = report.kernels
    (found,) = {s.verdict for s in kernel.obligations if s.kind == "disjoint"}
    return found, report


def test_rows_without_an_end_overlap_in_short_segments() -> None:
    verdict, report = _check(ROWS)
    assert verdict == "refuted"
    (found,) = report.diagnostics
    # the program may have no short segment
    assert (found.code, found.severity) == ("TC101", "warning")
    assert any("not compared with the end of their segment" in n.message and "cu[0] = 0, cu[1] = 1" in n.message
               for n in found.notes)
    assert found.help is not None and "mask the rows" in found.help


def test_an_end_of_all_rows_does_not_end_a_segment() -> None:
    assert _check(ROWS.replace("gather(x, rows))", "gather(x, rows), mask=rows < n)"))[0] == "refuted"


@pytest.mark.parametrize("text", [
    # each compares the rows with some data
    ROWS.replace(STORE, NEXT + STORE.replace("rows))", "rows), mask=rows < end)")),
    ROWS.replace(STORE, NEXT + "    if start + j * T + T <= end:\n    " + STORE),
    ROWS.replace(STORE, "    if j * T < ct.gather(lens, i):\n    " + STORE),
    ROWS.replace(STORE, NEXT + "    if start + j * T >= end:\n        return\n" + STORE),
    # pages, whose numbers an array gives, do not grow into each other
    ROWS.replace("start + j * T", "start * T").replace("ct.bid(0), ct.bid(1)", "ct.bid(0), 0"),
    # a permutation of rows
    ROWS.replace("ct.load(cu, (i,), (1,)).item()", "ct.gather(cu, i)").replace(
        " + j * T + ct.arange(T, dtype=ct.int32)", "").replace("ct.bid(0), ct.bid(1)", "ct.bid(0), 0"),
    # a place in a list that another array gives
    ROWS.replace("(cu, (i,)", "(cu, (ct.gather(lens, i),)"),
])
def test_other_data_decides(text: str) -> None:
    assert _check(text)[0] == "unproven"


@pytest.mark.parametrize("declared", ["multiple(cu, 64)", "range(cu, 0, n)", "segments(cu, lens)"])
def test_no_example_goes_against_a_declaration(declared: str) -> None:
    assert _check(ROWS, f'@requires("{declared}")\n')[0] == "unproven"


def test_offsets_that_are_declared_to_grow_overlap_all_the_same() -> None:
    assert _check(ROWS, '@requires("monotone(cu)")\n')[0] == "refuted"


def test_an_example_needs_blocks_that_meet() -> None:
    # one row a segment: the grid has one block along its second axis, and a tile has one row
    assert _check(ROWS, '@requires("T == 1 and grid[1] == 1")\n')[0] == "unproven"
