"""Kernels as they are written for models: all of them right."""
from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct

from tilecheck_runtime import Dyn, Mut, Ref, Shared, bf16, f8e4m3, f16, f32, i32, kernel

B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
D = TypeVar("D", bound=int)
H = TypeVar("H", bound=int)
S = TypeVar("S", bound=int)
T = TypeVar("T", bound=int)
G = TypeVar("G", bound=int)


@kernel
def add_rms_norm(z: Mut[f32, Literal[1], D], residual: Mut[f32, Literal[1], D], x: Ref[f32, Dyn, Dyn],
                 w: Ref[f32, Dyn], eps: float) -> None:
    t = residual.load() + x.load_like(residual)
    residual.store(t)
    var = ct.sum(t * t, axis=1, keepdims=True) / x.extent(1)
    z.store(t * ct.rsqrt(var + eps) * ct.reshape(w.load(0, (z.tile[1],)), z.tile))


@kernel
def softmax(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    t = x.padded(ct.PaddingMode.NEG_INF).load_like(z)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    z.store(e / ct.sum(e, axis=1, keepdims=True))


@kernel
def online_softmax(z: Mut[f32, Literal[1], D], x: Ref[f32, Dyn, Dyn], t: T) -> None:
    row = z.coords(z.cell())[0]
    px = x.padded(ct.PaddingMode.NEG_INF).partition(1, t)
    m = ct.full((1, 1), float("-inf"), ct.float32)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(px.tiles(1)):
        v = px[row, k]
        new = ct.maximum(m, ct.max(v, axis=1, keepdims=True))
        s = s * ct.exp(m - new) + ct.sum(ct.exp(v - new), axis=1, keepdims=True)
        m = new
    for inner in z.pieces(1, t):
        z[inner] = ct.exp(px[z.place(inner, 1, t)] - m) / s


@kernel
def layer_norm(z: Mut[f32, Literal[1], D], mean: Mut[f32, Literal[1]], rstd: Mut[f32, Literal[1]],
               x: Ref[f32, Dyn, Dyn], w: Ref[f32, Dyn], b: Ref[f32, Dyn], eps: float) -> None:
    t = x.load_like(z)
    n = x.extent(1)
    mu = ct.sum(t, axis=1, keepdims=True) / n
    inside = ct.arange(z.tile[1], dtype=ct.int32) < n
    d = ct.where(inside[None, :], t - mu, 0.0)
    r = ct.rsqrt(ct.sum(d * d, axis=1, keepdims=True) / n + eps)
    d_ = z.tile[1]
    z.store(d * r * ct.reshape(w.load(0, (d_,)), (1, d_)) + ct.reshape(b.load(0, (d_,)), (1, d_)))
    mean.store(ct.reshape(mu, (1,)))
    rstd.store(ct.reshape(r, (1,)))


@kernel
def rope(q: Mut[f32, Literal[1], Literal[1], D], x: Ref[f32, Dyn, Dyn, D], cos: Ref[f32, Dyn, Dyn],
         sin: Ref[f32, Dyn, Dyn], d: D, half: H) -> None:
    h, s, _ = q.coords(q.cell())
    c = ct.reshape(cos.load((s, 0), (1, half)), (1, 1, half))
    n = ct.reshape(sin.load((s, 0), (1, half)), (1, 1, half))
    a = x.load((h, s, 0), (1, 1, half))
    b = x.load((h, s, 1), (1, 1, half))
    q.store_at((0, 0, 0), a * c - b * n)
    q.store_at((0, 0, 1), b * c + a * n)


@kernel
def rope_in_place(q: Mut[f32, Literal[1], Literal[1], D], cos: Ref[f32, Dyn, Dyn],
                  sin: Ref[f32, Dyn, Dyn], half: H) -> None:
    s = q.coords(q.cell())[1]
    c = ct.reshape(cos.load((s, 0), (1, half)), (1, 1, half))
    n = ct.reshape(sin.load((s, 0), (1, half)), (1, 1, half))
    t = ct.reshape(q.load(), (2, half))
    a = ct.reshape(ct.extract(t, (0, 0), (1, half)), (1, 1, half))
    b = ct.reshape(ct.extract(t, (1, 0), (1, half)), (1, 1, half))
    q.store(ct.cat((a * c - b * n, b * c + a * n), 2))


@kernel
def attention(o: Mut[f32, Literal[1], BM, D], q: Ref[f16, Dyn, Dyn, D], k: Ref[f16, Dyn, Dyn, D],
              v: Ref[f16, Dyn, Dyn, D], scale: float, bn: BN) -> None:
    _, bm, d = o.tile
    h, m, _ = o.coords(o.cell())
    pk, pv = k.partition(1, bn, d), v.partition(1, bn, d)
    tq = ct.reshape(q.load_like(o), (bm, d))
    acc = ct.zeros((bm, d), ct.float32)
    top = ct.full((bm, 1), -1e30, ct.float32)
    total = ct.zeros((bm, 1), ct.float32)
    rows = m * bm + ct.arange(bm, dtype=ct.int32)
    stop = min(ct.cdiv((m + 1) * bm, bn), pk.tiles(1))
    for j in range(stop):
        tk = ct.reshape(pk[h, j, 0], (bn, d))
        s = ct.mma(tq, ct.transpose(tk), ct.zeros((bm, bn), ct.float32)) * scale
        cols = j * bn + ct.arange(bn, dtype=ct.int32)
        keep = (cols[None, :] <= rows[:, None]) & (cols[None, :] < k.extent(1))
        s = ct.where(keep, s, -1e30)
        new = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
        p = ct.exp(s - new)
        alpha = ct.exp(top - new)
        total = total * alpha + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(p.astype(ct.float16), ct.reshape(pv[h, j, 0], (bn, d)), acc * alpha)
        top = new
    o.store(ct.reshape(acc / total, (1, bm, d)))


@kernel
def attention_gqa(o: Mut[f32, Literal[1], Literal[1], BM, D], q: Ref[f16, Dyn, Dyn, Dyn, D],
                  k: Ref[f16, Dyn, Dyn, Dyn, D], v: Ref[f16, Dyn, Dyn, Dyn, D], group: G, bn: BN) -> None:
    _, _, bm, d = o.tile
    b, h, m, _ = o.coords(o.cell())
    tq = ct.reshape(q.load((b, h, m, 0), (1, 1, bm, d)), (bm, d))
    pk, pv = k.partition(1, 1, bn, d), v.partition(1, 1, bn, d)
    acc = ct.zeros((bm, d), ct.float32)
    for j in range(pk.tiles(2)):
        s = ct.mma(tq, ct.transpose(ct.reshape(pk[b, h // group, j, 0], (bn, d))), ct.zeros((bm, bn), ct.float32))
        acc = ct.mma(s.astype(ct.float16), ct.reshape(pv[b, h // group, j, 0], (bn, d)), acc)
    o.store(ct.reshape(acc, (1, 1, bm, d)))


@kernel
def decode(o: Mut[f32, Literal[1], D], cache: Mut[f16, Literal[1], S, D], new: Ref[f16, Dyn, D], q: Ref[f16, Dyn, D],
           position: Ref[i32, Dyn], t: T) -> None:
    """One head a block: its new key goes into its own part of the cache, which it then reads."""
    d = cache.tile[2]
    h = o.coords(o.cell())[0]
    at = position.at(h)
    cache.store_at((0, at, 0), ct.reshape(new.load((h, 0), (1, d)), (1, 1, d)))
    tq = q.load((h, 0), (1, d)).astype(ct.float32)
    acc = ct.zeros((1, d), ct.float32)
    start = 0
    for inner in cache.pieces(1, t, d):
        tile = ct.reshape(cache.load_piece(inner, 1, t, d), (t, d)).astype(ct.float32)
        score = ct.sum(tile * tq, axis=1, keepdims=True)
        rows = start + ct.arange(t, dtype=ct.int32)
        score = ct.where((rows <= at)[:, None], score, 0.0)
        acc = acc + ct.sum(score * tile, axis=0, keepdims=True)
        start += t
    o.store(acc)


@kernel
def split_k(s: Shared[f32, Dyn, Dyn], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bm: BM, bn: BN, bk: BK) -> None:
    m, n, part = ct.bid(0), ct.bid(1), ct.bid(2)
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    acc = ct.zeros((bm, bn), ct.float32)
    for k in range(part, px.tiles(1), ct.num_blocks(2)):
        acc = ct.mma(px[m, k], py[k, n], acc)
    rows = m * bm + ct.arange(bm, dtype=ct.int32)
    cols = n * bn + ct.arange(bn, dtype=ct.int32)
    s.add((rows[:, None], cols[None, :]), acc)


@kernel
def argmax(z: Mut[i32, Literal[1]], x: Ref[f32, Dyn, Dyn], t: T) -> None:
    row = z.coords(z.cell())[0]
    px = x.padded(ct.PaddingMode.NEG_INF).partition(1, t)
    best = ct.full((1,), float("-inf"), ct.float32)
    at = ct.zeros((1,), ct.int32)
    for k in range(px.tiles(1)):
        v = px[row, k]
        top = ct.max(v, axis=1)
        where = ct.argmax(v, axis=1) + k * t
        at = ct.where(top > best, where, at)
        best = ct.maximum(best, top)
    z.store(at)


@kernel
def embedding(z: Mut[f32, Literal[1], D], table: Ref[f32, Dyn, D], ids: Ref[i32, Dyn]) -> None:
    row = z.coords(z.cell())[0]
    z.store(table.gather_row(ids.at(row), z.tile[1]))


@kernel
def embedding_many(z: Mut[f32, BM, D], table: Ref[f32, Dyn, D], ids: Ref[i32, Dyn]) -> None:
    bm, d = z.tile
    rows = z.coords(z.cell())[0] * bm + ct.arange(bm, dtype=ct.int32)
    z.store(table.gather((ids.gather((rows,))[:, None], ct.arange(d, dtype=ct.int32)[None, :])))


@kernel
def dropout(z: Mut[f32, B], x: Ref[f32, Dyn], seed: int, p: float) -> None:
    (i,) = z.coords(z.cell())
    (b,) = z.tile
    n = i * b + ct.arange(b, dtype=ct.int32)
    h = (n * 1103515245 + seed) & 0x7FFFFFFF
    r = h.astype(ct.float32) / 2147483647.0
    z.store(ct.where(r > p, x.load_like(z) / (1.0 - p), 0.0))


@kernel
def transpose(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    bm, bn = z.tile
    for cell in z.cells():
        i, j = z.coords(cell)
        z[cell] = ct.transpose(x.load((j, i), (bn, bm)))


@kernel
def im2col(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn], width: int, kw: int) -> None:
    """Row of the output: an offset of the window. Column: a place of the image."""
    r, c = z.coords(z.cell())
    b = z.tile[1]
    n = c * b + ct.arange(b, dtype=ct.int32)
    dy, dx = r // kw, r % kw
    z.store(ct.reshape(x.gather((n // width + dy, n % width + dx)), (1, b)))


@kernel
def batched_gemm(z: Mut[f32, Literal[1], BM, BN], x: Ref[f16, Dyn, Dyn, Dyn], y: Ref[f16, Dyn, Dyn, Dyn],
                 bk: BK) -> None:
    _, bm, bn = z.tile
    px, py = x.partition(1, bm, bk), y.partition(1, bk, bn)
    for cell in z.cells():
        b, m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(2)):
            acc = ct.mma(ct.reshape(px[b, m, k], (bm, bk)), ct.reshape(py[b, k, n], (bk, bn)), acc)
        z[cell] = ct.reshape(acc, (1, bm, bn))


@kernel
def gemm_bias_gelu(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], b: Ref[f32, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py, pb = x.partition(bm, bk), y.partition(bk, bn), b.partition(bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        acc = acc + pb[n][None, :]
        acc = 0.5 * acc * (1.0 + ct.tanh(0.7978845608 * (acc + 0.044715 * acc * acc * acc)))
        z[cell] = acc.astype(ct.float16)


@kernel
def gemm_nt(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], w: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    """w is (N, K)."""
    bm, bn = z.tile
    px, pw = x.partition(bm, bk), w.permute(1, 0).partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], pw[k, n], acc)
        z[cell] = acc


@kernel
def moe_gather(z: Mut[f16, BM, D], x: Ref[f16, Dyn, D], sorted_ids: Ref[i32, Dyn], top_k: int) -> None:
    bm, d = z.tile
    rows = z.coords(z.cell())[0] * bm + ct.arange(bm, dtype=ct.int32)
    token = sorted_ids.gather((rows,)) // top_k
    z.store(x.gather((token[:, None], ct.arange(d, dtype=ct.int32)[None, :])))


@kernel
def moe_gemm(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], w: Ref[f16, Dyn, Dyn, Dyn], expert: Ref[i32, Dyn],
             bk: BK) -> None:
    """Each block of rows belongs to one expert."""
    bm, bn = z.tile
    m, n = z.coords(z.cell())
    e = min(max(expert.at(m), 0), w.extent(0) - 1)
    px, pw = x.partition(bm, bk), w.partition(1, bk, bn)
    acc = ct.zeros((bm, bn), ct.float32)
    for k in range(px.tiles(1)):
        acc = ct.mma(px[m, k], ct.reshape(pw[e, k, n], (bk, bn)), acc)
    z.store(acc)


@kernel
def quantize(z: Mut[f8e4m3, Literal[1], B], scale: Mut[f32, Literal[1], Literal[1]], x: Ref[f32, Dyn, Dyn]) -> None:
    t = x.load_like(z)
    s = ct.maximum(ct.max(ct.abs(t), axis=1, keepdims=True), 1e-6) / 448.0
    z.store((t / s).astype(ct.float8_e4m3fn))
    scale.store(s)


@kernel
def cumsum_rows(z: Mut[f32, Literal[1], D], x: Ref[f32, Dyn, Dyn], t: T) -> None:
    px = x.partition(1, t)
    carry = ct.zeros((1, 1), ct.float32)
    for inner in z.pieces(1, t):
        v = px[z.place(inner, 1, t)]
        z[inner] = ct.cumsum(v, axis=1) + carry
        carry = carry + ct.sum(v, axis=1, keepdims=True)


@kernel
def histogram(s: Shared[i32, Dyn], x: Ref[i32, Dyn], b: B) -> None:
    px = x.partition(b)
    for k in range(ct.bid(0), px.tiles(0), ct.num_blocks(0)):
        n = k * b + ct.arange(b, dtype=ct.int32)
        s.add((ct.where(n < x.extent(0), px[k], -1),), 1)


@kernel
def silu_mul(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn]) -> None:
    for cell in z.cells():
        i, j = z.coords(cell)
        g = x.load((i, j), z.tile).astype(ct.float32)
        u = y.load((i, j), z.tile).astype(ct.float32)
        z[cell] = (g / (1.0 + ct.exp(-g)) * u).astype(ct.float16)


@kernel
def silu_mul_packed(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn]) -> None:
    """Gate and up side by side in one matrix."""
    i, j = z.coords(z.cell())
    n = x.extent(1) // 2
    cols = j * z.tile[1] + ct.arange(z.tile[1], dtype=ct.int32)
    rows = i * z.tile[0] + ct.arange(z.tile[0], dtype=ct.int32)
    g = x.gather((rows[:, None], cols[None, :])).astype(ct.float32)
    u = x.gather((rows[:, None], cols[None, :] + n)).astype(ct.float32)
    z.store((g / (1.0 + ct.exp(-g)) * u).astype(ct.float16))


@kernel
def cross_entropy(loss: Mut[f32, Literal[1]], x: Ref[f32, Dyn, Dyn], target: Ref[i32, Dyn], t: T) -> None:
    row = loss.coords(loss.cell())[0]
    px = x.padded(ct.PaddingMode.NEG_INF).partition(1, t)
    m = ct.full((1, 1), float("-inf"), ct.float32)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(px.tiles(1)):
        v = px[row, k]
        new = ct.maximum(m, ct.max(v, axis=1, keepdims=True))
        s = s * ct.exp(m - new) + ct.sum(ct.exp(v - new), axis=1, keepdims=True)
        m = new
    loss.store(ct.reshape(m + ct.log(s), (1,)) - x.at(row, target.at(row)))


@kernel
def column_sum(s: Shared[f32, Dyn], x: Ref[f32, Dyn, Dyn], bm: BM, bn: BN) -> None:
    t = x.load((ct.bid(0), ct.bid(1)), (bm, bn))
    s.add((ct.bid(1) * bn + ct.arange(bn, dtype=ct.int32),), ct.sum(t, axis=0))


@kernel
def split_heads(z: Mut[f16, Literal[1], Literal[1], BM, D], x: Ref[f16, Dyn, Dyn, Dyn, Dyn]) -> None:
    """(batch, sequence, heads, d) to (batch, heads, sequence, d)"""
    px = x.permute(0, 2, 1, 3).partition(*z.tile)
    for cell in z.cells():
        z[cell] = px[z.coords(cell)]


@kernel
def causal_conv(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn], w: Ref[f32, Dyn, Literal[4]]) -> None:
    c, i = z.coords(z.cell())
    b = z.tile[1]
    n = i * b + ct.arange(b, dtype=ct.int32)
    acc = ct.zeros((b,), ct.float32)
    for j in ct.static_iter(range(4)):
        acc = acc + w.at(c, j) * x.gather((c, n - 3 + j))
    z.store(ct.reshape(acc, (1, b)))


@kernel
def saxpy(z: Mut[f32, B], x: Ref[f32, Dyn], a: float) -> None:
    for cell in z.cells():
        z[cell] = z[cell] + a * x.load(z.coords(cell), z.tile)


@kernel
def adam(p: Mut[f32, B], m: Mut[f32, B], v: Mut[f32, B], g: Ref[f32, Dyn], lr: float) -> None:
    tg = g.load_like(p)
    tm = 0.9 * m.load() + 0.1 * tg
    tv = 0.999 * v.load() + 0.001 * tg * tg
    m.store(tm)
    v.store(tv)
    p.store(p.load() - lr * tm / (ct.sqrt(tv) + 1e-8))


@kernel
def merge_splits(o: Mut[f32, Literal[1], D], part: Ref[f32, Dyn, Dyn, D], lse: Ref[f32, Dyn, Dyn]) -> None:
    h = o.coords(o.cell())[0]
    d = o.tile[1]
    top = -1e30
    for k in range(lse.extent(1)):
        top = max(top, lse.at(h, k))
    total = 0.0
    acc = ct.zeros((1, d), ct.float32)
    for k in range(lse.extent(1)):
        w = ct.exp(lse.at(h, k) - top)
        total = total + w
        acc = acc + w * ct.reshape(part.load((h, k, 0), (1, 1, d)), (1, d))
    o.store(acc / total)


@kernel
def masked_fill(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], lengths: Ref[i32, Dyn]) -> None:
    i, j = z.coords(z.cell())
    bm, bn = z.tile
    rows = i * bm + ct.arange(bm, dtype=ct.int32)
    cols = j * bn + ct.arange(bn, dtype=ct.int32)
    keep = cols[None, :] < lengths.gather((rows,))[:, None]
    z.store(ct.where(keep, x.load_like(z), float("-inf")))


@kernel
def top_row_only(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], sums: Shared[f32, Dyn], n: int) -> None:
    for cell in z.cells():
        i, j = z.coords(cell)
        t = x.load((i, j), z.tile)
        if n > 0 and i == 0:
            t = t * 2.0
        elif n < 0:
            t = -t
        z[cell] = t
        sums.add((i,), ct.sum(t))


@kernel
def doubled_bf16(z: Mut[bf16, BM, BN], x: Ref[bf16, Dyn, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = (x.load(z.coords(cell), z.tile).astype(ct.float32) * 2.0).astype(ct.bfloat16)


@kernel
def avg_pool(z: Mut[f32, B], x: Ref[f32, Dyn], w: T) -> None:
    (i,) = z.coords(z.cell())
    (b,) = z.tile
    n = i * b + ct.arange(b, dtype=ct.int32)
    acc = ct.zeros((b,), ct.float32)
    for k in range(w):
        acc += x.gather((n * w + k,))
    z.store(acc / w)
