"""TC401: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, host, raw

CASES = (
    Case("alias", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def go(stream, x):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), k, (x, x, 128))
"""), """\
TC401 warning on line 17: `x` is passed as `a` and as `c`, and `k` writes `c`
    note: the compiler assumes that arguments do not overlap, and may use an old value of `a` after a write to
        `c`
    note on line 11: the kernel is here
    help: pass another array as `a`, or a copy; or let the kernel take one array, which it reads and writes;
        or state that this is meant: `# tilecheck: allow[TC401] in place: each block reads what it writes`
"""),
    Case("neighbour", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (max(i - 1, 0),), (T,)))


def go(stream, x):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), k, (x, x, 128))
"""), """\
TC401 error on line 17: `x` is passed as `a` and as `c`, and `k` writes `c`
    note: the compiler assumes that arguments do not overlap, and may use an old value of `a` after a write to
        `c`
    note on line 11: the kernel is here
    help: pass another array as `a`, or a copy
"""),
    Case("aliased", host("""\
add(z.partition(128), z, y).sync()
"""), """\
TC401 error on line 34: `z` and `z.partition(128)` share memory: they are passed as `x` and `z`, and `add`
    writes `z`
    note on line 13: the kernel is here
    help: pass a copy as `x`: `.copy()`, taken before the other one is partitioned
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
