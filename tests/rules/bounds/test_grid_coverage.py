"""TC205: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("both", raw("""\
@ct.kernel
def k(x, y, T: Int):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (T,)))


def go(stream):
    x, y = torch.zeros(64), torch.zeros(64)
    ct.launch(stream, (8,), k, (x, y, 16))
"""), """\
TC205 error on line 18: this launch has 8 blocks on axis 0, more than `x` has tiles for: it breaks `grid[0] <=
    cdiv(x.shape[0], T)`
    note: at this launch the clause is 8 <= cdiv(64, 16)
    note on line 13: `x` is accessed here; an access to a tile that lies wholly outside is undefined
    note: it also breaks `grid[0] <= cdiv(y.shape[0], T)`
    help: launch no more blocks than the array has tiles: `grid[0] <= cdiv(x.shape[0], T)`
"""),
    Case("large grid", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))


def go(stream):
    import torch

    x = torch.zeros(1024)
    ct.launch(stream, (9,), k, (x, torch.empty(1152), 128))
"""), """\
TC205 error on line 20: this launch has 9 blocks on axis 0, more than `a` has tiles for: it breaks `grid[0] <=
    cdiv(a.shape[0], T)`
    note: at this launch the clause is 9 <= cdiv(1024, 128)
    note on line 13: `a` is accessed here; an access to a tile that lies wholly outside is undefined
    help: launch no more blocks than the array has tiles: `grid[0] <= cdiv(a.shape[0], T)`
"""),
    Case("small grid", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x):
    import torch

    out = torch.empty_like(x)
    ct.launch(stream, (x.shape[0] // 128,), k, (x, out, 128))
    return out
"""), """\
TC205 warning on line 20: this launch does not write all of `c`, which `empty_like` leaves uninitialised: its
    blocks end before axis 0 does (for example, with x.shape[0] = 129)
    note: it is covered only if x.shape[0] <= x.shape[0] // 128*128
    note on line 13: each block writes its own tile of `c` here
    help: round the number of blocks up: `ct.cdiv(n, T)`, not `n // T`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
