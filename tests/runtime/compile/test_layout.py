"""Where parameters lie: the conventions of `cuda.tile`, which its cubins are compared with in `test_build.py`."""

from __future__ import annotations

from tests.runtime.compile import kernels
from tests.runtime.compile.arrays import array
from tilecheck_runtime.compile.constraints import ArrayParameter, ConstantParameter, ScalarParameter, Signature
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.compile.layout import layout, pack_values


def make_plain_array(rank, index="int32"):
    return ArrayParameter("float32", 1, (None,) * rank, (1,) * rank, (None,) * rank, (1,) * rank, index=index)


def offsets(*parameters):
    signature = Signature(tuple("abcdefgh"[:len(parameters)]), parameters)
    return [(s.offset, s.size) for s in layout(signature)]


def test_numbers_are_aligned_as_in_c():
    assert offsets(make_plain_array(1), *(ScalarParameter(t) for t in ("bool_", "float32", "int32", "int64"))) == [
        (0, 8), (8, 4), (12, 4), (16, 1), (20, 4), (24, 4), (32, 8)]
    assert offsets(make_plain_array(1), *(ScalarParameter(t) for t in ("float16", "float64", "uint8"))) == [
        (0, 8), (8, 4), (12, 4), (16, 2), (24, 8), (32, 1)]


def test_constants_are_not_passed_and_64_bit_arrays_take_more():
    assert offsets(make_plain_array(1), ConstantParameter(64), make_plain_array(1, "int64")) == [
        (0, 8), (8, 4), (12, 4), (16, 8), (24, 8), (32, 8)]


def test_arguments_are_packed_in_order():
    arguments = (array((64, 32), at=4096, offset=64), array((8,), at=1 << 30, strides=(2,)), 64)
    slots = layout(signature_of(kernels.copy._pyfunc, arguments))
    assert pack_values(slots, arguments) == (4160, 64, 32, 32, 1, 1 << 30, 8, 2)
    assert [(s.argument, s.part, s.axis) for s in slots] == [
        (0, "pointer", 0), (0, "shape", 0), (0, "shape", 1), (0, "stride", 0), (0, "stride", 1), (1, "pointer", 0),
        (1, "shape", 0), (1, "stride", 0)]
