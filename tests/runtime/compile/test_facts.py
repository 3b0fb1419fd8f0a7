"""The derived facts about arguments are true, and strong enough to be useful."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.runtime.compile import kernels
from tests.runtime.compile.arrays import array
from tilecheck_runtime.compile.assumptions import are_met, describe_assumptions, find_broken
from tilecheck_runtime.compile.constraints import ConstantParameter, ScalarParameter
from tilecheck_runtime.compile.facts import signature_of
from tilecheck_runtime.errors.compilation import UnsupportedArgumentError

COPY, LONG, FIXED = kernels.copy._pyfunc, kernels.long._pyfunc, kernels.fixed._pyfunc
FAR = 1 << 40


def of(first, second=None):
    return signature_of(COPY, (first, second or array((64,), at=FAR), 64))


def test_an_aligned_array_in_c_order_has_all_facts():
    x = of(array((1024, 4096), "float16")).parameters[0]
    assert (x.dtype, x.rank, x.alignment) == ("float16", 2, 16)
    assert x.strides == (None, 1)
    assert x.stride_divisors == (8, 1)
    assert x.shape == (None, None)
    assert x.shape_divisors == (16, 16)
    assert x.groups == () and not x.self_overlap and x.index == "int32"


def test_facts_are_true():
    x = of(array((1000, 33), at=(1 << 20) + 4)).parameters[0]
    assert x.alignment == 1
    assert x.stride_divisors == (1, 1) and x.shape_divisors == (1, 1)
    assert of(array((33,), at=(1 << 20), offset=8)).parameters[0].alignment == 1


def test_an_extent_of_one_is_a_constant():
    assert of(array((1, 64))).parameters[0].shape == (1, None)


def test_numbers():
    signature = signature_of(FIXED, (array((8, 8)), 3, 1.5))
    assert signature.parameters[1:] == (ScalarParameter("int32"), ScalarParameter("float32"))
    assert signature_of(COPY, (array((8,)), array((8,), at=FAR), 64)).parameters[2] == ConstantParameter(64)
    assert signature_of(COPY, (array((8,)), array((8,), at=FAR), True)).parameters[2] == ConstantParameter(True)
    assert signature_of(FIXED, (array((8, 8)), True, 1.5)).parameters[1] == ScalarParameter("bool_")


def test_a_constant_of_another_type_is_another_variant():
    one, true, real = (signature_of(COPY, (array((8,)), array((8,), at=FAR), c)) for c in (1, True, 1.0))
    assert [type(s.parameters[2].value) for s in (one, true, real)] == [int, bool, float]


def test_numbers_of_any_value_have_one_signature():
    assert signature_of(FIXED, (array((8, 8)), 3, 1.5)) is signature_of(FIXED, (array((8, 8)), -4, 2.5))


def test_extents_and_strides_that_the_author_fixes_are_constants():
    x = signature_of(FIXED, (array((48, 8)), 3, 1.5)).parameters[0]
    assert x.shape == (48, None) and x.strides == (None, 1)


def test_arguments_that_overlap_get_a_group():
    a, b = of(array((64,)), array((64,), at=(1 << 20) + 128)).parameters[:2]
    assert a.groups == b.groups == ("group0",)
    a, b = of(array((32,)), array((64,), at=(1 << 20) + 128)).parameters[:2]
    assert a.groups == b.groups == ()


def test_rows_that_interleave_without_touching_share_nothing():
    a = array((8, 4), strides=(8, 1))
    b = array((8, 4), strides=(8, 1), offset=16)
    assert of(a, b).parameters[0].groups == ()


def test_elements_that_share_memory_are_marked():
    assert of(array((8, 8), strides=(0, 1))).parameters[0].self_overlap
    assert of(array((8, 8), strides=(4, 1))).parameters[0].self_overlap
    assert not of(array((8, 8), strides=(1, 8))).parameters[0].self_overlap


WRONG = {
    "extent": (array((1 << 31,)), r"`x` has extent 2147483648 along axis 0.*counts? in int32"),
    "stride": (array((2, 2), strides=(1 << 31, 1)), r"`x` has stride 2147483648 along axis 0"),
    "negative": (array((4,), strides=(-1,)), r"`x` has a negative stride, -1 along axis 0.*pass a copy"),
    "type": (array((4,), "float4_e2m1fn"), r"`x` has elements of type float4_e2m1fn.*pack them"),
    "misaligned": (array((4,), at=(1 << 20) + 2), r"address of `x`, 0x100002, is not a multiple of the 4 bytes"),
    "kind": ("text", r"`x` is a str"),
}


@pytest.mark.parametrize("case", WRONG)
def test_unsupported_arguments_are_refused(case):
    value, message = WRONG[case]
    with pytest.raises(UnsupportedArgumentError, match="(?s)" + message):
        of(value)


def test_an_array_for_a_constant_and_a_wrong_number_are_refused():
    with pytest.raises(UnsupportedArgumentError, match="`T` is a constant, and an array was given"):
        signature_of(COPY, (array((4,)), array((4,), at=FAR), array((4,), at=2 * FAR)))
    with pytest.raises(UnsupportedArgumentError, match="has 3 parameters, 1 arguments were given"):
        signature_of(COPY, (array((4,)),))
    with pytest.raises(UnsupportedArgumentError, match="`n` = 2147483648 does not fit in int32"):
        signature_of(FIXED, (array((8, 8)), 1 << 31, 1.0))


def test_an_author_may_ask_for_64_bits():
    signature = signature_of(LONG, (array((1 << 33,), at=FAR), array((1 << 33,), at=1 << 50), 64))
    assert signature.parameters[0].index == "int64"


EXTENTS = st.sampled_from([0, 1, 2, 3, 15, 16, 17, 32, 33])


@st.composite
def arrays(draw, at):
    shape = tuple(draw(st.lists(EXTENTS, min_size=1, max_size=3)))
    strides = tuple(draw(st.lists(st.sampled_from([0, 1, 2, 4, 16, 33, 64]), min_size=len(shape), max_size=len(shape))))
    return array(shape, draw(st.sampled_from(["float32", "float16", "int8"])), strides=strides,
                 at=at + 4 * draw(st.integers(0, 40)))


@given(arrays(1 << 20), arrays(1 << 20), arrays(1 << 20), arrays(1 << 20))
def test_facts_hold_and_variants_are_refused_otherwise(a, b, c, d):
    first, second = (a, b, 64), (c, d, 64)
    mine, other = signature_of(COPY, first), signature_of(COPY, second)
    assert are_met(mine, first)
    if mine == other:
        assert are_met(mine, second)
    wrong = list(find_broken(mine, second))
    assert are_met(mine, second) == (not wrong)
    _truth(mine, second, not wrong)


def _truth(signature, arguments, accepted):
    """Each assumption by itself, evaluated in the plainest way."""
    touched = [_elements(a) for a in arguments[:2]]
    for p, a, places in zip(signature.parameters, arguments[:2], touched, strict=False):
        fine = (a.dtype.name, len(a.shape)) == (p.dtype, p.rank)
        fine = fine and (a.memory.address + a.offset) % p.alignment == 0 and all(
            (c is None or s == c) and s % d == 0
            for values, constants, divisors in ((a.shape, p.shape, p.shape_divisors),
                                                (a.strides, p.strides, p.stride_divisors))
            for s, c, d in zip(values, constants, divisors, strict=True))
        fine = fine and (p.self_overlap or len(places) == len(set(places)))
        assert fine or not accepted
    p, q = signature.parameters[:2]
    if accepted and not set(p.groups) & set(q.groups):
        bytes_ = [{at + k for at in places for k in range(a.dtype.storage.itemsize)}
                  for places, a in zip(touched, arguments[:2], strict=True)]
        assert not bytes_[0] & bytes_[1]


def _elements(a):
    places = [a.memory.address + a.offset]
    for n, stride in zip(a.shape, a.strides, strict=True):
        places = [p + k * stride * a.dtype.storage.itemsize for p in places for k in range(n)]
    return places


BROKEN = {
    "alignment": (array((64,), at=(1 << 20) + 4), "the address of `x`, 0x100004, is not a multiple of 16 bytes"),
    "extent": (array((65,)), "the extent of `x` along axis 0, 65, is not a multiple of 16"),
    "stride": (array((64,), strides=(2,)), "the stride of `x` along axis 0 is 2, not 1"),
    "type": (array((64,), "float16"), "`x` is an array of float32 with 1 axes, not of float16 with 1"),
    "number": (3, "`x` is an array, not 3"),
    "sharing": (array((64,), at=FAR + 128), "`x` and `z` share memory"),
    "itself": (array((64,), strides=(0,)), "elements of `x` share memory with each other"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_assumption_is_named_with_its_value(case):
    x, message = BROKEN[case]
    signature = of(array((64,)))
    assert message in list(find_broken(signature, (x, array((64,), at=FAR), 64)))
    assert not are_met(signature, (x, array((64,), at=FAR), 64))


def test_constants_and_numbers_that_differ_are_named():
    signature = of(array((64,)))
    z = array((64,), at=FAR)
    assert list(find_broken(signature, (array((64,)), z, 32))) == ["`T` is the constant 64, not 32"]
    assert list(find_broken(signature, (array((64,)), z, 64.0))) == ["`T` is the constant 64, not 64.0"]
    assert list(find_broken(signature, (array((64,)), z))) == ["3 arguments are expected, 2 were given"]
    numbers = signature_of(FIXED, (array((8, 8)), 3, 1.5))
    assert list(find_broken(numbers, (array((8, 8)), 1 << 40, 1.5))) == [f"`n` = {1 << 40} does not fit in int32"]
    assert list(find_broken(numbers, (array((8, 8)), 3, 1))) == ["`a` is a number of type float32, not 1"]


def test_assumptions_in_words():
    assert describe_assumptions(of(array((64, 1)))) == (
        "the address of `x` is a multiple of 16 bytes", "the extent of `x` along axis 0 is a multiple of 16",
        "the extent of `x` along axis 1 is 1", "the stride of `x` along axis 0 is 1",
        "the stride of `x` along axis 1 is 1", "no two elements of `x` share memory",
        "`x` shares no memory with another array", "the address of `z` is a multiple of 16 bytes",
        "the extent of `z` along axis 0 is a multiple of 16", "the stride of `z` along axis 0 is 1",
        "no two elements of `z` share memory", "`z` shares no memory with another array", "`T` is 64")
    both = of(array((64,)), array((64,)))
    assert "`x` may share memory with group0" in describe_assumptions(both)
