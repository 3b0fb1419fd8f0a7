"""TC301: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, raw

CASES = (
    Case("padmax", raw("""\
@ct.kernel
def k(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T))
    ct.store(o, (i, 0), ct.max(t, axis=1, keepdims=True))
"""), """\
TC301 warning on line 14: the maximum over axis 1 uses lanes of the tile loaded from `x` that lie outside it
    and have an unspecified value, unless `T <= x.shape[1]`
    note on line 13: the tile of `x` is loaded here, without a padding mode
    note: with T = 2, x.shape[1] = 1, lane 1 of the tile along axis 1 would be element 1, and the last one of
        `x` is 0
    help: load `x` with padding_mode=ct.PaddingMode.NEG_INF
"""),
    Case("padmma", raw("""\
@ct.kernel
def k(A, B, C, tm: Int, tn: Int, tk: Int):
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(A, 1, (tm, tk))):
        b = ct.load(B, (k, 0), (tk, tn), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(ct.load(A, (ct.bid(0), k), (tm, tk)), b, acc)
    ct.store(C, (ct.bid(0), 0), acc)
"""), """\
TC301 warning on line 15: the matrix product uses lanes of the tile loaded from `A` that lie outside it and
    have an unspecified value, unless `A.shape[1] % tk == 0`
    note on line 15: the tile of `A` is loaded here, without a padding mode
    note: with A.shape[1] = 5, tk = 2, lane 1 of the tile along axis 1 would be element 5, and the last one of
        `A` is 4
    help: load `A` with padding_mode=ct.PaddingMode.ZERO
"""),
    Case("padproduct", raw("""\
@requires("TD <= K.shape[0]")
@ct.kernel
def k(Q, K, o, TM: Int, TD: Int, TN: Int):
    q = ct.load(Q, (ct.bid(0), 0), (TM, TD), padding_mode=ct.PaddingMode.ZERO)
    top = ct.full((TM, 1), -1e30, dtype=ct.float32)
    for j in range(ct.num_tiles(K, 1, (TD, TN))):
        s = ct.mma(q, ct.load(K, (0, j), (TD, TN)), ct.zeros((TM, TN), ct.float32))
        top = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
    ct.store(o, (ct.bid(0), 0), top)
"""), """\
TC301 warning on line 17: the maximum over axis 1 uses lanes of the tile loaded from `K` that lie outside it
    and have an unspecified value, unless `K.shape[1] % TN == 0`
    note on line 16: the tile of `K` is loaded here, without a padding mode
    note: with K.shape[0] = 4, K.shape[1] = 5, TD = 4, TN = 2, lane 1 of the tile along axis 1 would be
        element 5, and the last one of `K` is 4
    help: load `K` with padding_mode=ct.PaddingMode.ZERO, and replace the lanes outside by the identity of the
        operation with `ct.where` before it: the tile feeds a product, in which an infinity becomes NaN
"""),
    Case("padmask", raw("""\
@ct.kernel
def k(x, o, n: int, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    t = ct.where((ct.arange(T, dtype=ct.int32) < n)[None, :], t, 0.0)
    ct.store(o, (ct.bid(0), 0), ct.cumprod(t, axis=1, reverse=True))
"""), """\
TC301 warning on line 14: the running product over axis 1 uses lanes of the tile loaded from `x` that lie
    outside it and have an unspecified value, unless `n <= x.shape[1]`
    note on line 12: the tile of `x` is loaded here, without a padding mode
    note: with T = 2, n = 2, x.shape[1] = 1, lane 1 of the tile along axis 1 would be element 1, and the last
        one of `x` is 0
    help: replace the lanes outside `x` by the identity of the operation with `ct.where`, or load with
        padding_mode=ct.PaddingMode.ZERO where that is 0
"""),
    Case("padindex", raw("""\
@ct.kernel
def k(ids, x, o, T: Int):
    j = ct.load(ids, (ct.bid(0),), (T,))
    ct.store(o, (ct.bid(0),), ct.gather(x, j))
"""), """\
TC301 warning on line 13: an index into `x` uses lanes of the tile loaded from `ids` that lie outside it and
    have an unspecified value, unless `ids.shape[0] % T == 0`
    note on line 12: the tile of `ids` is loaded here, without a padding mode
    note: with T = 2, ids.shape[0] = 3, lane 1 of the tile would be element 3, and the last one of `ids` is 2
    help: load `ids` with padding_mode=ct.PaddingMode.ZERO
"""),
    Case("padbranch", raw("""\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (0,), (T,))
    if ct.extract(t, (T - 1,), (1,)).item() > 0:
        ct.store(o, (ct.bid(0),), ct.full((1,), 1, ct.float32))
"""), """\
TC301 warning on line 13: a branch condition uses lanes of the tile loaded from `x` that lie outside it and
    have an unspecified value, unless `T <= x.shape[0]`
    note on line 12: the tile of `x` is loaded here, without a padding mode
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
"""),
    Case("padatomic", raw("""\
@ct.kernel
def k(x, o, T: Int):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.atomic_add(o, ct.arange(T, dtype=ct.int32), t)
"""), """\
TC301 warning on line 13: the atomic update of `o` uses lanes of the tile loaded from `x` that lie outside it
    and have an unspecified value, unless `x.shape[0] % T == 0`
    note on line 12: the tile of `x` is loaded here, without a padding mode
    note: with T = 2, o.shape[0] = 2, x.shape[0] = 3, lane 1 of the tile would be element 3, and the last one
        of `x` is 2
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
"""),
    Case("padrefuted", raw("""\
@ct.kernel
def k(x, o):
    s = x.slice(0, 0, 5)
    t = ct.load(s, (0,), (8,))
    ct.store(o, (ct.bid(0),), ct.sum(t, axis=0, keepdims=True))
"""), """\
TC301 error on line 14: the sum uses lanes of the tile loaded from `x` that lie outside it and have an
    unspecified value
    note on line 13: the tile of `x` is loaded here, without a padding mode
    note: lane 5 of the tile would be element 5, and the last one of `x` is 4
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
"""),
    Case("mask from data", raw("""\
@ct.kernel
def k(x, ids, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    m = ct.load(ids, (i,), (T,), padding_mode=ZERO)
    ct.store(o, (i,), ct.sum(ct.where(m > 0, t, 0)))
"""), """\
TC301 error on line 13: could not prove that nothing outside `x` is used: the lanes are not followed to their
    uses, and none lies outside where the tiles are whole
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
""", strict=True),
    Case("lanes that are not followed", raw("""\
@ct.kernel
def k(x, ids, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    for j in range(ct.load(ids, (0,), (1,)).item()):
        t = torch.flip(t, (0,))
    ct.store(o, (i,), ct.sum(t))
"""), """\
TC301 error on line 13: could not prove that nothing outside `x` is used: the lanes are not followed to their
    uses, and none lies outside where the tiles are whole
    help: load `x` with padding_mode=ct.PaddingMode.ZERO
TC603 error on line 15: `torch.flip` is a function of Python: a kernel cannot call it
    help: compute it in the host code and pass it, or put a computation of constants in `ct.static_eval`
TC201 error on line 16: could not prove that the index `bid(0)` along axis 0 of `o` stays inside: part of the
    index or of a condition was not understood
    help: compare the index with `ct.num_tiles(...)` in the kernel, or clamp it
""", strict=True),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
