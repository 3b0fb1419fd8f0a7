"""Recurrences, norms over channels, losses and grouped products."""

from __future__ import annotations

import numpy as np

from tests.runtime.corpus.examples import F32, I32, Run, cdiv, example, normal, to_double
from tests.runtime.corpus.rows import EPS

OPS = "ops.cutile"


@example(f"{OPS}.mamba2", "chunk_cumsum_kernel")
def chunk_cumsum(rng: np.random.Generator) -> Run:
    a, dt = normal(rng, 6), normal(rng, 2, 16, 6)
    total = np.cumsum((to_double(a) * dt).reshape(2, 2, 8, 6), axis=2).reshape(2, 16, 6) * np.log2(np.e)
    turned = (0, 2, 1)
    args = (a, dt, np.zeros_like(dt), np.zeros((2, 6, 16), F32), np.zeros((2, 6, 16), F32), 8, 4)
    wanted = {2: total, 3: total.transpose(turned), 4: dt.transpose(turned)}
    return Run((2, 2, 2), args, wanted, 1e-4)


@example(f"{OPS}.recurrent_gated_delta_rule", "_recurrent_gated_delta_rule_fwd_kernel")
def delta_rule(rng: np.random.Generator) -> Run:
    batch, steps, heads, values, dim = 2, 3, 2, 4, 8
    q, k = normal(rng, batch, steps, heads, dim), normal(rng, batch, steps, heads, dim)
    v, gate = normal(rng, batch, steps, values, dim), -np.abs(normal(rng, batch, steps, values))
    beta, start = normal(rng, batch, steps, values), normal(rng, batch, values, dim, dim)
    state, outs = to_double(start), []
    for t in range(steps):
        kt, qt = (np.repeat(to_double(x[:, t]), values // heads, axis=1) for x in (k, q))
        state = state * np.exp(gate[:, t])[..., None, None]
        delta = (v[:, t] - (state * kt[..., None]).sum(axis=2)) * beta[:, t][..., None]
        state = state + kt[..., None] * delta[:, :, None, :]
        outs.append((state * (0.5 * qt)[..., None]).sum(axis=2))
    args = (q, k, v, gate, beta, np.zeros_like(v), start, np.zeros_like(start), 0.5, True, True, False, dim, 4, True,
            True, steps)
    return Run((batch * values, 2), args, {5: np.stack(outs, axis=1), 7: state}, 1e-4)


@example(f"{OPS}.layer_norm", "_layer_norm_fwd_kernel")
def layer_norm_channels(rng: np.random.Generator) -> Run:
    x, w, b = normal(rng, 3, 10, 6), normal(rng, 10), normal(rng, 10)
    mean, r = to_double(x).mean(axis=1), 1 / np.sqrt(to_double(x).var(axis=1) + EPS)
    y = (x - mean[:, None]) * r[:, None] * (w[:, None] + 1) + b[:, None]
    args = (x, np.zeros_like(x), w, b, np.zeros((3, 6), F32), np.zeros((3, 6), F32), 10, 6, EPS, 1.0, 4, 4)
    return Run((3, 2), args, {1: y, 4: mean, 5: r}, 1e-4)


@example(f"{OPS}.layer_norm_legacy", "_layer_norm_fwd_kernel")
def layer_norm_rows(rng: np.random.Generator) -> Run:
    x, w, b = normal(rng, 5, 20), normal(rng, 20), normal(rng, 20)
    mean, r = to_double(x).mean(axis=1), 1 / np.sqrt(to_double(x).var(axis=1) + EPS)
    args = (x, np.zeros_like(x), w, b, np.zeros(5, F32), np.zeros(5, F32), 20, EPS, 0.0, 8)
    return Run((5,), args, {1: (x - mean[:, None]) * r[:, None] * w + b, 4: mean, 5: r}, 1e-4)


@example(f"{OPS}.experimental.fused_linear_cross_entropy", "_ce_online_kernel")
def cross_entropy_online(rng: np.random.Generator) -> Run:
    logits, target = normal(rng, 7, 20), normal(rng, 7)
    lse = np.log(np.exp(to_double(logits)).sum(axis=1))
    args = (logits.copy(), np.zeros(7, F32), target, 7, 20, 8)
    return Run((3,), args, {0: np.exp(to_double(logits) - lse[:, None]), 1: lse - target}, 1e-4)


@example(f"{OPS}.experimental.mhc", "_mhc_sinkhorn_kernel")
def sinkhorn(rng: np.random.Generator) -> Run:
    y = normal(rng, 3, 16)
    m = np.exp(to_double(y)).reshape(3, 4, 4)
    for _ in range(20):
        m = m / m.sum(axis=2, keepdims=True)
        m = m / m.sum(axis=1, keepdims=True)
    return Run((3,), (y.copy(), 4), {0: m.reshape(3, 16)}, 1e-4)


@example(f"{OPS}.experimental.mhc", "_mhc_split_gemm_rms_kernel")
def split_product(rng: np.random.Generator) -> Run:
    x, w = normal(rng, 8, 20), normal(rng, 20, 8)
    parts = [slice(0, 12), slice(12, 20)]
    y = np.concatenate([to_double(x[:, p]) @ w[p] for p in parts])
    squares = np.concatenate([(to_double(x[:, p]) ** 2).sum(axis=1) for p in parts])
    args = (x, w, np.zeros((16, 8), F32), np.zeros((16, 2), F32), 8, 8, 20, 4, 4, 4, 2, 2)
    return Run((4, 2), args, {2: y, 3: np.stack([squares, squares], axis=1)}, 1e-2)


@example(f"{OPS}.group_gemm", "_group_gemm_kernel")
def grouped_products(rng: np.random.Generator) -> Run:
    shapes = ((8, 6, 4), (4, 10, 9), (5, 4, 8))
    a = [normal(rng, m, k) for m, k, _ in shapes]
    b = [normal(rng, n, k) for _, k, n in shapes]
    c = [np.zeros((m, n), F32) for m, _, n in shapes]
    return Run(
        (3,), (a, b, c, 4, 4, 4, 3, True), {2: [to_double(x) @ to_double(y).T for x, y in zip(a, b, strict=True)]}, 1e-4
    )


@example(f"{OPS}.moe", "_fused_moe_kernel", "uneven")
def fused_experts_uneven(rng: np.random.Generator) -> Run:
    run = _fused_experts(rng, 10)
    why = "weights are loaded with undefined padding, which zeros of the tokens do not make zero"
    return Run(run.grid, run.args, {}, findings=frozenset({"TC301"}), why=why)


@example(f"{OPS}.moe", "_fused_moe_kernel")
def fused_experts(rng: np.random.Generator) -> Run:
    return _fused_experts(rng, 8)


def _fused_experts(rng: np.random.Generator, k: int) -> Run:
    tokens, choices, experts, n, block = 6, 2, 3, 12, 4
    a, weights = normal(rng, tokens, k), normal(rng, experts, n, k)
    chosen = rng.integers(0, experts, tokens * choices)
    share = normal(rng, tokens * choices)
    order: list[int] = []
    owners: list[int] = []
    for expert in range(experts):
        mine = np.flatnonzero(chosen == expert).tolist()
        mine += [tokens * choices] * (-len(mine) % block)
        order += mine
        owners += [expert] * (len(mine) // block)
    c = np.zeros((tokens * choices, n), F32)
    wanted = np.stack([weights[chosen[t]] @ to_double(a[t // choices]) * share[t] for t in range(tokens * choices)])
    blocks = cdiv(len(order), block) * cdiv(n, 8)
    args = (a.reshape(-1), weights, c, np.zeros(1, F32), np.zeros(1, F32), share, np.array(order, I32),
            np.array(owners, I32), np.array([len(order)], I32), n, k, len(order), tokens * choices, 0, 0, block, 8, 4,
            2, 1, choices, 0, 0, 1, k)
    return Run((blocks,), args, {2: wanted}, 1e-4)
