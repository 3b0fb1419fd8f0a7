"""Softmax and norms: kernels that reduce rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.examples import F32, Run, example, normal, softmax, to_double

OPS = "ops.cutile"
EPS = 1e-5


@example(f"{OPS}.softmax", "_softmax_kernel")
def softmax_rows(rng: np.random.Generator) -> Run:
    x = normal(rng, 7, 12)
    return Run((3,), (np.zeros_like(x), x, 7, 16, 12), {0: softmax(x)})


@example(f"{OPS}.softmax", "_softmax_kernel_multi_wave_full_row_reg_cached_ldg")
def softmax_cached(rng: np.random.Generator) -> Run:
    x = normal(rng, 7, 12)
    return Run((7,), (np.zeros_like(x), x, 12, 16), {0: softmax(x)})


@example(f"{OPS}.softmax", "_softmax_kernel_tma")
def softmax_tma(rng: np.random.Generator) -> Run:
    x = normal(rng, 7, 12)
    return Run((3,), (np.zeros_like(x), x, 7, 12, 16), {0: softmax(x)})


@example(f"{OPS}.softmax", "_softmax_kernel_chunked")
def softmax_chunked(rng: np.random.Generator) -> Run:
    x = normal(rng, 7, 21)
    return Run((3,), (np.zeros_like(x), x, 7, 21, 8), {0: softmax(x)})


def rms(x: Any, eps: float = EPS) -> Any:
    return 1 / np.sqrt((to_double(x) ** 2).mean(axis=-1) + eps)


@example(f"{OPS}.rms_norm", "_rms_norm_kernel_multi_wave_cached")
def rms_cached(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 5, 12), normal(rng, 12)
    args = (x, w, np.zeros_like(x), np.zeros(5, F32), 12, EPS, 1.0, 16)
    return Run((5,), args, {2: x * rms(x)[:, None] * (1 + w), 3: rms(x)})


@example(f"{OPS}.rms_norm", "_rms_norm_kernel_gather")
def rms_gather(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 5, 20), normal(rng, 20)
    args = (x, w, np.zeros_like(x), np.zeros(5, F32), 20, EPS, 0.0, 8)
    return Run((5,), args, {2: x * rms(x)[:, None] * w, 3: rms(x)})


@example(f"{OPS}.rms_norm", "_rms_norm_kernel_static_persistent")
def rms_persistent(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 10, 12), normal(rng, 12)
    args = (x, np.zeros_like(x), w, np.zeros(10, F32), 4, 16, EPS, 0.0)
    return Run((2,), args, {1: x * rms(x)[:, None] * w, 3: rms(x)})


@example(f"{OPS}.rms_norm", "_rms_bwd_kernel")
def rms_backward(rng: np.random.Generator) -> Run:
    x, w, dy = normal(rng, 10, 16), normal(rng, 16), normal(rng, 10, 16)
    r = rms(x)[:, None]
    hat, wdy = x * r, to_double(dy) * w
    dx = (wdy - hat * (hat * wdy).mean(axis=1, keepdims=True)) * r
    blocks = [np.concatenate([np.arange(t * 4, min(t * 4 + 4, 10)) for t in range(b, 3, 2)]) for b in range(2)]
    dw = np.stack([(dy * hat)[rows].sum(axis=0) for rows in blocks])
    args = (np.zeros_like(x), dy, x, w, r[:, 0].astype(F32), np.zeros((2, 16), F32), 4, 16)
    return Run((2,), args, {0: dx, 5: dw}, 1e-4)
