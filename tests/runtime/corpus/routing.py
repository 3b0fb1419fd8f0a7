"""Mixture of experts: alignment of tokens to blocks."""

from __future__ import annotations

import numpy as np

from tests.runtime.corpus.examples import I32, Run, cdiv, example

ALIGN = "ops.cutile.moe_align_block"
EXPERTS, TOKENS, PROGRAMS, CHUNK, BLOCK = 6, 50, 6, 4, 4
SHARE = cdiv(TOKENS, PROGRAMS)


def counts(ids: np.ndarray) -> np.ndarray:
    """Tokens of each expert, by program, shifted down by one row."""
    table = np.zeros((PROGRAMS + 1, EXPERTS), I32)
    for program in range(PROGRAMS):
        table[program + 1] = np.bincount(ids[program * SHARE:(program + 1) * SHARE], minlength=EXPERTS)
    return table


def starts(table: np.ndarray) -> np.ndarray:
    padded = -(-table[-1] // BLOCK) * BLOCK
    return np.concatenate([[0], np.cumsum(padded)]).astype(I32)


@example(ALIGN, "_moe_align_block_size_stage1_kernel")
def stage1(rng: np.random.Generator) -> Run:
    ids = rng.integers(0, EXPERTS, TOKENS).astype(I32)
    table = np.zeros((PROGRAMS + 1) * EXPERTS, I32)
    return Run((PROGRAMS,), (ids, table, EXPERTS, TOKENS, SHARE, CHUNK, 8), {1: counts(ids).reshape(-1)})


@example(ALIGN, "_moe_align_block_size_stage2_kernel")
def stage2(rng: np.random.Generator) -> Run:
    table = counts(rng.integers(0, EXPERTS, TOKENS).astype(I32))
    wanted = np.cumsum(table, axis=0)
    return Run((EXPERTS,), (table.reshape(-1).copy(), EXPERTS, 8), {0: wanted.reshape(-1)})


@example(ALIGN, "_moe_align_block_size_stage3_kernel")
def stage3(rng: np.random.Generator) -> Run:
    table = np.cumsum(counts(rng.integers(0, EXPERTS, TOKENS).astype(I32)), axis=0).astype(I32)
    args = (np.zeros(1, I32), np.zeros(1, I32), table.reshape(-1), np.zeros(EXPERTS + 1, I32), EXPERTS, BLOCK, PROGRAMS)
    return Run((1,), args, {0: starts(table)[-1:], 1: table[-1].max(), 3: starts(table)})


@example(ALIGN, "_moe_align_block_size_stage4b_scatter_kernel")
def stage4(rng: np.random.Generator) -> Run:
    ids = rng.integers(0, EXPERTS, TOKENS).astype(I32)
    table = np.cumsum(counts(ids), axis=0).astype(I32)
    first = starts(table)
    wanted, places = np.full(first[-1], -1, I32), first[:-1].copy()
    for token, expert in enumerate(ids):
        wanted[places[expert]] = token
        places[expert] += 1
    experts = np.repeat(np.arange(EXPERTS), np.diff(first) // BLOCK)
    places, owners = np.full(first[-1], -1, I32), np.zeros(first[-1] // BLOCK, I32)
    args = (ids, places, owners, table.reshape(-1), first, EXPERTS, BLOCK, TOKENS, SHARE, CHUNK, 8)
    return Run((PROGRAMS,), args, {1: wanted, 2: experts})
