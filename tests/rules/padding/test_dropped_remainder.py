"""TC305: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("remainder", raw("""\
@ct.kernel
def remainder_by_a_local(A, c, tm: Int, tk: Int):
    i = ct.bid(0)
    steps = A.shape[1] // tk
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)
"""), """\
TC305 warning on line 15: this loop walks `A` in A.shape[1] // tk tiles of tk: if A.shape[1] is not a multiple
    of tk, the last A.shape[1] % tk elements are left out
    note on line 16: `A` is accessed here
    help: run to `ct.cdiv(A.shape[1], tk)` with a neutral padding, or declare `@requires("A.shape[1] % tk ==
        0")`
"""),
    Case("remainder_host", raw("""\
@ct.kernel
def steps_from_the_host(A, c, steps: int, tm: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, 64), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


def launch_steps(stream, A, c):
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), steps_from_the_host, (A, c, A.shape[1] // 64, 32))
"""), """\
TC305 warning on line 14: this loop walks `A` in A.shape[1] // 64 tiles of 64: if A.shape[1] is not a multiple
    of 64, the last A.shape[1] % 64 elements are left out
    note on line 20: `steps` is `A.shape[1] // 64` in this launch
    note on line 15: `A` is accessed here
    help: run to `ct.cdiv(A.shape[1], 64)` with a neutral padding, or declare `@requires("A.shape[1] % 64 ==
        0")`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
