"""Plain kernels, each with a fault. Every one of them compiles without a warning."""
import cuda.tile as ct

Int = ct.Constant[int]


@ct.kernel
def everyone_writes_tile_zero(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (0,), ct.load(a, (i,), (T,)))  # expect: TC101


@ct.kernel
def dropped_axis(a, c, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(a, (i, j), (T, U))
    ct.store(c, (i, 0), t)  # expect: TC101


@ct.kernel
def permuted_store(src, dst, H: Int, BM: Int, BD: Int):
    bh, h2 = ct.bid(0), ct.bid(1)
    b, h1 = bh // H, bh % H
    for m in range(ct.num_tiles(src, axis=2, shape=(1, 1, BM, BD))):
        t = ct.load(src, index=(b, h1, m, 0), shape=(1, 1, BM, BD))
        ct.store(dst, index=(b, m, h2, 0), tile=t)  # expect: TC101


@ct.kernel
def permuted_store_published_fix(src, dst, H: Int, BM: Int, BD: Int):
    # the store that the literature calls correct: h1 still does not reach the destination
    bh, h2 = ct.bid(0), ct.bid(1)
    b, h1 = bh // H, bh % H
    for m in range(ct.num_tiles(src, axis=2, shape=(1, 1, BM, BD))):
        t = ct.load(src, index=(b, h1, m, 0), shape=(1, 1, BM, BD))
        ct.store(dst, index=(b, h2, m, 0), tile=t)  # expect: TC101


@ct.kernel
def same_value_everywhere(flag, T: Int):
    # equal values are no excuse: the memory model makes this undefined (say so in a note)
    if ct.bid(0) >= 0:
        ct.store(flag, (0,), ct.full((T,), 1, ct.int32))  # expect: TC101


@ct.kernel
def half_step_scatter(a, c, T: Int):
    i = ct.bid(0)
    offs = i * (T // 2) + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, offs, ct.gather(a, offs))  # expect: TC101


@ct.kernel
def strided_view_overlaps(a, c, T: Int):
    i = ct.bid(0)
    v = c.tiled_view((T,), traversal_steps=(T // 2,))
    v.store((i,), ct.load(a, (i,), (T,)))  # expect: TC101


@ct.kernel
def wrong_radix(a, c, H: Int, T: Int):
    p = ct.bid(0)
    b, h = p // H, p % (H - 1)
    ct.store(c, (b, h, 0), ct.load(a, (b, h, 0), (1, 1, T)))  # expect: TC101


@ct.kernel
def persistent_without_stride(a, c, n: int, T: Int):
    for i in range(ct.bid(0), n):
        ct.store(c, (i,), ct.load(a, (i,), (T,)) + 1)  # expect: TC101


@ct.kernel
def two_stores_meet(a, c, T: Int):
    i = ct.bid(0)
    t = ct.load(a, (i,), (T,))
    ct.store(c, (2 * i,), t)
    ct.store(c, (i + 1,), t)  # expect: TC101


@ct.kernel
def mask_does_not_help(a, c, n: int, T: Int):
    i = ct.bid(0)
    offs = ct.arange(T, dtype=ct.int32)
    ct.scatter(c, offs, ct.gather(a, i * T + offs), mask=offs < n)  # expect: TC101


@ct.kernel
def neighbour_read(c, T: Int):
    i = ct.bid(0)
    t = ct.load(c, (i + 1,), (T,))  # expect: TC103
    ct.store(c, (i,), t)


@ct.kernel
def two_phase(a, ws, c, T: Int):
    i = ct.bid(0)
    ct.store(ws, (i,), ct.load(a, (i,), (T,)))
    total = ct.zeros((T,), ct.float32)
    for j in range(ct.num_blocks(0)):
        total = total + ct.load(ws, (j,), (T,))  # expect: TC103
    ct.store(c, (i,), total)


@ct.kernel
def atomic_then_plain_read(count, c, T: Int):
    i = ct.bid(0)
    ct.atomic_add(count, (0,), 1)
    n = ct.load(count, (0,), (1,))  # expect: TC107
    ct.store(c, (i,), ct.broadcast_to(n, (T,)))


@ct.kernel
def duplicate_lanes(a, c, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32) // 2
    ct.scatter(c, offs, ct.load(a, (i,), (T,)))  # expect: TC106


@ct.kernel
def element_index_as_tile_index(a, c, T: Int):
    i = ct.bid(0) * T
    t = ct.load(a, (i,), (T,))  # expect: TC203
    ct.store(c, (ct.bid(0),), t)


@ct.kernel
def negative_tile(a, c, T: Int):
    i = ct.bid(0)
    t = ct.load(a, (i - 1,), (T,))  # expect: TC201
    ct.store(c, (i,), t)


@ct.kernel
def one_past_the_end(a, c, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((T,), ct.float32)
    for k in range(ct.num_tiles(a, 1, (1, T)) + 1):
        acc = acc + ct.reshape(ct.load(a, (i, k), (1, T)), (T,))  # expect: TC201
    ct.store(c, (i,), acc)


@ct.kernel
def unchecked_gather(a, idx, c, T: Int):
    i = ct.bid(0)
    where = ct.load(idx, (i,), (T,))
    ct.store(c, (i,), ct.gather(a, where, check_bounds=False))  # expect: TC202


@ct.kernel
def head_spills_into_next(x, o, HD: Int, T: Int):
    # right only when HD // 2 + T <= HD; the launch below rounds T up to a power of two (wrong for head_dim 96)
    row = ct.bid(0)
    lanes = ct.arange(T, dtype=ct.int32)
    base = row * HD
    first = ct.gather(x, base + lanes)
    second = ct.gather(x, base + HD // 2 + lanes)  # expect: TC206
    ct.scatter(o, base + lanes, second)
    ct.scatter(o, base + HD // 2 + lanes, first)  # expect: TC206


def launch_heads(stream, x, o, rows, head_dim):
    width = 1 << (head_dim // 2 - 1).bit_length()
    ct.launch(stream, (rows,), head_spills_into_next, (x, o, head_dim, width))  # expect: TC405


@ct.kernel
def softmax_over_padding(x, o, T: Int):
    i = ct.bid(0)
    row = ct.load(x, (i, 0), (1, T))
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))  # expect: TC301
    ct.store(o, (i, 0), e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def mma_over_padding(A, B, C, tm: Int, tn: Int, tk: Int):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(ct.num_tiles(A, 1, (tm, tk))):
        a = ct.load(A, (i, k), (tm, tk))
        b = ct.load(B, (k, j), (tk, tn))
        acc = ct.mma(a, b, acc)  # expect: TC301
    ct.store(C, (i, j), ct.astype(acc, C.dtype))


@ct.kernel
def mask_forgotten(x, o, n: int, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32)
    mask = offs < n  # expect: TC302
    ct.scatter(o, offs, ct.gather(x, offs) * 2)


@ct.kernel
def result_goes_nowhere(x, o, T: Int):
    i = ct.bid(0)
    y = ct.load(x, (i,), (T,)) * 2  # expect: TC304
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def remainder_dropped(A, C, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):  # expect: TC305
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ct.PaddingMode.ZERO), axis=1, keepdims=True)
    ct.store(C, (i, 0), acc)


@ct.kernel
def slice_too_long(x, o, T: Int):
    s = x.slice(0, 0, x.shape[0] + 1)  # expect: TC204
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,)))


@ct.kernel
def moving_slice_store(x, n: int, T: Int):
    # every iteration writes the same elements, and the compiler leaves these stores unordered
    base = ct.bid(0) * n
    for i in range(n):
        s = x.slice(0, (base + n - i) * T, (base + n) * T + T)
        ct.store(s, (i,), ct.full((T,), i, ct.float32))  # expect: TC108

# ruff: noqa: F841
