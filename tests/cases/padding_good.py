"""Kernels in which no lane that a load left unspecified makes a difference. None may get a finding."""
import cuda.tile as ct

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def softmax_that_replaces_lanes(x, o, T: Int):
    i = ct.bid(0)
    inside = (ct.arange(T, dtype=ct.int32) < x.shape[1])[None, :]
    row = ct.where(inside, ct.load(x, (i, 0), (1, T)), -1.0e30)
    e = ct.exp(row - ct.max(row, axis=1, keepdims=True))
    ct.store(o, (i, 0), e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def second_pass_elementwise(x, o, T: Int):
    i = ct.bid(0)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        s = s + ct.sum(ct.load(x, (i, k), (1, T), padding_mode=ZERO), axis=1, keepdims=True)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        ct.store(o, (i, k), ct.load(x, (i, k), (1, T)) / s)


@ct.kernel
def mean_of_squares_less_square_of_mean(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T), padding_mode=ZERO)
    m = ct.sum(t, axis=1, keepdims=True) / x.shape[1]
    ct.store(o, (i, 0), ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] - m * m)


@ct.kernel
def scatter_drops_the_lanes(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.scatter(o, i * T + ct.arange(T, dtype=ct.int32), t)


@ct.kernel
def rebuilt_offsets(x, o, N: Int, S: Int, T: Int):
    g = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    t = ct.gather(x, (g // N) * S + g % N)
    ct.scatter(o, g, t)


@requires("x.shape[1] % T == 0")
@ct.kernel
def whole_tiles(x, o, T: Int):
    i = ct.bid(0)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        s = s + ct.sum(ct.load(x, (i, k), (1, T)), axis=1, keepdims=True)
    ct.store(o, (i, 0), s)


@ct.kernel
def one_row(x, y, o, T: Int):
    # along the axis of extent 1 a tile is inside or not: that is no matter of padding
    i = ct.bid(0)
    scale = ct.load(y, (i,), (1,)).item()
    ct.store(o, (i, 0), ct.load(x, (i, 0), (1, T), padding_mode=ZERO) * scale)


@ct.kernel
def one_element(x, o):
    if ct.load(x, (ct.bid(0),), (1,)).item() > 0:
        ct.store(o, (ct.bid(0),), ct.full((1,), 1, ct.float32))


@ct.kernel
def rows_and_columns_that_are_clipped(A, B, C, tm: Int, tn: Int, tk: Int):
    # along the inner axis padding is 0 for both; rows and columns outside are clipped by the store
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((tm, tn), ct.float32)
    for k in range(A.shape[1] // tk):
        acc = ct.mma(ct.load(A, (i, k), (tm, tk)), ct.load(B, (k, j), (tk, tn), padding_mode=ZERO), acc)
    ct.store(C, (i, j), acc)


@ct.kernel
def accumulator_cleaned_each_round(x, o, n: int, T: Int):
    i = ct.bid(0)
    for r in range(n):
        acc = ct.zeros((1, T), ct.float32)
        for k in range(ct.num_tiles(x, 1, (1, T))):
            inside = (k * T + ct.arange(T, dtype=ct.int32) < x.shape[1])[None, :]
            acc = acc + ct.where(inside, ct.load(x, (i, k), (1, T)), 0.0)
        ct.store(o, (i, r), ct.sum(acc, axis=1, keepdims=True))


@ct.kernel
def causal(Q, K, out, tm: Int, tn: Int, td: Int):
    # keys outside are seen by rows outside alone, which the store clips
    i = ct.bid(0)
    q = ct.load(Q, (i, 0), (tm, td), padding_mode=ZERO)
    best = ct.full((tm, 1), -1.0e30, ct.float32)
    rows = (i * tm + ct.arange(tm, dtype=ct.int32))[:, None]
    for j in range(ct.num_tiles(K, 0, (tn, td))):
        k = ct.load(K, (j, 0), (tn, td))
        k = ct.where((ct.arange(td, dtype=ct.int32) < K.shape[1])[None, :], k, 0.0)
        s = ct.mma(q, ct.transpose(k), ct.zeros((tm, tn), ct.float32))
        cols = (j * tn + ct.arange(tn, dtype=ct.int32))[None, :]
        s = ct.where(rows >= cols, s, -1.0e30)
        best = ct.maximum(best, ct.max(s, axis=1, keepdims=True))
    ct.store(out, (i, 0), best)


@ct.kernel
def scanned_forwards(x, o, T: Int):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.store(o, (ct.bid(0),), ct.cumsum(t, axis=0))


@ct.kernel
def through_a_padded_view(x, o, T: Int):
    v = x.tiled_view((1, T), padding_mode=ZERO)
    ct.store(o, (ct.bid(0), 0), ct.sum(v.load((ct.bid(0), 0)), axis=1, keepdims=True))


@ct.kernel
def transposed_copy(x, o, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(o, (j, i), ct.transpose(ct.load(x, (i, j), (T, U))))


@ct.kernel
def printed(x, o, T: Int):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.printf("%f", t)
    ct.store(o, (ct.bid(0),), t)


@ct.kernel
def a_mask_that_decides(x, o, T: Int):
    # where the first mask is false the second does not matter
    i = ct.bid(0)
    lanes = i * T + ct.arange(T, dtype=ct.int32)
    t = ct.load(x, (i,), (T,))
    m = (lanes < x.shape[0]) & (t > 0)
    ct.store(o, (i, 0), ct.sum(ct.where(m, t, 0.0), axis=0, keepdims=True)[None, :])


def launch_whole(stream, x, o):
    ct.launch(stream, (x.shape[0],), discharged, (x, o, x.shape[1]))


@ct.kernel
def discharged(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    ct.store(o, (ct.bid(0), 0), ct.sum(t, axis=1, keepdims=True))


@ct.kernel
def infinity_of_a_type_that_has_it(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)
    ct.store(o, (ct.bid(0), 0), ct.max(t.astype(ct.float32), axis=1, keepdims=True))


def launch_large_floats(stream, rows, columns):
    import torch

    x = torch.zeros((rows, columns), dtype=torch.float8_e5m2)
    o = torch.zeros((rows, 1), dtype=torch.float32)
    ct.launch(stream, (rows,), infinity_of_a_type_that_has_it, (x, o, 128))
    ct.launch(stream, (rows,), infinity_of_a_type_that_has_it, (x.to(torch.int32).float(), o, 128))


@ct.kernel
def decode_with_values_padded(Q, K, V, out, S: Int, tn: Int, td: Int):
    i = ct.bid(0)
    q = ct.load(Q, (i, 0), (1, td), padding_mode=ZERO)
    best = ct.full((1, 1), -1.0e30, ct.float32)
    acc = ct.zeros((1, td), ct.float32)
    for j in range(ct.cdiv(S, tn)):
        k = ct.load(K, (j, 0), (tn, td), padding_mode=ZERO)
        s = ct.mma(q, ct.transpose(k), ct.zeros((1, tn), ct.float32))
        s = ct.where((j * tn + ct.arange(tn, dtype=ct.int32) < S)[None, :], s, -1.0e6)
        new = ct.maximum(best, ct.max(s, axis=1, keepdims=True))
        p = ct.exp(s - new)
        v = ct.load(V, (j, 0), (tn, td), padding_mode=ZERO)
        acc = ct.mma(p, v, acc * ct.exp(best - new))
        best = new
    ct.store(out, (i, 0), acc)


@ct.kernel
def split_reduce_padded(parts, weights, out, SPLITS_UP: Int, td: Int):
    i = ct.bid(0)
    w = ct.gather(weights, (i, ct.arange(SPLITS_UP, dtype=ct.int32)), padding_value=0.0)
    t = ct.reshape(ct.load(parts, (i, 0, 0), (1, SPLITS_UP, td), padding_mode=ZERO), (SPLITS_UP, td))
    ct.store(out, (i, 0), ct.mma(w[None, :], t, ct.zeros((1, td), ct.float32)))


def launch_flagged(stream, x, o):
    T = 128
    even = x.shape[1] % T == 0
    ct.launch(stream, (x.shape[0],), masked_where_it_must_be, (x, o, x.shape[1], even, T))


@ct.kernel
def masked_where_it_must_be(x, o, n: Int, EVEN: ct.Constant[bool], T: Int):
    # the launch says when there is no tail
    i = ct.bid(0)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(ct.cdiv(n, T)):
        t = ct.load(x, (i, k), (1, T))
        if not EVEN:
            t = ct.where((k * T + ct.arange(T, dtype=ct.int32) < n)[None, :], t, 0.0)
        s = s + ct.sum(t, axis=1, keepdims=True)
    ct.store(o, (i, 0), s)


@ct.kernel
def copied_from_a_slice(x, o, n: int, T: Int):
    s = x.slice(0, 0, n)
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,)))


def launch_of_two_arrays(stream, x, y, o):
    n, T = x.shape[1], 128
    ct.launch(stream, (x.shape[0],), masked_unless_all_are_whole, (x, y, o, n, n % T == 0, T))


@ct.kernel
def masked_unless_all_are_whole(x, y, o, n: Int, EVEN: ct.Constant[bool], T: Int):
    # of the second array nothing is used beyond the end of the first
    i = ct.bid(0)
    s = ct.zeros((1, 1), ct.float32)
    for k in range(0, n, T):
        t = ct.load(x, (i, k // T), (1, T)) + ct.load(y, (i, k // T), (1, T))
        if not EVEN:
            t = ct.where((k + ct.arange(T, dtype=ct.int32) < n)[None, :], t, 0.0)
        s = s + ct.sum(t, axis=1, keepdims=True)
    ct.store(o, (i, 0), s)
