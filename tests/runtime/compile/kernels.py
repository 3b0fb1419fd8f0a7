"""Kernels of these tests, of the dialect and of cuTile."""

from __future__ import annotations

from typing import Annotated, TypeVar

import cuda.tile as ct

from tilecheck import requires, unsafe
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
FACTOR = 2.0


def scale_tile(tile):
    return tile * FACTOR


def halve_tile(tile):
    return tile / FACTOR


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def axpy(z: Mut[f32, B], x: Ref[f32, Dyn], a: float) -> None:
    z.store(scale_tile(x.load_like(z)) * a)


@kernel(occupancy=1, num_ctas=2)
def gemm(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        z[cell] = acc


@kernel
def picks(z: Mut[f32, B], x: Ref[f32, Dyn], i: int) -> None:
    if i >= 0 and (i + 1) * z.tile[0] <= x.extent(0) + 8:
        z.store(x.load((i,), z.tile))


@kernel
def writes_its_input(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    x.store(z.load_like(z))


@kernel
def stores_wide(z: Mut[f16, B], x: Ref[f32, Dyn]) -> None:
    z.store(ct.astype(x.load_like(z), ct.float32))


@ct.kernel
def copy(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))


@ct.kernel
def unchecked_and_padded(x, z, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO, check_bounds=False))


@ct.kernel
def first_tile(z, T: ct.Constant[int]):
    ct.bid(0)
    ct.store(z, (0,), ct.zeros((T,), ct.float32))


@ct.kernel
def scattered(z, rows, T: ct.Constant[int]):
    i = ct.bid(0)
    lanes = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(z, ct.gather(rows, lanes), ct.zeros((T,), ct.float32))


@ct.kernel
@unsafe("every row is in the list once")
def scattered_by_promise(z, rows, T: ct.Constant[int]):
    i = ct.bid(0)
    lanes = i * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(z, ct.gather(rows, lanes), ct.zeros((T,), ct.float32))


@ct.kernel
def scattered_by_comment(z, rows, T: ct.Constant[int]):
    i = ct.bid(0)
    lanes = i * T + ct.arange(T, dtype=ct.int32)
    # tilecheck: allow[TC102, TC106] every row is in the list once
    ct.scatter(z, ct.gather(rows, lanes), ct.zeros((T,), ct.float32))


@ct.kernel
@requires("x.shape[0] == z.shape[0]")
def long(x: ct.IndexedWithInt64, z: ct.IndexedWithInt64, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(z, (i,), ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO))


Fixed = Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0,), static_stride_dims=(1,))]


@ct.kernel
def fixed(x: Fixed, n: int, a: float):
    ct.bid(0)
