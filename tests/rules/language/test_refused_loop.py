"""TC604: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("iterable", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in (1, 2):
        print(i)
    for i in n:
        print(i)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC604 error on line 12: a loop over a tuple: a loop of a kernel runs over a `range`
    help: write `for x in ct.static_iter(t)`
TC604 error on line 14: a loop over a number: a loop of a kernel runs over a `range`
    help: write `for i in range(n)`
"""),
    Case("step", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in range(3, 0, -1):
        print(i)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC604 error on line 12: the step of this `range` is -1: a loop of a kernel counts up
    help: count up and compute the index: `for k in range(n): i = n - 1 - k`
"""),
    Case("range arguments", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in range(1, 2, 3, 4):
        print(i)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC604 error on line 12: `range` with 4 arguments
    help: write `range(stop)`, `range(start, stop)` or `range(start, stop, step)`
"""),
    Case("bound", raw("""\
@ct.kernel
def k(a, b, n: int, T: Int):
    for i in range(2.0):
        print(i)
    ct.store(b, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,), padding_mode=ZERO))
"""), """\
TC604 error on line 12: a bound of this `range` is a number with a fraction
    help: use integers: `range(0, n)`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
