"""Kernels that use lanes which a load left unspecified."""
import cuda.tile as ct

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def sum_over_the_end(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T))
    ct.store(o, (i, 0), ct.sum(t, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def zero_times_undefined(x, o, n: int, T: Int):
    # 0 * NaN is NaN: the product with a mask cleans nothing
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T))
    m = (ct.arange(T, dtype=ct.int32) < n).astype(ct.float32)
    ct.store(o, (i, 0), ct.sum(t * m[None, :], axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def added_mask(x, o, n: int, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (1, T))
    m = ct.where(ct.arange(T, dtype=ct.int32) < n, 0.0, -1.0e6)
    ct.store(o, (i, 0), ct.max(t + m[None, :], axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def probabilities_are_zero_but_values_are_not(P, V, out, n: int, tm: Int, tn: Int, td: Int):
    # the rows of V outside have weight 0, and 0 * NaN is NaN
    i = ct.bid(0)
    acc = ct.zeros((tm, td), ct.float32)
    for k in range(ct.cdiv(n, tn)):
        p = ct.load(P, (i, k), (tm, tn), padding_mode=ZERO)
        v = ct.load(V, (k, 0), (tn, td))
        acc = ct.mma(p, v, acc)  # expect: TC301
    ct.store(out, (i, 0), acc)


@ct.kernel
def prefetched(x, o, T: Int):
    # what the last iteration loaded is added after the loop
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    ahead = ct.load(x, (i, 0), (1, T), padding_mode=ZERO)
    for k in range(1, ct.num_tiles(x, 1, (1, T))):
        acc = acc + ahead
        ahead = ct.load(x, (i, k), (1, T))
    ct.store(o, (i, 0), ct.sum(acc + ahead, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def swapped(x, o, T: Int):
    i = ct.bid(0)
    a = ct.zeros((1, T), ct.float32)
    b = ct.zeros((1, T), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        a, b = b, a
        b = b + ct.load(x, (i, k), (1, T))
    ct.store(o, (i, 0), ct.sum(a, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def scanned_backwards(x, o, T: Int):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.store(o, (ct.bid(0),), ct.cumsum(t, axis=0, reverse=True))  # expect: TC301


@ct.kernel
def gathered_from_undefined(ids, x, o, T: Int):
    i = ct.bid(0)
    where = ct.load(ids, (i,), (T,))
    ct.store(o, (i,), ct.gather(x, where))  # expect: TC301


@ct.kernel
def decided_by_undefined(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    if ct.extract(t, (T - 1,), (1,)).item() > 0:  # expect: TC301
        ct.store(o, (i,), ct.full((T,), 1, ct.float32))


@ct.kernel
def reduced_by_own_function(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    s = ct.reduce(t, 1, lambda a, b: a + b, 0.0)  # expect: TC301
    ct.store(o, (ct.bid(0),), s)


@ct.kernel
def masked_beyond_the_end(x, o, n: int, T: Int):
    # the mask reaches further than the array: right only where n <= x.shape[1]
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    t = ct.where((ct.arange(T, dtype=ct.int32) < n)[None, :], t, 0.0)
    ct.store(o, (ct.bid(0), 0), ct.sum(t, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def through_a_view(x, o, T: Int):
    v = x.tiled_view((1, T), padding_mode=ct.PaddingMode.UNDETERMINED)
    ct.store(o, (ct.bid(0), 0), ct.sum(v.load((ct.bid(0), 0)), axis=1, keepdims=True))  # expect: TC301


def total(t):
    return ct.sum(ct.transpose(t), axis=0)  # the helper's line: a finding stands where the lane is used


@ct.kernel
def masked_in_one_way_only(x, o, full: ct.Constant[bool], n: int, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    if not full:
        t = ct.where((ct.arange(T, dtype=ct.int32) < x.shape[1])[None, :], t, 0.0)
    ct.store(o, (ct.bid(0), 0), ct.sum(t, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def wrong_side_of_where(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T))
    t = ct.where((ct.arange(T, dtype=ct.int32) < x.shape[1])[None, :], 0.0, t)
    ct.store(o, (ct.bid(0), 0), ct.sum(t, axis=1, keepdims=True))  # expect: TC301


@ct.kernel
def decode_with_values_unpadded(Q, K, V, out, S: Int, tn: Int, td: Int):
    # keys past the end are masked and get weight 0, and their values are not masked
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
        v = ct.load(V, (j, 0), (tn, td))
        acc = ct.mma(p, v, acc * ct.exp(best - new))  # expect: TC301
        best = new
    ct.store(out, (i, 0), acc)


@ct.kernel
def split_reduce(parts, weights, out, SPLITS: Int, SPLITS_UP: Int, td: Int):
    # SPLITS_UP is SPLITS rounded up to a power of two: the rows past SPLITS have weight 0 and any value
    i = ct.bid(0)
    w = ct.gather(weights, (i, ct.arange(SPLITS_UP, dtype=ct.int32)), padding_value=0.0)
    t = ct.reshape(ct.load(parts, (i, 0, 0), (1, SPLITS_UP, td)), (SPLITS_UP, td))
    acc = ct.mma(w[None, :], t, ct.zeros((1, td), ct.float32))  # expect: TC301
    ct.store(out, (i, 0), acc)


def launch_split_reduce(stream, parts, weights, out):

    rows, splits, _width = parts.shape
    up = 1 << (splits - 1).bit_length()
    ct.launch(stream, (rows,), split_reduce, (parts, weights, out, splits, up, 64))


@ct.kernel
def negative_infinity_of_integers(ids, x, o, T: Int):
    i = ct.bid(0)
    where = ct.load(ids, (i,), (T,), padding_mode=ct.PaddingMode.NEG_INF)  # expect: TC303
    ct.scatter(o, i * T + ct.arange(T, dtype=ct.int32), ct.gather(x, where))


@ct.kernel
def infinity_of_a_type_without(x, o, T: Int):
    t = ct.load(x, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NEG_INF)  # expect: TC303
    ct.store(o, (ct.bid(0), 0), ct.max(t.astype(ct.float32), axis=1, keepdims=True))


def launch_small_floats(stream, rows, columns):
    import torch

    x = torch.zeros((rows, columns), dtype=torch.float8_e4m3fn)
    o = torch.zeros((rows, 1), dtype=torch.float32)
    ct.launch(stream, (rows,), infinity_of_a_type_without, (x, o, 128))


@ct.kernel
def not_a_number_of_integers(counts, o, T: Int):
    t = ct.load(counts, (ct.bid(0), 0), (1, T), padding_mode=ct.PaddingMode.NAN)  # expect: TC303
    ct.store(o, (ct.bid(0), 0), ct.max(t, axis=1, keepdims=True))


def launch_counts(stream, rows, columns):
    import torch

    counts = torch.empty((rows, columns), dtype=torch.int32)
    o = torch.empty_like(counts)
    ct.launch(stream, (rows,), not_a_number_of_integers, (counts, o, 128))
