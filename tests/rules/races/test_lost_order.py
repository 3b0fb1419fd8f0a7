"""TC108: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("order", raw("""\
@ct.kernel
def k(x, n: int, T: Int):
    b = ct.bid(0) * n
    for i in range(n):
        s = x.slice(0, (b + n - i) * T, (b + n) * T + T)
        ct.store(s, (i,), ct.full((T,), i, ct.float32))
"""), """\
TC108 error on line 15: two iterations of the loop write x[8], and the compiler leaves these stores unordered
    note: with grid (2, 1, 1) and T = 2, n = 4, block 0: at i = 0 and at i = 1
    help: take the view of `x` outside the loop, or move the view and keep the index fixed
"""),
    Case("lock", raw("""\
@ct.kernel
def k(lock, s, T: Int):
    if ct.bid(0) >= 0:
        while ct.atomic_cas(lock, (0,), 0, 1, memory_order=ct.MemoryOrder.RELAXED).item() == 1:
            pass
        ct.store(s, (0,), ct.load(s, (0,), (T,)) + 1)
        ct.atomic_xchg(lock, (0,), 0, memory_order=ct.MemoryOrder.RELAXED)
"""), """\
TC108 error on line 15: the lock `lock` does not order this access to `s`: the compiler may move it out of the
    locked section
    note: with grid (2, 1, 1) and T = 2, s.shape[0] = 4: blocks 0 and 1 both access s[0]
    help: take `lock` with memory_order=ct.MemoryOrder.ACQUIRE and release it with RELEASE, both with
        memory_scope=ct.MemoryScope.DEVICE
TC108 error on line 15: the lock `lock` does not order this access to `s`: the compiler may move it out of the
    locked section
    note: with grid (2, 1, 1) and T = 2, s.shape[0] = 4: blocks 1 and 0 both access s[0]
    help: take `lock` with memory_order=ct.MemoryOrder.ACQUIRE and release it with RELEASE, both with
        memory_scope=ct.MemoryScope.DEVICE
"""),
    Case("goodlock", raw("""\
@ct.kernel
def k(lock, s, T: Int):
    if ct.bid(0) >= 0:
        while ct.atomic_cas(lock, (0,), 0, 1, memory_order=ct.MemoryOrder.ACQUIRE).item() == 1:
            pass
        ct.store(s, (0,), ct.load(s, (0,), (T,)) + 1)
        ct.atomic_xchg(lock, (0,), 0, memory_order=ct.MemoryOrder.RELEASE)
"""), ""),
    Case("slice from data", raw("""\
@ct.kernel
def k(x, ids, n: int, T: Int):
    for i in range(n):
        j = ct.load(ids, (i,), (1,)).item()
        s = x.slice(0, j * T, (j + n) * T)
        ct.store(s, (i,), ct.full((T,), i, ct.float32))
"""), """\
TC108 warning on line 15: iterations of the loop may write one element of `x`, and the compiler leaves these
    stores unordered
    help: take the view of `x` outside the loop, or move the view and keep the index fixed
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
