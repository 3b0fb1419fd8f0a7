"""A parameter without annotation may be a fraction, unless its use shows that it is an integer."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

TEXT = """import cuda.tile as ct


@ct.kernel
def k(out, src, p{annotation}):
    i = ct.bid(0)
    {use}
    if {test}:
        i = i // 2
    ct.scatter(out, i, 1.0)
"""


def verdict(test: str, annotation: str = "", use: str = "pass") -> str:
    text = TEXT.format(test=test, annotation=annotation, use=use)
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    return kernel.verdict


@pytest.mark.parametrize("test", [
    "p > 0 and p < 1", "not (p <= 0 or p >= 1)", "0 < p < 1", "2 * p > 1 and p < 1", "p > 3 and not p >= 4",
])
def test_a_number_between_two_integers_is_possible(test):
    assert verdict(test) in ("refuted", "unproven")


@pytest.mark.parametrize(("test", "annotation", "use"), [
    ("p > 0 and p < 1", ": int", "pass"),
    ("p > 0 and p < 1", ": ct.Constant[int]", "pass"),
    ("p > 0 and p < 1", "", "ct.load(src, (p,), (1,))"),
    ("p > 0 and p < 1", "", "ct.load(src, (0,), (p,))"),
    ("p == 0 and p == 1", "", "pass"),
    ("p < 0 and not p < 0", "", "pass"),
])
def test_a_contradiction_stays_impossible(test, annotation, use):
    assert verdict(test, annotation, use) in ("proved", "conditional")
