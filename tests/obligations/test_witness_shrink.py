"""Witnesses that explain: nothing else of their launch is wrong, and they break one clause."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Diagnostic
from tilecheck.report.text import witness_lines

HEAD = "import cuda.tile as ct\n\nInt = ct.Constant[int]\n\n\n@ct.kernel\n"

AHEAD = """\
def k(c, T: Int):
    i = ct.bid(0)
    t = ct.load(c, (i + 1,), (T,))
    ct.store(c, (i,), t)
"""

WALK = """\
def k(a, c, n: int, T: Int):
    for i in range(ct.bid(0), n):
        ct.store(c, (i,), ct.load(a, (i,), (T,)) + 1)
"""

SCATTERED = """\
def k(a, c, T: Int):
    i = ct.bid(0)
    t = ct.load(c, (i + 1,), (T,))
    ct.scatter(c, i * (T // 2) + ct.arange(T, dtype=ct.int32), t)
"""

OUTSIDE = """\
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.load(c, (i + ct.num_tiles(c, 0, (T,)),), (T,))
    ct.store(c, (i // 2,), ct.load(a, (i,), (T,)))
"""

ROTATE = """\
def k(x, o, HD: Int, T: Int):
    lanes = ct.arange(T, dtype=ct.int32)
    base = ct.bid(0) * HD
    first = ct.gather(x, base + lanes)
    second = ct.gather(x, base + HD // 2 + lanes)
    ct.scatter(o, base + lanes, second)
    ct.scatter(o, base + HD // 2 + lanes, first)
"""


def example(body: str, code: str) -> tuple[Diagnostic, dict[str, int]]:
    found = next(d for d in check_source(HEAD + body).diagnostics if d.code == code and d.witness is not None)
    assert found.witness is not None
    return found, {a.key: n for a, n in found.witness.scalars}


@pytest.mark.parametrize(("body", "code", "last"), [(AHEAD, "TC103", 2), (SCATTERED, "TC103", 2)])
def test_the_witness_satisfies_other_reads_of_the_launch(body: str, code: str, last: int) -> None:
    found, sizes = example(body, code)
    assert found.witness is not None and found.witness.grid == (2, 1, 1)
    assert sizes["c.shape[0]"] > last * sizes["T"]


def test_a_loop_stays_in_the_array_of_the_example() -> None:
    _, sizes = example(WALK, "TC101")
    assert sizes["c.shape[0]"] > (sizes["n"] - 1) * sizes["T"]


def test_the_example_stays_where_no_array_is_large_enough() -> None:
    found, sizes = example(OUTSIDE, "TC101")
    assert found.witness is not None and found.witness.element == (0,)
    assert sizes["c.shape[0]"] == 4


def test_the_witness_of_a_spilled_row_violates_one_clause() -> None:
    found, sizes = example(ROTATE, "TC206")
    assert sizes["HD"] == sizes["T"] == 4
    w = found.witness
    assert w is not None and w.grid == (2, 1, 1) and w.element == (4,)
    # the first block runs past the end of its row, into what the second writes by the other statement
    assert [n.span.line for n in found.notes if n.span is not None and not n.origin] == [12]
    assert (w.first.block[0], w.second.block[0]) == (1, 0) and found.span.line == 13


UNNAMED = """\
def k(a, c, n: int, T: Int):
    for _ in range(ct.bid(0), n):
        ct.store(c, (0,), ct.load(a, (0,), (T,)))
"""

COUNTED_DOWN = """\
def k(a, c, n: int, T: Int):
    i = ct.bid(0)
    for j in range(6, 0, -2):
        ct.store(c, (i // 2, j), ct.load(a, (i, j), (1, T)))
"""


def test_iterations_are_named_by_the_value_of_the_loop_variable() -> None:
    found, _ = example(WALK, "TC101")
    assert found.witness is not None
    assert [p.iterations[0][1] for p in (found.witness.first, found.witness.second)] == [1, 0]
    assert witness_lines(found, found.witness)[1:3] == [
        "line 9 in block 0, i = 1, lane (0)", "line 9 in block 1, i = 1, lane (0)"]
    assert "block 0 at i = 1 and block 1 at i = 1 write c[2]" in found.notes[0].message


def test_a_loop_that_counts_down_has_its_values() -> None:
    found, _ = example(COUNTED_DOWN, "TC101")
    assert found.witness is not None
    assert [dict(p.variables) for p in (found.witness.first, found.witness.second)] == [
        {name: 6 - 2 * n for name, n in p.iterations} for p in (found.witness.first, found.witness.second)]


def test_a_variable_without_a_name_has_no_value() -> None:
    found, _ = example(UNNAMED, "TC101")
    assert found.witness is not None and not found.witness.first.variables


LAUNCH = """\


def launch(stream, x, o, rows, head_dim):
    width = 1 << (head_dim // 2 - 1).bit_length()
    ct.launch(stream, (rows,), k, (x, o, head_dim, width))
"""


def test_a_violated_clause_is_reported_in_numbers() -> None:
    (found,) = [d for d in check_source(HEAD + ROTATE + LAUNCH).diagnostics if d.code == "TC405"]
    assert found.message == (
        "this launch breaks `HD // 2 + T <= HD`, which `k` requires: for head_dim = 96, 48 + 64 <= 96 is false")
