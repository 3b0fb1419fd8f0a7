"""TC107: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, raw

CASES = (
    Case("mixed", raw("""\
@ct.kernel
def k(n, c, T: Int):
    i = ct.bid(0)
    ct.atomic_add(n, (0,), 1)
    t = ct.load(n, (0,), (1,))
    ct.store(c, (i,), ct.broadcast_to(t, (T,)))
"""), """\
TC107 error on line 14: block 0 plainly reads n[0] while block 1 updates it atomically
    note on line 13: `n` is updated atomically here
    note: with grid (2, 1, 1) and n.shape[0] = 2: block 1 updates and block 0 plainly reads the element
    help: read it with an atomic, or access it in another launch
"""),
    Case("weak", raw("""\
@ct.kernel
def k(n, T: Int):
    if ct.bid(0) >= 0:
        ct.atomic_add(n, (0,), 1, memory_order=ct.MemoryOrder.RELAXED, memory_scope=ct.MemoryScope.BLOCK)
"""), """\
TC107 error on line 13: block 1 updates (scope block) n[0] while block 0 updates it atomically
    note: with grid (2, 1, 1) and n.shape[0] = 2: block 0 updates and block 1 updates (scope block) the
        element
    help: use memory_scope=ct.MemoryScope.DEVICE for an element that several blocks access
"""),
    Case("plain store to an accumulator", dialect("""\
def k(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:
    s.store(x.load((ct.bid(0),), (16,)))
"""), """\
TC107 error on line 12: `s.store` is not atomic, but `s` is an accumulator that all blocks update
    help: update it with an atomic such as `s.add(indices, update)`; read it in another launch
"""),
    Case("plain assignment to an accumulator", dialect("""\
def k(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:
    s[0] = x.load((ct.bid(0),), (16,))
"""), """\
TC107 error on line 12: a plain assignment to `s`, which is an accumulator that all blocks update
    help: update it with an atomic such as `s.add(indices, update)`; read it in another launch
"""),
    Case("under a condition", raw("""\
@ct.kernel
def k(n, S: Int, T: Int):
    i = ct.bid(0)
    o = i * S + ct.arange(T, dtype=ct.int32)
    ct.atomic_add(n, o, 1)
    ct.scatter(n, o, ct.gather(n, o))
"""), """\
TC107 warning on line 15: a block plainly writes an element of `n` that another one updates atomically, unless
    `T <= S`
    note on line 14: `n` is updated atomically here
    help: declare what every launch satisfies: @requires("T <= S")
"""),
    Case("index from data", raw("""\
@ct.kernel
def k(n, ids, c, T: Int):
    i = ct.bid(0)
    j = ct.load(ids, (i,), (1,)).item()
    ct.atomic_add(n, (j,), 1)
    t = ct.load(n, (i,), (1,))
    ct.store(c, (i,), ct.broadcast_to(t, (T,)))
"""), """\
TC107 warning on line 15: could not prove that no block plainly reads an element of `n` that another one
    updates atomically: the location depends on the contents of `ids`
    note on line 14: `n` is updated atomically here
    help: read it with an atomic, or access it in another launch
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
