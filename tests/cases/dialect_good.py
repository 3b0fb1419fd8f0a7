"""Ownership dialect: right kernels, with what is hard to see about them. Comments as in the other case files."""
from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck import requires
from tilecheck_runtime import Dyn, Mut, Ref, Shared, bf16, f16, f32, i32
from tilecheck_runtime import kernel as tile_kernel

B = TypeVar("B", bound=int)
C = TypeVar("C", bound=int)
D = TypeVar("D", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
P = TypeVar("P", bound=int)
Q = TypeVar("Q", bound=int)
R = TypeVar("R", bound=int)


@tile_kernel
def renamed_decorator(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    # contract: z.shape[0] <= x.shape[0]
    z.store(x.load_like(z) * 2.0)


@tcr.kernel(occupancy=2)
def decorator_of_the_module(z: tcr.Mut[tcr.f32, B], x: "tcr.Ref[f32, Dyn]") -> None:  # verdict: structural  # noqa: UP037
    # contract: z.shape[0] <= x.shape[0]
    z.store(x.load_like(z))


@tcr.kernel
def batched_gemm(z: Mut[f32, Literal[1], BM, BN], x: Ref[f16, Dyn, Dyn, Dyn], y: Ref[f16, Dyn, Dyn, Dyn],
                 bk: BK) -> None:
    # contract: cdiv(x.shape[2], bk) <= cdiv(y.shape[1], bk)
    _, bm, bn = z.tile
    px, py = x.partition(1, bm, bk), y.partition(1, bk, bn)
    for cell in z.cells():
        b, m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(2)):
            acc = ct.mma(ct.reshape(px[b, m, k], (bm, bk)), ct.reshape(py[b, k, n], (bk, bn)), acc)
        z[cell] = ct.reshape(acc, (1, bm, bn))


@tcr.kernel
def of_rank_five(z: Mut[f32, P, Q, R, BM, BN], x: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: cdiv(z.shape[0], P) <= cdiv(x.shape[0], P)
    px = x.partition(*z.tile)
    for cell in z.cells():
        a, b, c, d, e = z.coords(cell)
        z[cell] = px[a, b, c, d, e]


@tcr.kernel
def of_rank_four(z: Mut[f32, P, Q, BM, BN], x: Ref[f32, Dyn, Dyn, Dyn, Dyn]) -> None:  # verdict: structural
    z.store(x.load_like(z) + 1.0)


@tcr.kernel
def cell_in_a_tuple(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    for cell in z.cells():
        pair = (cell, z.coords(cell))
        again, (i,) = pair
        z[pair[0]] = x.partition(z.tile[0])[i,]
        z[again] += 1.0


@tcr.kernel
def cell_before_a_loop(z: Mut[f32, B], x: Ref[f32, Dyn], n: int) -> None:  # verdict: structural
    cell = z.cell()
    mine = cell
    for _ in range(n):
        z[mine] = x.load_like(z)
        mine = cell


@tcr.kernel
def same_cell_in_both_branches(z: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:  # verdict: structural
    if flag > 0:
        cell = z.cell()
        t = x.load_like(z)
    else:
        cell = z.cell()
        t = -x.load_like(z)
    z[cell] = t


@tcr.kernel
def each_output_in_a_branch(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], on: int) -> None:  # verdict: structural
    # contract: cdiv(a.shape[0], B) == cdiv(b.shape[0], B)
    if on > 0:
        a.store(x.load_like(a))
    else:
        b.store(x.load_like(b))


@tcr.kernel
def outputs_of_two_ranks(z: Mut[f32, BM, BN], s: Mut[f32, BM], x: Ref[f32, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: cdiv(z.shape[1], BN) == 1
    t = x.load_like(z)
    z.store(t)
    s.store(ct.sum(t, axis=1))


def put(z, cell, tile):
    z[cell] = tile


def scaled(x, z, factor):
    return x.load_like(z) * factor


@tcr.kernel
def through_helpers(z: Mut[f32, B], x: Ref[f32, Dyn], s: float) -> None:  # verdict: structural
    for cell in z.cells():
        (i,) = z.coords(cell)
        put(z, cell, x.partition(z.tile[0])[i] * s)


@tcr.kernel
def through_closures(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    cell = z.cell()

    def store(tile):
        z[cell] = tile

    double = lambda t: t + t  # noqa: E731
    store(double(scaled(x, z, 2.0)))


@tcr.kernel
def nested_pieces(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    for inner in z.pieces(16):
        z[inner] = ct.zeros((16,), ct.float32)


@tcr.kernel
def nested_by_a_constant(z: Mut[f32, B, C], bk: BK) -> None:  # verdict: structural
    # contract: C % bk == 0 or z.shape[1] <= C
    for inner in z.pieces(z.tile[0], bk):
        t = z.load_piece(inner, z.tile[0], bk)
        z[inner] = t * 2.0


@tcr.kernel
def append_to_a_cache(cache: Mut[f16, Literal[1], B, D], x: Ref[f16, Dyn, D], at: Ref[i32, Dyn],
                      d: D) -> None:
    # one sequence a block: its position says which row of its own piece is written
    (s, _, _) = cache.coords(cache.cell())
    row = ct.reshape(x.gather_row(s, d), (1, 1, d))
    cache.store_at((0, at.at(s), 0), row)


@tcr.kernel
def scatter_into_my_piece(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    (b,) = z.tile
    back = b - 1 - ct.arange(b, dtype=ct.int32)
    z.scatter((back,), x.load_like(z))


@tcr.kernel
def histogram(counts: Shared[i32, Dyn], x: Ref[i32, Dyn], b: B) -> None:  # verdict: structural
    values = x.load((ct.bid(0),), (b,))
    counts.add((values,), 1)


@tcr.kernel
def accumulates_too(z: Mut[f32, B], total: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    t = x.load_like(z)
    z.store(t)
    total.add((0,), ct.sum(t))


@tcr.kernel
def reads_its_piece_back(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    z.store(z.load() + x.load_like(z))
    for cell in z.cells():
        z[cell] = z[cell] * 0.5
    z.store(z.load_like(z) + 1.0)


@tcr.kernel
def transposed_view(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: z.shape[0] <= x.shape[1]
    # contract: z.shape[1] <= x.shape[0]
    z.store(x.permute(1, 0).load_like(z))


@tcr.kernel
def padded_otherwise(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    t = x.padded(ct.PaddingMode.NEG_INF).load_like(z)
    z.store(t - ct.max(t))


@tcr.kernel
@requires("z.shape[0] <= x.shape[0]")
def declared(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    z.store(x.load_like(z))


@tcr.kernel
def loads_under_a_flag(z: Mut[f32, B], x: Ref[f32, Dyn], bias: Ref[f32, Dyn], on: int) -> None:  # verdict: structural
    # contract: on == 0 or z.shape[0] <= bias.shape[0]
    t = x.load_like(z)
    if on != 0:
        t = t + bias.load_like(z)
    z.store(t)


@tcr.kernel
def three_walked_together(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    # the cell of both, kept under another name
    for cell in b.cells(a):
        both = cell
        t = x.partition(b.tile[0])[b.coords(both)[0],]
        a[both] = t
        b[cell] = t


@tcr.kernel
def in_step_with_an_input(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn], c: C) -> None:  # verdict: structural
    # contract: cdiv(z.shape[1], c) <= cdiv(x.shape[1], c)
    px = x.partition(1, c)
    for inner in z.pieces(1, c):
        z[inner] = px[z.place(inner, 1, c)] * 2.0


@tcr.kernel
def from_the_other_output(a: Mut[f32, B], b: Mut[f32, B]) -> None:  # verdict: structural
    # contract: cdiv(a.shape[0], B) == cdiv(b.shape[0], B)
    a.store(b.load_like(a))


@tcr.kernel
def scatter_by_data(z: Mut[f32, B], x: Ref[f32, Dyn], places: Ref[i32, Dyn], b: B) -> None:
    # tilecheck: requires injective(places) and b <= places.shape[0]
    z.scatter((places.partition(b)[0],), x.load_like(z))


@tcr.kernel
def attention(o: Mut[f16, Literal[1], Literal[1], BM, D], q: Ref[f16, Dyn, Dyn, Dyn, Dyn],
              k: Ref[f16, Dyn, Dyn, Dyn, Dyn], v: Ref[f16, Dyn, Dyn, Dyn, Dyn], scale: float, group: int,
              n: BN) -> None:
    _, _, m, d = o.tile
    b, h, i, _ = o.coords(o.cell())
    pk, pv = k.partition(1, 1, n, d), v.partition(1, 1, n, d)
    tq = ct.reshape(q.load_like(o), (m, d))
    acc = ct.zeros((m, d), ct.float32)
    top = ct.full((m, 1), -1e30, ct.float32)
    total = ct.zeros((m, 1), ct.float32)
    rows = i * m + ct.arange(m, dtype=ct.int32)[:, None]
    for j in range(pk.tiles(2)):
        tk = ct.reshape(pk[b, h // group, j, 0], (n, d))
        s = ct.mma(tq, ct.transpose(tk), ct.zeros((m, n), ct.float32)) * scale
        columns = j * n + ct.arange(n, dtype=ct.int32)[None, :]
        s = ct.where((rows >= columns) & (columns < k.extent(2)), s, -1e30)
        high = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
        p = ct.exp(s - high)
        fade = ct.exp(top - high)
        total = total * fade + ct.sum(p, axis=1, keepdims=True)
        tv = ct.reshape(pv[b, h // group, j, 0], (n, d))
        acc = ct.mma(ct.astype(p, ct.float16), tv, acc * fade)
        top = high
    o.store(ct.reshape(ct.astype(acc / total, ct.float16), (1, 1, m, d)))


@tcr.kernel
def softmax(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn]) -> None:
    t = x.padded(ct.PaddingMode.NEG_INF).load_like(z)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    z.store(e / ct.sum(e, axis=1, keepdims=True))


@tcr.kernel
def silu_mul(z: Mut[bf16, Literal[1], B], x: Ref[bf16, Dyn, Dyn], h: int) -> None:
    px = x.partition(1, z.tile[1])
    r, c = z.coords(z.cell())
    g = ct.astype(px[r, c], ct.float32)
    u = ct.astype(px[r, c + px.tiles(1) // 2], ct.float32)
    z.store(ct.astype(g / (1.0 + ct.exp(-g)) * u, ct.bfloat16))


@tcr.kernel
def split_k(c: Shared[f32, Dyn, Dyn], a: Ref[f16, Dyn, Dyn], b: Ref[f16, Dyn, Dyn], m: BM, n: BN, k: BK) -> None:
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    pa, pb = a.partition(m, k), b.partition(k, n)
    acc = ct.zeros((m, n), ct.float32)
    for t in range(s, pa.tiles(1), ct.num_blocks(2)):
        acc = ct.mma(pa[i, t], pb[t, j], acc)
    c.add((i * m + ct.arange(m, dtype=ct.int32)[:, None], j * n + ct.arange(n, dtype=ct.int32)[None, :]), acc)


@tcr.kernel
def rope(q: Mut[f32, Literal[1], Literal[1], Literal[1], D], cos: Ref[f32, Dyn, Dyn], sin: Ref[f32, Dyn, Dyn],
         half: B) -> None:
    _, s, _, _ = q.coords(q.cell())
    c, sn = cos.partition(1, half)[s, 0], sin.partition(1, half)[s, 0]
    for inner in q.pieces(1, 1, 1, half):
        p = q.load_piece(inner, 1, 1, 1, half)
        q[inner] = p * ct.reshape(c, (1, 1, 1, half)) - p * ct.reshape(sn, (1, 1, 1, half))


@tcr.kernel
def argmax(values: Mut[f32, Literal[1]], places: Mut[i32, Literal[1]], x: Ref[f32, Dyn, Dyn], n: BN) -> None:
    (r,) = values.coords(values.cell())
    px = x.padded(ct.PaddingMode.NEG_INF).partition(1, n)
    best = ct.full((1,), -1e30, ct.float32)
    where = ct.zeros((1,), ct.int32)
    for j in range(px.tiles(1)):
        t = px[r, j]
        top = ct.max(t, axis=1)
        at = ct.astype(ct.argmax(t, axis=1), ct.int32) + j * n
        better = top > best
        best = ct.where(better, top, best)
        where = ct.where(better, at, where)
    values.store(best)
    places.store(where)


@tcr.kernel
def moe(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn], w: Ref[f16, Dyn, Dyn, Dyn], ids: Ref[i32, Dyn],
        expert: Ref[i32, Dyn], k: BK) -> None:
    # tilecheck: requires range(expert, 0, w.shape[0])
    m, n = z.tile
    pw = w.partition(1, k, n)
    for cell in z.cells():
        i, j = z.coords(cell)
        e = expert.at(i)
        rows = ids.load((i,), (m,))
        acc = ct.zeros((m, n), ct.float32)
        for t in range(pw.tiles(1)):
            xs = x.gather((rows[:, None], t * k + ct.arange(k, dtype=ct.int32)[None, :]))
            acc = ct.mma(xs, ct.reshape(pw[e, t, j], (k, n)), acc)
        z[cell] = ct.astype(acc, ct.float16)
