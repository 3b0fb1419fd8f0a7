"""TC101: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("write", raw("""\
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
"""), """\
TC101 error on line 12: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note on line 12: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 12, store at `(ct.bid(0),)` in place of `(0,)`, as the tile is loaded from `a`: no two
        blocks write one element of `c` then
"""),
    Case("pair", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    t = ct.load(a, (i,), (T,))
    ct.store(c, (2 * i,), t)
    ct.store(c, (i + 1,), t)
"""), """\
TC101 error on line 15: blocks 2 and 3 both write c[8]
    note on line 14: the other write to `c` is here
    note: with grid (5, 1, 1) and T = 2, c.shape[0] = 18: block 2 and block 3 write c[8]
    note on line 14: tile 4 in block 2
    note on line 15: tile 4 in block 3
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 15, store at `(2 * i + 1,)` in place of `(i + 1,)`: no two blocks write one element of `c`
        then
"""),
    Case("loop", raw("""\
@ct.kernel
def k(a, c, n: int, T: Int):
    for i in range(ct.bid(0), n):
        ct.store(c, (i,), ct.load(a, (i,), (T,)))
"""), """\
TC101 error on line 13: blocks 0 and 1 both write c[2]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 8, n = 4: block 0 at i = 1 and block 1 at i = 1 write
        c[2]
    note on line 12: with `range(ct.bid(0), n, ct.num_blocks(0))` here no two blocks meet
    note on line 13: tile 1 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 12, write `range(ct.bid(0), n, ct.num_blocks(0))` in place of `range(ct.bid(0), n)`: no two
        blocks write one element of `c` then
"""),
    Case("step", raw("""\
@ct.kernel
def k(a, c, T: Int):
    o = ct.bid(0) * (T // 2) + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))
"""), """\
TC101 error on line 13: blocks 0 and 1 both write c[1]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[1]
    note on line 12: with `T` here no two blocks meet
    note on line 13: element 1 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 12, write `ct.bid(0) * T` in place of `ct.bid(0) * (T // 2)`: no two blocks write one
        element of `c` then
"""),
    Case("part", raw("""\
@ct.kernel
def k(a, c, H: Int, T: Int):
    ct.store(c, (ct.bid(0) // 2,), ct.load(a, (ct.bid(0),), (T,)))
"""), """\
TC101 error on line 12: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note on line 12: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 12, store at `(ct.bid(0),)` in place of `(ct.bid(0) // 2,)`, as the tile is loaded from `a`:
        no two blocks write one element of `c` then
"""),
    Case("lists", raw("""\
@ct.kernel
def k(xs, n: int, T: Int):
    for g in range(n):
        ct.store(xs[g], (ct.bid(0),), ct.full((T,), 0, ct.float32))
    ct.store(xs[0], (0,), ct.full((T,), 0, ct.float32))
"""), """\
TC101 error on line 14: blocks 0 and 1 both write xs[0][0]
    note: with grid (5, 1, 1) and T = 1: block 0 and block 1 write xs[0][0]
    note on line 14: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: each of these edits makes the blocks disjoint; choose the one that you mean: (a) on line 14, store
        at `(ct.bid(0),)` in place of `(0,)` (b) on line 14, let one block do it, under `if ct.bid(0) == 0:`
"""),
    Case("in a helper: whole", raw("""\
def put(c, i, t, T):
    ct.store(c, (i // 2,), t)


@ct.kernel
def k(a, c, T: Int):
    put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO), T)
"""), """\
TC101 error on line 11: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: compute the index of `c` from all of `ct.bid(0)`, not from a part of it: these blocks differ and
        have the same index
"""),
    Case("in a helper: step", raw("""\
def put(c, i, t, T):
    ct.scatter(c, i * (T // 2) + ct.arange(T, dtype=ct.int32), t)


@ct.kernel
def k(a, c, T: Int):
    put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO), T)
"""), """\
TC101 error on line 11: blocks 0 and 1 both write c[1]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[1]
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: advance from block to block by at least the whole tile that is written to `c`
"""),
    Case("in a helper: loop", raw("""\
def put(c, i, t, T):
    for k in range(i, 8):
        ct.store(c, (k,), t)


@ct.kernel
def k(a, c, T: Int):
    put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO), T)
"""), """\
TC101 error on line 12: blocks 0 and 1 both write c[2]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 16: block 0 at k = 1 and block 1 at k = 1 write c[2]
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: step the loop by the number of blocks, `ct.num_blocks(0)`, so that no two blocks use the same index
        of `c`
"""),
    Case("in a helper: missing", raw("""\
def put(c, i, t, T):
    ct.store(c, (0,), t)


@ct.kernel
def k(a, c, T: Int):
    put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO), T)
"""), """\
TC101 error on line 11: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: let the index of `c` depend on `ct.bid(0)`: blocks that differ only in it write the same location
"""),
    Case("in a helper: pair", raw("""\
def put(c, i, t, T):
    ct.store(c, (2 * i,), t)
    ct.store(c, (i + 1,), t)


@ct.kernel
def k(a, c, T: Int):
    put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO), T)
"""), """\
TC101 error on line 12: blocks 2 and 3 both write c[8]
    note on line 11: the other write to `c` is here
    note: with grid (5, 1, 1) and T = 2, c.shape[0] = 18: block 2 and block 3 write c[8]
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: make the two writes to `c` disjoint: no block may write an element that another one writes
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
