"""TC109: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect

CASES = (
    Case("partial nesting", dialect("""\
def k(z: Mut[f32, Literal[48]]) -> None:
    for p in z.pieces(32):
        pass
"""), """\
TC109 error on line 12: tiles of 32 do not divide the piece of `z`, which is 48 along axis 0: the last one
    reaches 16 past its end, into the next block's piece
    note: block 0 owns the elements 0 to 47, and its nested tile 1 covers 32 to 63
    help: nest tiles of 16, or make the piece 64 long
"""),
    Case("nesting that nobody can check", dialect("""\
def k(z: Mut[f32, B], n: Ref[i32, Dyn]) -> None:
    for p in z.pieces(n.at(0)):
        pass
"""), """\
TC109 error on line 12: whether the tiles nested in a piece of `z` divide it is not known when the kernel is
    launched
    help: nest tiles whose extents are constants of the kernel
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
