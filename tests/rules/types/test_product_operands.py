"""TC505: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, launch, operation

CASES = (
    Case("operands of two types", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f32, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    acc = ct.zeros((bm, bn), ct.float32)
    z.store(ct.mma(px[0, 0], py[0, 0], acc))
"""), """\
TC505 error on line 15: the operands of `ct.mma` are of float16 and of float32
    help: convert one of them: `ct.astype(t, ct.float16)`
"""),
    Case("accumulator", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    acc = ct.zeros((bm, bn), ct.int32)
    t = ct.mma(px[0, 0], py[0, 0], acc)
    z.store(ct.astype(t, ct.float32))
"""), """\
TC505 error on line 15: `ct.mma` of float16 cannot be added to int32
    help: accumulate in float32: `ct.zeros(..., ct.float32)`
"""),
    Case("rank", operation("""\
x = ct.full((8,), s, ct.float32)
y = ct.full((8, 4), s, ct.float32)
z = ct.mma(x, y, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 8: the first operand of `ct.mma` has 1 axis, and a product takes at least 2
    help: add an axis: `t[None, :]`, or use `ct.sum(x * y)`
"""),
    Case("rank_of_scaled", operation("""\
x = ct.full((1, 1, 4, 32), s, ct.float8_e4m3fn)
y = ct.full((32, 4), s, ct.float8_e4m3fn)
xs = ct.full((1, 1, 4, 1), s, ct.float8_e8m0fnu)
ys = ct.full((1, 4), s, ct.float8_e8m0fnu)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 10: the first operand of `ct.mma_scaled` has 4 axes: it takes 2 or 3
    help: reshape it to (M, K) or (B, M, K)
"""),
    Case("operands", operation("""\
x = ct.full((4, 8), s, ct.float16)
y = ct.full((8, 4), s, ct.bfloat16)
z = ct.mma(x, y, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 8: the operands of `ct.mma` are of float16 from line 6 and of bfloat16 from line 7
    help: convert one of them: `ct.astype(t, ct.float16)`
"""),
    Case("no_product", operation("""\
x = ct.full((4, 8), n, ct.int32)
y = ct.full((8, 4), n, ct.int32)
z = ct.mma(x, y, ct.zeros((4, 4), ct.int32))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 8: there is no `ct.mma` of int32
    help: convert both operands: `ct.astype(t, ct.float16)`
"""),
    Case("no_scaled", operation("""\
x = ct.full((4, 32), s, ct.float16)
y = ct.full((32, 4), s, ct.float16)
xs = ct.full((4, 1), s, ct.float8_e8m0fnu)
ys = ct.full((1, 4), s, ct.float8_e8m0fnu)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 10: there is no `ct.mma_scaled` of float16: it takes float8_e4m3fn, float8_e5m2 and
    float4_e2m1fn
    help: use `ct.mma`
"""),
    Case("accumulator 2", operation("""\
x = ct.full((4, 8), s, ct.bfloat16)
y = ct.full((8, 4), s, ct.bfloat16)
z = ct.mma(x, y, ct.zeros((4, 4), ct.float16))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 8: `ct.mma` of bfloat16 cannot be added to float16 from line 8
    help: accumulate in float32: `ct.zeros(..., ct.float32)`
"""),
    Case("scales", operation("""\
x = ct.full((4, 32), s, ct.float8_e4m3fn)
y = ct.full((32, 4), s, ct.float8_e4m3fn)
xs = ct.full((4, 1), s, ct.float8_e8m0fnu)
ys = ct.full((1, 4), s, ct.float8_e4m3fn)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 10: the scales of `ct.mma_scaled` are of float8_e8m0fnu and of float8_e4m3fn
    help: convert one of them: `ct.astype(t, ct.float8_e8m0fnu)`
"""),
    Case("scale", operation("""\
x = ct.full((4, 32), s, ct.float8_e4m3fn)
y = ct.full((32, 4), s, ct.float8_e4m3fn)
xs = ct.full((4, 1), s, ct.float16)
ys = ct.full((1, 4), s, ct.float16)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 10: scales of float16 do not match operands of float8_e4m3fn
    help: use scales of float8_e8m0fnu
"""),
    Case("block", operation("""\
x = ct.full((4, 64), s, ct.float8_e4m3fn)
y = ct.full((64, 4), s, ct.float8_e4m3fn)
xs = ct.full((4, 1), s, ct.float8_e8m0fnu)
ys = ct.full((2, 4), s, ct.float8_e8m0fnu)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 10: 64 elements of float8_e4m3fn along K have 1 scale of float8_e8m0fnu, and 32 elements
    share one
    help: give one scale to every 32 elements along K
"""),
    Case("operands in a launch", launch("float16", "bfloat16", """\
x = ct.load(a, (0,), (64,)).reshape((8, 8))
y = ct.load(b, (0,), (64,)).reshape((8, 8))
z = ct.mma(x, y, ct.zeros((8, 8), ct.float32))
"""), """\
TC304 warning on line 9: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC505 error on line 9: the operands of `ct.mma` are of float16 from line 7 and of bfloat16 from line 8
    note on line 15: in this launch `a` holds float16 elements and `b` holds bfloat16 elements
    help: convert one of them: `ct.astype(t, ct.float16)`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
