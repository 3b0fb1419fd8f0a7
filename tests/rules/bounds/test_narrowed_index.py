"""TC207: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("narrowed", raw("""\
@ct.kernel
def index_in_16_bits(x, o, T: Int):
    offs = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32)).astype(ct.int16)
    ct.store(o, (ct.bid(0),), ct.gather(x, offs))
"""), """\
TC207 warning on line 12: `T*bid(0) + lane` is narrowed to int16 and becomes an index of `x`: from 32768 on it
    is a different index
    note on line 13: `x` is indexed here
    help: keep the index in int32
"""),
    Case("narrowed_lanes", raw("""\
@ct.kernel
def lanes_in_8_bits(x, o):
    offs = ct.arange(256, dtype=ct.int8)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, (ct.bid(0), offs)).reshape((1, 256)))
"""), """\
TC207 warning on line 12: `ct.arange(256)` is narrowed to int8 and becomes an index of `x`: from 128 on it is
    a different index
    note on line 13: `x` is indexed here
    help: keep the index in int32
"""),
    Case("narrowed_product", raw("""\
@ct.kernel
def wide_product_narrowed(x, o, S: int, T: Int):
    row = ct.astype(ct.bid(0), ct.int64)
    offs = ct.astype(row * S + ct.arange(T, dtype=ct.int64), ct.int32)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, offs).reshape((1, T)))
"""), """\
TC207 warning on line 13: `S*bid(0) + lane` is narrowed to int32 and becomes an index of `x`: from 2**31 on it
    is a different index
    note on line 14: `x` is indexed here
    help: keep the index in int64
"""),
    Case("declared_wide", raw("""\
@ct.kernel
@requires("M * N <= 2**40", "N <= 2**35", "T <= N")
def declared_beyond_32_bits(x, o, M: int, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))
    ct.store(o, (i, 0), t.reshape((1, T)))
"""), """\
TC207 warning on line 14: the index of `x` may wrap: it is computed in 32 bits, and `N <= 2**35` admits sizes
    beyond 2**31
    help: compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with
        `ct.IndexedWithInt64`
"""),
    Case("launched_wide", raw("""\
@ct.kernel
def launched_beyond_32_bits(x, o, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))
    ct.store(o, (i, 0), t.reshape((1, T)))


def launch_beyond_32_bits(stream, x, o):
    ct.launch(stream, (1 << 16,), launched_beyond_32_bits, (x, o, 1 << 17, 128))
"""), """\
TC207 warning on line 13: the index of `x` wraps: it is computed in 32 bits, and reaches `grid[0]*N + T`,
    which is 2**31 or more in a seen launch
    note on line 18: it is launched here
    help: compute it in 64 bits: `ct.bid(0).astype(ct.int64)`, and annotate the array with
        `ct.IndexedWithInt64`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
