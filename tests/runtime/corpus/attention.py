"""Attention, forward and backward."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.examples import F16, F32, Run, cdiv, example, normal, softmax, to_double

FMHA = "ops.cutile.attention"
BATCH, HEADS, SHARED, LENGTH, DIM = 2, 4, 2, 16, 8
SCALE = DIM**-0.5
UNDEFINED = frozenset({"TC301"})
KEYS = "keys are loaded with undefined padding; adding -inf to it does not define it, and values meet it as well"


def scores(q: Any, k: Any, causal: bool, scale: float = SCALE) -> Any:
    """Scaled products of (batch, head, length, dim) queries and keys; heads of keys are repeated for groups."""
    k = np.repeat(to_double(k), q.shape[1] // k.shape[1], axis=1)
    s = to_double(q) @ k.swapaxes(2, 3) * scale
    return np.where(np.tril(np.ones(s.shape[2:], bool)), s, -np.inf) if causal else s


def attend(q: Any, k: Any, v: Any, causal: bool) -> Any:
    return softmax(scores(q, k, causal)) @ np.repeat(to_double(v), q.shape[1] // v.shape[1], axis=1)


def tensors(rng: np.random.Generator, length: int = LENGTH, dtype: Any = F32) -> tuple[Any, Any, Any]:
    q = normal(rng, BATCH, HEADS, length, DIM, dtype=dtype)
    return q, normal(rng, BATCH, SHARED, length, DIM, dtype=dtype), normal(rng, BATCH, SHARED, length, DIM, dtype=dtype)


def _fmha(rng: np.random.Generator, causal: bool, dtype: Any, tolerance: float) -> Run:
    q, k, v = tensors(rng, dtype=dtype)
    args = (q, k, v, np.zeros_like(q), SCALE, 0, DIM, HEADS, 8, 4, HEADS // SHARED, causal, True)
    return Run((cdiv(LENGTH, 8), BATCH * HEADS), args, {3: attend(q, k, v, causal)}, tolerance)


@example(FMHA, "_fmha_kernel", "causal")
def fmha_causal(rng: np.random.Generator) -> Run:
    return _fmha(rng, True, F32, 1e-4)


@example(FMHA, "_fmha_kernel", "float16")
def fmha(rng: np.random.Generator) -> Run:
    return _fmha(rng, False, F16, 5e-3)


@example(FMHA, "_fmha_kernel", "uneven")
def fmha_uneven(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng, 14)
    args = (q, k, v, np.zeros_like(q), SCALE, 0, DIM, HEADS, 8, 4, HEADS // SHARED, False, False)
    return Run((2, BATCH * HEADS), args, {}, findings=UNDEFINED, why=KEYS)


@example(FMHA, "_fmha_fwd_kernel_with_lse")
def fmha_lse(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng)
    lse = np.log2(np.exp(scores(q, k, True)).sum(axis=-1))
    args = (q, k, v, np.zeros_like(q), np.zeros(BATCH * HEADS * LENGTH, F32), SCALE, 0, DIM, HEADS, BATCH, LENGTH, 8,
            4, HEADS // SHARED, True, True)
    return Run((2, BATCH * HEADS), args, {3: attend(q, k, v, True), 4: lse.reshape(-1)}, 1e-4)


@example(FMHA, "_fmha_fwd_kernel_with_lse", "uneven")
def fmha_lse_uneven(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng, 14)
    args = (q, k, v, np.zeros_like(q), np.zeros(BATCH * HEADS * 14, F32), SCALE, 0, DIM, HEADS, BATCH, 14, 8, 4,
            HEADS // SHARED, True, False)
    spill = "the last tile of queries writes its sums past the row of its head, into that of the next one"
    return Run((2, BATCH * HEADS), args, {}, findings=UNDEFINED | {"TC101"}, why=f"{KEYS}; {spill}")


@example(FMHA, "_fmha_bwd_preprocess_kernel", "uneven")
def fmha_delta_uneven(rng: np.random.Generator) -> Run:
    o = tensors(rng, 14)[0]
    args = (o, normal(rng, *o.shape), np.zeros(BATCH * HEADS * 14, F32), 8, DIM, HEADS, 14)
    why = "the last tile writes past the row of its head, into that of the next one"
    return Run((2, BATCH * HEADS), args, {}, findings=frozenset({"TC101"}), why=why)


@example(FMHA, "_fmha_bwd_preprocess_kernel")
def fmha_delta(rng: np.random.Generator) -> Run:
    o, do, _ = tensors(rng)
    do = normal(rng, *o.shape)
    args = (o, do, np.zeros(BATCH * HEADS * LENGTH, F32), 8, DIM, HEADS, LENGTH)
    return Run((2, BATCH * HEADS), args, {2: (to_double(o) * do).sum(axis=-1).reshape(-1)}, 1e-4)


def _slopes(q: Any, k: Any, v: Any, do: Any) -> tuple[Any, Any, Any, Any, Any]:
    """Gradients of causal attention, and what the forward pass keeps for them."""
    group = q.shape[1] // k.shape[1]
    s = scores(q, k, True)
    p, vv, kk = softmax(s), np.repeat(to_double(v), group, axis=1), np.repeat(to_double(k), group, axis=1)
    delta = (p @ vv * do).sum(axis=-1)
    ds = p * (to_double(do) @ vv.swapaxes(2, 3) - delta[..., None]) * SCALE

    def sum_groups(x: Any) -> Any:
        return x.reshape(BATCH, SHARED, group, LENGTH, DIM).sum(axis=2)

    dk, dv = sum_groups(ds.swapaxes(2, 3) @ to_double(q)), sum_groups(p.swapaxes(2, 3) @ to_double(do))
    return ds @ kk, dk, dv, np.log2(np.exp(s).sum(axis=-1)), delta


@example(FMHA, "_fmha_bwd_dkdv_kernel")
def fmha_dkdv(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng)
    do = normal(rng, *q.shape)
    _, dk, dv, lse, delta = _slopes(q, k, v, do)
    kept = lse.reshape(-1).astype(F32), delta.reshape(-1).astype(F32)
    args = (q, k, v, do, np.zeros_like(k), np.zeros_like(v), *kept, SCALE, DIM, HEADS, SHARED, LENGTH, 8, 4,
            HEADS // SHARED, True)
    return Run((4, BATCH * SHARED), args, {4: dk, 5: dv}, 1e-3)


@example(FMHA, "_fmha_bwd_dq_kernel")
def fmha_dq(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng)
    do = normal(rng, *q.shape)
    dq, _, _, lse, delta = _slopes(q, k, v, do)
    kept = lse.reshape(-1).astype(F32), delta.reshape(-1).astype(F32)
    args = (q, k, v, do, np.zeros_like(q), *kept, SCALE, DIM, HEADS, LENGTH, 8, 4, HEADS // SHARED, True)
    return Run((2, BATCH * HEADS), args, {4: dq}, 1e-3)


@example("ops.cutile.mla", "_prefill_mla_kernel")
def mla(rng: np.random.Generator) -> Run:
    q, k, v = tensors(rng)
    qpe, kpe = normal(rng, BATCH, HEADS, LENGTH, 4), normal(rng, BATCH, 1, LENGTH, 4)
    s = scores(q, k, False) + scores(qpe, kpe, False)
    s = np.where(np.tril(np.ones((LENGTH, LENGTH), bool)), s, -np.inf)
    # the sum of weights starts at 1 and is scaled away by the first tile
    wanted = softmax(s) @ np.repeat(to_double(v), HEADS // SHARED, axis=1)
    args = (q, qpe, k, kpe, v, np.zeros_like(q), SCALE, DIM, 4, HEADS, 8, 4, HEADS // SHARED)
    return Run((2, BATCH * HEADS), args, {5: wanted}, 1e-4)


@example("ops.cutile.mla_decoding", "_naive_absorb_mla_transpose_kernel")
def mla_decoding(rng: np.random.Generator) -> Run:
    q, qpe = normal(rng, BATCH, HEADS, DIM), normal(rng, BATCH, HEADS, 4)
    k, kpe = normal(rng, BATCH, LENGTH, DIM), normal(rng, BATCH, LENGTH, 4)
    v = normal(rng, BATCH, LENGTH, DIM)
    s = (to_double(q) @ k.swapaxes(1, 2) + to_double(qpe) @ kpe.swapaxes(1, 2)) * SCALE
    wanted = softmax(s) @ to_double(v)
    args = (q, qpe, k, v, kpe, np.zeros_like(q), np.zeros((BATCH, HEADS), F32), SCALE, DIM, 2, 4, 4, LENGTH, True)
    return Run((2, BATCH), args, {5: wanted, 6: np.log2(np.exp(s).sum(axis=-1))}, 1e-4)


@example("ops.cutile.mla_decoding", "_naive_absorb_mla_transpose_kernel", "uneven")
def mla_decoding_uneven(rng: np.random.Generator) -> Run:
    q, qpe = normal(rng, BATCH, HEADS, DIM), normal(rng, BATCH, HEADS, 4)
    k, kpe, v = normal(rng, BATCH, 14, DIM), normal(rng, BATCH, 14, 4), normal(rng, BATCH, 14, DIM)
    args = (q, qpe, k, v, kpe, np.zeros_like(q), np.zeros((BATCH, HEADS), F32), SCALE, DIM, 2, 4, 4, 14, False)
    why = "scores of padding are replaced, but values are loaded with undefined padding and multiplied with zeros"
    return Run((2, BATCH), args, {}, findings=UNDEFINED, why=why)


@example("ops.cutile.experimental.swa_attention", "_swa_fwd_kernel")
def sliding_window(rng: np.random.Generator) -> Run:
    q, k, v = (normal(rng, 3 * LENGTH, DIM, dtype=F16) for _ in range(3))
    heads = [to_double(x).reshape(3, LENGTH, DIM) for x in (q, k, v)]
    s = heads[0] @ heads[1].swapaxes(1, 2) * SCALE
    at = np.arange(LENGTH)
    seen = (at[None, :] > at[:, None] - 5) & (at[None, :] <= at[:, None])
    wanted = softmax(np.where(seen, s, -np.inf)) @ heads[2]
    args = (q, k, v, np.zeros_like(q), SCALE, LENGTH, 5, 2, 4, 8, 4, DIM, True)
    return Run((2, 3), args, {3: wanted.reshape(-1, DIM)}, 5e-3)
