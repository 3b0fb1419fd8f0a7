"""Rotary embeddings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.runtime.corpus.examples import Run, example, normal


def rotate(x: Any, cos: Any, sin: Any) -> Any:
    """Halves of the last axis rotated; `cos` and `sin` hold the half."""
    half = cos.shape[-1]
    first, second = x[..., :half], x[..., half:2 * half]
    return np.concatenate([first * cos - second * sin, second * cos + first * sin, x[..., 2 * half:]], axis=-1)


@example("ops.cutile.rope", "_rope_kernel")
def rope(rng: np.random.Generator) -> Run:
    q, k = normal(rng, 2, 3, 5, 8), normal(rng, 2, 2, 5, 8)
    cos, sin = normal(rng, 1, 5, 8), normal(rng, 1, 5, 8)
    args = (q.copy(), k.copy(), cos, sin, 1, 5, 4, 2, 4)
    halves = cos[:, None, :, :4], sin[:, None, :, :4]
    return Run((10,), args, {0: rotate(q, *halves), 1: rotate(k, *halves)}, 1e-4)
