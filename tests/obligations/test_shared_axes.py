"""Pairs of accesses that agree on some axes of the index share one proof from these axes."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config


def verdict(*stores: str, loop: bool = False) -> str:
    """The verdict on a kernel with these stores of one row each."""
    indent = "        " if loop else "    "
    body = "".join(f"{indent}ct.store(out, ({index},), t)\n" for index in stores)
    text = ("import cuda.tile as ct\n\n\n@ct.kernel\ndef k(x, out, n: int, T: ct.Constant[int]):\n    i = ct.bid(0)\n"
            "    t = ct.full((1, T), 0.0, ct.float32)\n" + ("    for j in range(n):\n" if loop else "") + body)
    (kernel,) = check_source(text, "m.py", Config(use_cache=False)).kernels
    verdicts = {o.verdict for o in kernel.obligations if o.kind == "disjoint"}
    return min(verdicts - {"proved"}, default="proved")


@pytest.mark.parametrize(("stores", "loop"), [
    (("i, 0", "i, 1", "i, 2"), False),
    (("2 * i, 0", "2 * i, 1", "2 * i + 1, 0"), False),
    (("i, j", "i, j + 1", "i, 7"), True),
])
def test_accesses_are_disjoint_on_the_axis_that_they_share(stores: tuple[str, ...], loop: bool) -> None:
    assert verdict(*stores, loop=loop) == "proved"


@pytest.mark.parametrize(("stores", "loop"), [
    (("i // 2, 0", "i // 2, 1"), False),
    (("j, i", "j, i + 1"), True),
    (("i, 0", "i + 1, 0"), False),
    (("0, i", "0, i + 1"), False),
    (("j, 0", "j, 1"), True),
])
def test_a_shared_axis_that_several_blocks_have_proves_nothing(stores: tuple[str, ...], loop: bool) -> None:
    assert verdict(*stores, loop=loop) in ("refuted", "unproven", "conditional")
