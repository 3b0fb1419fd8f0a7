"""A parameter without annotation may be a fraction, unless its use shows that it is an integer."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import KernelReport

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
    return analyze(test, annotation, use).verdict


def analyze(test: str, annotation: str = "", use: str = "pass") -> KernelReport:
    text = TEXT.format(test=test, annotation=annotation, use=use)
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    return kernel


def asks_for_integer(kernel: KernelReport) -> bool:
    """Whether a kernel is proved for launches that pass an integer. A truth value is not one."""
    return kernel.verdict == "conditional" and "integer(p)" in {c.clause for c in kernel.contract}


@pytest.mark.parametrize("annotation", ["", ": ct.Constant"])
@pytest.mark.parametrize("test", [
    "p > 0 and p < 1", "not (p <= 0 or p >= 1)", "0 < p < 1", "2 * p > 1 and p < 1", "p > 3 and not p >= 4",
    "2 * p == 1", "p * p > 1 and p * p < 3", "p > i and p < i + 1", "p and p >= 0 and p < 1", "min(p, 5) > 0 and p < 1",
    "p % 1 != 0", "p // 1 != p", "ct.cdiv(p, 1) != p", "ct.astype(p, ct.int32) < p",
    "p > 0 and ct.astype(p, ct.int32) == 0",
])
def test_a_number_between_two_integers_is_possible(test, annotation):
    assert verdict(test, annotation) in ("refuted", "unproven", "conditional")


def test_the_alias_of_a_constant_declares_its_type():
    for declared, expected in (("int", "proved"), ("float", "unproven")):
        text = TEXT.format(annotation=": Number", use="pass", test="p > 0 and p < 1")
        text = text.replace("\n\n\n", f"\nNumber = ct.Constant[{declared}]\n\n\n", 1)
        (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
        assert kernel.verdict == expected


@pytest.mark.parametrize("product", ["i * p", "2 * i - i * p", "(2 * i) % p"])
def test_a_conversion_shows_no_integer(product):
    text = TEXT.format(annotation="", use=f"i = ct.astype({product}, ct.int32)", test="False")
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    assert kernel.verdict in ("refuted", "unproven") or asks_for_integer(kernel)


def test_a_number_that_is_only_converted_is_an_integer():
    text = TEXT.format(annotation="", use="i = i * ct.astype(p, ct.int64)", test="False")
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    assert kernel.verdict == "proved" and "p >= 1" in {c.clause for c in kernel.contract}


@pytest.mark.parametrize("test", ["i < p and not i < p", "p <= i and i < p", "p == 4 and not p == 4"])
def test_a_number_with_uses_of_one_kind_is_followed(test):
    assert verdict(test) == "proved"


@pytest.mark.parametrize(("test", "annotation", "use"), [
    ("p > 0 and p < 1", ": int", "pass"),
    ("p > 0 and p < 1", ": ct.Constant[int]", "pass"),
    ("p > 0 and p < 1", "", "ct.load(src, (p,), (1,))"),
    ("p > 0 and p < 1", "", "ct.load(src, (0,), (p,))"),
    ("p == 0 and p == 1", "", "pass"),
    ("p == 2 and p < 1", "", "pass"),
    ("p < 0 and not p < 0", "", "pass"),
])
def test_a_contradiction_stays_impossible(test, annotation, use):
    assert verdict(test, annotation, use) in ("proved", "conditional")


@pytest.mark.parametrize("annotation", ["", ": bool", ": ct.Constant[bool]"])
@pytest.mark.parametrize("test", ["not ct.bitwise_not(p)", "ct.bitwise_not(p) == 0 and p != -1"])
def test_the_inverse_of_a_truth_value_may_be_false(test, annotation):
    kernel = analyze(test, annotation)
    assert kernel.verdict in ("refuted", "unproven") or (not annotation and asks_for_integer(kernel))


@pytest.mark.parametrize(("annotation", "use"), [(": int", "pass"), ("", "ct.load(src, (p,), (1,))")])
def test_the_inverse_of_an_integer_is_followed(annotation, use):
    assert verdict("~p == 0 and p != -1", annotation, use) == "proved"
