"""Launches of the kernels in `realistic.py` on small arrays, with the results of NumPy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import ml_dtypes
import numpy as np

from tests.runtime.dialect import realistic as r
from tilecheck_runtime import Grouped, Linear, Tensor, bf16, f8e4m3, f16, f32, from_numpy, i32, zeros

__all__ = ["ALL"]

Case = Callable[[], tuple[Any, Any]]
"""Launches, and returns what came out and what should."""
ALL: Final[dict[str, Case]] = {}


def case(function: Case) -> Case:
    ALL[function.__name__] = function
    return function


def rng() -> np.random.Generator:
    return np.random.default_rng(7)


def random(*shape: int, dtype: Any = np.float32) -> np.ndarray:
    return (rng().random(shape) - 0.4).astype(dtype)


def to_tensors(*arrays: Any) -> list[Tensor]:
    return [from_numpy(np.asarray(a)) for a in arrays]


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


def to_arrays(*results: Any) -> tuple[np.ndarray, ...]:
    return tuple(p.unpartition().numpy().astype(np.float64) for p in results)


def silu(x: np.ndarray) -> np.ndarray:
    return x / (1 + np.exp(-x))


def soft(x: np.ndarray) -> np.ndarray:
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


@case
def add_rms_norm():
    x, before, w = random(3, 13), random(3, 13) + 1, random(13)
    z, residual = r.add_rms_norm(zeros((3, 13), f32).partition(1, 16), from_numpy(before).partition(1, 16),
                                 *to_tensors(x, w), 1e-5).sync()
    t = x + before
    return to_arrays(z, residual), (t / np.sqrt((t * t).mean(1, keepdims=True) + 1e-5) * w, t)


@case
def softmax():
    x = random(5, 11)
    return to_arrays(r.softmax(zeros((5, 11), f32).partition(2, 16), *to_tensors(x)).sync()), (soft(x),)


@case
def online_softmax():
    x = random(3, 13)
    return to_arrays(r.online_softmax(zeros((3, 13), f32).partition(1, 16), *to_tensors(x), 4).sync()), (soft(x),)


@case
def layer_norm():
    x, w, b = random(4, 13), random(13), random(13)
    found = r.layer_norm(zeros((4, 13), f32).partition(1, 16), zeros((4,), f32).partition(1),
                         zeros((4,), f32).partition(1), *to_tensors(x, w, b), 1e-5).sync()
    mean, scale = x.mean(1), 1 / np.sqrt(x.var(1) + 1e-5)
    return to_arrays(*found), ((x - mean[:, None]) * scale[:, None] * w + b, mean, scale)


def _angles(rows: int, half: int) -> tuple[np.ndarray, np.ndarray]:
    angle = random(rows, half) * 6
    return np.cos(angle), np.sin(angle)


def _rotate(x: np.ndarray, cos: np.ndarray, sin: np.ndarray) -> np.ndarray:
    a, b = np.split(x, 2, -1)
    return np.concatenate((a * cos - b * sin, b * cos + a * sin), -1)


@case
def rope():
    x, (cos, sin) = random(2, 5, 8), _angles(5, 4)
    found = r.rope(zeros((2, 5, 8), f32).partition(1, 1, 8), *to_tensors(x, cos, sin), 8, 4).sync()
    return to_arrays(found), (_rotate(x, cos, sin),)


@case
def rope_in_place():
    x, (cos, sin) = random(2, 5, 8), _angles(5, 4)
    return to_arrays(r.rope_in_place(from_numpy(x).partition(1, 1, 8), *to_tensors(cos, sin), 4).sync()), (
        _rotate(x, cos, sin),
    )


@case
def attention():
    q, k, v = (random(2, 9, 8, dtype=np.float16) * s for s in (1, 2, 3))
    found = r.attention(zeros((2, 9, 8), f32).partition(1, 4, 8), *to_tensors(q, k, v), 0.3, 4).sync()
    score = np.where(np.tri(9) > 0, np.einsum("hmd,hnd->hmn", q, k, dtype=np.float64) * 0.3, -np.inf)
    return to_arrays(found), (soft(score) @ v.astype(np.float64),)


@case
def attention_gqa():
    q, k = random(1, 4, 6, 8, dtype=np.float16), random(1, 2, 7, 8, dtype=np.float16)
    found = r.attention_gqa(zeros((1, 4, 6, 8), f32).partition(1, 1, 4, 8), *to_tensors(q, k, k), 2, 4).sync()
    wide = np.repeat(k, 2, 1).astype(np.float64)
    return to_arrays(found), (q.astype(np.float64) @ wide.swapaxes(-1, -2) @ wide,)


@case
def decode():
    cache, new, q, at = random(3, 8, 4, dtype=np.float16), random(3, 4, dtype=np.float16) + np.float16(
        0.5), random(3, 4, dtype=np.float16), ints(2, 7, 0)
    found = r.decode(zeros((3, 4), f32).partition(1, 4), from_numpy(cache).partition(1, 8, 4), *to_tensors(new, q, at),
                     2).sync()
    after = cache.copy()
    after[range(3), at] = new
    score = np.einsum("hsd,hd->hs", after, q, dtype=np.float64) * (np.arange(8) <= at[:, None])
    return to_arrays(*found), (np.einsum("hs,hsd->hd", score, after), after)


@case
def split_k():
    x, y, s = random(6, 20, dtype=np.float16), random(20, 5, dtype=np.float16), zeros((6, 5), f32)
    r.split_k(s, *to_tensors(x, y), 4, 4, 4).grid(2, 2, 3).sync()
    return (s.numpy(),), (x.astype(np.float64) @ y,)


@case
def argmax():
    x = random(5, 19)
    return to_arrays(r.argmax(zeros((5,), i32).partition(1), *to_tensors(x), 8).sync()), (x.argmax(1),)


@case
def embedding():
    table, ids = random(6, 8), ints(3, 0, 5, 5)
    return to_arrays(r.embedding(zeros((4, 8), f32).partition(1, 8), *to_tensors(table, ids)).sync()), (table[ids],)


@case
def embedding_many():
    table, ids = random(6, 8), ints(3, 0, 5, 5, 1)
    return to_arrays(r.embedding_many(zeros((5, 8), f32).partition(4, 8), *to_tensors(table, ids)).sync()), (
        table[ids],
    )


@case
def dropout():
    x = random(13)
    mask = ((np.arange(13) * 1103515245 + 5) & 0x7FFFFFFF).astype(np.float32) / np.float32(2147483647.0) > 0.5
    return to_arrays(r.dropout(zeros((13,), f32).partition(4), *to_tensors(x), 5, 0.5).sync()), (
        np.where(mask, x / 0.5, 0),
    )


@case
def transpose():
    x = random(9, 5)
    z = zeros((5, 9), f32).partition(2, 4).map(Linear(), blocks=4)
    return to_arrays(r.transpose(z, *to_tensors(x)).sync()), (x.T,)


@case
def im2col():
    x = random(6, 7)
    wanted = np.stack([np.pad(x, ((0, 2), (0, 2)))[dy:dy + 6, dx:dx + 7].ravel() for dy in range(2) for dx in range(2)])
    return to_arrays(r.im2col(zeros((4, 42), f32).partition(1, 16), *to_tensors(x), 7, 2).sync()), (wanted,)


@case
def batched_gemm():
    x, y = random(2, 5, 6, dtype=np.float16), random(2, 6, 7, dtype=np.float16)
    z = zeros((2, 5, 7), f32).partition(1, 4, 4).map(Linear(), blocks=3)
    return to_arrays(r.batched_gemm(z, *to_tensors(x, y), 4).sync()), (x.astype(np.float64) @ y,)


@case
def gemm_bias_gelu():
    x, y, b = random(9, 6, dtype=np.float16), random(6, 7, dtype=np.float16), random(7)
    t = x.astype(np.float64) @ y + b
    z = zeros((9, 7), f16).partition(4, 4).map(Grouped(2), blocks=4)
    return to_arrays(r.gemm_bias_gelu(z, *to_tensors(x, y, b), 4).sync()), (
        0.5 * t * (1 + np.tanh(0.7978845608 * (t + 0.044715 * t ** 3))),)


@case
def gemm_nt():
    x, w = random(9, 6, dtype=np.float16), random(7, 6, dtype=np.float16)
    return to_arrays(r.gemm_nt(zeros((9, 7), f32).partition(4, 4), *to_tensors(x, w), 4).sync()), (
        x.astype(np.float64) @ w.T,
    )


@case
def moe_gather():
    x, ids = random(4, 8, dtype=np.float16), ints(6, 1, 0, 7, 3)
    return to_arrays(r.moe_gather(zeros((5, 8), f16).partition(2, 8), *to_tensors(x, ids), 2).sync()), (x[ids // 2],)


@case
def moe_gemm():
    x, w, expert = random(8, 6, dtype=np.float16), random(3, 6, 5, dtype=np.float16), ints(2, 0)
    wanted = np.concatenate([x[:4].astype(np.float64) @ w[2], x[4:].astype(np.float64) @ w[0]])
    return to_arrays(r.moe_gemm(zeros((8, 5), f32).partition(4, 4), *to_tensors(x, w, expert), 4).sync()), (wanted,)


@case
def quantize():
    x = random(3, 8)
    z, scale = r.quantize(zeros((3, 8), f8e4m3).partition(1, 4), zeros((3, 2), f32).partition(1, 1),
                          *to_tensors(x)).sync()
    top = np.maximum(np.abs(x.reshape(3, 2, 4)).max(-1, keepdims=True), np.float32(1e-6)) / np.float32(448)
    wanted = (x.reshape(3, 2, 4) / top).reshape(3, 8).astype(ml_dtypes.float8_e4m3fn).astype(np.float64)
    return to_arrays(z, scale), (wanted, top[..., 0])


@case
def cumsum_rows():
    x = random(3, 13)
    return to_arrays(r.cumsum_rows(zeros((3, 13), f32).partition(1, 16), *to_tensors(x), 4).sync()), (x.cumsum(1),)


@case
def histogram():
    x, s = rng().integers(0, 6, 37).astype(np.int32), zeros((6,), i32)
    r.histogram(s, *to_tensors(x), 8).grid(3).sync()
    return (s.numpy(),), (np.bincount(x, minlength=6),)


@case
def silu_mul():
    x, y = random(9, 6, dtype=np.float16), random(9, 6, dtype=np.float16) + np.float16(1)
    z = zeros((9, 6), f16).partition(4, 4).map(Linear(), blocks=2)
    return to_arrays(r.silu_mul(z, *to_tensors(x, y)).sync()), (silu(x.astype(np.float64)) * y,)


@case
def silu_mul_packed():
    x = random(5, 12, dtype=np.float16)
    return to_arrays(r.silu_mul_packed(zeros((5, 6), f16).partition(4, 4), *to_tensors(x)).sync()), (
        silu(x[:, :6].astype(np.float64)) * x[:, 6:],)


@case
def cross_entropy():
    x, target = random(4, 11), ints(3, 10, 0, 7)
    return to_arrays(r.cross_entropy(zeros((4,), f32).partition(1), *to_tensors(x, target), 4).sync()), (
        -np.log(soft(x))[range(4), target],)


@case
def column_sum():
    x, s = random(9, 6), zeros((6,), f32)
    r.column_sum(s, *to_tensors(x), 4, 4).grid(3, 2).sync()
    return (s.numpy(),), (x.sum(0),)


@case
def split_heads():
    x = random(2, 5, 3, 4, dtype=np.float16)
    return to_arrays(r.split_heads(zeros((2, 3, 5, 4), f16).partition(1, 1, 4, 4), *to_tensors(x)).sync()), (
        x.transpose(0, 2, 1, 3),)


@case
def causal_conv():
    x, w = random(3, 10), random(3, 4)
    wanted = np.stack([np.convolve(a, b[::-1])[:10] for a, b in zip(x, w, strict=True)])
    return to_arrays(r.causal_conv(zeros((3, 10), f32).partition(1, 4), *to_tensors(x, w)).sync()), (wanted,)


@case
def saxpy():
    x, z = random(13), random(13) + 1
    return to_arrays(r.saxpy(from_numpy(z).partition(4).map(Linear(), blocks=3), *to_tensors(x), 3.0).sync()), (
        z + 3 * x,
    )


@case
def adam():
    p, m, v, g = random(9), random(9) + 1, random(9) + 2, random(9) * 3
    after = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    found = r.adam(*(from_numpy(a).partition(4) for a in (p, m, v)), *to_tensors(g), 0.1).sync()
    return to_arrays(*found), (p - 0.1 * after[0] / (np.sqrt(after[1]) + 1e-8), *after)


@case
def merge_splits():
    part, lse = random(3, 4, 8), random(3, 4) * 5
    weight = soft(lse)
    return to_arrays(r.merge_splits(zeros((3, 8), f32).partition(1, 8), *to_tensors(part, lse)).sync()), (
        np.einsum("hk,hkd->hd", weight, part),)


@case
def masked_fill():
    x, lengths = random(5, 7), ints(3, 0, 7, 5, 1)
    wanted = np.where(np.arange(7) < lengths[:, None], x, -np.inf)
    return to_arrays(r.masked_fill(zeros((5, 7), f32).partition(4, 4), *to_tensors(x, lengths)).sync()), (wanted,)


@case
def top_row_only():
    x, sums = random(5, 7), zeros((3,), f32)
    z = r.top_row_only(zeros((5, 7), f32).partition(2, 4).map(Grouped(2), blocks=3), *to_tensors(x), sums, 1).sync()
    wanted = x * np.where(np.arange(5) < 2, 2, 1)[:, None]
    return (*to_arrays(z), sums.numpy()), (wanted, np.add.reduceat(wanted.sum(1), [0, 2, 4]))


@case
def doubled_bf16():
    x = random(5, 7).astype(ml_dtypes.bfloat16)
    z = zeros((5, 7), bf16).partition(2, 4).map(Linear(), blocks=3)
    return to_arrays(r.doubled_bf16(z, *to_tensors(x)).sync()), (x.astype(np.float64) * 2,)


@case
def avg_pool():
    x = random(12)
    return to_arrays(r.avg_pool(zeros((4,), f32).partition(2), *to_tensors(x), 3).sync()), (x.reshape(4, 3).mean(1),)
