"""Kernels of ordinary kinds, each with a fault at the end of an array. They compile without a warning."""
import cuda.tile as ct

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@requires("D <= Q.shape[1]", "D <= K.shape[1]")
@ct.kernel
def attention_decode(Q, K, V, out, D: Int, N: Int):
    # the scores past the end are replaced, but zero times an undefined value is undefined
    h = ct.bid(0)
    q = ct.reshape(ct.load(Q, (h, 0), (1, D)), (D, 1))
    acc = ct.zeros((D, 1), ct.float32)
    for k in range(ct.num_tiles(K, 0, (N, D))):
        s = ct.mma(ct.load(K, (k, 0), (N, D)), q, ct.zeros((N, 1), ct.float32))
        inside = (k * N + ct.arange(N, dtype=ct.int32))[:, None] < K.shape[0]
        p = ct.where(inside, ct.exp(s), 0.0)
        values = ct.load(V, (k, 0), (N, D))
        acc = acc + ct.mma(ct.transpose(values), p, ct.zeros((D, 1), ct.float32))  # expect: TC301
    ct.store(out, (h, 0), ct.reshape(acc, (1, D)))


@ct.kernel
def layer_norm(x, y, T: Int):
    row, n = ct.bid(0), x.shape[1]
    t = ct.load(x, (row, 0), (1, T))
    mean = ct.sum(t, axis=1, keepdims=True) / n  # expect: TC301
    ct.store(y, (row, 0), t - mean)


@ct.kernel
def split_k_reduce(parts, lse, out, SPLITS: Int, D: Int):
    # the weights past the end are zero, what they are multiplied by is not defined
    h, j = ct.bid(0), ct.bid(1)
    t = ct.reshape(ct.load(parts, (h, 0, j), (1, SPLITS, D)), (SPLITS, D))
    scores = ct.gather(lse, (h, ct.arange(SPLITS, dtype=ct.int32)), padding_value=-1e30)
    w = ct.exp(scores - ct.max(scores))
    total = ct.sum(t * w[:, None], axis=0) / ct.sum(w)  # expect: TC301
    ct.store(out, (h, j), total[None, :])


@ct.kernel
def matmul_one_operand(A, B, C, TM: Int, TN: Int, TK: Int):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.zeros((TM, TN), ct.float32)
    for k in range(ct.num_tiles(A, 1, (TM, TK))):
        a = ct.load(A, (i, k), (TM, TK), padding_mode=ZERO)
        b = ct.load(B, (k, j), (TK, TN))
        acc = ct.mma(a, b, acc)  # expect: TC301
    ct.store(C, (i, j), acc)


@ct.kernel
def online_softmax(x, y, T: Int):
    row = ct.bid(0)
    top = ct.full((1, 1), -1e30, ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        t = ct.load(x, (row, k), (1, T))
        top = ct.maximum(top, ct.max(t, axis=1, keepdims=True))  # expect: TC301
    ct.store(y, (row, 0), top)


@ct.kernel
def running_sum_from_the_end(x, y, T: Int):
    i = ct.bid(0)
    ct.store(y, (i, 0), ct.cumsum(ct.load(x, (i, 0), (1, T)), axis=1, reverse=True))  # expect: TC301


@ct.kernel
def row_argmax(x, y, T: Int):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T))
    ct.store(y, (row,), ct.argmax(t, axis=1))  # expect: TC301


@ct.kernel
def zero_mask(x, y, T: Int):
    # a mask of zeros does not clean what may be NaN
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T))
    inside = ct.astype(ct.arange(T, dtype=ct.int32)[None, :] < x.shape[1], ct.float32)
    ct.store(y, (row,), ct.sum(t * inside, axis=1))  # expect: TC301


@ct.kernel
def mask_one_too_wide(x, y, T: Int):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T))
    t = ct.where(ct.arange(T, dtype=ct.int32)[None, :] <= x.shape[1], t, 0.0)
    ct.store(y, (row,), ct.sum(t, axis=1))  # expect: TC301


@ct.kernel
def histogram_of_a_tile(keys, counts, T: Int):
    k = ct.load(keys, (ct.bid(0),), (T,))
    ct.atomic_add(counts, k, 1)  # expect: TC301


@ct.kernel
def decides_by_padding(x, y, T: Int):
    row = ct.bid(0)
    t = ct.load(x, (row, 0), (1, T))
    if ct.max(t) > 0:  # expect: TC301
        ct.scatter(y, row, 1.0)


@ct.kernel
def row_loop_too_long(x, y, T: Int):
    row = ct.bid(0)
    total = ct.zeros((1, T), ct.float32)
    for k in range(ct.cdiv(x.shape[1], T) + 1):
        total = total + ct.load(x, (row, k), (1, T), padding_mode=ZERO)  # expect: TC201
    ct.store(y, (row,), ct.sum(total, axis=1))


@ct.kernel
def last_tile_and_one(x, y, T: Int):
    # the last tile is number `count - 1`
    count = ct.num_tiles(x, 0, (T,))
    t = ct.load(x, (count,), (T,), padding_mode=ZERO)  # expect: TC201
    ct.store(y, (ct.bid(0),), t)


@ct.kernel
def left_neighbour(x, y, T: Int):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i - 1,), (T,), padding_mode=ZERO))  # expect: TC201


@ct.kernel
def pairs_of_neighbours(x, y, T: Int):
    # the last tile has no neighbour
    row = ct.bid(0)
    total = ct.zeros((1, T), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        here = ct.load(x, (row, k), (1, T), padding_mode=ZERO)
        total = total + here * ct.load(x, (row, k + 1), (1, T), padding_mode=ZERO)  # expect: TC201
    ct.store(y, (row,), ct.sum(total, axis=1))


@ct.kernel
def unchecked_walk(x, y, T: Int):
    row = ct.bid(0)
    total = ct.zeros((T,), ct.float32)
    for k in range(ct.cdiv(x.shape[1], T) + 1):
        total = total + ct.gather(x, (row, k * T + ct.arange(T, dtype=ct.int32)), check_bounds=False)  # expect: TC202
    ct.scatter(y, row, ct.sum(total))


@ct.kernel
def unchecked_table(ids, x, y, T: Int):
    row = ct.gather(ids, ct.bid(0)).item()
    cols = ct.arange(T, dtype=ct.int32)
    t = ct.gather(x, (row, cols), mask=cols < x.shape[1], check_bounds=False)  # expect: TC202
    ct.scatter(y, (ct.bid(0), cols), t)


@ct.kernel
def shares_that_run_over(x, y, T: Int):
    s = ct.bid(0)
    size = ct.cdiv(ct.num_tiles(x, 0, (T,)), ct.num_blocks(0))
    total = ct.zeros((T,), ct.float32)
    for j in range(size):
        total = total + ct.load(x, (s * size + j,), (T,), padding_mode=ZERO)  # expect: TC201
    ct.store(y, (s, 0), ct.reshape(total, (1, T)))
