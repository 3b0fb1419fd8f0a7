"""Arguments of launches: number, kind, element type, rank; type variables; aliases."""

from __future__ import annotations

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches import kernels as k
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import AliasedError, ContractError, LaunchArgumentError, MovedError, f16, f32, i32

pytestmark = pytest.mark.filterwarnings("error")


def _pieces(n=8, tile=4):
    return tcr.zeros((n,), f32).partition(tile)


def test_arguments_pass_by_position_and_by_name():
    x = tcr.ones((8,), f32)
    assert k.add(_pieces(), y=x, x=x).sync().numpy().tolist() == [2] * 8
    assert k.add(z=_pieces(), y=x, x=x).sync().numpy().tolist() == [2] * 8


@pytest.mark.parametrize(("args", "kwargs", "summary", "fix"), [
    ((1,), {}, "`add` takes 3 arguments (z, x, y), 1 were given: `x` and `y` are missing", "pass `x` and `y` as well"),
    ((1, 2, 3, 4), {}, "`add` takes 3 arguments (z, x, y), 4 were given", "leave out the last 1"),
    ((1, 2, 3), {"w": 4}, "`add` takes 3 arguments (z, x, y) and none named `w`", "leave out `w=...`"),
    ((1, 2, 3), {"x": 4}, "`add` was given `x` twice", "leave out `x=...`, or the one by position"),
])
def test_the_number_of_arguments(args, kwargs, summary, fix):
    error = check_refused(LaunchArgumentError, lambda: k.add(*args, **kwargs))
    assert error.code == "TC408" and error.summary == summary and error.fix == fix
    assert isinstance(error, TypeError)


def test_kinds_of_arguments():
    x, p, s = tcr.ones((8,), f32), _pieces(), tcr.ones((8,), f32).share()
    said = {}
    for name, call in {
        "tensor": lambda: k.add(x, x, x), "shared": lambda: k.add(s, x, x), "array": lambda: k.add(np.zeros(8), x, x),
        "partition": lambda: k.double(k.double), "input": lambda: k.add(p, p, x),
        "numpy": lambda: k.add(p, np.ones(8), x),
        "number": lambda: k.add(p, 3, x), "accumulator": lambda: k.total(s, x, 4),
        "pieces": lambda: k.total(p, x, 4), "constant": lambda: k.total(x, s, 2.5), "flag": lambda: k.total(x, s, True),
        "float": lambda: k.scaled(p, x, "1", 2, True), "int": lambda: k.scaled(p, x, 1, 2.5, True),
        "bool": lambda: k.scaled(p, x, 1, 2, 1), "wide": lambda: k.scaled(p, x, 1, 1 << 31, True),
    }.items():
        error = check_refused(LaunchArgumentError, call)
        said[name] = (error.summary, error.fix)
    assert said == {
        "tensor": ("`z` of `add` is an output, which takes a partition, not the tensor `x`",
                   "divide it into pieces: `x.partition(16)`"),
        "shared": ("`z` of `add` is an output, which takes a partition, not the shared tensor `s`",
                   "divide it into pieces: `s.partition(16)`"),
        "array": ("`z` of `add` is an output, which takes a partition, not a ndarray",
                  "make a tensor of it and divide that: `tilecheck_runtime.from_numpy(...).partition(16)`"),
        "partition": ("`z` of `double` is an output, which takes a partition, not a Kernel",
                      "make a tensor of it and divide that: `tilecheck_runtime.from_numpy(...).partition(16)`"),
        "input": ("`x` of `add` is an input, which takes a tensor, not the partition `p`",
                  "put it together first: `.unpartition()`"),
        "numpy": ("`x` of `add` is an input, which takes a tensor, not a ndarray",
                  "make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`"),
        "number": ("`x` of `add` is an input, which takes a tensor, not 3",
                   "make a tensor of it: `tilecheck_runtime.from_numpy(...)` or `from_dlpack(...)`"),
        "accumulator": ("`s` of `total` is an accumulator, which takes a tensor that is not shared, not the shared "
                        "tensor `s`", "take it back into one hand first: `.unshare()`"),
        "pieces": ("`s` of `total` is an accumulator, which takes a tensor that is not shared, not the partition `p`",
                   "put it together first: `.unpartition()`"),
        "constant": ("`b` of `total` is a constant, which takes an integer, not 2.5", "pass a number: `b=16`"),
        "flag": ("`b` of `total` is a constant, which takes an integer, not True", "pass a number: `b=16`"),
        "float": ("`s` of `scaled` is a number of type float, not a str", "convert it: `float(...)`"),
        "int": ("`n` of `scaled` is a number of type int, not 2.5", "convert it: `int(...)`"),
        "bool": ("`up` of `scaled` is a number of type bool, not 1", "convert it: `bool(...)`"),
        "wide": ("`n` of `scaled` is an integer of 32 bits, not 2147483648",
                 "pass a smaller number, or a tensor of i64"),
    }
    assert p.numpy().shape == (8,)


def test_numbers_of_numpy_are_numbers():
    x = tcr.ones((8,), f32)
    made = k.scaled(_pieces(), x, np.float32(1.5), np.int64(2), np.bool_(True)).sync()
    assert made.numpy().tolist() == [3.5] * 8


def test_element_types_and_ranks():
    x, h = tcr.ones((8,), f32), tcr.ones((8,), f16)
    error = check_refused(LaunchArgumentError, lambda: k.add(_pieces(), x, h))
    assert error.summary == "`y` (here `h`) of `add` has elements of type f32; these are f16"
    assert error.fix == "convert it: `.astype(f32)`"
    m = tcr.ones((2, 4), f32)
    error = check_refused(LaunchArgumentError, lambda: k.add(_pieces(), m, x))
    assert error.summary == "`x` (here `m`) of `add` has 1 axes; this one has 2, its shape is (2, 4)"
    assert error.fix == "give it the shape that the kernel asks for: `.reshape(...)`"


def test_rule_3_pieces_are_those_that_the_kernel_declares():
    x = tcr.ones((64,), f32)
    p = tcr.zeros((64,), f32).partition(32)
    error = check_refused(ContractError, lambda: k.sixteen(p, x))
    assert error.code == "TC405" and error.names == ("z",)
    assert error.summary == ("`z` (here `p`) is partitioned into pieces of (32,), where `sixteen` declares (16,)")
    assert error.fix == "partition it as declared: `.partition(16,)`"
    q = p.unpartition().partition(16)
    assert k.sixteen(q, x).sync().numpy().tolist() == [1] * 64


def test_extents_of_inputs_are_those_that_the_kernel_declares():
    x = tcr.ones((48,), f32)
    error = check_refused(ContractError, lambda: k.sixteen(tcr.zeros((48,), f32).partition(16), x))
    assert error.summary == "`x` has shape (48,), where `sixteen` declares (64,)"
    assert error.fix == "pass a tensor of that shape, or declare the extent as Dyn"


def test_a_type_variable_has_one_value():
    x = tcr.ones((8, 8), f32)
    p = tcr.zeros((8, 8), f32).partition(4, 2)
    error = check_refused(ContractError, lambda: k.square(p, x, 8))
    assert error.summary == ("`z` (here `p`) is partitioned into pieces of (4, 2), where `square` declares (B, B); "
                             "B is 4 by pieces (4, 2) of `z`")
    p = p.unpartition().partition(4, 4)
    error = check_refused(ContractError, lambda: k.square(p, x, 9))
    assert error.summary == "`n` of `square` is 9; N is 8 by shape (8, 8) of `x`"
    assert error.fix == "pass the same value as `n`"
    y = tcr.ones((8, 4), f32)
    error = check_refused(ContractError, lambda: k.square(p, y, 8))
    assert error.summary == ("`x` (here `y`) has shape (8, 4), where `square` declares (N, N); N is 8 by shape (8, 4) "
                             "of `x`")
    assert k.square(p, x, 8).sync().numpy().tolist() == [[8] * 8] * 8


def test_rule_18_outputs_are_not_inputs():
    x = tcr.zeros((16,), f32)
    head = x.view[:8]
    p = head.partition(4)
    for view in (x, head, x.view[4:12], x.reshape(2, 8).view[0], x.view[0:16:2]):
        error = check_refused(AliasedError, lambda v=view: k.add(p, tcr.ones((8,), f32), v))
        assert error.code == "TC401" and error.names == ("z", "y")
        assert error.summary.endswith("of `add` share memory, and the kernel writes `z`")
    assert error.fix == "pass a copy as `y`: `.copy()`, taken before the other one is partitioned"
    y = x.view[8:]
    assert k.add(p, y, y).sync().numpy().tolist() == [0] * 8


def test_rule_18_interleaved_outputs_are_distinguished():
    x = tcr.arange(16, dtype=f32)
    even, odd = x.view[0::2].partition(4), x.view[1::2]
    assert k.add(even, odd, odd).sync().numpy().tolist() == [2, 6, 10, 14, 18, 22, 26, 30]


def test_two_outputs_are_disjoint():
    p = tcr.zeros((8,), f32).partition(4)
    error = check_refused(AliasedError, lambda: k.write_both(p, p))
    assert error.summary == "`a` (here `p`) and `b` (here `p`) of `write_both` share memory, and the kernel writes `a`"
    x = tcr.zeros((16,), f32)
    a, b = x.view[:8].partition(4), x.view[8:].partition(4)
    a, b = k.write_both(a, b).sync()
    assert a.numpy().tolist() == [1] * 8 and b.numpy().tolist() == [2] * 8


def test_an_accumulator_has_no_second_role():
    x = tcr.zeros((8,), f32)
    error = check_refused(AliasedError, lambda: k.total(x.view[:1], x, 4))
    assert error.names == ("s", "x")


def test_rule_18_a_tensor_moved_into_a_launch_cannot_be_used():
    x, p = tcr.ones((8,), f32), _pieces()
    launch = k.add(p, x, x)
    error = check_refused(MovedError, lambda: k.double(p))
    assert error.summary == "`z` (here `p`) was moved into the launch of `add`"
    launch.sync()
    check_refused(MovedError, lambda: k.double(p))


def test_an_input_that_moved_since_is_refused_when_it_runs():
    x, y = tcr.ones((8,), f32), tcr.ones((8,), f32)
    launch = k.add(_pieces(), x, y)
    q = y.partition(4)
    error = check_refused(MovedError, lambda: launch.sync())
    assert error.summary == "`y` was moved into a partition" and q.tiles == (2,)


def test_a_launch_that_was_refused_can_run_later():
    x, y = tcr.ones((8,), f32), tcr.ones((8,), f32)
    launch = k.add(_pieces(), x, y.view[:8])
    q = y.view[:4].partition(4)
    check_refused(MovedError, lambda: launch.sync())
    q.unpartition()
    assert launch.sync().numpy().tolist() == [2] * 8


def test_nothing_is_moved_by_a_launch_that_is_refused():
    p, x = _pieces(), tcr.ones((4,), f32)
    check_refused(ContractError, lambda: k.add(p, x, x))
    check_refused(LaunchArgumentError, lambda: k.add(p, x))
    assert p.numpy().shape == (8,) and p.unpartition().partition(2).tiles == (4,)


def test_an_accumulator_stays_with_its_owner():
    s, x = tcr.zeros((1,), f32), tcr.arange(8, dtype=f32)
    assert k.total(s, x, 4).grid(2).sync() is None
    assert s.item() == 28
    assert k.total(s, x, 4).grid(2).sync() is None and s.item() == 56


def test_integers_are_gathered():
    rows = tcr.from_numpy(np.array([3, 0, 1, 2], np.int32))
    x = tcr.arange(8, dtype=f32)
    assert rows.dtype is i32
    assert k.picked(tcr.zeros((4,), f32).partition(2), x, rows).sync().numpy().tolist() == [3, 0, 1, 2]


def test_a_kernel_of_the_dialect_is_called_not_launched():
    array = np.zeros(8, np.float32)
    for launch in (lambda: tcr.launch(None, (2,), k.double, (array,)), lambda: tcr.sanitize(k.double, (2,), (array,))):
        with pytest.raises(TypeError, match=r"`double` is a kernel of the dialect, which is called with tensors: "
                                            r"`double\(\.\.\.\)\.sync\(\)`"):
            launch()
