"""Row by row: softmax, RMSNorm, and dropout whose mask follows from a seed and the position alone."""

from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct
import numpy as np

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f16, f32, kernel

B = TypeVar("B", bound=int)
N = TypeVar("N", bound=int)


@kernel
def softmax(z: Mut[f32, Literal[1], N], x: Ref[f32, Dyn, Dyn]) -> None:
    """The tile is a power of two at or above the length of a row; what lies past its end counts as minus infinity."""
    t = x.padded(ct.PaddingMode.NEG_INF).load_like(z)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    z.store(e / ct.sum(e, axis=1, keepdims=True))


@kernel
def rms_norm(z: Mut[f16, Literal[1], N], x: Ref[f16, Dyn, Dyn], w: Ref[f16, Dyn], eps: float) -> None:
    t = ct.astype(x.load_like(z), ct.float32)
    r = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / z.extent(1) + eps)
    scale = ct.astype(w.partition(z.tile[1])[0,], ct.float32)
    z.store(ct.astype(t * r * scale, ct.float16))


@kernel
def dropout(z: Mut[f32, B], x: Ref[f32, Dyn], p: float, seed: int) -> None:
    n = z.tile[0]
    place = z.coords(z.cell())[0] * n + ct.arange(n, dtype=ct.int32)
    h = ct.astype(place, ct.uint32) * 747796405 + ct.astype(seed, ct.uint32)
    h = (h ^ (h >> 16)) * 73244475
    h = (h ^ (h >> 15)) * 668265261
    kept = ct.astype((h ^ (h >> 16)) >> 8, ct.float32) / 16777216.0 >= p
    z.store(ct.where(kept, x.load_like(z) / (1.0 - p), 0.0))


def power_above(n: int) -> int:
    return 1 << (n - 1).bit_length()


def main() -> None:
    x = tcr.randn((7, 100), f32, seed=1)
    z = softmax(tcr.zeros((7, 100), f32).partition(1, power_above(100)), x).sync().numpy()
    e = np.exp(x.numpy() - x.numpy().max(1, keepdims=True))
    assert np.allclose(z, e / e.sum(1, keepdims=True), atol=1e-6)

    h, w = tcr.randn((7, 100), f16, seed=2), tcr.rand((100,), f16, seed=3)
    y = rms_norm(tcr.zeros((7, 100), f16).partition(1, power_above(100)), h, w, 1e-5).sync().numpy()
    wide = h.numpy().astype(np.float64)
    wanted = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * w.numpy()
    assert np.allclose(y, wanted, atol=5e-3)

    ones = tcr.ones((10_000,), f32)
    d = dropout(tcr.zeros((10_000,), f32).partition(256), ones, 0.25, 42).sync().numpy()
    same = dropout(tcr.zeros((10_000,), f32).partition(64), ones, 0.25, 42).sync().numpy()
    assert np.array_equal(d, same) and 0.7 < (d > 0).mean() < 0.8
    print("softmax, rms_norm and dropout:", z[0, :2], y[0, :2], (d > 0).mean())


if __name__ == "__main__":
    main()
