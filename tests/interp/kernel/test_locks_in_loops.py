"""A lock that some iteration gives back protects neither the later iterations nor what follows the loop."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

TEXT = """import cuda.tile as ct


@ct.kernel
def k(lock, c, n: int):
    i = ct.bid(0)
    while ct.atomic_cas(lock, 0, 0, 1) != 0:
        pass
    {body}
"""


def verdict(*lines: str) -> str:
    text = TEXT.format(body="\n    ".join(lines))
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    return kernel.verdict


STORE, GIVE = "    ct.scatter(c, 0, 1.0 * i)", "ct.atomic_xchg(lock, 0, 0)"


@pytest.mark.parametrize("lines", [
    ("for j in range(3):", STORE, "    if j == 0:", f"        {GIVE}"),
    ("for j in range(n):", STORE, f"    {GIVE}"),
    ("for j in range(n):", STORE, "    if j == 2:", f"        {GIVE}", "        continue"),
    ("for j in range(n):", "    if j == 1:", f"        {GIVE}", "        break", STORE[4:], GIVE),
])
def test_a_lock_given_back_in_an_iteration_is_not_held(lines):
    assert verdict(*lines) not in ("proved", "conditional")


@pytest.mark.parametrize("lines", [
    ("for j in range(3):", STORE, GIVE),
    ("for j in range(n):", STORE, GIVE),
])
def test_a_lock_given_back_after_the_loop_is_held_in_it(lines):
    assert verdict(*lines) in ("proved", "conditional")
