"""TC601: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("composed", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(ct.sigmoid(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 12: `cuda.tile` has no name `sigmoid`
    help: write `1 / (1 + ct.exp(-x))`
"""),
    Case("close", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(ct.minimun(n, 3))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 12: `cuda.tile` has no name `minimun`
    help: did you mean `ct.minimum`?
"""),
    Case("name", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    ct.barrier_all()
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 12: `cuda.tile` has no name `barrier_all`
    help: `docs/cuda-tile.md` lists the operations
"""),
    Case("member", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    t = ct.load(a, (0,), (T,), padding_mode=ct.PaddingMode.NINF)
    ct.store(b, (0,), t)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 12: `cuda.tile.PaddingMode` has no name `NINF`
    help: did you mean `ct.PaddingMode.NEG_INF`?
TC101 error on line 13: blocks 0 and 1 both write b[0]
    note: with grid (2, 1, 1) and T = 2, b.shape[0] = 4: block 0 and block 1 write b[0]
    note on line 13: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 13, store at `(ct.bid(0),)` in place of `(0,)`: no two blocks write one element of `b` then
TC101 error on line 14: blocks 1 and 0 both write b[0]
    note on line 13: the other write to `b` is here
    note: with grid (2, 1, 1) and T = 2, b.shape[0] = 4: block 1 and block 0 write b[0]
    note on line 13: tile 0 in block 1
    note on line 14: tile 0 in block 0
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: make the two writes to `b` disjoint: no block may write an element that another one writes
"""),
    Case("imported", raw("""\
from cuda.tile import sigmoid


@ct.kernel
def k(a, b, n: int, T: Int):
    print(sigmoid(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 15: `cuda.tile` has no name `sigmoid`
    help: write `1 / (1 + ct.exp(-x))`
"""),
    Case("attribute", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    print(ct.load(a, (0,), (T,)).mean(), n.real, a.shape.index(1))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 12: a tile has no attribute `mean`
    help: divide `ct.sum(t, axis)` by the number of elements
TC601 error on line 12: a number has no attribute `real`
    help: a number has `astype`, `dtype`, `extract`, `insert`, `item`, `ndim`, `permute`, `reshape`, `shape`,
        `transpose`
TC601 error on line 12: a tuple has no attribute `index`
    help: a tuple has no attributes in a kernel
"""),
    Case("attribute of a class", raw("""\
from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    first: int


@ct.kernel
def k(a, b, n: int, T: Int):
    print(Pair(n).third)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC601 error on line 20: `Pair` has no attribute `third`
    help: `Pair` has `first`
"""),
    Case("conditional", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if T == 3:
        print(ct.sigmoid(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
"""),
    Case("a launch", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    if T == 3:
        print(ct.sigmoid(n))
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (4,), padding_mode=ZERO))


def run(stream):
    a = torch.zeros(64)
    b = torch.zeros(64)
    ct.launch(stream, (16,), k, (a, b, 1, 3))
"""), """\
TC601 error on line 13: `cuda.tile` has no name `sigmoid`
    note on line 20: compiled for this launch, with T = 3, n = 1
    help: write `1 / (1 + ct.exp(-x))`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
