"""TC203: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("tile", raw("""\
@ct.kernel
def second_axis_by_elements(x, y, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j * U), (T, U))
    ct.store(y, (i, j), t)
"""), """\
TC203 warning on line 13: the tile index `U*bid(1)` of `x` along axis 1 is an element offset: an index counts
    tiles of `U` elements
    note: with U = 4 block 1 takes the elements 16 to 19 along axis 1, not 4 to 7
    help: pass `bid(1)`: load multiplies the index by the extent of the tile itself
"""),
    Case("tile_constant", raw("""\
@ct.kernel
def constant_tile(a, c):
    i = ct.bid(0)
    t = ct.load(a, (i * 128, 0), (128, 1))
    ct.store(c, (i, 0), t)
"""), """\
TC203 warning on line 13: the tile index `128*bid(0)` of `a` along axis 0 is an element offset: an index
    counts tiles of 128 elements
    note: block 1 takes the elements 16384 to 16511 along axis 0, not 128 to 255
    help: pass `bid(0)`: load multiplies the index by the extent of the tile itself
"""),
    Case("tile_decoded", raw("""\
@ct.kernel
def decoded_and_multiplied(a, c, N: Int, T: Int):
    p = ct.bid(0)
    row, col = p // N, p % N
    t = ct.load(a, (row * T, col * T), (T, T))
    ct.store(c, (row, col), t)
"""), """\
TC203 warning on line 14: the tile index `T*(bid(0) // N)` of `a` along axis 0 is an element offset: an index
    counts tiles of `T` elements
    help: pass `bid(0) // N`: load multiplies the index by the extent of the tile itself
"""),
    Case("part", raw("""\
@ct.kernel
def extract_by_elements(x, y):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (16, 64))
    acc = ct.zeros((16, 16), ct.float32)
    for k in range(4):
        acc = acc + ct.extract(t, (0, k * 16), (16, 16))
    ct.store(y, (i, 0), acc)
"""), """\
TC203 warning on line 16: the index `16*k` of extract along axis 1 is an element offset: it counts parts of 16
    elements
    help: pass `k`: extract multiplies the index by the extent of the part
"""),
    Case("inside a part", raw("""\
@ct.kernel
def extract_after_a_vector(x, y, S: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, 128), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, (i, 0), ct.extract(t, (0, S), (1, S * S)))
"""), """\
TC203 warning on line 14: the index `S` of extract along axis 1 looks like an element offset: it counts parts
    of `S*S` elements
    help: extract multiplies the index by the extent of the part: this part begins at element `S*S*S`, and
        none begins at element `S`; lay the tile out so that each part begins at a multiple of its extent
"""),
    Case("gathered", raw("""\
@ct.kernel
def gather_from_tile_index(x, y, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i + ct.arange(T, dtype=ct.int32))
    ct.store(y, (i,), t)
"""), """\
TC203 warning on line 13: `ct.bid(0)` is used as an element index of `x`: blocks read overlapping elements and
    write separate tiles
    note: with T = 4 block 1 reads x[1] to x[4] and writes the elements 4 to 7
    help: begin at element `bid(0) * T`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
