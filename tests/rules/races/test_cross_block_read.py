"""TC103: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("read", raw("""\
@ct.kernel
def k(c, T: Int):
    i = ct.bid(0)
    t = ct.load(c, (i + 1,), (T,))
    ct.store(c, (i,), t)
"""), """\
TC103 error on line 13: block 0 reads c[2], which block 1 writes in the same launch
    note on line 14: `c` is written here
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 6: block 1 writes and block 0 reads c[2]
    note on line 14: tile 1 in block 1
    note on line 13: tile 1 in block 0
    help: each of these ends the race, and only you know which is meant: (a) on line 14, write `ct.store(out,
        (i,), t)`, with `out` one more array of the kernel: all blocks read `c` as it was before the launch
        then (b) on line 13, read at `(i,)` in place of `(i + 1,)`, if a block is to read what it writes
        itself
"""),
    Case("readdata", raw("""\
@ct.kernel
def k(ids, c, T: Int):
    i = ct.bid(0)
    j = ct.load(ids, (i,), (1,)).item()
    t = ct.load(c, (j, 0), (1, T))
    ct.store(c, (i, 0), t)
"""), """\
TC103 warning on line 14: could not prove that no block reads an element of `c` that another one writes: the
    location depends on the contents of `ids`
    note on line 15: `c` is written here
    help: read the elements of `c` that other blocks write in a second launch, or read an array that no block
        writes
"""),
    Case("readcond", raw("""\
@ct.kernel
def k(c, S: Int, T: Int):
    i = ct.bid(0)
    o = ct.arange(T, dtype=ct.int32)
    ct.scatter(c, i * S + o, ct.gather(c, i * S + o))
"""), """\
TC103 warning on line 14: a block may read an element of `c` that another one writes unless `T <= S`
    note on line 14: `c` is written here
    help: declare what every launch satisfies: @requires("T <= S")
"""),
    Case("index from data", raw("""\
@ct.kernel
def k(ids, c, T: Int):
    i = ct.bid(0)
    j = ct.load(ids, (i,), (1,)).item()
    t = ct.load(c, (j, 0), (1, T))
    ct.store(c, (j, 0), t + 1)
"""), """\
TC103 warning on line 14: could not prove that no block reads an element of `c` that another one writes: the
    location depends on data; `injective(ids)` would prove it
    note on line 15: `c` is written here
    help: if it holds, say so in the kernel: # tilecheck: requires injective(ids)
TC102 warning on line 15: could not prove that blocks write disjoint parts of `c`: the location depends on
    data; `injective(ids)` would prove it
    note on line 13: the place is read from `ids` here
    help: if it holds, say so in the kernel: # tilecheck: requires injective(ids)
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
