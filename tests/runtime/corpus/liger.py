"""The suite `liger`."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.activations import silu
from tests.runtime.corpus.examples import F16, F32, Run, example, gelu_tanh, normal, slope, softmax, to_double
from tests.runtime.corpus.rows import EPS, rms

AT = "suites.liger.cutile"
ROWS, COLS = 5, 20


def pair(rng: np.random.Generator) -> tuple[Any, Any]:
    return normal(rng, ROWS, COLS), normal(rng, ROWS, COLS)


@example(f"{AT}.softmax", "_softmax_single_tma")
def softmax_tma(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, COLS)
    return Run((ROWS,), (np.zeros_like(x), x, COLS, 32), {0: softmax(x)})


@example(f"{AT}.softmax", "_softmax_single_gather")
def softmax_gather(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, 16, dtype=F16)
    return Run((ROWS,), (np.zeros_like(x), x, 16, 16, True), {0: softmax(x)}, 1e-3)


@example(f"{AT}.softmax", "_softmax_fwd_ct")
def softmax_online(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, COLS)
    return Run((ROWS,), (np.zeros_like(x), x, COLS, 8), {0: softmax(x)})


def _softmax_slope(y: Any, dy: Any) -> Any:
    return y * (dy - (to_double(y) * dy).sum(axis=1, keepdims=True))


@example(f"{AT}.softmax", "_softmax_bwd_ct")
def softmax_backward(rng: np.random.Generator) -> Run:
    y, dy = pair(rng)
    return Run((ROWS,), (np.zeros_like(y), dy, y, COLS, 8, False), {0: _softmax_slope(y, dy)}, 1e-4)


@example(f"{AT}.softmax", "_softmax_bwd_fused")
def softmax_backward_fused(rng: np.random.Generator) -> Run:
    y, dy = pair(rng)
    return Run((ROWS,), (np.zeros_like(y), dy, y, COLS, 32, False), {0: _softmax_slope(y, dy)}, 1e-4)


@example(f"{AT}.geglu", "_geglu_fwd_kernel_ct")
def geglu(rng: np.random.Generator) -> Run:
    a, b = pair(rng)
    return Run((ROWS,), (a, b, np.zeros_like(a), COLS, 8, True), {2: gelu_tanh(a) * b}, 1e-4)


@example(f"{AT}.geglu", "_geglu_bwd_kernel_ct")
def geglu_backward(rng: np.random.Generator) -> Run:
    a, b = pair(rng)
    dc = normal(rng, ROWS, COLS)
    wanted = {1: dc * b * slope(gelu_tanh, a), 2: dc * gelu_tanh(a)}
    return Run((ROWS,), (dc, a.copy(), b.copy(), COLS, 8, True), wanted, 1e-4)


@example(f"{AT}.relu_squared", "_relu_squared_fwd_ct_aligned")
def relu_squared_aligned(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, 16)
    return Run((ROWS,), (x, np.zeros_like(x), 16, 8), {1: np.maximum(x, 0) ** 2})


@example(f"{AT}.relu_squared", "_relu_squared_fwd_ct")
def relu_squared(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, COLS)
    return Run((ROWS,), (x, np.zeros_like(x), COLS, 8), {1: np.maximum(x, 0) ** 2})


@example(f"{AT}.relu_squared", "_relu_squared_bwd_ct_aligned")
def relu_squared_backward_aligned(rng: np.random.Generator) -> Run:
    x, dy = normal(rng, ROWS, 16), normal(rng, ROWS, 16)
    return Run((ROWS,), (dy, x, np.zeros_like(x), 16, 8), {2: 2 * dy * np.maximum(x, 0)})


@example(f"{AT}.relu_squared", "_relu_squared_bwd_ct")
def relu_squared_backward(rng: np.random.Generator) -> Run:
    x, dy = pair(rng)
    return Run((ROWS,), (dy, x, np.zeros_like(x), COLS, 8), {2: 2 * dy * np.maximum(x, 0)})


@example(f"{AT}.swiglu", "_swiglu_fwd_ct_aligned")
def swiglu_aligned(rng: np.random.Generator) -> Run:
    a, b = normal(rng, ROWS, 16), normal(rng, ROWS, 16)
    return Run((ROWS,), (a, b, np.zeros_like(a), 16, 8, 1.5), {2: silu(1.5 * a) * b}, 1e-4)


@example(f"{AT}.swiglu", "_swiglu_fwd_ct")
def swiglu(rng: np.random.Generator) -> Run:
    a, b = pair(rng)
    return Run((ROWS,), (a, b, np.zeros_like(a), COLS, 8, 1.0), {2: silu(a) * b}, 1e-4)


@example(f"{AT}.swiglu", "_swiglu_bwd_ct")
def swiglu_backward(rng: np.random.Generator) -> Run:
    a, b = pair(rng)
    dc = normal(rng, ROWS, COLS)
    wanted = {1: dc * b * slope(silu, a), 2: dc * silu(a)}
    return Run((ROWS,), (dc, a.copy(), b.copy(), COLS, 8, 1.0), wanted, 1e-4)


@example(f"{AT}.dyt", "_dyt_fwd_kernel")
def dyt(rng: np.random.Generator) -> Run:
    x, gamma, beta, alpha = normal(rng, ROWS, COLS), normal(rng, COLS), normal(rng, COLS), normal(rng, 1)
    args = (x, np.zeros_like(x), alpha, gamma, beta, 1, True, 8)
    return Run((3, ROWS), args, {1: np.tanh(to_double(x) * alpha) * gamma + beta})


@example(f"{AT}.dyt", "_dyt_bwd_kernel")
def dyt_backward(rng: np.random.Generator) -> Run:
    x, dy = pair(rng)
    gamma, alpha = normal(rng, COLS), normal(rng, 1)
    t = np.tanh(to_double(x) * alpha)
    slope_ = (1 - t * t) * dy * gamma
    rows = [np.arange(s, ROWS, 2) for s in range(2)]
    columns = [slice(c, min(c + 8, COLS)) for c in (0, 8, 16)]
    wanted = {
        1: alpha * slope_,
        2: np.array([[(x * slope_)[r][:, c].sum() for c in columns] for r in rows]),
        3: np.stack([(dy * t)[r].sum(axis=0) for r in rows]),
        4: np.stack([dy[r].sum(axis=0) for r in rows]),
    }
    args = (dy, np.zeros_like(x), np.zeros((2, 3), F32), np.zeros((2, COLS), F32), np.zeros((2, COLS), F32), x, alpha,
            gamma, 1, ROWS, 8, 2)
    return Run((3, 2), args, wanted, 1e-4)


def moments(x: Any) -> tuple[Any, Any]:
    return to_double(x).mean(axis=1), 1 / np.sqrt(to_double(x).var(axis=1) + EPS)


@example(f"{AT}.layer_norm", "_layer_norm_fwd_kernel_ct")
def layer_norm(rng: np.random.Generator) -> Run:
    x, w, b = normal(rng, ROWS, COLS), normal(rng, COLS), normal(rng, COLS)
    mean, r = moments(x)
    args = (x, np.zeros_like(x), w, b, np.zeros(ROWS, F32), np.zeros(ROWS, F32), COLS, EPS, 8, False)
    return Run((ROWS,), args, {1: (x - mean[:, None]) * r[:, None] * w + b, 4: mean, 5: r}, 1e-4)


def _layer_norm_slope(x: Any, dy: Any, w: Any) -> tuple[Any, Any]:
    mean, r = moments(x)
    hat, g = (x - mean[:, None]) * r[:, None], to_double(dy) * w
    dx = r[:, None] * (g - g.mean(axis=1, keepdims=True) - hat * (g * hat).mean(axis=1, keepdims=True))
    return dx, hat


@example(f"{AT}.layer_norm", "_layer_norm_bwd_dx_kernel_ct")
def layer_norm_backward(rng: np.random.Generator) -> Run:
    x, dy, w = normal(rng, ROWS, 16), normal(rng, ROWS, 16), normal(rng, 16)
    mean, r = moments(x)
    args = (x, dy, w, mean.astype(F32), r.astype(F32), np.zeros_like(x), 16, 16, True)
    return Run((ROWS,), args, {5: _layer_norm_slope(x, dy, w)[0]}, 1e-4)


@example(f"{AT}.layer_norm", "_layer_norm_bwd_combined_kernel_ct")
def layer_norm_backward_combined(rng: np.random.Generator) -> Run:
    x, dy, w = normal(rng, ROWS, 16), normal(rng, ROWS, 16), normal(rng, 16)
    mean, r = moments(x)
    dx, hat = _layer_norm_slope(x, dy, w)
    rows = [slice(0, 3), slice(3, 5)]
    args = (x, dy, w, mean.astype(F32), r.astype(F32), np.zeros_like(x), np.zeros((2, 16), F32),
            np.zeros((2, 16), F32), ROWS, 16, 2, 3, 16, True)
    wanted = {5: dx, 6: np.stack([(dy * hat)[s].sum(axis=0) for s in rows]),
              7: np.stack([dy[s].sum(axis=0) for s in rows])}
    return Run((2,), args, wanted, 1e-4)


@example(f"{AT}.rms_norm", "_rms_norm_fwd_ct", "llama")
def rms_llama(rng: np.random.Generator) -> Run:
    x, w = normal(rng, ROWS, COLS), normal(rng, COLS)
    args = (np.zeros_like(x), x, w, np.zeros(ROWS, F32), COLS, EPS, 0.0, 32, 0, True)
    return Run((ROWS,), args, {0: x * rms(x)[:, None] * w, 3: rms(x)})


@example(f"{AT}.rms_norm", "_rms_norm_fwd_ct", "gemma")
def rms_gemma(rng: np.random.Generator) -> Run:
    x, w = normal(rng, ROWS, COLS), normal(rng, COLS)
    args = (np.zeros_like(x), x, w, np.zeros(ROWS, F32), COLS, EPS, 1.0, 32, 1, True)
    return Run((ROWS,), args, {0: x * rms(x)[:, None] * (1 + w), 3: rms(x)})


MASKS = f"{AT}.multi_token_attention"


@example(MASKS, "_mask_zero_fwd_kernel")
def mask_zero(rng: np.random.Generator) -> Run:
    x = normal(rng, 14, 7)
    wanted = np.concatenate([np.tril(x[:7]), np.tril(x[7:])])
    return Run((7, 2), (x, np.zeros_like(x), 7, 4), {1: wanted})


@example(MASKS, "_mask_bwd_kernel")
def mask_backward(rng: np.random.Generator) -> Run:
    x = normal(rng, 14, 7)
    return Run((7, 2), (x, np.zeros_like(x), 7, 4), {1: np.concatenate([np.tril(x[:7]), np.tril(x[7:])])})


@example(MASKS, "_fused_softmax_zeromask_bwd_kernel")
def mask_softmax_backward(rng: np.random.Generator) -> Run:
    p, dp = normal(rng, 14, 7), normal(rng, 14, 7)
    dx = _softmax_slope(p, dp)
    return Run((7, 2), (p, dp, np.zeros_like(p), 7, 4), {2: np.concatenate([np.tril(dx[:7]), np.tril(dx[7:])])}, 1e-4)


def sparse(x: Any) -> Any:
    z = -np.sort(-to_double(x), axis=1)
    total = np.cumsum(z, axis=1) - 1
    k = (z > total / np.arange(1, x.shape[1] + 1)).sum(axis=1)
    tau = total[np.arange(len(k)), k - 1] / k
    return np.maximum(x - tau[:, None], 0)


@example(f"{AT}.sparsemax", "_sparsemax_fwd_kernel")
def sparsemax(rng: np.random.Generator) -> Run:
    x = normal(rng, ROWS, COLS)
    args = (np.zeros_like(x), x, -np.sort(-x, axis=1), COLS, 32)
    return Run((ROWS,), args, {0: sparse(x)}, 1e-4)


@example(f"{AT}.sparsemax", "_sparsemax_bwd_kernel")
def sparsemax_backward(rng: np.random.Generator) -> Run:
    out, g = sparse(normal(rng, ROWS, COLS)).astype(F32), normal(rng, ROWS, COLS)
    on = out > 0
    mean = (g * on).sum(axis=1) / on.sum(axis=1)
    return Run((ROWS,), (np.zeros_like(g), out, g, COLS, 8), {0: on * (g - mean[:, None])}, 1e-4)
