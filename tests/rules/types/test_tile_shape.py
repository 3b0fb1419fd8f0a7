"""TC501: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, operation

CASES = (
    Case("a partition by a tuple", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    x.partition(z.tile)
    z.store(z.load())
"""), """\
TC501 error on line 12: `x.partition` takes the extents of a tile one by one, but this is a tuple
    help: put a star before it: `x.partition(*tile)`
"""),
    Case("pieces by a tuple", dialect("""\
def k(z: Mut[f32, Literal[16]]) -> None:
    z.pieces((4,))
    z.store(z.load())
"""), """\
TC501 error on line 12: `z.pieces` takes the extents of a tile one by one, but this is a tuple
    help: put a star before it: `z.pieces(*tile)`
"""),
    Case("an axis twice", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.permute(1, 1).load_like(z))
"""), """\
TC501 error on line 12: `x` has 2 axes, and `permute(1, 1)` does not name each of them once
    help: name the axes 0, 1 in the order of the view: `x.permute(1, 0)`
"""),
    Case("axes from the end", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.permute(-1, 0).load_like(z))
"""), """\
TC501 error on line 12: `x` has 2 axes, and `permute(-1, 0)` does not name each of them once
    help: name the axes 0, 1 in the order of the view: `x.permute(1, 0)`
"""),
    Case("axes in a tuple", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.permute((1, 0)).load_like(z))
"""), """\
TC501 error on line 12: `x` has 2 axes, and `permute(?)` does not name each of them once
    help: name the axes 0, 1 in the order of the view: `x.permute(1, 0)`
"""),
    Case("axes from data", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], r: Ref[i32, Dyn]) -> None:
    x.permute(r.at(0), r.at(1))
    z.store(z.load())
"""), """\
TC501 error on line 12: the order in which `permute` puts the 2 axes of `x` is not known when the kernel is
    checked
    help: write the axes as numbers: `x.permute(1, 0)`
"""),
    Case("transposed", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.partition(z.tile[1], z.tile[0])[0, 0])
"""), """\
TC501 error on line 12: a tile of shape (BN, BM) is stored to a piece of `z`, which is (BM, BN)
    note on line 11: BM and BN from the annotation of `z`
    help: store a tile of shape (BM, BN)
"""),
    Case("scalar", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(0.0)
"""), """\
TC501 error on line 12: a scalar is stored to a piece of `z`, which is (BM, BN)
    note on line 11: BM and BN from the annotation of `z`
    help: store a tile of shape (BM, BN): `ct.full(z.tile, ...)`
"""),
    Case("nested tile", dialect("""\
def k(z: Mut[f32, Literal[64]]) -> None:
    for p in z.pieces(16):
        z[p] = ct.zeros((32,), ct.float32)
"""), """\
TC501 error on line 13: a tile of shape (32,) is stored to a nested piece of `z`, which is (16,)
    help: store a tile of shape (16,)
"""),
    Case("nested tile read as a piece", dialect("""\
def k(z: Mut[f32, Literal[64]]) -> None:
    for p in z.pieces(16):
        t = z[p]
        z.store(t)
"""), """\
TC501 error on line 13: `z[...]` reads the whole piece back, (64,), but this is the cell of a nested tile of
    (16,)
    help: `z.load_piece(cell, 16)`
"""),
    Case("nested tile of another shape", dialect("""\
def k(z: Mut[f32, Literal[64]]) -> None:
    for p in z.pieces(16):
        t = z.load_piece(p, 32)
        z.store(ct.cat((t, t), 0))
"""), """\
TC501 error on line 13: a tile of shape (32,) is read back from a nested piece of `z`, which is (16,)
    help: `z.load_piece(cell, 16)`
"""),
    Case("another rank", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn]) -> None:
    t = x.load_like(z)
    z.store(ct.broadcast_to(t, z.tile))
"""), """\
TC501 error on line 12: `x` has 1 axis, but a piece of `z` has 2
    note on line 11: BM and BN from the annotation of `z`
    help: load the tile by its index instead: `x.partition(...)[...]`
"""),
    Case("index of another rank", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(ct.broadcast_to(x.load((0,), (16,)), z.tile))
"""), """\
TC501 error on line 12: `x` has 2 axes, but the index has 1
    help: give one index for each axis
"""),
    Case("partition of another rank", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    px = x.partition(z.tile[0])
"""), """\
TC501 error on line 12: `x` has 2 axes, but is partitioned into tiles of 1
    note on line 11: BM from the annotation of `z`
    help: give one extent for each axis
"""),
    Case("nested pieces of another rank", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    for p in z.pieces(16):
        pass
"""), """\
TC501 error on line 12: `z` has 2 axes, but is partitioned into tiles of 1
    note on line 11: BM and BN from the annotation of `z`
    help: give one extent for each axis
"""),
    Case("walked together", dialect("""\
def k(a: Mut[f32, B], b: Mut[f32, BM, BN]) -> None:
    for c in a.cells(b):
        pass
"""), """\
TC501 error on line 12: `a` and `b` cannot be walked together: pieces of (B,) and of (BM, BN)
    note on line 11: B from the annotation of `a`
    note on line 11: BM and BN from the annotation of `b`
    help: walk each by itself, or give both the same tile
"""),
    Case("operands", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    acc = ct.zeros((bm, bn), ct.float32)
    z.store(ct.mma(py[0, 0], px[0, 0], acc))
"""), """\
TC501 error on line 15: the operands of `ct.mma` do not match: (bk, BN) times (BM, bk), added to (BM, BN)
    note on line 11: bk is a constant that the launch passes
    note on line 11: BM and BN from the annotation of `z`
    help: the first is (M, K), the second (K, N) and the accumulator (M, N)
"""),
    Case("combined", dialect("""\
def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    t = x.partition(*z.tile)[0, 0] + x.partition(z.tile[1], z.tile[0])[0, 0]
    z.store(ct.reshape(t, z.tile))
"""), """\
TC501 error on line 12: tiles of shapes (BM, BN) and (BN, BM) are combined
    note on line 11: BM and BN from the annotation of `z`
    help: give both the same extents, or extents of 1
"""),
    Case("combined 2", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((4, 16), s, ct.float32)
z = x + y
"""), """\
TC501 error on line 8: `+` combines tiles of shapes (4, 8) and (4, 16); dim 1: 8 from line 6, 16 from line 7
    help: give both the same extent along that dim, or one of them an extent of 1
"""),
    Case("combined 3", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((2, 8), s, ct.float32)
z = ct.where(x > 0, x, y)
"""), """\
TC501 error on line 8: `ct.where` combines tiles of shapes (4, 8) and (2, 8); dim 0: 4 from line 6, 2 from
    line 7
    help: give both the same extent along that dim, or one of them an extent of 1
"""),
    Case("indices", operation("""\
i = ct.arange(8, dtype=ct.int32)
j = ct.arange(4, dtype=ct.int32)
z = ct.gather(a, (i, j))
"""), """\
TC304 warning on line 8: `z` is loaded and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 8: the indices of `ct.gather` have shapes (8,) and (4,), which cannot be combined; dim 0:
    8 from line 6, 4 from line 7
    help: add axes to the indices so that each runs along its own: `rows[:, None]`, `columns[None, :]`
"""),
    Case("into", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.broadcast_to(x, (4, 16))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: a tile of shape (4, 8) cannot be broadcast to (4, 16) by `ct.broadcast_to`; dim 1: 8
    from line 6, 16 from line 7
    help: give it an extent of 1 or of 16 along that dim
"""),
    Case("into 2", operation("""\
x = ct.full((4, 8), s, ct.float32)
b.tiled_view((4, 4)).store((0, 0), x)
"""), """\
TC501 error on line 7: a tile of shape (4, 8) cannot be broadcast to (4, 4) by `view.store`; dim 1: 8 from
    line 6, 4
    help: give it an extent of 1 or of 4 along that dim
"""),
    Case("reshape", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.reshape(x, (4, 16))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: `ct.reshape` from (4, 8) to (4, 16): a tile of 32 elements from line 6 cannot become
    one of 64
    help: give it a shape with the same number of elements
"""),
    Case("reshape 2", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = x.item()
"""), """\
TC501 error on line 7: `item` from (4, 8) to (): a tile of 32 elements from line 6 cannot become one of 1
    help: give it a shape with the same number of elements
"""),
    Case("two_free", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.reshape(x, (-1, -1))
"""), """\
TC501 error on line 7: `ct.reshape` to (-1, -1): only one extent can be -1
    help: write all extents but one
"""),
    Case("negative", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.reshape(x, (-2, 16))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: `ct.reshape` to (-2, 16): an extent is positive, or -1
    help: write the extents, or -1 for one of them
"""),
    Case("cat_count", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.cat((x, x, x), 0)
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: `ct.cat` concatenates two tiles, but gets 3
    help: concatenate them two by two: `ct.cat((ct.cat((a, b), axis), ct.cat((c, d), axis)), axis)`
"""),
    Case("cat", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((4, 16), s, ct.float32)
z = ct.cat((x, y), 0)
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 8: `ct.cat` along dim 0 of tiles of shapes (4, 8) and (4, 16); dim 1: 8 from line 6, 16
    from line 7
    help: concatenate tiles whose extents differ only along that dim
"""),
    Case("part", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = ct.extract(x, (0, 0), (4, 16))
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: `ct.extract`: (4, 16) is not a part of a tile of shape (4, 8); dim 1: 8 from line 6, 16
    help: take an extent that divides 8
"""),
    Case("inner", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((16, 4), s, ct.float32)
z = ct.mma(x, y, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 8: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 8: the operands of `ct.mma` do not match: (4, 8) times (16, 4); dim 1 of the first: 8 from
    line 6, dim 0 of the second: 16 from line 7
    help: the first is (M, K) and the second (K, N): exchange or transpose them, or load them with one K
"""),
    Case("inner 2", operation("""\
x = ct.full((4, 8), s, ct.float32)
z = x @ x
"""), """\
TC304 warning on line 7: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 7: the operands of `@` do not match: (4, 8) times (4, 8); dim 1 of the first: 8 from line
    6, dim 0 of the second: 4 from line 6
    help: the first is (M, K) and the second (K, N): exchange or transpose them, or load them with one K
"""),
    Case("batch", operation("""\
x = ct.full((2, 4, 8), s, ct.float32)
y = ct.full((4, 8, 4), s, ct.float32)
z = ct.matmul(x, y)
"""), """\
TC501 error on line 8: the leading axes of the operands of `ct.matmul` cannot be combined, (2, 4, 8) and (4,
    8, 4); dim 0: 2 from line 6, 4 from line 7
    help: give both the same leading extents, or extents of 1
"""),
    Case("added", operation("""\
x = ct.full((4, 8), s, ct.float32)
y = ct.full((8, 16), s, ct.float32)
acc = ct.zeros((16, 4), ct.float32)
z = ct.mma(x, y, acc)
"""), """\
TC304 warning on line 9: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 9: `ct.mma` of (4, 8) times (8, 16) is added to (16, 4); dim 0: 4 from line 6, 16 from
    line 8
    help: the accumulator is (M, N) for (M, K) times (K, N)
"""),
    Case("scales", operation("""\
x = ct.full((4, 32), s, ct.float8_e4m3fn)
y = ct.full((32, 4), s, ct.float8_e4m3fn)
xs = ct.full((8, 1), s, ct.float8_e8m0fnu)
ys = ct.full((1, 4), s, ct.float8_e8m0fnu)
z = ct.mma_scaled(x, xs, y, ys, ct.zeros((4, 4), ct.float32))
"""), """\
TC304 warning on line 10: `z` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `z` or a value computed from it, or delete it
TC501 error on line 10: the scales of `ct.mma_scaled` do not match their tile; dim 0: 4 of the tile, 8 of the
    scales
    help: scales have the shape of their tile, except along K
"""),
    Case("carried", operation("""\
x = ct.full((4, 8), s, ct.float32)
for i in range(n):
    x = ct.full((4, 16), s, ct.float32)
"""), """\
TC501 error on line 8: `x` is a tile of shape (4, 8) before the loop and (4, 16) at the end of an iteration;
    dim 1: 8 from line 6, 16 from line 8
    help: give it one shape, or use another name in the loop
TC304 warning on line 8: `x` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `x` or a value computed from it, or delete it
"""),
    Case("carried_rank", operation("""\
x = ct.full((4, 8), s, ct.float32)
for i in range(n):
    x = ct.full((4,), s, ct.float32)
"""), """\
TC501 error on line 8: `x` has shape (4, 8) from line 6 before the loop and (4,) from line 8 at the end of an
    iteration
    help: start with a tile of that shape: `ct.zeros((4,), ...)`
TC304 warning on line 8: `x` is computed and never reaches memory: nothing that is stored depends on it
    note: the compiler removes it, and the code that only computes it
    help: store `x` or a value computed from it, or delete it
"""),
    Case("piece of another output", dialect("""\
def k(a: Mut[f32, BM], b: Mut[f32, BN]) -> None:
    b.store(a.load_like(b))
"""), """\
TC501 error on line 12: a piece of `a` is (BM,), and one of `b` is (BN,): it has no tile at that location
    note on line 11: BM from the annotation of `a`
    note on line 11: BN from the annotation of `b`
    help: read back what the block owns of it: `a.load()`
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
