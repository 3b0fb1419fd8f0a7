"""Arguments described in text."""

from __future__ import annotations

import pytest

from tests.runtime.compile import kernels
from tilecheck_runtime import Grouped, Linear, Range
from tilecheck_runtime.compile import refine
from tilecheck_runtime.compile.constraints import ConstantParameter, ScalarParameter
from tilecheck_runtime.compile.signature_syntax import SketchedArray, parse_sketch
from tilecheck_runtime.compile.specialize import specialize_for_sketch
from tilecheck_runtime.errors.compilation import SketchError
from tilecheck_runtime.errors.ownership import ContractError


@pytest.fixture(autouse=True)
def compiler(monkeypatch):
    """The meaning of text does not depend on the installed compiler."""
    monkeypatch.setattr(refine, "find_toolchain", lambda: type("Tools", (), {"unchecked": True}))


def test_arrays_and_numbers():
    found = parse_sketch("z=[4096, 64,] / [128, 16] by Grouped(8) on 132, x = f16[8, 2] : (16, 1) @ 4, bk=64, a=1.5, "
                         "b=true")
    assert found == {
        "z": SketchedArray(None, (4096, 64), (128, 16), Grouped(8), 132, (64, 1), 16),
        "x": SketchedArray("f16", (8, 2), None, None, None, (16, 1), 4), "bk": 64, "a": 1.5, "b": True}
    assert parse_sketch("z=[8]/[2] by Range(Linear(), 1, 3) on 2")["z"].schedule == Range(Linear(), 1, 3)


@pytest.mark.parametrize(("text", "message"), [
    ("[4]", r"`\[4\]` does not say which parameter it is for\n.*write it as in `z="),
    ("z=[4], z=[5]", "`z` is given twice"),
    ("z=many", "`z` is `many`, which is neither a number nor an array"),
    ("z=[4] and more", r"`z` is `\[4\] and more`, which cannot be read"),
    ("z=[n]", "`z` has `n` where numbers belong"),
    ("z=[4]/[2,2]", "`z` has 1 extents and pieces of 2"),
    ("z=[4]:(1,1)", "`z` has 1 extents and strides of 2"),
    ("z=[4]/[0]", "pieces without elements"),
    ("z=[4] @ 3", "`z` is aligned to 3 bytes\n.*give one of 1, 2, 4, 8, 16"),
    ("z=[4]/[2] by Linear()", "a schedule or a number of blocks without the other"),
    ("z=[4]/[2] by Zigzag() on 2", r"schedule `Zigzag\(\)`, which is none\n.*Linear\(\), Grouped\(8\)"),
    ("z=[4]/[2] by Grouped(__import__('os')) on 2", "which is none"),
])
def test_unreadable_text_is_named(text, message):
    with pytest.raises(SketchError, match=message):
        parse_sketch(text)


def test_a_kernel_of_the_dialect_is_specialized_as_a_launch_would():
    made = specialize_for_sketch(kernels.gemm, "z=[256, 512]/[128, 128], x=[256, 64], y=[64, 512], bk=64")
    assert made.grid == (2, 4, 1) and made.inside == {"x", "y", "z"}
    x = made.signature.parameters[1]
    assert (x.dtype, x.strides, x.stride_divisors, x.shape_divisors) == ("float16", (None, 1), (8, 1), (16, 16))
    assert made.signature.parameters[3:] == tuple(map(ConstantParameter, (128, 128, 64)))
    mapped = specialize_for_sketch(kernels.gemm,
                                   "z=[256, 512] by Grouped(2) on 3, BM=128, BN=128, x=[256, 64], y=[64, 512], BK=64")
    assert mapped.grid == (3, 1, 1)
    assert specialize_for_sketch(kernels.axpy,
                                 "z=[100]/[32], x=[128]@4, a=2").signature.parameters[2] == ScalarParameter("float32")
    assert specialize_for_sketch(kernels.axpy, "z=[100]/[32], x=[128]@4, a=2").signature.parameters[1].alignment == 1


def test_a_kernel_of_cutile():
    made = specialize_for_sketch(kernels.copy, "x=f32[64], z=f32[64]:(2), T=16")
    assert made.grid is None and made.inside == frozenset()
    assert made.signature.parameters[1].strides == (None,)


@pytest.mark.parametrize(("text", "message"), [
    ("z=[64]/[32], x=[64]", "`add` takes z, x, y; `y` is missing\n.*add `y=...`"),
    ("z=[64]/[32], x=[64], y=[64], w=3", "`add` takes z, x, y, and none named `w`"),
    ("z=[64], x=[64], y=[64]", r"how `z` is divided: B has no value\n.*`z=\[1024\]/\[128\]`, or `B=128`"),
    ("z=[64]/[32], x=[64,64], y=[64]", "`x` has 1 axes, not 2"),
    ("z=[64]/[32], x=f16[64], y=[64]", "`x` has elements of type f32, not f16"),
    ("z=[64]/[32], x=z9[64], y=[64]", "`x` has elements of type `z9`, which there is not"),
    ("z=[64]/[32], x=[64]/[32], y=[64]", "`x` is not an output, and only outputs are divided"),
    ("z=[64]/[32], x=3, y=[64]", r"`x` is an array with 1 extents\n.*write `x=\[64\]`"),
    ("z=[64]/[32], x=[64], y=[64], B=16", r"`z` has pieces \(32,\), where `B = 16` stands for 32"),
    ("z=[64]/[32] by Linear() on 99, x=[64], y=[64]", "mapped to 99 blocks: between 1 and 2"),
])
def test_an_unsupported_argument_is_named(text, message):
    with pytest.raises(SketchError, match=message):
        specialize_for_sketch(kernels.add, text)


@pytest.mark.parametrize(("text", "message"), [
    ("z=[64]/[32], x=[64], a=x", "`a` is `x`, which is neither"),
    ("z=[64]/[32], x=[64], a=[3]", "`a` is a number of type float\n.*write `a=1.0`"),
])
def test_invalid_numbers_are_refused(text, message):
    with pytest.raises(SketchError, match=message):
        specialize_for_sketch(kernels.axpy, text)


@pytest.mark.parametrize(("text", "message"), [
    ("x=[64], z=f32[64], T=16", "`x` has no element type"),
    ("x=f32[64], z=f32[64]/[4], T=16", "`z` is divided into pieces"),
])
def test_an_argument_that_a_cutile_kernel_does_not_accept(text, message):
    with pytest.raises(SketchError, match=message):
        specialize_for_sketch(kernels.copy, text)


def test_a_launch_that_would_be_refused_is_refused():
    with pytest.raises(ContractError, match=r"z.shape\[0\] <= x.shape\[0\]"):
        specialize_for_sketch(kernels.add, "z=[64]/[32], x=[63], y=[64]")
