"""TC902: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("comment", raw("""\
@ct.kernel
def k(c, T: Int):
    ct.store(c, (0,), ct.zeros((T,), ct.float32))  # tilecheck: allow[TC405]
    ct.store(c, (ct.bid(0),), ct.zeros((T,), ct.float32))  # tilecheck: allow[TC101]
"""), """\
TC101 error on line 12: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note on line 12: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: each of these edits makes the blocks disjoint; choose the one that you mean: (a) on line 12, store
        at `(ct.bid(0),)` in place of `(0,)` (b) on line 12, let one block do it, under `if ct.bid(0) == 0:`
TC901 warning on line 12: `# tilecheck: allow[TC405]` suppresses nothing
    help: remove it
TC902 warning on line 12: `# tilecheck: allow[TC405]` gives no reason
    help: state why the code is right after the bracket
TC902 warning on line 13: `# tilecheck: allow[TC101]` gives no reason
    help: state why the code is right after the bracket
"""),
    Case("decorator", raw("""\
from tilecheck import unsafe


@unsafe()
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
"""), """\
TC902 warning on line 13: `@unsafe` gives no reason
    help: write @unsafe("why")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
