"""TC405: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host, raw

CASES = (
    Case("widths", raw("""\
@ct.kernel
def k(x, y, S: int, R: int):
    i = ct.bid(0)
    ct.store(y, (i * S // S, i * R // R), ct.full((2, 2), 1, ct.int32))


def go(stream):
    x, y = torch.zeros(64), torch.zeros((64, 64))
    ct.launch(stream, (8,), k, (x, y, 1 << 30, 1 << 29))
"""), """\
TC405 warning on line 18: this launch breaks `grid[0]*R < 2**31`, which `k` requires
    note: at this launch the clause is 8*536870912 < 2**31
    note on line 11: the kernel is here
    note: it also breaks `grid[0]*S < 2**31`
    note: a number that the kernel computes exceeds its type there, and wraps
    help: launch `k` with a grid, shapes and constants that satisfy `grid[0]*R < 2**31`
"""),
    Case("unread", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x, y):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128), 4), k, (x, y, 128))
"""), """\
TC405 error on line 17: `k` never reads `ct.bid(1)`, and this launch has 4 blocks on that axis: they all do
    the same work and write the same elements
    note on line 11: the kernel is here
    help: launch with extent 1 on axis 1, or let the kernel read `ct.bid(1)`
"""),
    Case("grid", host("""\
parts = tcr.zeros((1024,), f32).partition(128)
add(parts, x, y).grid(7).sync()
"""), """\
TC405 error on line 35: the grid of `add` is (7, 1, 1), but the pieces of `parts` ask for (8, 1, 1)
    note on line 13: the kernel is here
    help: leave `.grid(...)` out: it follows from the partition
"""),
    Case("room", host("""\
parts = tcr.zeros((1024,), f32).partition_prefix(128)
add(parts, x, y).grid(9).sync()
"""), """\
TC405 error on line 35: the grid of `add` is (9, 1, 1), but `parts` has room for at most (8, 1, 1)
    note on line 13: the kernel is here
    help: ask for at most `.grid(8, 1, 1)`
"""),
    Case("outputs", host("""\
a, b = tcr.zeros((256,), f32), tcr.zeros((512,), f32)
split(a.partition(16), b.partition(16), x).sync()
"""), """\
TC405 error on line 35: `a.partition(16)` asks for grid (16, 1, 1) and `b.partition(16)` for (32, 1, 1) in one
    launch of `split`
    note on line 18: the kernel is here
    help: partition all outputs into the same number of pieces along each axis
"""),
    Case("variables", host("""\
split(z.partition(16), y.partition(32), x).sync()
"""), """\
TC405 error on line 34: the extents of `y.partition(32)` do not fit `split`: B is 16 by the pieces of `a`, and
    its pieces have 32
    note on line 18: the kernel is here
    help: partition it into pieces that agree
"""),
    Case("literal extents", host("""\
fixed(z.partition(32), x, 2.0, 3).sync()
"""), """\
TC405 error on line 34: the extents of `z.partition(32)` do not fit `fixed`: `z` is declared with 16, and its
    pieces have 32
    note on line 24: the kernel is here
    help: partition it into pieces that agree
"""),
    Case("shapes", host("""\
add(tcr.zeros((64,), f32).partition(16), tcr.ones((32,), f32), y).sync()
"""), """\
TC405 error on line 34: this launch breaks `z.shape[0] <= x.shape[0]`, which `add` requires
    note: at this launch the clause is 64 <= 32
    note on line 13: the kernel is here
    note on line 14: this access to `x` requires it
    help: launch `add` with a grid, shapes and constants that satisfy `z.shape[0] <= x.shape[0]`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
