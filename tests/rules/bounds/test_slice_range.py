"""TC204: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("slice_before", raw("""\
@ct.kernel
def slice_from_before(x, o, T: Int):
    i = ct.bid(0)
    s = x.slice(0, i * T - 1, i * T + T)
    ct.store(o, (i,), ct.load(s, (0,), (T,)))
"""), """\
TC204 error on line 13: this slice of `x` along axis 0 begins at `T*bid(0) - 1`, before the array
    note: with bid(0) = 0, T = 1, x.shape[0] = 1 it selects the elements -1 to 1 of 1
    note: nothing checks a slice when the kernel runs
    help: begin at 0 or later: a negative bound does not count from the end
"""),
    Case("slice_reversed", raw("""\
@ct.kernel
def slice_backwards(x, o, T: Int):
    s = x.slice(0, x.shape[0], 0)
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC204 error on line 12: this slice of `x` along axis 0 ends at `0`, before it begins at `x.shape[0]`
    note: with x.shape[0] = 1 it selects the elements 1 to 0 of 1
    note: nothing checks a slice when the kernel runs
    help: pass the smaller of the two ends first
TC201 error on line 13: block 0 asks for tile 0 along axis 0 of `x`, which has -2 tiles (-4 elements)
    note: with grid (2, 1, 1) and T = 2, x.shape[0] = 4: block 0 asks for tile 0 along axis 0 of `x`, which
        has -2 tiles (-4 elements)
    note on line 13: 0 in block 0; the only tile is 0
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: on line 13, write `min(ct.bid(0), ct.num_tiles(s, 0, (T,)) - 1)` in place of `ct.bid(0)`, or leave
        out the tiles past the end with `if ct.bid(0) < ct.num_tiles(s, 0, (T,)):`
"""),
    Case("slice_beyond", raw("""\
@ct.kernel
def slice_of_a_slice(x, o, n: int, T: Int):
    s = x.slice(0, 0, n)
    t = s.slice(0, 0, n + T)
    ct.store(o, (ct.bid(0),), ct.load(t, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC204 error on line 13: this slice of `x` along axis 0 ends at `T + n`, past the extent `n`
    note: with T = 1, n = 1 it selects the elements 0 to 2 of 1
    note: nothing checks a slice when the kernel runs
    help: stop at `n`
"""),
    Case("end from data", raw("""\
@ct.kernel
def k(x, ids, o, T: Int):
    n = ct.load(ids, (0,), (1,)).item()
    s = x.slice(0, 0, n)
    ct.store(o, (ct.bid(0),), ct.load(s, (0,), (T,)))
"""), """\
TC204 error on line 13: this slice of `x`: could not prove that it ends after it begins: from `0` to `ids[0]`
    note: nothing checks a slice when the kernel runs
    help: clamp its ends in the kernel: `min(stop, extent)`, `max(start, 0)`
TC301 error on line 14: could not prove that the store to `o` uses no lane of the tile that lies outside `x`:
    no proof was found that nothing outside the array is used
    note on line 14: the tile of `x` is loaded here, without a padding mode
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
TC201 error on line 14: could not prove that the index `0` along axis 0 of `x` stays inside: no proof was
    found that it stays inside
    help: compare the index with `ct.num_tiles(...)` in the kernel, or clamp it
""", strict=True),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
