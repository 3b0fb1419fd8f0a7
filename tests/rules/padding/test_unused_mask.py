"""TC302: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("mask", raw("""\
@ct.kernel
def combined_mask_forgotten(x, o, M: int, N: int, T: Int):
    rows = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    cols = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    mask = (rows < M)[:, None] & (cols < N)[None, :]
    ct.scatter(o, (rows[:, None], cols[None, :]), ct.gather(x, (rows[:, None], cols[None, :])))
"""), """\
TC302 warning on line 14: `mask` is computed and never used: it limits no access
    note: accesses check bounds against the array by themselves, but the mask also excludes lanes that lie
        inside the array and must not be used
    help: pass it to an access, as `mask=mask`, or delete it
"""),
    Case("mask_of_tiles", raw("""\
@ct.kernel
def k(x, o, n: int, T: Int):
    i = ct.bid(0)
    unused = ct.arange(T, dtype=ct.int32) < n
    ct.store(o, (i,), ct.load(x, (i,), (T,)))
"""), """\
TC302 warning on line 13: `unused` is computed and never used: it limits no access
    note: accesses check bounds against the array by themselves, but the mask also excludes lanes that lie
        inside the array and must not be used
    help: apply it, `ct.where(unused, ..., 0)`, or delete it
"""),
    Case("mask_unchecked", raw("""\
@ct.kernel
def k(x, o, n: int, T: Int):
    cols = ct.arange(T, dtype=ct.int32)
    unused = cols < n
    ct.scatter(o, (ct.bid(0), cols), ct.gather(x, (ct.bid(0), cols), check_bounds=False))
"""), """\
TC302 warning on line 13: `unused` is computed and never used: it limits no access
    note: some accesses of this kernel do not check bounds: without a mask they access any location that the
        index selects
    help: pass it to an access, as `mask=unused`, or delete it
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
