"""TC102: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, operation, raw

CASES = (
    Case("conditional", raw("""\
@ct.kernel
def k(a, c, S: Int, T: Int):
    o = ct.bid(0) * S + ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, o, ct.gather(a, o))
"""), """\
TC102 warning on line 13: blocks write disjoint parts of `c` only if `grid[1]*T <= S`
    note: with grid (2, 2, 1) and S = 3, T = 2, c.shape[0] = 7 two blocks write c[3]
    help: declare what every launch satisfies: @requires("grid[1]*T <= S")
"""),
    Case("data", raw("""\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.load(ids, (ct.bid(0),), (1,)).item()
    ct.store(c, (i, 0), ct.load(a, (i, 0), (1, T)))
"""), """\
TC102 warning on line 13: could not prove that blocks write disjoint parts of `c`: the location depends on
    data; `injective(ids)` would prove it
    note on line 12: the place is read from `ids` here
    help: if it holds, say so in the kernel: # tilecheck: requires injective(ids)
"""),
    Case("an item of an input", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    t = x[0]
    z.store(z.load())
"""), """\
TC102 error on line 12: could not prove anything of `x`: `x[...]` (it has no items: load a tile with
    `x.load(index, shape)`, an element with `x.at(i)`)
    help: use operations of cuda.tile, or a helper whose source is in the checked files
"""),
    Case("an item of an accumulator", dialect("""\
def k(z: Mut[f32, B], s: Shared[f32, Dyn]) -> None:
    t = s[0]
    z.store(z.load())
"""), """\
TC102 error on line 12: could not prove anything of `s`: `s[...]` (it has no items: update it with
    `s.add(indices, update)`, read it in another launch)
    help: use operations of cuda.tile, or a helper whose source is in the checked files
"""),
    Case("arguments of another method", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    x.extent(0, 1)
    z.store(z.load())
"""), """\
TC102 error on line 12: could not prove anything of `x`: call of method extent with other arguments than it
    takes, which is not known
    help: use operations of cuda.tile, or a helper whose source is in the checked files
"""),
    Case("call with an output", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    anything(z)
"""), """\
TC102 error on line 12: could not prove anything of `z`: call of elsewhere.anything, which is not known
    help: use operations of cuda.tile, or a helper whose source is in the checked files
"""),
    Case("loaded_rank", operation("""\
z = ct.load(a, (0, 0), (8,))
"""), """\
TC304 warning on line 6: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC102 warning on line 6: could not prove anything of `a`: load with an index that is not known
    help: use operations of cuda.tile, or a helper whose source is in the checked files
TC503 error on line 6: a tile of 1 axis, (8,), is loaded from an index with 2 entries
    help: give the shape and the index one entry for each axis of the array
"""),
    Case("two statements", raw("""\
@ct.kernel
def k(a, c, S: int, T: Int):
    i = ct.bid(0)
    t = ct.load(a, (i,), (T,), padding_mode=ZERO)
    ct.store(c, (i,), t)
    if i == 0:
        ct.store(c, (S,), t)
"""), """\
TC102 warning on line 16: blocks write disjoint parts of `c` only if `grid[0] <= S`
    note on line 14: the other write to `c` is here
    note: with grid (2, 1, 1) and S = 1, T = 2, c.shape[0] = 4 two blocks write c[2]
    help: declare what every launch satisfies: @requires("grid[0] <= S")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
