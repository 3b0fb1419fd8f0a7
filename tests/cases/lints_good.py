# ruff: noqa: F841
"""Right kernels and launches that look like what the lint rules find. None may get any finding."""
import cuda.tile as ct
import torch

from tilecheck import requires

Int = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# --- index space -----------------------------------------------------------------------------------------------------

@ct.kernel
def heads_times_group(x, o, G: Int, T: Int):
    # h * G is a tile index: the tile has one head
    h, g = ct.bid(0), ct.bid(1)
    ct.store(o, (h, g, 0), ct.load(x, (h * G, 0), (1, T)).reshape((1, 1, T)))


@ct.kernel
def even_and_odd_pairs(a, c):
    i = ct.bid(0)
    ct.store(c, (2 * i,), ct.load(a, (2 * i,), (2,)))
    ct.store(c, (2 * i + 1,), ct.load(a, (2 * i + 1,), (2,)))


@ct.kernel
def even_and_swapped_odd_pairs(a, c):
    i = ct.bid(0)
    t = ct.load(a, (i,), (2,))
    ct.store(c, (2 * i,), t)
    ct.store(c, (2 * (i + 1 - 2 * (i % 2)) + 1,), t)


@ct.kernel
def offset_of_a_gather(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), ct.gather(x, i * T + ct.arange(T, dtype=ct.int32)))


@ct.kernel
def tiles_of_another_extent(x, o, T: Int, U: Int):
    # U tiles of T elements to each block
    i = ct.bid(0)
    for j in range(U):
        ct.store(o, (i * U + j,), ct.load(x, (i * U + j,), (T,)))


@ct.kernel
def parts_in_their_own_units(x, o):
    i = ct.bid(0)
    t = ct.load(x, (i, 0), (16, 64))
    acc = ct.zeros((16, 16), ct.float32)
    for k in range(4):
        acc = acc + ct.extract(t, (0, k), (16, 16))
    ct.store(o, (i, 0), acc + ct.extract(t, (0, 2), (16, 16)))


@ct.kernel
def small_parts_far_out(x, o):
    # 16 parts of 4: part 4 is inside
    t = ct.load(x, (ct.bid(0), 0), (16, 64))
    ct.store(o, (ct.bid(0), 0), ct.extract(t, (0, 4), (16, 4)))


@ct.kernel
def view_with_steps(x, o, T: Int):
    v = x.tiled_view((2 * T,), traversal_steps=(T,), padding_mode=ZERO)
    ct.store(o, (ct.bid(0),), ct.sum(v.load((ct.bid(0),)), axis=0, keepdims=True))


@ct.kernel
def sliding_window(x, o, W: Int):
    i = ct.bid(0)
    ct.store(o, (i,), ct.sum(ct.gather(x, i + ct.arange(W, dtype=ct.int32)), axis=0, keepdims=True))


@ct.kernel
def difference_with_the_next(x, o, T: Int):
    i = ct.bid(0)
    lanes = ct.arange(T, dtype=ct.int32)
    ct.store(o, (i,), ct.gather(x, i + lanes) - ct.gather(x, i + 1 + lanes))


@ct.kernel
def columns_of_a_tile(x, ids, o, T: Int):
    i, j = ct.bid(0), ct.bid(1)
    rows = ct.load(ids, (i,), (16,), padding_mode=ct.PaddingMode.ZERO)
    t = ct.load_advanced_indexing(x, (rows, ct.Slice(j * T, T)), padding_mode=ZERO)
    ct.store(o, (i, j), t)


@ct.kernel
def every_tile_th_tile(x, o, T: Int):
    # the index is inside the tile space by the bound of the loop
    for i in range(ct.bid(0) * T, ct.num_tiles(x, 0, (T,)), ct.num_blocks(0) * T):
        ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def tiles_of_one_element(a, c, T: Int):
    i = ct.bid(0) * T
    ct.store(c, (i,), ct.load(a, (i,), (T,)))


def launch_tiles_of_one(stream, a, c):
    ct.launch(stream, (a.shape[0],), tiles_of_one_element, (a, c, 1))


@ct.kernel
def every_fourth_tile(x, o, T: Int):
    i = ct.bid(0) * T
    ct.store(o, (ct.bid(0),), ct.load(x, (i,), (T,)))


def launch_every_fourth(stream):
    # block 3 loads tile 12 of 16
    x, o = torch.zeros((64,), device="cuda"), torch.zeros((16,), device="cuda")
    ct.launch(stream, (4,), every_fourth_tile, (x, o, 4))


@ct.kernel
def offset_divided_again(a, c, T: Int):
    start = ct.bid(0) * T
    ct.store(c, (start // T,), ct.load(a, (start // T,), (T,)))


# --- slices ----------------------------------------------------------------------------------------------------------

@ct.kernel
def ragged_rows(x, indptr, o, T: Int):
    # data-dependent: nothing is known of it, and nothing said
    i = ct.bid(0)
    first = ct.load(indptr, (i,), (1,)).item()
    last = ct.load(indptr, (i + 1,), (1,)).item()
    rows = x.slice(0, first, last)
    ct.store(o, (i, 0), ct.load(rows, (0, 0), (1, T), padding_mode=ZERO))


@ct.kernel
def halves(x, o, T: Int):
    half = x.shape[0] // 2
    low, high = x.slice(0, 0, half), x.slice(0, half, 2 * half)
    i = ct.bid(0)
    ct.store(o, (i,), ct.load(low, (i,), (T,)) + ct.load(high, (i,), (T,)))


@ct.kernel
def slice_to_a_length(x, o, n: int, T: Int):
    s = x.slice(0, 0, n)
    ct.store(o, (ct.bid(0),), ct.load(s, (ct.bid(0),), (T,)))


@ct.kernel
def slice_after_the_first_block(x, o, T: Int):
    i = ct.bid(0)
    if i > 0:
        s = x.slice(0, i * T - 1, i * T + T)
        ct.store(o, (i,), ct.load(s, (0,), (T,)))


@ct.kernel
def slice_clamped(x, o, T: Int):
    i = ct.bid(0)
    s = x.slice(0, max(i * T - 1, 0), min(i * T + T, x.shape[0]))
    ct.store(o, (i,), ct.load(s, (0,), (T,), padding_mode=ZERO))


# --- narrowed indices ------------------------------------------------------------------------------------------------

@ct.kernel
def lanes_in_16_bits(x, o, T: Int):
    offs = ct.arange(T, dtype=ct.int16)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, (ct.bid(0), offs)).reshape((1, T)))


@ct.kernel
def bytes_as_data(x, o, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, offs.astype(ct.int8))


@ct.kernel
def remainder_in_8_bits(x, o, T: Int):
    part = (ct.bid(0) % 16).astype(ct.int8)
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, part * 4 + ct.arange(T, dtype=ct.int32)))


@ct.kernel
def ordinary_flattened_index(x, o, N: int, T: Int):
    offs = ct.bid(0) * N + ct.arange(T, dtype=ct.int32)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, offs).reshape((1, T)))


def launch_ordinary(stream, x, o):
    ct.launch(stream, (1 << 16,), ordinary_flattened_index, (x, o, 4096, 128))


@ct.kernel
@requires("N <= 2**40", "T <= N")
def declared_and_wide(x: ct.IndexedWithInt64, o, N: ct.ScalarInt64, T: Int):
    i = ct.bid(0).astype(ct.int64)
    ct.store(o, (ct.bid(0), 0), ct.gather(x, i * N + ct.arange(T, dtype=ct.int64)).reshape((1, T)))


@ct.kernel
def indices_from_a_table(x, ids, o, T: Int):
    row = ct.load(ids, (ct.bid(0),), (1,)).astype(ct.int32).item()
    ct.store(o, (ct.bid(0), 0), ct.load(x, (row, 0), (1, T)))


# --- masks and results -----------------------------------------------------------------------------------------------

@ct.kernel
def mask_of_one_variant(x, o, n: int, EVEN: Int, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    mask = offs < n
    if EVEN:
        ct.scatter(o, offs, ct.gather(x, offs))
    else:
        ct.scatter(o, offs, ct.gather(x, offs, mask=mask), mask=mask)


@ct.kernel
def throwaway(x, o, T: Int):
    i = ct.bid(0)
    _warm = ct.load(x, (i + 1,), (T,), padding_mode=ZERO)
    _, keep = ct.load(x, (i,), (T,)), ct.load(x, (i,), (T,))
    ct.store(o, (i,), keep)


@ct.kernel
def ticket_in_a_variable(count, o, T: Int):
    # the atomic is what the assignment is for
    i = ct.bid(0)
    before = ct.atomic_add(count, (0,), 1)
    ct.store(o, (i,), ct.zeros((T,), ct.float32))


@ct.kernel
def waits_for_a_flag(flag, o, T: Int):
    i = ct.bid(0)
    seen = ct.load(flag, (0,), (1,), memory_order=ct.MemoryOrder.ACQUIRE, memory_scope=ct.MemoryScope.DEVICE)
    ct.store(o, (i,), ct.zeros((T,), ct.float32))


def stored_in_passing(o, i, t):
    ct.store(o, (i,), t)
    return t


@ct.kernel
def helper_has_an_effect(x, o, T: Int):
    i = ct.bid(0)
    kept = stored_in_passing(o, i, ct.load(x, (i,), (T,)))


@ct.kernel
def decides_a_branch(x, o, T: Int):
    i = ct.bid(0)
    first = ct.load(x, (i,), (1,)).item()
    if first > 0:
        ct.store(o, (i,), ct.zeros((T,), ct.float32))


@ct.kernel
def carried_and_swapped(x, o, n: int, T: Int):
    i = ct.bid(0)
    a = ct.zeros((T,), ct.float32)
    b = ct.load(x, (i,), (T,))
    for _ in range(n):
        a, b = b, a + b
    ct.store(o, (i,), a)


@ct.kernel
def used_by_a_nested_function(x, o, T: Int):
    i = ct.bid(0)
    shift = ct.load(x, (i,), (T,))

    def shifted(t):
        return t + shift

    ct.store(o, (i,), shifted(ct.ones((T,), ct.float32)))


@ct.kernel
def printed(x, o, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,)) * 2
    ct.printf("%f", t)
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def extents_unpacked(x, o, T: Int):
    rows, cols = x.shape[0], x.shape[1]
    blocks = ct.num_blocks(0)
    last = ct.bid(0) == blocks - 1
    ct.store(o, (ct.bid(0), 0), ct.load(x, (ct.bid(0), 0), (1, T)))


# --- remainders ------------------------------------------------------------------------------------------------------

@ct.kernel
def rounds_up(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range((K + tk - 1) // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def rounds_up_by_a_literal(A, c, K: int, tm: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range((K + 63) // 64):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, 64), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
@requires("K % tk == 0")
def declared_to_divide(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def asserted_to_divide(A, c, K: Int, tm: Int, tk: Int):
    ct.static_assert(K % tk == 0)
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def tail_after_the_loop(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    if K % tk != 0:
        acc = acc + ct.sum(ct.load(A, (i, K // tk), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def literals_that_divide(A, c, tm: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(256 // 64):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, 64), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def masked_at_the_end(A, c, K: int, tm: Int, tk: Int):
    # whole tiles first, and the rest under a mask
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(1, K // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    for k in range(K // tk, ct.cdiv(K, tk)):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


@ct.kernel
def groups_of_heads(x, o, H: int, G: Int, T: Int):
    # H // G is a number of heads and walks tiles of one head
    i = ct.bid(0)
    for h in range(H // G):
        ct.store(o, (i, h, 0), ct.load(x, (i, h, 0), (1, 1, T)))


@ct.kernel
def launched_to_divide(A, c, K: int, tm: Int, tk: Int):
    i = ct.bid(0)
    acc = ct.zeros((tm, 1), ct.float32)
    for k in range(K // tk):
        acc = acc + ct.sum(ct.load(A, (i, k), (tm, tk), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(c, (i, 0), acc)


def launch_to_divide(stream, A, c):
    if A.shape[1] % 64 != 0:
        raise ValueError("the second extent must be a multiple of 64")
    ct.launch(stream, (ct.cdiv(A.shape[0], 32),), launched_to_divide, (A, c, A.shape[1], 32, 64))


# --- launches --------------------------------------------------------------------------------------------------------

@ct.kernel
def scale(x, o, n: int, T: Int):
    i = ct.bid(0)
    offs = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(x, offs) * 2, mask=offs < n)


@ct.kernel
def biased(x, bias, o, BIAS: Int, T: Int):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    if BIAS:
        t = t + ct.load(bias, (i,), (T,))
    ct.store(o, (i,), t)


def launch_right(stream, x, bias, factor, more):
    o = torch.empty_like(x)
    n = x.shape[0]
    grid = [ct.cdiv(n, 128), 1, 1]
    arguments = [x, o, n, 128]
    ct.launch(stream, tuple(grid), scale, tuple(arguments))
    ct.launch(stream, (int(n / 128 + 1),), scale, (x, o, n * 1, 128))
    ct.launch(stream, (n // 128, 1), scale, (x, o, *more))
    ct.launch(stream, (ct.cdiv(n, 128),), scale, (x, o * factor, n, factor))
    if bias is None:
        ct.launch(stream, (ct.cdiv(n, 128),), biased, (x, 0, o, 0, 128))
    else:
        ct.launch(stream, (ct.cdiv(n, 128),), biased, (x, bias, o, 1, 128))


@ct.kernel
def scale_in_place(o, n: int, T: Int):
    offs = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(o, offs, ct.gather(o, offs) * 2, mask=offs < n)


CACHE = {}


def launch_tuned(stream, x, o, configs):
    # which of the two kernels it is goes with the branch in a way that is not followed
    n = x.shape[0]
    key = (n, x.dtype)
    if key not in CACHE:
        CACHE[key] = scale if x.dtype == torch.float32 else scale_in_place
    if x.dtype == torch.float32:
        ct.launch(stream, (ct.cdiv(n, 64),), CACHE[key], (x, o, n, 64))
    else:
        ct.launch(stream, (ct.cdiv(n, 64),), CACHE[key], (o, n, 64))
    ct.tune.exhaustive_search(
        configs, stream, lambda cfg: (ct.cdiv(n, cfg.T), 1, 1), scale, lambda cfg: (x, o, n, cfg.T), lambda cfg: {})


# --- dependent launches ----------------------------------------------------------------------------------------------

@ct.kernel
def waits_first(x, o, T: Int):
    i = ct.bid(0)
    ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))
    ct.grid_dependency_control_launch_dependents()


@ct.kernel
def waits_on_both_paths(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
    else:
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def waits_where_it_reads(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
        ct.store(o, (i,), ct.load(x, (i,), (T,)))


@ct.kernel
def never_launched_so(x, o, T: Int):
    ct.store(o, (ct.bid(0),), ct.load(x, (ct.bid(0),), (T,)))


def launch_dependent(stream, x, o):
    grid = (ct.cdiv(x.shape[0], 128),)
    ct.launch(stream, grid, waits_first, (x, o, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, waits_on_both_paths, (x, o, 1, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, waits_where_it_reads, (x, o, 1, 128), programmatic_dependent_launch=True)
    ct.launch(stream, grid, never_launched_so, (x, o, 128), programmatic_dependent_launch=False)


@ct.kernel
def waits_in_this_variant(x, o, first: Int, T: Int):
    i = ct.bid(0)
    if first == 0:
        ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)))


def launch_waiting(stream, x, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), waits_in_this_variant, (x, o, 0, 128),
              programmatic_dependent_launch=True)


@ct.kernel
def lower_tiles(q, k, o, BM: Int, BN: Int):
    # the tiles below the diagonal; what is on it is done with the block's own tile
    i = ct.bid(0)
    acc = ct.load(k, (i,), (BN,))
    for j in range(i * BM // BN):
        acc = acc + ct.load(k, (j,), (BN,))
    ct.store(o, (i,), acc)


@ct.kernel
def counter_in_8_bits(x, o, T: Int):
    for k in range(16):
        part = k.astype(ct.int8) * 2
        t = ct.gather(x, (ct.bid(0), part + ct.arange(T, dtype=ct.int32)))
        ct.store(o, (ct.bid(0), k, 0), t.reshape((1, 1, T)))


@ct.kernel
def reads_weights_ahead(x, w, o, T: Int):
    i = ct.bid(0)
    scale = ct.load(w, (i,), (T,))
    ct.grid_dependency_control_wait()
    ct.store(o, (i,), ct.load(x, (i,), (T,)) * scale)


def launch_ahead(stream, x, w, o):
    ct.launch(stream, (ct.cdiv(x.shape[0], 128),), reads_weights_ahead, (x, w, o, 128),
              programmatic_dependent_launch=True)


@ct.kernel
def channels_of_tiles(x, o, C: Int, S: Int, T: Int):
    i = ct.bid(0)
    total = ct.zeros((1, 1), ct.float32)
    for k in range(C * S // T):
        total = total + ct.sum(ct.load(x, (i, k), (1, T), padding_mode=ZERO), axis=1, keepdims=True)
    ct.store(o, (i, 0), total)


def launch_channels(stream, x, o):
    n, channels, height, width = x.shape
    assert (height * width) % 256 == 0
    ct.launch(stream, (n,), channels_of_tiles, (x.view(n, -1), o, channels, height * width, 256))
