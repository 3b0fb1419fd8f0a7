"""Kernels whose indices are computed with numbers that wrap: accesses that are proved disjoint do not collide."""

from __future__ import annotations

import os

import pytest

from tests.oracle.wrapping import judge_seed

KERNELS = int(os.environ.get("TILECHECK_WRAPPING_KERNELS", "60"))
KNOWN = (511, 566, 1117, 1274, 1560, 2385, 3670, 4053)
"""Kernels that were once taken for safe, each for a reason of its own."""


@pytest.mark.slow
def test_proved_kernels_do_not_wrap_into_another_block() -> None:
    judgements = [judge_seed(seed, 8) for seed in range(KERNELS)]
    faults = [f for _, _, found in judgements for f in found]
    assert not faults, "\n".join(f"seed {f.seed}: {f.launch}: {f.said}\n{f.text}" for f in faults[:3])
    decided = sum(verdict == "decided" for verdict, _, _ in judgements)
    loud = sum(collisions > 0 for _, collisions, _ in judgements)
    assert decided * 5 > KERNELS and loud * 4 > KERNELS


@pytest.mark.parametrize("seed", KNOWN)
def test_known_wrapping_kernels_are_not_proved(seed: int) -> None:
    assert not judge_seed(seed, 8)[2]
