"""TC106: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, operation, raw

CASES = (
    Case("dup", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    o = i * T + ct.arange(T, dtype=ct.int32) // 2
    ct.scatter(c, o, ct.load(a, (i,), (T,)))
"""), """\
TC106 error on line 14: one scatter writes c[0] twice: from lane 0 and from lane 1
    note: with grid (2, 1, 1) and T = 2, c.shape[0] = 4, in block 0; which of the two values remains is
        undefined
    help: give every lane its own element of `c`, or mask the lanes that repeat one
"""),
    Case("dupcond", raw("""\
@ct.kernel
def k(a, c, S: Int, T: Int, U: Int):
    i = ct.bid(0)
    o = ct.arange(T, dtype=ct.int32)[:, None] * S + ct.arange(U, dtype=ct.int32)[None, :]
    ct.scatter(c, (i, o), ct.gather(a, (i, o)))
"""), """\
TC106 warning on line 14: lanes write different elements of `c` only if `U <= S`
    help: declare what every launch satisfies: @requires("U <= S")
"""),
    Case("dupdata", raw("""\
@ct.kernel
def k(a, ids, c, T: Int):
    i = ct.bid(0)
    o = ct.gather(ids, (i, ct.arange(T, dtype=ct.int32)))
    ct.scatter(c, (i, o), ct.gather(a, (i, o)))
"""), """\
TC106 warning on line 14: could not prove that the lanes of this scatter write different elements of `c`
    help: if it holds, say so in the kernel: # tilecheck: requires injective(ids)
"""),
    Case("into", operation("""\
i = ct.arange(8, dtype=ct.int32)
ct.scatter(b, (i, 0), ct.full((4,), s, ct.float32))
"""), """\
TC106 warning on line 7: could not prove that the lanes of this scatter write different elements of `b`
    help: give every lane its own element of `b`, or mask the lanes that repeat one
TC501 error on line 7: a tile of shape (4,) cannot be broadcast to (8,) by `ct.scatter`; dim 0: 4 from line 7,
    8 from line 7
    help: give it an extent of 1 or of 8 along that dim
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
