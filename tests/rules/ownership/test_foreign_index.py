"""TC105: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect

CASES = (
    Case("numbers", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z[ct.bid(0)] = x.load_like(z)
"""), """\
TC105 error on line 12: `z` is indexed by numbers, but only a cell that `z` issued selects a piece
    help: use a cell that `z` issues: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("arithmetic", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z[z.cell() + 1] = x.load_like(z)
"""), """\
TC105 error on line 12: `z` is indexed by the result of arithmetic: a value that is computed from a cell is
    not a cell
    help: use a cell that `z` issues: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("another's cell", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    b[a.cell()] = x.load_like(a)
"""), """\
TC105 error on line 12: a cell of `a` is used to select a piece of `b`, which has other pieces
    help: walk both together, `for cell in b.cells(a):`, or use a cell of `b`
"""),
    Case("another's cell, read", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    a.store(b[a.cell()])
"""), """\
TC105 error on line 12: a cell of `a` is used to select a piece of `b`, which has other pieces
    help: walk both together, `for cell in b.cells(a):`, or use a cell of `b`
"""),
    Case("cell of another rank", dialect("""\
def k(z: Mut[f32, BM, BN], a: Mut[f32, B], x: Ref[f32, Dyn, Dyn]) -> None:
    z[a.cell()] = x.load_like(z)
"""), """\
TC105 error on line 12: a cell of `a` is used to select a piece of `z`, which has other pieces
    help: use a cell that `z` issues: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("coordinates of another's cell", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    (i,) = a.coords(b.cell())
    a.store(ct.full(a.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `a.coords` gets a cell of `b`, which has other pieces
    help: `b.coords(cell)`
"""),
    Case("coordinates of a number", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    (i,) = z.coords(ct.bid(0))
    z.store(ct.full(z.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `z.coords` gets a number, but only a cell has coordinates
    help: pass a cell that `z` issued: `for cell in z.cells():`
"""),
    Case("coordinates of the next cell", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    (i,) = z.coords(z.cell() + 1)
    z.store(ct.full(z.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `z.coords` gets a number, but only a cell has coordinates
    help: pass a cell that `z` issued: `for cell in z.cells():`
"""),
    Case("lost at a join", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    c = a.cell()
    if flag > 0:
        c = b.cell()
    a[c] = x.load_like(a)
"""), """\
TC105 error on line 15: the index of `a` is a cell of `a` or `b`, depending on a condition: after the branches
    its owner is not known
    help: store in each branch, through the cell that `a` issued there
"""),
    Case("lost in a loop", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    c = a.cell()
    for _ in range(flag):
        c = b.cell()
    a[c] = x.load_like(a)
"""), """\
TC105 error on line 15: the index of `a` is not known to be one of its cells: a loop assigns another value to
    it
    help: use a cell that `a` issues: `for cell in a.cells():`, or `a.store(t)` for the only piece
"""),
    Case("from elsewhere", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    a[anything(flag)] = x.load_like(a)
"""), """\
TC105 error on line 12: the index of `a` is not known to be one of its cells: its origin is not known
    help: use a cell that `a` issues: `for cell in a.cells():`, or `a.store(t)` for the only piece
"""),
    Case("either output", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    z = a if flag > 0 else b
    z.store(x.load_like(a))
"""), """\
TC105 error on line 13: this is one of the outputs `a` or `b`, depending on a condition: neither its tile nor
    its location is known when the kernel is compiled
    help: store to each output in its own branch
"""),
    Case("past the pieces", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(z.array, (0,), x.load_like(z))
"""), """\
TC105 error on line 12: `ct.store` writes to the whole array behind `z`, which bypasses the pieces that blocks
    own
    help: write through `z`, or take responsibility: @unsafe("why no two blocks write one element")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
