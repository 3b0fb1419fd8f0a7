"""Numbers of a type of the device wrap; numbers of Python, which the compiler computes, do not."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

TEXT = """import cuda.tile as ct


@ct.kernel
def k(out):
    i = ct.bid(0)
    {lines}
    if {test}:
        i = i // 2
    ct.scatter(out, i, 1.0)
"""


def verdict(test: str, *lines: str) -> str:
    text = TEXT.format(test=test, lines="\n    ".join(lines or ("pass",)))
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    return kernel.verdict


@pytest.mark.parametrize(("test", "lines"), [
    ("ct.int32(2**30) * ct.int32(4) == 0", ()),
    ("ct.int32(2**30) * 4 == 0", ()),
    ("ct.mul(ct.int32(2**30), 4) == 0", ()),
    ("ct.int32(2**31 - 1) + ct.int32(1) < 0", ()),
    ("ct.int32(-2**31) - ct.int32(1) > 0", ()),
    ("-ct.uint32(1) > 0", ()),
    ("ct.uint32(2**31) * ct.uint32(2) == 0", ()),
    ("ct.int64(2**62) * ct.int64(4) == 0", ()),
    ("ct.int8(100) + ct.int8(100) < 0", ()),
    ("ct.uint32(2**32 + 5) == 5", ()),
    ("ct.int32(1) << ct.int32(31) < 0", ()),
    ("h == 0", ("h = ct.int32(2**30)", "h = h + h", "h = h + h")),
    ("h", ("h = ct.int32(2**30) * 4", "h = h == 0")),
    ("h == 0", ("h = ct.int32(0)", "for j in range(4):", "    h = h + ct.int32(2**30)")),
])
def test_a_wrapped_number_decides_the_branch(test, lines):
    assert verdict(test, *lines) in ("refuted", "unproven")


@pytest.mark.parametrize(("test", "lines"), [
    ("2**30 * 4 == 0", ()),
    ("ct.int64(2**30) * ct.int64(4) == 0", ()),
    ("ct.int32(2**20) * ct.int32(4) == 0", ()),
    ("ct.uint32(2**31) + ct.uint32(1) == 0", ()),
    ("h != 2**32", ("h = 2**31", "h = h * 2")),
])
def test_a_number_that_fits_is_as_in_python(test, lines):
    assert verdict(test, *lines) == "proved"
