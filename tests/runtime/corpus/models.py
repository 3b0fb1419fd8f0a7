"""Kernels of single models: short convolutions, fused norms, gates."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.activations import silu
from tests.runtime.corpus.examples import BF16, F32, Run, example, normal, sigmoid, to_double
from tests.runtime.corpus.rows import EPS, rms

AT = "transformers"
ROWS, COLS, TILE = 5, 12, 16


def scale_rows(x: Any) -> Any:
    return x * rms(x)[:, None]


@example(f"{AT}.lfm2_moe.kernels.causal_conv1d_prefill", "_causal_conv1d_prefill_kernel")
def conv_prefill(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 4, 12), normal(rng, 4, 3)
    wanted = sum(to_double(x[:, k:k + 10]) * w[:, k:k + 1] for k in range(3))
    return Run((4, 3), (x, w, np.zeros((4, 10), F32), 4), {2: wanted})


@example(f"{AT}.lfm2_moe.kernels.causal_conv1d_update", "_causal_conv1d_update_kernel")
def conv_update(rng: np.random.Generator) -> Run:
    x, state, w = normal(rng, 10), normal(rng, 10, 3), normal(rng, 10, 3)
    window = np.concatenate([state[:, 1:], x[:, None]], axis=1)
    args = (x, state.copy(), w, np.zeros(10, F32), 4)
    return Run((3,), args, {3: (to_double(window) * w).sum(axis=1), 1: window})


@example(f"{AT}.qwen3_5.kernels.causal_conv1d_prefill_silu", "_causal_conv1d_prefill_silu_kernel")
def conv_prefill_silu(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 4, 13), normal(rng, 4, 4)
    total = sum(to_double(x[:, k:k + 10]) * w[:, k:k + 1] for k in range(4))
    return Run((4, 3), (x, w, np.zeros((4, 10), F32), 10, 4), {2: silu(total)})


@example(f"{AT}.qwen3_5.kernels.causal_conv1d_update_silu", "_causal_conv1d_update_silu_kernel")
def conv_update_silu(rng: np.random.Generator) -> Run:
    x, state, w = normal(rng, 10), normal(rng, 10, 4), normal(rng, 10, 4)
    window = np.concatenate([state[:, 1:], x[:, None]], axis=1)
    args = (x, state.copy(), w, np.zeros(10, F32), 4)
    return Run((3,), args, {3: silu((to_double(window) * w).sum(axis=1)), 1: window})


@example(f"{AT}.olmo3.kernels.dual_rms_norm", "_dual_rms_norm_kernel")
def dual_norm(rng: np.random.Generator) -> Run:
    q, k, wq, wk = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS), normal(rng, COLS)
    args = (q.copy(), k.copy(), wq, wk, EPS, COLS, TILE)
    return Run((ROWS,), args, {0: scale_rows(q) * wq, 1: scale_rows(k) * wk})


@example(f"{AT}.olmoe.kernels.dual_rms_norm", "_olmoe_dual_rms_norm_kernel")
def dual_norm_bfloat(rng: np.random.Generator) -> Run:
    q, k = normal(rng, ROWS, COLS, dtype=BF16), normal(rng, ROWS, COLS, dtype=BF16)
    wq, wk = normal(rng, COLS, dtype=BF16), normal(rng, COLS, dtype=BF16)
    args = (q.copy(), k.copy(), wq, wk, EPS, COLS, TILE)
    return Run(
        (ROWS,), args, {0: scale_rows(to_double(q)) * to_double(wq), 1: scale_rows(to_double(k)) * to_double(wk)}, 1e-2
    )


@example(f"{AT}.olmo3.kernels.rms_norm_residual_add", "_rms_norm_residual_add_kernel")
def norm_then_add(rng: np.random.Generator) -> Run:
    x, r, w = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS)
    return Run((ROWS,), (x, r, w, np.zeros_like(x), EPS, COLS, TILE), {3: r + scale_rows(x) * w})


@example(f"{AT}.olmoe.kernels.residual_add_rms_norm", "_olmoe_residual_add_rms_norm_kernel")
def add_then_norm(rng: np.random.Generator) -> Run:
    x, r, w = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS)
    args = (r, x, w, np.zeros_like(x), np.zeros_like(x), EPS, COLS, TILE)
    return Run((ROWS,), args, {3: r + x, 4: scale_rows(r + x) * w})


@example(f"{AT}.qwen3_5.kernels.residual_add_rms_norm", "_residual_add_rms_norm_kernel")
def add_then_norm_offset(rng: np.random.Generator) -> Run:
    x, r, w = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS)
    args = (r, x, w, np.zeros_like(x), np.zeros_like(x), EPS, 1.0, COLS, TILE)
    return Run((ROWS,), args, {3: r + x, 4: scale_rows(r + x) * (1 + w)})


@example(f"{AT}.qwen3_5.kernels.gdr_preprocess", "_gdr_preprocess_kernel")
def gates(rng: np.random.Generator) -> Run:
    b, a, log, bias = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS), normal(rng, COLS)
    wanted = -np.exp(to_double(log)) * np.log1p(np.exp(to_double(a) + bias))
    args = (b, a, log, bias, np.zeros_like(b), np.zeros_like(b), TILE)
    return Run((ROWS,), args, {4: sigmoid(b), 5: wanted})


@example(f"{AT}.qwen3_5.kernels.rms_norm_gated", "_rms_norm_gated_silu_kernel")
def gated_norm(rng: np.random.Generator) -> Run:
    x, gate, w = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS), normal(rng, COLS)
    return Run((ROWS,), (x, gate, w, np.zeros_like(x), EPS, COLS, TILE), {3: scale_rows(x) * w * silu(gate)})


@example(f"{AT}.qwen3_5.kernels.sigmoid_mul", "_sigmoid_mul_kernel")
def sigmoid_mul(rng: np.random.Generator) -> Run:
    x, gate = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS)
    return Run((ROWS,), (x, gate, np.zeros_like(x), TILE), {2: x * sigmoid(gate)})


@example(f"{AT}.qwen3_5.kernels.silu_and_mul_separate", "_silu_and_mul_separate_kernel")
def silu_and_mul_separate(rng: np.random.Generator) -> Run:
    gate, up = normal(rng, ROWS, COLS), normal(rng, ROWS, COLS)
    return Run((ROWS,), (gate, up, np.zeros_like(up), TILE), {2: silu(gate) * up})
