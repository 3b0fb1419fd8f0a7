"""Arrays that a variant of a kernel leaves alone may share storage with others."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source

KERNEL = """
import cuda.tile as ct


@ct.kernel
def split(x, low, high, BOTH: ct.Constant[bool], T: ct.Constant[int]):
    i = ct.bid(0)
    t = ct.load(x, (i,), (T,))
    ct.store(low, (i,), t)
    if BOTH:
        ct.store(high, (i,), t)


def run(x, low, other, flag):
    ct.launch(0, (ct.cdiv(x.shape[0], 8),), split, (x, low, {high}, {both}, 8))
"""


def _find_codes(high: str, both: str) -> tuple[list[str], list[str]]:
    report = check_source(KERNEL.format(high=high, both=both))
    (kernel,) = report.kernels
    return [d.code for d in report.diagnostics], [c.state for c in kernel.contract if c.clause.startswith("disjoint(")]


@pytest.mark.parametrize("both", ["False", "0"])
def test_an_argument_for_a_parameter_that_is_not_used(both: str) -> None:
    codes, states = _find_codes("low", both)
    assert codes == []
    assert "broken" not in states


@pytest.mark.parametrize("both", ["True", "1", "flag"])
def test_an_argument_for_a_parameter_that_is_or_may_be_used(both: str) -> None:
    codes, states = _find_codes("low", both)
    assert codes == ["TC401"]
    assert "broken" in states


@pytest.mark.parametrize("both", ["True", "False"])
def test_other_storage(both: str) -> None:
    assert _find_codes("other", both)[0] == []


def test_the_array_that_is_read_is_used_in_every_variant() -> None:
    assert _find_codes("x", "True")[0] == ["TC401"]
    assert _find_codes("x", "False")[0] == []
