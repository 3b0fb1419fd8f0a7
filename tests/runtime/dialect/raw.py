"""Hand-written kernels with the schedules of the dialect, which compiled dialect kernels are compared with."""

from __future__ import annotations

import cuda.tile as ct

ZERO = ct.PaddingMode.ZERO


def add(z, x, y, B: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (B,), padding_mode=ZERO) + ct.load(y, (i,), (B,), padding_mode=ZERO))


def product(z, x, y, m, n, bm, bn, bk):
    acc = ct.zeros((bm, bn), ct.float32)
    for k in range(ct.num_tiles(x, 1, (bm, bk))):
        a = ct.load(x, (m, k), (bm, bk), padding_mode=ZERO)
        b = ct.load(y, (k, n), (bk, bn), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, (m, n), acc)


def gemm_single(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    product(z, x, y, ct.bid(0), ct.bid(1), BM, BN, BK)


def gemm_linear(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    tm, tn = ct.cdiv(z.shape[0], BM), ct.cdiv(z.shape[1], BN)
    for tile in range(ct.bid(0), tm * tn, ct.num_blocks(0)):
        product(z, x, y, tile // tn, tile % tn, BM, BN, BK)


def gemm_linear_range(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    tn = ct.cdiv(z.shape[1], BN)
    for tile in range(ct.bid(0) + 3, 11, ct.num_blocks(0)):
        product(z, x, y, tile // tn, tile % tn, BM, BN, BK)


def gemm_grouped(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    """The order of cuTile's own matrix product."""
    tm, tn = ct.cdiv(z.shape[0], BM), ct.cdiv(z.shape[1], BN)
    many = 8 * tn
    for tile in range(ct.bid(0), tm * tn, ct.num_blocks(0)):
        group = tile // many
        first = group * 8
        rows = min(tm - first, 8)
        product(z, x, y, first + tile % rows, tile % many // rows, BM, BN, BK)


def gemm_walk_rows(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    """A run of columns a block, each walked down its rows."""
    tm, tn = ct.cdiv(z.shape[0], BM), ct.cdiv(z.shape[1], BN)
    run = ct.cdiv(tn, ct.num_blocks(0))
    first = ct.bid(0) * run
    for tile in range(first * tm, min(tn, first + run) * tm):
        product(z, x, y, tile % tm, tile // tm, BM, BN, BK)


def gemm_walk_columns(z, x, y, BM: ct.Constant[int], BN: ct.Constant[int], BK: ct.Constant[int]):
    """A run of rows a block, each walked along its columns."""
    tm, tn = ct.cdiv(z.shape[0], BM), ct.cdiv(z.shape[1], BN)
    run = ct.cdiv(tm, ct.num_blocks(0))
    first = ct.bid(0) * run
    for tile in range(first * tn, min(tm, first + run) * tn):
        product(z, x, y, tile // tn, tile % tn, BM, BN, BK)
