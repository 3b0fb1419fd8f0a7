"""TC206: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("spill", raw("""\
@ct.kernel
def k(a, c, H: Int, T: Int):
    o = ct.bid(0) * H + ct.arange(T, dtype=ct.int32)
    x = ct.gather(a, o + H // 2)
    ct.scatter(c, o + H // 2, x)
    ct.scatter(c, o, x)
"""), """\
TC206 warning on line 13: this read of `a` extends into the next row unless `H // 2 + T <= H`
    note on line 14: the write that does the same is here
    note on line 12: a row has `H` elements
    note on line 12: a block takes `T` elements of its row
    note on line 13: with H = 4, T = 4 block 0 reads a[2:6]
    note: the row of block 0 ends with a[3]: a[4:6] belongs to the next row, and becomes part of the result of
        this one
    help: each of these keeps the blocks to their rows: (a) on lines 13 and 14, add `mask=H // 2 +
        ct.arange(T, dtype=ct.int32) < H`; on line 15, add `mask=ct.arange(T, dtype=ct.int32) < H`: the lanes
        past the end of the row are left out then (b) declare what every launch satisfies, if it does:
        @requires("H // 2 + T <= H")
TC206 warning on line 14: this write to `c` extends into the next row, which belongs to another block, unless
    `H // 2 + T <= H`
    note on line 15: the other write to `c` is here
    note: with grid (2, 1, 1) and H = 4, T = 4, c.shape[0] = 10 two blocks write c[4]
    note on line 12: a row has `H` elements
    note on line 12: a block takes `T` elements of its row
    note on line 14: element 4 in block 0
    note on line 15: element 4 in block 1
    help: each of these keeps the blocks to their rows: (a) on lines 13 and 14, add `mask=H // 2 +
        ct.arange(T, dtype=ct.int32) < H`; on line 15, add `mask=ct.arange(T, dtype=ct.int32) < H`: the lanes
        past the end of the row are left out then (b) declare what every launch satisfies, if it does:
        @requires("H // 2 + T <= H")
"""),
    Case("broken", raw("""\
@ct.kernel
def k(a, c, S: Int, T: Int):
    o = ct.bid(0) * S + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))


def go(stream, x, y):
    ct.launch(stream, (8,), k, (x, y, 64, 128))
"""), """\
TC206 warning on line 13: this write to `c` extends into the next row, which belongs to another block, unless
    `T <= S`
    note: with grid (2, 1, 1) and S = 3, T = 4, c.shape[0] = 7 two blocks write c[3]
    note on line 12: a row has `S` elements
    note on line 12: a block takes `T` elements of its row
    note on line 13: element 3 in both blocks
    help: each of these keeps the blocks to their rows: (a) on line 13, add `mask=ct.arange(T, dtype=ct.int32)
        < S`: the lanes past the end of the row are left out then (b) declare what every launch satisfies, if
        it does: @requires("T <= S")
TC206 warning on line 13: this read of `a` extends into the next row unless `T <= S`
    note on line 13: the write that does the same is here
    note on line 12: a row has `S` elements
    note on line 12: a block takes `T` elements of its row
    note on line 13: with S = 3, T = 4 block 1 reads a[3:7]
    note: the row of block 1 ends with a[5]: a[6] belongs to the next row, and becomes part of the result of
        this one
    help: each of these keeps the blocks to their rows: (a) on line 13, add `mask=ct.arange(T, dtype=ct.int32)
        < S`: the lanes past the end of the row are left out then (b) declare what every launch satisfies, if
        it does: @requires("T <= S")
TC405 error on line 17: this launch breaks `T <= S`, which `k` requires
    note: at this launch the clause is 128 <= 64
    note on line 11: the kernel is here
    note on line 13: this access to `c` requires it
    help: launch `k` with a grid, shapes and constants that satisfy `T <= S`
"""),
    Case("in a helper", raw("""\
def put(o, i, t, S, T):
    ct.scatter(o, i * S + ct.arange(T, dtype=ct.int32), t)


@ct.kernel
def k(x, o, S: Int, T: Int):
    put(o, ct.bid(0), ct.load(x, (ct.bid(0),), (T,), padding_mode=ZERO), S, T)
"""), """\
TC206 warning on line 11: this write to `o` extends into the next row, which belongs to another block, unless
    `T <= S`
    note: with grid (2, 1, 1) and S = 3, T = 4, o.shape[0] = 7 two blocks write o[3]
    help: mask the lanes past the end of the row, or declare what every launch satisfies: @requires("T <= S")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
