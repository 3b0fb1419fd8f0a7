"""A number that wraps where a condition or a choice uses it: the contract excludes the launch that makes it wrap."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import annotation_of, evaluate, parse

TEXT = """import cuda.tile as ct


@ct.kernel
def k(out, n: int, m: int):
    i = ct.bid(0)
    {body}
    ct.scatter(out, i, 1.0)
"""
LARGEST = 2**31 - 1


def holds(body: str, n: int, m: int) -> bool:
    """Whether the contract of a proved kernel holds for four blocks and two numbers."""
    (kernel,) = check_source(TEXT.format(body=body), "k.py", Config(use_cache=False, jobs=1)).kernels
    assert kernel.verdict in ("proved", "conditional")
    launch = {"grid[0]": 4, "grid[1]": 1, "grid[2]": 1, "out.shape[0]": 16, "out.strides[0]": 1, "n": n, "m": m}
    clauses = [c for part in kernel.contract for c in parse(part.clause)]
    return all(annotation_of(c) is not None or evaluate(c, launch) for c in clauses)


@pytest.mark.parametrize(("body", "n", "m"), [
    ("if i + n < 0:\n        i = 0", LARGEST, 1),
    ("if n + 3 < n:\n        i = 0", LARGEST, 1),
    ("i = ct.where(i + n < 0, 0, i)", LARGEST, 1),
    ("if (n + 15) // 16 < 0:\n        i = 0", LARGEST, 1),
    ("if ct.astype(n + 1, ct.int64) < ct.astype(n, ct.int64):\n        i = 0", LARGEST, 1),
    ("c = n\n    for j in range(4):\n        c = c + 1\n    if c < n:\n        i = 0", LARGEST, 1),
    ("if n * m // m != n:\n        i = 0", 2**30, 4),
    ("if (n * 3 + 1) // 4 < 0:\n        i = 0", 2**30, 1),
    ("if min(n * 4, 5) < 0:\n        i = 0", 2**29, 1),
    ("if max(n * 4, 5) == 5:\n        i = 0", 2**29, 1),
    ("if abs(n * 4) == 0:\n        i = 0", 2**30, 1),
    ("i = i if (n * 4 + 7) // 8 >= 0 else 0", 2**29, 1),
    ("i = ct.maximum(i + n, 0)", LARGEST, 1),
])
def test_a_number_that_wraps_breaks_the_contract(body: str, n: int, m: int) -> None:
    assert not holds(body, n, m)
    assert holds(body, 5, 3)


@pytest.mark.parametrize("body", [
    "if i < n and n - 1 > i:\n        i = i + 0",
    "i = ct.where(i < n, i, i + 0)",
])
def test_the_largest_number_alone_does_not_wrap(body: str) -> None:
    assert holds(body, LARGEST, 1)
