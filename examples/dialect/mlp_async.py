"""A small network over several batches at once: chains of launches, awaited together."""

from __future__ import annotations

import asyncio
from typing import TypeVar

import cuda.tile as ct
import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f16, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def layer(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn], w: Ref[f16, Dyn, Dyn], least: float, bk: BK) -> None:
    """x @ w, and nothing below `least`: 0.0 makes it a rectifier."""
    bm, bn = z.tile
    px, pw = x.partition(bm, bk), w.partition(bk, bn)
    m, n = z.coords(z.cell())
    acc = ct.zeros((bm, bn), ct.float32)
    for k in range(px.tiles(1)):
        acc = ct.mma(px[m, k], pw[k, n], acc)
    z.store(ct.astype(ct.maximum(acc, least), ct.float16))


def network(x: tcr.Tensor, first: tcr.SharedTensor, second: tcr.SharedTensor) -> tcr.Operation[tcr.Partition]:
    """Both layers, as one operation. The weights are shared by all batches that are under way."""
    hidden = tcr.zeros((x.shape[0], first.shape[1]), f16).partition(16, 16)
    out = tcr.zeros((x.shape[0], second.shape[1]), f16).partition(16, 16)
    return layer(hidden, x, first, 0.0, 16).then(lambda h: layer(out, h.unpartition(), second, -1e30, 16))


async def run(batches: list[tcr.Tensor], first: tcr.SharedTensor, second: tcr.SharedTensor) -> list[tcr.Partition]:
    async def one(x: tcr.Tensor) -> tcr.Partition:
        return await network(x, first, second)

    return list(await asyncio.gather(*(one(x) for x in batches)))


def main() -> None:
    first, second = tcr.randn((32, 48), f16, seed=1).share(), tcr.randn((48, 16), f16, seed=2).share()
    batches = [tcr.randn((20, 32), f16, seed=s) for s in (3, 4, 5)]
    results = asyncio.run(run(batches, first, second))
    for x, z in zip(batches, results, strict=True):
        hidden = np.maximum(x.numpy().astype(np.float64) @ first.numpy(), 0).astype(np.float16)
        wanted = hidden.astype(np.float64) @ second.numpy()
        assert np.allclose(z.numpy(), wanted, rtol=1e-2, atol=0.25)
    print("three batches:", results[0].numpy()[0, :3])


if __name__ == "__main__":
    main()
