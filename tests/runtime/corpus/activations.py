"""Activations, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.examples import (
    F16,
    F32,
    Run,
    cdiv,
    example,
    gelu,
    gelu_tanh,
    normal,
    sigmoid,
    slope,
    to_double,
)

OPS = "ops.cutile"


@example(f"{OPS}.activation.relu", "_relu_fwd_kernel")
def relu(rng: np.random.Generator) -> Run:
    x = normal(rng, 100, dtype=F16)
    return Run((cdiv(100, 32),), (x, np.zeros_like(x), 100, 32), {1: np.maximum(x, 0)})


@example(f"{OPS}.activation.gelu", "_gelu_kernel")
def gelu_exact(rng: np.random.Generator) -> Run:
    x = normal(rng, 100)
    return Run((cdiv(100, 32),), (np.zeros_like(x), x, 100, 32, 0), {0: gelu(x)}, 1e-3)


@example(f"{OPS}.activation.gelu", "_gelu_kernel", "tanh")
def gelu_approximate(rng: np.random.Generator) -> Run:
    x = normal(rng, 100)
    return Run((cdiv(100, 32),), (np.zeros_like(x), x, 100, 32, 1), {0: gelu_tanh(x)}, 1e-4)


@example(f"{OPS}.activation.gelu", "_gelu_kernel_backward")
def gelu_backward(rng: np.random.Generator) -> Run:
    x, dy = normal(rng, 100), normal(rng, 100)
    return Run((cdiv(100, 32),), (np.zeros_like(x), dy, x, 100, 32, 0), {0: dy * slope(gelu, x)}, 1e-3)


@example(f"{OPS}.activation.geglu", "_geglu_fwd_kernel")
def geglu(rng: np.random.Generator) -> Run:
    x, y = normal(rng, 6, 40), np.zeros((6, 20), F32)
    args = (y.reshape(-1), x.reshape(-1), 20, 40, 20, 8, 1)
    return Run((cdiv(120, 8),), args, {0: (x[:, :20] * gelu_tanh(x[:, 20:])).reshape(-1)}, 1e-4)


@example(f"{OPS}.activation.geglu", "_geglu_bwd_kernel")
def geglu_backward(rng: np.random.Generator) -> Run:
    x, dy, dx = normal(rng, 6, 40), normal(rng, 6, 20), np.zeros((6, 40), F32)
    a, b = to_double(x[:, :20]), x[:, 20:]
    wanted = np.concatenate([dy * gelu_tanh(b), dy * a * slope(gelu_tanh, b)], axis=1)
    args = (dx.reshape(-1), dy.reshape(-1), x.reshape(-1), 20, 40, 20, 8, 1)
    return Run((cdiv(120, 8),), args, {0: wanted.reshape(-1)}, 1e-4)


@example(f"{OPS}.dropout", "_dropout_kernel")
def dropout(rng: np.random.Generator) -> Run:
    x = normal(rng, 100)
    mixed = (np.arange(100, dtype=np.int32) * np.int32(1103515245)) + np.int32(7)
    mixed ^= mixed >> 16
    mixed ^= mixed << 8
    mixed ^= mixed >> 4
    kept = (mixed & 0x7FFFFFFF).astype(F32) / F32(2147483647.0) > 0.3
    return Run((4,), (x, np.zeros_like(x), 0.3, 7, 32, True), {1: np.where(kept, x / 0.7, 0)})


@example(f"{OPS}.dropout", "_dropout_kernel", "inference")
def no_dropout(rng: np.random.Generator) -> Run:
    x = normal(rng, 100)
    return Run((4,), (x, np.zeros_like(x), 0.3, 7, 32, False), {1: x})


def silu(x: Any) -> Any:
    return to_double(x) * sigmoid(x)


@example(f"{OPS}.silu_and_mul", "_silu_and_mul_kernel_row_wise")
def silu_and_mul(rng: np.random.Generator) -> Run:
    x = normal(rng, 5, 24)
    # lanes past the first half read the second one; the store drops them
    return Run((5,), (x, np.zeros((5, 12), F32), 16, 12), {1: silu(x[:, :12]) * x[:, 12:]})


@example(f"{OPS}.silu_and_mul", "_silu_and_mul_backward_kernel_row_wise")
def silu_and_mul_backward(rng: np.random.Generator) -> Run:
    x, dc = normal(rng, 5, 24), normal(rng, 5, 12)
    a, b = x[:, :12], x[:, 12:]
    args = (dc, x, np.zeros((5, 12), F32), np.zeros((5, 12), F32), 16, 12)
    return Run((5,), args, {2: dc * b * slope(silu, a), 3: dc * silu(a)}, 1e-4)


@example(f"{OPS}.swiglu", "_swiglu_forward_kernel")
def swiglu(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 5, 12), normal(rng, 5, 12)
    return Run((5,), (a, b, np.zeros_like(a), 16, True), {2: silu(a) * b})


@example(f"{OPS}.swiglu", "_swiglu_backward_kernel")
def swiglu_backward(rng: np.random.Generator) -> Run:
    a, b, dc = normal(rng, 5, 12), normal(rng, 5, 12), normal(rng, 5, 12)
    args = (dc, a, b, np.zeros_like(a), np.zeros_like(a), 8)
    return Run((5, 2), args, {3: dc * b * slope(silu, a), 4: dc * silu(a)}, 1e-4)
