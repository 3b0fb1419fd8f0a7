"""Causal attention in one pass over keys and values, without the matrix of scores ever being in memory."""

from __future__ import annotations

import math
from typing import Any, Literal, TypeVar

import cuda.tile as ct
import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f16, kernel

BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
D = TypeVar("D", bound=int)


@kernel
def attention(z: Mut[f16, Literal[1], BM, D], q: Ref[f16, Dyn, Dyn, Dyn], k: Ref[f16, Dyn, Dyn, Dyn],
              v: Ref[f16, Dyn, Dyn, Dyn], scale: float, bn: BN) -> None:
    """Of (heads, rows, width) tensors. A block has some rows of one head, and walks the keys up to its last row."""
    _, bm, d = z.tile
    pq, pk, pv = q.partition(1, bm, d), k.partition(1, bn, d), v.partition(1, bn, d)
    head, m, _ = z.coords(z.cell())
    rows = m * bm + ct.arange(bm, dtype=ct.int32)[:, None]
    tq = ct.reshape(pq[head, m, 0], (bm, d))
    top = ct.full((bm, 1), -1e30, ct.float32)
    total = ct.zeros((bm, 1), ct.float32)
    acc = ct.zeros((bm, d), ct.float32)
    for j in range(min(ct.cdiv((m + 1) * bm, bn), pk.tiles(1))):
        tk = ct.reshape(pk[head, j, 0], (bn, d))
        s = ct.mma(tq, ct.transpose(tk), ct.zeros((bm, bn), ct.float32)) * scale
        columns = j * bn + ct.arange(bn, dtype=ct.int32)[None, :]
        s = ct.where(rows >= columns, s, -1e30)
        new = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
        p, shrink = ct.exp(s - new), ct.exp(top - new)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(ct.astype(p, ct.float16), ct.reshape(pv[head, j, 0], (bn, d)), acc * shrink)
        top = new
    z.store(ct.reshape(ct.astype(acc / total, ct.float16), (1, bm, d)))


def reference(q: Any, k: Any, v: Any) -> Any:
    s = q @ k.transpose(0, 2, 1) / math.sqrt(q.shape[2])
    s = np.where(np.tri(q.shape[1], dtype=bool), s, -np.inf)
    p = np.exp(s - s.max(2, keepdims=True))
    return p / p.sum(2, keepdims=True) @ v


def main() -> None:
    heads, rows, width = 3, 50, 16
    q, k, v = (tcr.randn((heads, rows, width), f16, seed=s) for s in (1, 2, 3))
    out = tcr.zeros((heads, rows, width), f16).partition(1, 16, width)
    z = attention(out, q, k, v, 1 / math.sqrt(width), 16).sync()
    wanted = reference(*(t.numpy().astype(np.float64) for t in (q, k, v)))
    assert np.allclose(z.numpy(), wanted, atol=5e-3)
    print("attention:", z.numpy()[0, -1, :3])


if __name__ == "__main__":
    main()
