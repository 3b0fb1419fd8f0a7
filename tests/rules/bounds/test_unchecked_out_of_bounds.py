"""TC202: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("unchecked", raw("""\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    at = ct.gather(ids, i * T + ct.arange(T, dtype=ct.int32))
    ct.store(c, (i,), ct.gather(a, at, check_bounds=False))
"""), """\
TC202 warning on line 14: without a bounds check, the index `ids[T*bid(0) + lane]` along axis 0 of `a` must
    stay inside, which is not proved: it depends on the contents of `ids`; `range(ids, 0, a.shape[0])` would
    prove it
    help: if it does, say so in the kernel: # tilecheck: requires range(ids, 0, a.shape[0])
"""),
    Case("unchecked row", raw("""\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    row = ct.load(ids, (i,), (1,)).item()
    ct.scatter(c, (i, ct.arange(T, dtype=ct.int32)),
               ct.gather(a, (row, ct.arange(T, dtype=ct.int32)), check_bounds=False))
"""), """\
TC202 warning on line 15: without a bounds check, the index `ids[bid(0)]` along axis 0 of `a` must stay
    inside, which is not proved: it depends on the contents of `ids`; `range(ids, 0, a.shape[0])` would prove
    it
    help: if it does, say so in the kernel: # tilecheck: requires range(ids, 0, a.shape[0])
"""),
    Case("unchecked below", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    at = i * T + ct.arange(T, dtype=ct.int32)
    ct.store(c, (i,), ct.gather(a, at - 1, check_bounds=False))
"""), """\
TC202 error on line 14: block 0 touches element -1 along axis 0 of `a`, which has 4 elements, and nothing
    checks it
    note: with grid (2, 1, 1) and T = 2, a.shape[0] = 4: block 0 touches element -1 along axis 0 of `a`, which
        has 4 elements
    help: leave out `check_bounds=False`, or keep the index inside
"""),
    Case("assumed", raw("""\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    n = ct.assume_divisible_by(ct.load(ids, (i,), (1,)).item(), 16)
    ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)) + n)
"""), """\
TC202 warning on line 13: the compiler relies on this assumption, which is not proved: whether
    int(ids[bid(0)]) is a multiple of 16 is not known
    help: assume a divisor that divides every value, or leave the assumption out
"""),
    Case("assumed falsely", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.assume_divisible_by(ct.bid(0), 16)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))
"""), """\
TC202 error on line 12: this assumption is false: in block 1 dividing by 16 leaves 1
    help: assume a divisor that divides every value, or leave the assumption out
"""),
    Case("assumption under a condition", raw("""\
@ct.kernel
def k(x, o, S: Int, T: Int):
    i = ct.assume_divisible_by(ct.bid(0) * S, 8)
    ct.scatter(o, i + ct.arange(T, dtype=ct.int32), ct.load(x, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC202 error on line 12: this assumption holds only if `S % 8 == 0`
    help: declare what every launch satisfies: @requires("S % 8 == 0")
TC206 error on line 13: this write to `o` extends into the next row, which belongs to another block, unless `T
    <= S`
    note: with grid (6, 1, 1) and S = 8, T = 16, o.shape[0] = 56 two blocks write o[8]
    note on line 12: a row has `S` elements
    note on line 13: element 8 in both blocks
    note on line 13: a block takes `T` elements of its row
    help: each of these keeps the blocks to their rows: (a) on line 13, add `mask=ct.arange(T, dtype=ct.int32)
        < S`: the lanes past the end of the row are left out then (b) declare what every launch satisfies, if
        it does: @requires("T <= S")
""", strict=True),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
