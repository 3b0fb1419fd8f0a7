"""Inferred shapes and element types of tiles: the known ones, and no report where one is unknown."""

from __future__ import annotations

import pytest

from tests.interp.kernel.dialect.build import infer_text
from tilecheck.dtypes import DTYPES, F32
from tilecheck.interp.kernel.dialect.typed.kinds import Tile, join
from tilecheck.interp.kernel.dialect.typed.shapes import broadcast, conflict, product, reduce_shape
from tilecheck.symbolic import ONE, const, symbol

M, N, K = symbol("M"), symbol("N"), symbol("K")
KERNEL = ("@kernel\ndef k(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], i: Ref[i32, Dyn], s: float, n: int,\n"
          "      bk: BK) -> None:\n")
START = "    bm, bn = z.tile\n    a = x.partition(bm, bk)[0, 0]\n    b = x.load((0, 0), (bk, bn))\n    c = z.load()\n"


def infer_type(expression: str, before: str = "") -> object:
    """The type of an expression in a kernel."""
    found = infer_text(f"{KERNEL}{START}{before}    result = {expression}\n")
    assert list(found.faults) == []
    return found.env["result"]


BM, BN, BK = symbol("BM"), symbol("BN"), symbol("bk")


@pytest.mark.parametrize(("expression", "dtype", "shape"), [
    ("a", "float16", (BM, BK)),
    ("x.load_like(z)", "float16", (BM, BN)),
    ("z[z.cell()]", "float32", (BM, BN)),
    ("x.gather_row(0, bn)", "float16", (ONE, BN)),
    ("i.at(0)", "int32", ()),
    ("ct.zeros((bm, bn), ct.float32)", "float32", (BM, BN)),
    ("ct.zeros(z.tile, tcr.f16)", "float16", (BM, BN)),
    ("ct.full((4, bn), 1, f16)", "float16", (const(4), BN)),
    ("ct.arange(16, dtype=ct.int32)", "int32", (const(16),)),
    ("ct.arange(bm * 2, dtype=ct.int32)", "int32", (BM * 2,)),
    ("ct.astype(a, ct.float32)", "float32", (BM, BK)),
    ("a.astype(ct.float32)", "float32", (BM, BK)),
    ("ct.mma(a, b, ct.zeros((bm, bn), ct.float32))", "float32", (BM, BN)),
    ("a @ b", None, (BM, BN)),
    ("a * 2.0", "float16", (BM, BK)),
    ("2 - a", "float16", (BM, BK)),
    ("a * s", "float32", (BM, BK)),
    ("a * n", "float16", (BM, BK)),
    ("a + ct.astype(a, ct.float32)", "float32", (BM, BK)),
    ("-a", "float16", (BM, BK)),
    ("ct.sum(a, axis=1)", "float16", (BM,)),
    ("ct.sum(a, 0)", "float16", (BK,)),
    ("ct.sum(a)", "float16", ()),
    ("ct.max(a, axis=1, keepdims=True)", "float16", (BM, ONE)),
    ("ct.argmax(a, axis=-1)", "int32", (BM,)),
    ("a / ct.sum(a, axis=1, keepdims=True)", "float16", (BM, BK)),
    ("ct.arange(16, dtype=ct.int32) / 2", "float32", (const(16),)),
    ("ct.arange(16, dtype=ct.int32) * 0.5", None, (const(16),)),
    ("c[:, None]", "float32", (BM, ONE, BN)),
    ("ct.permute(a, (1, 0))", "float16", (BK, BM)),
    ("ct.transpose(a)", "float16", (BK, BM)),
    ("ct.reshape(a, (1, bm, bk))", "float16", (ONE, BM, BK)),
    ("ct.expand_dims(a, 0)", "float16", (ONE, BM, BK)),
    ("ct.broadcast_to(ct.sum(a, 1, keepdims=True), (bm, bk))", "float16", (BM, BK)),
    ("ct.where(c > 0, c, 0.0)", "float32", (BM, BN)),
    ("a < 0", "bool_", (BM, BK)),
    ("ct.rsqrt(ct.sum(c * c, axis=1, keepdims=True) / z.extent(1) + s)", "float32", (BM, ONE)),
    ("c if n > 0 else ct.astype(c, ct.float16)", None, (BM, BN)),
    ("x.permute(1, 0).load((0, 0), (bn, bm))", "float16", (BN, BM)),
    ("x.padded(ct.PaddingMode.NAN).load_like(z)", "float16", (BM, BN)),
])
def test_tiles(expression, dtype, shape):
    assert infer_type(expression) == Tile(None if dtype is None else DTYPES[dtype], shape)


@pytest.mark.parametrize("expression", [
    "unknown(a)", "a.something()", "ct.no_such_operation(a)", "ct.cat((a, a), 0)", "x.no_such_method()",
])
def test_unknown_values_have_no_type(expression):
    assert infer_type(expression) is None


def test_a_loop_retains_unchanged_types():
    before = ("    acc = ct.zeros((bm, bn), ct.float32)\n    m = ct.zeros((bm,), ct.float16)\n"
              "    for k in range(4):\n        acc = ct.mma(a, b, acc)\n        m = m.astype(ct.float32)\n")
    assert infer_type("acc", before) == Tile(F32, (BM, BN))
    assert infer_type("m", before) == Tile(None, (BM,))


def test_joined_branches_retain_common_types():
    assert infer_type("t", "    t = c\n    if n > 0:\n        t = ct.zeros((bm, 1), ct.float32)\n") == Tile(
        F32, (BM, None))


def test_helpers_and_closures_are_followed():
    before = "    def f(t):\n        if n > 0:\n            return t * s\n        return ct.astype(t, ct.float32)\n"
    assert infer_type("f(a)", before) == Tile(F32, (BM, BK))
    assert infer_type("scaled(a, 2)", "") is None


@pytest.mark.parametrize(("body", "codes"), [
    ("    z.store(c)\n", []),
    ("    z.store(ct.mma(a, b, ct.zeros((bm, bn), ct.float16)))\n", ["TC502"]),
    ("    z.store(x.load_like(z))\n", ["TC502"]),
    ("    z[z.cell()] = ct.astype(c, ct.int32)\n", ["TC502"]),
    ("    z.store(unknown(c))\n", []),
    ("    t = ct.mma(b, a, c)\n", ["TC501"]),
    ("    t = ct.mma(a, b, ct.zeros((bn, bm), ct.float32))\n", ["TC501"]),
    ("    t = ct.mma(a, c, c)\n", ["TC501", "TC505"]),
    ("    t = a @ ct.astype(b, tcr.bf16)\n", ["TC505"]),
    ("    t = a + b\n", ["TC501"]),
    ("    t = a + b if n > 0 else a\n", ["TC501"]),
    ("    for k in range(4):\n        t = a + b\n", ["TC501"]),
    ("    t = a + a[:, None]\n", []),
    ("    t = a + ct.zeros((bm, 2 * bk), ct.float16)\n", []),
])
def test_places_where_types_do_not_agree(body, codes):
    assert sorted(f.code for f in infer_text(KERNEL + START + body).faults) == codes



def test_shapes():
    assert broadcast((M, ONE), (N,)) == (M, N)
    assert broadcast((M, None), (N,)) == (M, None)
    assert broadcast((None,), (const(4),)) == (const(4),)
    assert broadcast(None, (N,)) is None
    assert not conflict((M, ONE), (M, N)) and conflict((M, N), (N, M)) and not conflict((M * 2,), (N,))
    assert reduce_shape((M, N), (1,), True) == (M, ONE) and reduce_shape((M, N), None, False) == ()
    assert product((M, K), (K, N)) == (M, N) and product((M,), (K, N)) is None


def test_the_join_of_two_types():
    assert join(Tile(F32, (M,)), Tile(F32, (N,))) == Tile(F32, (None,))
    assert join(Tile(F32, (M,)), None) is None
