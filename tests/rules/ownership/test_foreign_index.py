"""What TC105 reports, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect

CASES = (
    Case("numbers", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z[ct.bid(0)] = x.load_like(z)
"""), """\
TC105 error on line 12: `z` is indexed by numbers, and only a cell that `z` minted selects a piece
    help: use a cell that `z` itself mints: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("arithmetic", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z[z.cell() + 1] = x.load_like(z)
"""), """\
TC105 error on line 12: `z` is indexed by the result of arithmetic: what is computed from a cell is no cell
    help: use a cell that `z` itself mints: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("another's cell", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    b[a.cell()] = x.load_like(a)
"""), """\
TC105 error on line 12: the cell of `a` selects a piece of `b`, whose pieces are others
    help: walk both together, `for cell in b.cells(a):`, or use a cell of `b`
"""),
    Case("another's cell, read", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    a.store(b[a.cell()])
"""), """\
TC105 error on line 12: the cell of `a` selects a piece of `b`, whose pieces are others
    help: walk both together, `for cell in b.cells(a):`, or use a cell of `b`
"""),
    Case("cell of another rank", dialect("""\
def k(z: Mut[f32, BM, BN], a: Mut[f32, B], x: Ref[f32, Dyn, Dyn]) -> None:
    z[a.cell()] = x.load_like(z)
"""), """\
TC105 error on line 12: the cell of `a` selects a piece of `z`, whose pieces are others
    help: use a cell that `z` itself mints: `for cell in z.cells():`, or `z.store(t)` for the only piece
"""),
    Case("coordinates of another's cell", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    (i,) = a.coords(b.cell())
    a.store(ct.full(a.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `a.coords` is asked for a cell of `b`, whose pieces are others
    help: `b.coords(cell)`
"""),
    Case("coordinates of a number", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    (i,) = z.coords(ct.bid(0))
    z.store(ct.full(z.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `z.coords` is asked for a number, and only a cell has coordinates
    help: ask for those of a cell that `z` minted: `for cell in z.cells():`
"""),
    Case("coordinates of the next cell", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    (i,) = z.coords(z.cell() + 1)
    z.store(ct.full(z.tile, i, ct.float32))
"""), """\
TC105 error on line 12: `z.coords` is asked for a number, and only a cell has coordinates
    help: ask for those of a cell that `z` minted: `for cell in z.cells():`
"""),
    Case("lost at a join", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    c = a.cell()
    if flag > 0:
        c = b.cell()
    a[c] = x.load_like(a)
"""), """\
TC105 error on line 15: what indexes `a` is a cell of `a` or `b`, depending on a condition: where the ways
    meet nobody knows whose
    help: store in each branch, through the cell that `a` minted there
"""),
    Case("lost in a loop", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    c = a.cell()
    for _ in range(flag):
        c = b.cell()
    a[c] = x.load_like(a)
"""), """\
TC105 error on line 15: what indexes `a` is not known to be a cell of it: a loop puts another value in its
    place
    help: use a cell that `a` itself mints: `for cell in a.cells():`, or `a.store(t)` for the only piece
"""),
    Case("from elsewhere", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    a[anything(flag)] = x.load_like(a)
"""), """\
TC105 error on line 12: what indexes `a` is not known to be a cell of it: nothing is known of where it comes
    from
    help: use a cell that `a` itself mints: `for cell in a.cells():`, or `a.store(t)` for the only piece
"""),
    Case("either output", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    z = a if flag > 0 else b
    z.store(x.load_like(a))
"""), """\
TC105 error on line 13: this is one of the outputs `a` or `b`, depending on a condition: neither its tile nor
    its place is known when the kernel is compiled
    help: store to each output in its own branch
"""),
    Case("past the pieces", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(z.array, (0,), x.load_like(z))
"""), """\
TC105 error on line 12: `ct.store` writes to the whole array behind `z`, past the pieces that blocks own
    help: write through `z`, or take responsibility: @unsafe("why no two blocks meet")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
