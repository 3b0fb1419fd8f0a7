"""Kernels of ordinary kinds that reach past the end of their arrays and are right. None may get any finding."""
import cuda.tile as ct

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@requires("D <= Q.shape[1]", "D <= K.shape[1]")
@ct.kernel
def attention_decode(Q, K, V, out, D: Int, N: Int):
    # scores past the end are replaced, values there are zero
    h = ct.bid(0)
    q = ct.reshape(ct.load(Q, (h, 0), (1, D)), (D, 1))
    m = ct.full((1,), -1e30, ct.float32)
    total = ct.zeros((1,), ct.float32)
    acc = ct.zeros((D, 1), ct.float32)
    for k in range(ct.num_tiles(K, 0, (N, D))):
        keys = ct.load(K, (k, 0), (N, D))
        s = ct.mma(keys, q, ct.zeros((N, 1), ct.float32))
        inside = (k * N + ct.arange(N, dtype=ct.int32))[:, None] < K.shape[0]
        s = ct.where(inside, s, -1e30)
        top = ct.maximum(m, ct.max(s, axis=0))
        p = ct.exp(s - top[None, :])
        scale = ct.exp(m - top)
        total = total * scale + ct.sum(p, axis=0)
        values = ct.load(V, (k, 0), (N, D), padding_mode=ZERO)
        acc = acc * scale[None, :] + ct.mma(ct.transpose(values), p, ct.zeros((D, 1), ct.float32))
        m = top
    ct.store(out, (h, 0), ct.reshape(acc / total[None, :], (1, D)))


@ct.kernel
def layer_norm(x, weight, y, T: Int):
    # the deviations of padding are taken out before they are summed; weights past the end meet nothing that is stored
    row, n = ct.bid(0), x.shape[1]
    t = ct.load(x, (row, 0), (1, T), padding_mode=ZERO)
    mean = ct.sum(t, axis=1, keepdims=True) / n
    d = ct.where(ct.arange(T, dtype=ct.int32)[None, :] < n, t - mean, 0.0)
    var = ct.sum(d * d, axis=1, keepdims=True) / n
    w = ct.load(weight, (0,), (T,))
    ct.store(y, (row, 0), d * ct.rsqrt(var + 1e-5) * w[None, :])


@ct.kernel
def mean_of_squares(x, y, T: Int):
    row, n = ct.bid(0), x.shape[1]
    t = ct.load(x, (row, 0), (1, T), padding_mode=ZERO)
    mean = ct.sum(t, axis=1, keepdims=True) / n
    var = ct.sum(t * t, axis=1, keepdims=True) / n - mean * mean
    # the second pass is element-wise: what is undefined here is not stored
    again = ct.load(x, (row, 0), (1, T))
    ct.store(y, (row, 0), (again - mean) * ct.rsqrt(var + 1e-5))


@ct.kernel
def split_k_reduce(parts, lse, out, SPLITS: Int, D: Int):
    h, j = ct.bid(0), ct.bid(1)
    t = ct.reshape(ct.load(parts, (h, 0, j), (1, SPLITS, D), padding_mode=ZERO), (SPLITS, D))
    scores = ct.gather(lse, (h, ct.arange(SPLITS, dtype=ct.int32)), padding_value=-1e30)
    w = ct.exp(scores - ct.max(scores))
    total = ct.sum(t * w[:, None], axis=0) / ct.sum(w)
    ct.store(out, (h, j), total[None, :])


@ct.kernel
def rope(x, cos, sin, y, T: Int):
    # two axes, so that a lane past its half is dropped instead of landing in the next row
    row, half = ct.bid(0), x.shape[1] // 2
    cols = ct.arange(T, dtype=ct.int32)
    mask = cols < half
    a = ct.gather(x, (row, cols), mask=mask)
    b = ct.gather(x, (row, cols + half), mask=mask)
    c = ct.gather(cos, (row, cols), mask=mask)
    s = ct.gather(sin, (row, cols), mask=mask)
    ct.scatter(y, (row, cols), a * c - b * s, mask=mask)
    ct.scatter(y, (row, cols + half), b * c + a * s, mask=mask)


@ct.kernel
def matmul(A, B, C, TM: Int, TN: Int, TK: Int):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), ct.float32)
    for k in range(ct.num_tiles(A, 1, (TM, TK))):
        a = ct.load(A, (i, k), (TM, TK), padding_mode=ZERO)
        b = ct.load(B, (k, j), (TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(C, (i, j), acc)


@requires("A.shape[1] % TK == 0", "B.shape[0] == A.shape[1]")
@ct.kernel
def matmul_of_whole_tiles(A, B, C, TM: Int, TN: Int, TK: Int):
    # rows and columns past the end give rows and columns that are not stored; the contracted axis has none
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), ct.float32)
    for k in range(A.shape[1] // TK):
        acc = ct.mma(ct.load(A, (i, k), (TM, TK)), ct.load(B, (k, j), (TK, TN)), acc)
    ct.store(C, (i, j), acc)


@ct.kernel
def split_k_matmul(A, B, C, SPLIT: Int, TM: Int, TN: Int, TK: Int):
    i, j, part = ct.bid(0), ct.bid(1), ct.bid(2)
    count = ct.num_tiles(A, 1, (TM, TK))
    each = ct.cdiv(count, SPLIT)
    acc = ct.zeros((TM, TN), ct.float32)
    for k in range(part * each, min(part * each + each, count)):
        a = ct.load(A, (i, k), (TM, TK), padding_mode=ZERO)
        b = ct.load(B, (k, j), (TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(C, (part, i, j), acc[None, :, :])


@ct.kernel
def online_softmax(x, y, T: Int):
    row = ct.bid(0)
    count = ct.num_tiles(x, 1, (1, T))
    top = ct.full((1, 1), -1e30, ct.float32)
    total = ct.zeros((1, 1), ct.float32)
    for k in range(count):
        t = ct.load(x, (row, k), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
        now = ct.maximum(top, ct.max(t, axis=1, keepdims=True))
        total = total * ct.exp(top - now) + ct.sum(ct.exp(t - now), axis=1, keepdims=True)
        top = now
    for k in range(count):
        t = ct.load(x, (row, k), (1, T))
        ct.store(y, (row, k), ct.exp(t - top) / total)


@ct.kernel
def running_sum(x, y, T: Int):
    # what is undefined at the end of a forward scan stays at the end
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.cumsum(ct.load(x, (i, 0), (1, T)), axis=1))


@ct.kernel
def row_argmax(x, y, T: Int):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(y, (row,), ct.argmax(t, axis=1))


@ct.kernel
def rows_of_a_tile(x, y, R: Int, T: Int):
    # rows past the end are reduced to rows that are not stored
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (R, T))
    t = ct.where(ct.arange(T, dtype=ct.int32)[None, :] < x.shape[1], t, 0.0)
    ct.store(y, (i,), ct.sum(t, axis=1))


@ct.kernel
def histogram_of_a_tile(keys, counts, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32)
    k = ct.load(keys, (i,), (T,))
    ct.atomic_add(counts, ct.where(offs < keys.shape[0], k, -1), 1)


@ct.kernel
def im2col(image, cols, KH: Int, KW: Int, T: Int):
    # every index is checked: what a window has past the edge is zero
    y, k = ct.bid(0), ct.bid(1)
    x = ct.arange(T, dtype=ct.int32)
    rows = y + k // KW
    t = ct.gather(image, (rows, x + k % KW), padding_value=0)
    ct.scatter(cols, (y, k, x), t)


@ct.kernel
def shifted(x, y, T: Int):
    # the neighbour on the left, and the first tile where there is none
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (max(i - 1, 0),), (T,), padding_mode=ZERO))


@ct.kernel
def shifted_under_condition(x, y, T: Int):
    i = ct.bid(0)
    t = ct.zeros((T,), ct.float32)
    if i + 1 < ct.num_tiles(x, 0, (T,)):
        t = ct.load(x, (i + 1,), (T,), padding_mode=ZERO)
    ct.store(y, (i,), t)


@requires("n <= x.shape[0]", "n <= y.shape[0]")
@ct.kernel
def unchecked_copy(x, y, n: int, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    mask = offs < n
    ct.scatter(y, offs, ct.gather(x, offs, mask=mask, check_bounds=False), mask=mask, check_bounds=False)


@ct.kernel
def rebuilt_offsets(x, y, N: Int, T: Int):
    # an offset taken apart and put together with another stride; lanes past the end are dropped
    g = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    inside = g < x.shape[0]
    ct.scatter(y, (g // N, g % N), ct.gather(x, g, mask=inside), mask=inside)


@ct.kernel
def row_mask(x, y, T: Int):
    # the mask of the tail is part of the condition under which a lane is kept
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T))
    inside = ct.arange(T, dtype=ct.int32)[None, :] < x.shape[1]
    ct.store(y, (row,), ct.sum(ct.where(inside & (t > 0), t, 0.0), axis=1))


@ct.kernel
def shares_that_end_in_time(x, y, T: Int):
    s = ct.bid(0)
    tiles = ct.num_tiles(x, 0, (T,))
    size = ct.cdiv(tiles, ct.num_blocks(0))
    total = ct.zeros((T,), ct.float32)
    for j in range(s * size, min((s + 1) * size, tiles)):
        total = total + ct.load(x, (j,), (T,), padding_mode=ZERO)
    ct.store(y, (s, 0), ct.reshape(total, (1, T)))
