"""Matrix products: of shapes fixed in the types, of any shape, persistent with swizzled pieces, and in batches."""

from __future__ import annotations

from typing import Any, Literal, TypeVar

import cuda.tile as ct
import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Grouped, Mut, Ref, f16, f32, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def fixed(z: Mut[f32, Literal[16], Literal[16]], x: Ref[f16, Literal[64], Literal[32]],
          y: Ref[f16, Literal[32], Literal[48]]) -> None:
    """Extents are part of the types: a tensor of another shape is refused at its launch."""
    m, n = z.coords(z.cell())
    z.store(ct.matmul(ct.astype(x.partition(16, 32)[m, 0], ct.float32),
                      ct.astype(y.partition(32, 16)[0, n], ct.float32)))


@kernel
def gemm(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    """Of any shape. With a mapped output a block goes through several pieces: then it is persistent."""
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        z[cell] = acc


@kernel
def batched(z: Mut[f32, Literal[1], BM, BN], x: Ref[f16, Dyn, Dyn, Dyn], y: Ref[f16, Dyn, Dyn, Dyn], bk: BK) -> None:
    _, bm, bn = z.tile
    px, py = x.partition(1, bm, bk), y.partition(1, bk, bn)
    b, m, n = z.coords(z.cell())
    acc = ct.zeros((bm, bn), ct.float32)
    for k in range(px.tiles(2)):
        acc = ct.mma(ct.reshape(px[b, m, k], (bm, bk)), ct.reshape(py[b, k, n], (bk, bn)), acc)
    z.store(ct.reshape(acc, (1, bm, bn)))


def product(x: tcr.Tensor, y: tcr.Tensor) -> Any:
    return x.numpy().astype(np.float64) @ y.numpy().astype(np.float64)


def main() -> None:
    x, y = tcr.randn((64, 32), f16, seed=1), tcr.randn((32, 48), f16, seed=2)
    z = fixed(tcr.zeros((64, 48), f32).partition(16, 16), x, y).sync()
    assert np.allclose(z.numpy(), product(x, y), atol=1e-3)

    x, y = tcr.randn((100, 70), f16, seed=3), tcr.randn((70, 90), f16, seed=4)
    z = gemm(tcr.zeros((100, 90), f32).partition(16, 16), x, y, 32).sync()
    assert np.allclose(z.numpy(), product(x, y), atol=1e-3)

    z = gemm(tcr.zeros((100, 90), f32).partition(16, 16).map(Grouped(4), blocks=8), x, y, 32).sync()
    assert np.allclose(z.numpy(), product(x, y), atol=1e-3)

    x, y = tcr.randn((3, 40, 32), f16, seed=5), tcr.randn((3, 32, 24), f16, seed=6)
    z = batched(tcr.zeros((3, 40, 24), f32).partition(1, 16, 16), x, y, 16).sync()
    assert np.allclose(z.numpy(), product(x, y), atol=1e-3)
    print("products:", z.numpy()[0, 0, :3])


if __name__ == "__main__":
    main()
