"""TC901: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("contradiction", raw("""\
@requires("T <= 4 and T >= 8")
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))
"""), """\
TC901 warning on line 10: `T <= 4 and T >= 8` has no effect: no launch can satisfy what `k` declares
    help: declare only what every launch of the kernel satisfies
TC101 error on line 13: blocks 0 and 1 both write c[0]
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4: block 0 and block 1 write c[0]
    note on line 13: tile 0 in both blocks
    note: a race even where both blocks store the same value: the memory model leaves the result undefined
    help: on line 13, store at `(ct.bid(0),)` in place of `(0,)`, as the tile is loaded from `a`: no two
        blocks write one element of `c` then
"""),
    Case("unknown rule", raw("""\
@ct.kernel
def k(c, T: Int):
    ct.store(c, (ct.bid(0),), ct.zeros((T,), ct.float32))  # tilecheck: allow[TC999] a mistake
"""), """\
TC901 warning on line 12: `# tilecheck: allow[TC999]` names no rule by TC999
    help: name the rule that it is for
"""),
    Case("one of two rules", raw("""\
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (0,), ct.load(a, (ct.bid(0),), (T,)))  # tilecheck: allow[TC101, TC103] one block is launched
"""), """\
TC901 warning on line 12: `# tilecheck: allow[TC101, TC103]` suppresses nothing for TC103
    help: remove it
"""),
    Case("decorator", raw("""\
from tilecheck import unsafe


@unsafe("nothing to see")
@ct.kernel
def k(a, c, T: Int):
    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))
"""), """\
TC901 warning on line 13: `@unsafe` suppresses nothing
    help: remove it
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
