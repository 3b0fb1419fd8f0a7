"""Matrix products and what moves tiles."""

from __future__ import annotations

import numpy as np

from tests.runtime.corpus.examples import F16, F32, Run, cdiv, example, normal, to_double

OPS = "ops.cutile"


@example(f"{OPS}.transpose", "_transpose_kernel")
def transpose(rng: np.random.Generator) -> Run:
    x = normal(rng, 10, 7)
    return Run((cdiv(10, 4), cdiv(7, 2)), (x, np.zeros((7, 10), F32), 10, 7, 4, 2), {1: x.T})


@example(f"{OPS}.matmul", "_matmul_kernel")
def matmul(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 44, 24, dtype=F16), normal(rng, 24, 20, dtype=F16)
    args = (a, b, np.zeros((44, 20), F16), 4, 8, 16)
    return Run((cdiv(44, 4) * cdiv(20, 8),), args, {2: to_double(a) @ to_double(b)}, 5e-3)


@example(f"{OPS}.matmul", "_matmul_kernel", "tf32")
def matmul_single(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 44, 24), normal(rng, 24, 20)
    args = (a, b, np.zeros((44, 20), F32), 4, 8, 16)
    return Run((cdiv(44, 4) * cdiv(20, 8),), args, {2: to_double(a) @ to_double(b)}, 1e-2)


@example(f"{OPS}.matmul", "_static_persistent_matmul_kernel")
def persistent_matmul(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 24, 44, dtype=F16), normal(rng, 20, 24, dtype=F16)
    args = (a, b, np.zeros((44, 20), F16), 44, 20, 24, 4, 8, 16, True, True, 8, -1)
    return Run((7,), args, {2: to_double(a).T @ to_double(b).T}, 5e-3)


@example(f"{OPS}.bmm", "_bmm_kernel")
def bmm(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 3, 12, 10), normal(rng, 3, 10, 8)
    args = (a, b, np.zeros((3, 12, 8), F32), 8, 4, 4)
    return Run((2, 2, 3), args, {2: to_double(a) @ to_double(b)}, 1e-4)


@example(f"{OPS}.bmm", "_static_persistent_bmm_kernel")
def persistent_bmm(rng: np.random.Generator) -> Run:
    a, b = normal(rng, 3, 10, 12), normal(rng, 3, 8, 10)
    args = (a, b, np.zeros((3, 12, 8), F32), 3, 12, 8, 10, 4, 4, 4, 2, 3, True, True)
    return Run((5,), args, {2: to_double(a).swapaxes(1, 2) @ to_double(b).swapaxes(1, 2)}, 1e-4)


@example(f"{OPS}.splitk_reduce", "_splitk_reduce_kernel")
def splitk(rng: np.random.Generator) -> Run:
    parts, lse = normal(rng, 2, 3, 5, 16), normal(rng, 2, 3, 5)
    weight = np.exp2(to_double(lse) - to_double(lse).max(axis=-1, keepdims=True))
    wanted = (parts * weight[..., None]).sum(axis=2) / weight.sum(axis=-1)[..., None]
    args = (parts, lse, np.zeros((2, 3, 16), F32), 2, 64, 3, 16, 5, 8, 8, True)
    return Run((2, 3, 2), args, {2: wanted}, 1e-4)


@example(f"{OPS}.splitk_reduce", "_splitk_reduce_kernel", "sum")
def splitk_sum(rng: np.random.Generator) -> Run:
    parts, lse = normal(rng, 2, 3, 5, 16), normal(rng, 2, 3, 5)
    weight = np.exp2(to_double(lse) - to_double(lse).max(axis=-1, keepdims=True))
    wanted = (parts * weight[..., None]).sum(axis=2) / weight.sum(axis=-1)[..., None]
    args = (parts, lse, np.zeros((2, 3, 16), F32), 2, 64, 3, 16, 5, 8, 8, False)
    return Run((2, 3, 2), args, {2: wanted}, 1e-4)
