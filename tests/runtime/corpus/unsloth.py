"""The suite `unsloth`."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from tests.runtime.corpus.activations import silu
from tests.runtime.corpus.examples import (
    F32,
    I32,
    Run,
    cdiv,
    example,
    gelu,
    gelu_tanh,
    normal,
    slope,
    to_double,
)
from tests.runtime.corpus.rotations import rotate
from tests.runtime.corpus.rows import EPS, rms

AT = "suites.unsloth.cutile"
COUNT, BLOCK = 50, 16
GRID = (cdiv(COUNT, BLOCK),)


def _forward(rng: np.random.Generator, function: Any, wide_index: int) -> Run:
    e, g = normal(rng, COUNT), normal(rng, COUNT)
    return Run(GRID, (e, g, np.zeros_like(e), COUNT, BLOCK, wide_index), {2: function(e) * g}, 1e-3)


def _backward(rng: np.random.Generator, function: Any) -> Run:
    d, e, g = normal(rng, COUNT), normal(rng, COUNT), normal(rng, COUNT)
    wanted = {0: function(e) * g, 1: d * function(e), 2: d * g * slope(function, e)}
    return Run(GRID, (d.copy(), e.copy(), g.copy(), COUNT, BLOCK, 0), wanted, 1e-3)


@example(f"{AT}.geglu", "_exact_forward_ct")
def geglu_exact(rng: np.random.Generator) -> Run:
    return _forward(rng, gelu, 1)


@example(f"{AT}.geglu", "_exact_backward_ct")
def geglu_exact_backward(rng: np.random.Generator) -> Run:
    return _backward(rng, gelu)


@example(f"{AT}.geglu", "_approx_forward_ct")
def geglu_approximate(rng: np.random.Generator) -> Run:
    return _forward(rng, gelu_tanh, 0)


@example(f"{AT}.geglu", "_approx_backward_ct")
def geglu_approximate_backward(rng: np.random.Generator) -> Run:
    return _backward(rng, gelu_tanh)


@example(f"{AT}.swiglu", "_fg_kernel_ct")
def swiglu(rng: np.random.Generator) -> Run:
    return _forward(rng, silu, 0)


@example(f"{AT}.swiglu", "_DWf_DW_dfg_kernel_ct")
def swiglu_backward(rng: np.random.Generator) -> Run:
    return _backward(rng, silu)


@example(f"{AT}.layernorm", "_layernorm_forward_ct_1d")
def layer_norm(rng: np.random.Generator) -> Run:
    x, w, b = normal(rng, 5, 12), normal(rng, 12), normal(rng, 12)
    mean, r = to_double(x).mean(axis=1), 1 / np.sqrt(to_double(x).var(axis=1) + EPS)
    args = (np.zeros_like(x), x, w, b, np.zeros(5, F32), np.zeros(5, F32), 12, EPS, 16)
    return Run((5,), args, {0: (x - mean[:, None]) * r[:, None] * w + b, 4: r, 5: mean}, 1e-4)


@example(f"{AT}.layernorm", "_layernorm_backward_ct_1d")
def layer_norm_backward(rng: np.random.Generator) -> Run:
    x, w, dy = normal(rng, 5, 12), normal(rng, 12), normal(rng, 5, 12)
    mean, r = to_double(x).mean(axis=1), 1 / np.sqrt(to_double(x).var(axis=1) + EPS)
    hat, g = (x - mean[:, None]) * r[:, None], to_double(dy) * w
    dx = r[:, None] * (g - g.mean(axis=1, keepdims=True) - hat * (g * hat).mean(axis=1, keepdims=True))
    args = (np.zeros_like(x), dy, x, w, r.astype(F32), mean.astype(F32), 12, 16)
    return Run((5,), args, {0: dx}, 1e-4)


@example(f"{AT}.rms_layernorm", "_rms_layernorm_forward_ct_1d")
def rms_norm(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 5, 16), normal(rng, 16)
    args = (np.zeros_like(x), x, w, np.zeros(5, F32), 16, EPS, 1.0, 16)
    return Run((5,), args, {0: x * rms(x)[:, None] * (1 + w), 3: rms(x)}, 1e-4)


@example(f"{AT}.rms_layernorm", "_rms_layernorm_backward_ct_1d")
def rms_norm_backward(rng: np.random.Generator) -> Run:
    x, w, dy = normal(rng, 5, 12), normal(rng, 12), normal(rng, 5, 12)
    r, g = rms(x)[:, None], to_double(dy) * (1 + w)
    dx = r * (g - x * r * (g * x * r).mean(axis=1, keepdims=True))
    return Run((5,), (np.zeros_like(x), dy, x, w, r[:, 0].astype(F32), 12, 1.0, 16), {0: dx}, 1e-4)


@example(f"{AT}.rope_embedding", "_rope_embedding_ct")
def rope(rng: np.random.Generator) -> Run:
    rows, heads, dim, length = 6, 3, 12, 3
    q, cos, sin = normal(rng, rows, heads, dim), normal(rng, length, 6), normal(rng, length, 6)
    at = np.arange(rows) % length
    wanted = rotate(q, cos[at][:, None], sin[at][:, None])
    args = (q.reshape(-1), np.zeros(q.size, F32), cos.reshape(-1), sin.reshape(-1), length, heads, dim, 6, 0, 8, 0)
    return Run((rows, heads), args, {1: wanted.reshape(-1)}, 1e-4)


@example(f"{AT}.rope_embedding", "_rope_embedding_QK_ct")
def rope_pair(rng: np.random.Generator) -> Run:
    batch, length, dim = 2, 3, 12
    q, k = normal(rng, batch, 4, length, dim), normal(rng, batch, 2, length, dim)
    cos, sin = normal(rng, 5, 6), normal(rng, 5, 6)
    at = rng.integers(0, 5, batch * length).astype(I32)
    c, s = (table[at].reshape(batch, 1, length, 6) for table in (cos, -sin))
    args = (q.reshape(-1), np.zeros(q.size, F32), k.reshape(-1), np.zeros(k.size, F32), cos.reshape(-1),
            sin.reshape(-1), at, length, dim, 4, 2, 6, 1, 1, 8, 0)
    wanted = {1: rotate(q, c, s).reshape(-1), 3: rotate(k, c, s).reshape(-1)}
    return Run((batch * length, 4), args, wanted, 1e-4)


@example(f"{AT}.fp8", "weight_dequant_kernel_ct")
def run_dequantization(rng: np.random.Generator) -> Run:
    x, s = normal(rng, 12, 20, dtype=ml_dtypes.float8_e4m3fn), normal(rng, 2, 3)
    scale = np.repeat(np.repeat(s, 8, axis=0), 8, axis=1)[:12, :20]
    return Run((2, 3), (x, s, np.zeros((12, 20), F32), 12, 20, 8), {2: to_double(x) * scale})


@example(f"{AT}.fp8", "act_quant_kernel_ct")
def run_quantization(rng: np.random.Generator) -> Run:
    x = normal(rng, 40)
    top = np.abs(x).reshape(5, 8).max(axis=1)
    y = (x.reshape(5, 8) / (top / F32(448))[:, None]).astype(ml_dtypes.float8_e4m3fn)
    args = (x, np.zeros(40, ml_dtypes.float8_e4m3fn), np.zeros(5, F32), 8)
    return Run((5,), args, {1: y.reshape(-1), 2: top / 448})


@example(f"{AT}.cross_entropy_loss", "_cross_entropy_forward_ct")
def cross_entropy(rng: np.random.Generator) -> Run:
    logits = normal(rng, 6, 20)
    labels = np.array([3, -100, 0, 19, 7, 7], I32)
    lse = np.log(np.exp(to_double(logits)).sum(axis=1))
    loss = np.where(labels == -100, 0, lse - logits[np.arange(6), labels % 20])
    args = (logits, np.zeros(6, F32), np.zeros(6, F32), labels, 20, 32, 0, 1.0, 0, 1.0)
    return Run((6,), args, {1: loss, 2: lse}, 1e-4)


@example(f"{AT}.cross_entropy_loss", "_chunked_cross_entropy_forward_ct")
def cross_entropy_chunked(rng: np.random.Generator) -> Run:
    # the vocabulary is a multiple of the chunk: capping turns a padding of -inf into -5, which would count
    logits = normal(rng, 4, 24)
    labels = np.array([3, -100, 0, 19], I32)
    capped = 5 * np.tanh(to_double(logits) / 5)
    lse = np.stack([np.log(np.exp(capped[:, c:c + 8]).sum(axis=1)) for c in (0, 8, 16)], axis=1)
    loss = np.where(labels == -100, 0, -capped[np.arange(4), labels % 24])
    args = (logits, np.zeros(4, F32), np.zeros((4, 3), F32), labels, 24, 3, 8, 1, 5.0, 0, 1.0)
    return Run((4, 3), args, {1: loss, 2: lse}, 1e-4)
