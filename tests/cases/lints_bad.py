# ruff: noqa: F841
"""Kernels and launches with the faults that the lint rules find; the launches stand beside their kernels."""
import cuda.tile as ct
import torch

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# --- index space -----------------------------------------------------------------------------------------------------

@ct.kernel
def store_at_element_offset(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i * T,), ct.load(a, (i,), (T,)))  # expect: TC203


@ct.kernel
def loop_steps_by_the_tile(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(0, K, tk):
        t = ct.load(A, (i, k), (tm, tk), padding_mode=ZERO)  # expect: TC203
        acc = acc + ct.sum(t, axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def constant_tile(a, c):
    i = ct.bid(0)
    t = ct.load(a, (i * 128, 0), (128, 1))  # expect: TC203
    ct.store(c, (i, 0), t)


@ct.kernel
def view_by_elements(a, c, T: Int):
    v = a.tiled_view((T,))
    t = v.load((ct.bid(0) * T,))  # expect: TC203
    ct.store(c, (ct.bid(0),), t)


@ct.kernel
def second_axis_by_elements(x, y, T: Int, U: Int):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, (i, j * U), (T, U))  # expect: TC203
    ct.store(y, (i, j), t)


@ct.kernel
def extract_by_elements(x, y):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (16, 64))
    acc = ct.zeros((16, 16), ct.float32)
    for k in range(4):
        acc = acc + ct.extract(t, (0, k * 16), (16, 16))  # expect: TC203
    ct.store(y, (i, 0), acc)


@ct.kernel
def gather_from_tile_index(x, y, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i + ct.arange(T, dtype=ct.int32))  # expect: TC203
    ct.store(y, (i,), t)


def offset_of(T):
    return ct.bid(0) * T


@ct.kernel
def offset_from_a_helper(a, c, T: Int):
    t = ct.load(a, (offset_of(T),), (T,))  # expect: TC203
    ct.store(c, (ct.bid(0),), t)


# --- slices ----------------------------------------------------------------------------------------------------------

@ct.kernel
def slice_from_before(x, o, T: Int):
    i = ct.bid(0)
    s = x.slice(0, i * T - 1, i * T + T)  # expect: TC204
    ct.store(o, (i,), ct.load(s, (0,), (T,)))


@ct.kernel
def slice_backwards(x, o, T: Int):
    s = x.slice(0, x.shape[0], 0)  # expect: TC204
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,), padding_mode=ZERO))


@ct.kernel
def slice_negative_like_python(x, o, T: Int):
    s = x.slice(0, -T, x.shape[0])  # expect: TC204
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,), padding_mode=ZERO))


@ct.kernel
def slice_of_a_slice(x, o, n: int, T: Int):
    s = x.slice(0, 0, n)
    t = s.slice(0, 0, n + T)  # expect: TC204
    ct.store(o, (ct.bid(0),), ct.load(t, (ct.bid(0),), (T,), padding_mode=ZERO))


# --- narrowed indices ------------------------------------------------------------------------------------------------

@ct.kernel
def index_in_16_bits(x, o, T: Int):
    offs = (ct.bid(0) * T + ct.arange(T, dtype=ct.int32)).astype(ct.int16)  # expect: TC207
    ct.store(o, (ct.bid(0),), ct.gather(x, offs))


@ct.kernel
def lanes_in_8_bits(x, o):
    offs = ct.arange(256, dtype=ct.int8)  # expect: TC207
    ct.store(o, (ct.bid(0), 0), ct.gather(x, (ct.bid(0), offs)).reshape((1, 256)))


@ct.kernel
def wide_product_narrowed(x, o, S: int, T: Int):
    row = ct.astype(ct.bid(0), ct.int64)
    offs = ct.astype(row * S + ct.arange(T, dtype=ct.int64), ct.int32)  # expect: TC207
    ct.store(o, (ct.bid(0), 0), ct.gather(x, offs).reshape((1, T)))


@ct.kernel
@requires("M * N <= 2**40", "N <= 2**35", "T <= N")
def declared_beyond_32_bits(x, o, M: int, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))  # expect: TC207
    ct.store(o, (i, 0), t.reshape((1, T)))


@ct.kernel
def launched_beyond_32_bits(x, o, N: int, T: Int):
    i = ct.bid(0)
    t = ct.gather(x, i * N + ct.arange(T, dtype=ct.int32))  # expect: TC207
    ct.store(o, (i, 0), t.reshape((1, T)))


def launch_beyond_32_bits(stream, x, o):
    ct.launch(stream, (1 << 16,), launched_beyond_32_bits, (x, o, 1 << 17, 128))


@ct.kernel
def lanes_launched_too_wide(x, o, T: Int):
    offs = ct.arange(T, dtype=ct.int8)  # expect: TC207
    ct.store(o, (ct.bid(0), 0), ct.gather(x, (ct.bid(0), offs)).reshape((1, T)))


def launch_lanes_too_wide(stream, x, o):
    ct.launch(stream, (x.shape[0],), lanes_launched_too_wide, (x, o, 512))


# --- masks and results -----------------------------------------------------------------------------------------------

@ct.kernel
def combined_mask_forgotten(x, o, M: int, N: int, T: Int):
    rows = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    cols = ct.bid(1) * T + ct.arange(T, dtype=ct.int32)
    mask = (rows < M)[:, None] & (cols < N)[None, :]  # expect: TC302
    ct.scatter(o, (rows[:, None], cols[None, :]), ct.gather(x, (rows[:, None], cols[None, :])))


@ct.kernel
def accumulator_goes_nowhere(x, o, T: Int):
    i = ct.bid(0)
    total = ct.zeros((1, 1), ct.float32)
    t = ct.zeros((1, T), ct.float32)
    for k in range(ct.num_tiles(x, 1, (1, T))):
        t = ct.load(x, (i, k), (1, T), padding_mode=ZERO)
        total += ct.sum(t, axis=1, keepdims=True)  # expect: TC304
        ct.store(o, (i, k), t)


@ct.kernel
def chain_goes_nowhere(x, w, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    scale = ct.load(w, (i,), (T,))
    scaled = t * scale  # expect: TC304
    ct.store(o, (i,), t)


@ct.kernel
def scalar_loaded_in_vain(x, n, o, T: Int):
    i = ct.bid(0)
    count = ct.load(n, (i,), (1,)).item()  # expect: TC304
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


def scaled_by_mean(t):
    mean = ct.sum(t, axis=0, keepdims=True) / 4.0  # expect: TC304
    return t * 2.0


@ct.kernel
def helper_computes_in_vain(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))


@ct.kernel
def helper_called_again(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), scaled_by_mean(ct.load(x, (i,), (T,), padding_mode=ZERO)))


# --- remainders ------------------------------------------------------------------------------------------------------

@ct.kernel
def remainder_by_a_local(A, c, tm: Int, tk: Int):
    i = ct.bid(0)
    steps = A.shape[1] // tk
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):  # expect: TC305
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def remainder_of_a_gather(x, o, n: int, T: Int):
    i = ct.bid(0)
    for k in range(n // T):  # expect: TC305
        cols = k * T + ct.arange(T, dtype=ct.int32)
        ct.scatter(o, (i, cols), ct.gather(x, (i, cols)) * 2)


@ct.kernel
def remainder_of_a_variant(A, c, K: int, FIRST: Int, tm: Int, tk: Int):
    i = ct.bid(0)
    steps = ct.cdiv(K, tk)
    if FIRST:
        steps = min(K // tk, 8)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(1, steps):  # expect: TC305
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def steps_from_the_host(A, c, steps: int, tm: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(steps):  # expect: TC305
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, 64), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


def launch_steps(stream, A, c):
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), steps_from_the_host, (A, c, A.shape[1] // 64, 32))


@ct.kernel
def one_launch_divides(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):  # expect: TC305
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


def launch_divided(stream, A, c):
    assert A.shape[1] % 64 == 0
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), one_launch_divides, (A, c, A.shape[1], 32, 64))


def launch_undivided(stream, A, c):
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), one_launch_divides, (A, c, A.shape[1], 32, 64))


# --- launches --------------------------------------------------------------------------------------------------------

@ct.kernel
def scale(x, o, n: int, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, offs) * 2, mask=offs < n)


@ct.kernel
def scale_all(xs, n: int, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    for k in range(len(xs)):
        ct.scatter(xs[k], offs, ct.gather(xs[k], offs) * 2, mask=offs < n)


def launch_wrong(stream, x, flag):
    o = torch.empty_like(x)
    n = x.shape[0]
    blocks = ct.cdiv(n, 128)
    ct.launch(stream, (blocks,), scale, (x, o, n))  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, o, n, 128, 1))  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, 3, n, 128))  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, o, n, o))  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, o, None, 128))  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, "o", n, 128))  # expect: TC408
    ct.launch(stream, (blocks,), scale, ([x], o, n, 128))  # expect: TC408
    ct.launch(stream, [blocks], scale, (x, o, n, 128))  # expect: TC408
    ct.launch(stream, (blocks, 1, 1, 1), scale, (x, o, n, 128))  # expect: TC408
    ct.launch(stream, (n / 128,), scale, (x, o, n, 128))  # expect: TC408
    ct.launch(stream, (blocks,), scale, [x, o, n, 128])  # expect: TC408
    ct.launch(stream, (blocks,), scale, (x, o, n), T=128)  # expect: TC408
    ct.launch(stream, (blocks,), scale_all, (o, n, 128))  # expect: TC408


def tune_wrong(stream, x, o, configs):
    n = x.shape[0]
    found = ct.tune.exhaustive_search(  # expect: TC408
        configs, stream, lambda cfg: (ct.cdiv(n, cfg.T), 1, 1), scale, lambda cfg: (x, o, n), lambda cfg: {})
    ct.launch(stream, (ct.cdiv(n, 64),), scale, (x, o, 64))  # expect: TC408
    return found


# --- dependent launches ----------------------------------------------------------------------------------------------

@ct.kernel
def never_waits(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))  # expect: TC111
    ct.store(o, (i,), t)


@ct.kernel
def waits_too_late(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))  # expect: TC111
    ct.grid_dependency_control_wait()
    ct.store(o, (i,), t)


@ct.kernel
def waits_on_one_path(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))  # expect: TC111


@ct.kernel
def reads_before_and_after(x, w, o, T: Int):
    i = ct.bid(0)
    first = ct.load(x, (0,), (T,))  # expect: TC111
    ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)) * ct.load(w, (i,), (T,)) + first)


@ct.kernel
def writes_before(x, o, flags, T: Int):
    i = ct.bid(0)
    ct.store(flags, (i,), ct.zeros((1,), ct.int32))  # expect: TC111
    ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def waits_in_a_loop(x, o, n: int, T: Int):
    i = ct.bid(0)
    for _ in range(n):
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))  # expect: TC111


def launch_dependent(stream, x, o):
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(stream, grid, never_waits, (x, o, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, waits_too_late, (x, o, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, waits_on_one_path, (x, o, 1, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, reads_before_and_after, (x, x.clone(), o, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, writes_before, (x, o, o.clone(), 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, waits_in_a_loop, (x, o, 4, 128), programmatic_dependent_launch=True)


@ct.kernel
def decoded_and_multiplied(a, c, N: Int, T: Int):
    p = ct.bid(0)
    row, col = p // N, p % N
    t = ct.load(a, (row * T, col * T), (T, T))  # expect: TC203
    ct.store(c, (row, col), t)
