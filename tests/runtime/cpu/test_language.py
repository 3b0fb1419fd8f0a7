"""Kernels are Python: helpers, classes, closures, control flow, arguments, and refused constructs."""

from __future__ import annotations

from typing import Annotated

import cuda.tile as ct
import numpy as np
import pytest

from tests.runtime import device_helpers
from tests.runtime.device_helpers import Piece, Wide, device_only, fill_tile, twice, yield_one
from tests.runtime.kernels import codes, floats, run, zeros
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import (
    TileError,
    TileStaticAssertionError,
    TileTypeError,
    TileUnsupportedFeatureError,
    TileValueError,
)

T = ct.Constant[int]


def with_objects(x, y, width: T):
    source, target = Piece(x, width), Wide(y, width)
    target[ct.bid(0)] = source.load(ct.bid(0)) + target.load(ct.bid(0)) + source.blocks


def test_device_side_objects():
    x, y = floats(8), zeros(8)
    assert run(with_objects, x, y, 4, grid=(2,)).clean
    assert (y == x + 2).all()


def with_helpers(x, y, width: T):
    t = device_helpers.scale_by_name(ct.load(x, (0,), (width,)), "half")
    with yield_one() as one:
        t = device_only(t, one, one, offset=1)
    t = twice(t) + fill_tile(width, 0)
    ct.store(y, (0,), (lambda v: v + ct.static_eval(len("ab")))(t))


def test_helpers_of_other_modules():
    x, y = floats(4), zeros(4)
    assert run(with_helpers, x, y, 4).clean
    assert (y == (x / 2 + 3) * 2 + 2).all()


def test_closures():
    width, scale = 4, 3.0

    def body(x, y):
        def scale_value(v):
            return v * scale

        ct.store(y, (0,), scale_value(ct.load(x, (0,), (width,))))

    x, y = floats(4), zeros(4)
    assert run(body, x, y).clean and (y == 3 * x).all()


def control(x, y, n, flag: bool, width: T):
    total = ct.zeros((width,), ct.float32)
    k = 0
    while True:
        if k >= n:
            break
        k += 1
        if (k % 2 == 0 and not flag) or k == 7:
            continue
        total = total + (ct.load(x, (0,), (width,)) if k != 3 else 0.0)
    for i in range(1, n, 2):
        total += i
    a, (b, *rest) = 1, (2, 3, 4)
    for r in ct.static_iter(rest):
        total += r
    total += min(n, 3) + max(a, b) + abs(-n) + int(2.9) + len(rest)
    ct.store(y, (0,), total)


def test_control_flow():
    x, y = floats(4), zeros(4)
    assert run(control, x, y, 5, True, 4).clean
    expected = x * 4 + 1 + 3 + (3 + 4) + 3 + 2 + 5 + 2 + 2
    assert (y == expected).all()


def lists_and_tuples(xs, pair, y, width: T):
    total = ct.zeros((width,), ct.float32)
    for g in range(len(xs)):
        total = total + ct.load(xs[g], (0,), (width,))
    array, (number, other) = pair
    ct.store(y, (0,), total + ct.load(array, (0,), (width,)) * number + other)


def test_lists_and_tuples_as_arguments():
    xs, y = [floats(4), floats(4) * 2], zeros(4)
    assert run(lists_and_tuples, xs, (floats(4), (2, 0.5)), y, 4).clean
    assert (y == floats(4) * 5 + 0.5).all()


def past_the_list(xs, y):
    ct.store(y, (0,), ct.load(xs[ct.bid(0) + 2], (0,), (4,)))  # outside


def test_arrays_that_a_list_does_not_have():
    assert codes(run(past_the_list, [floats(4)] * 2, zeros(4))) == {
        ("TC202", "ct.store(y, (0,), ct.load(xs[ct.bid(0) + 2], (0,), (4,)))  # outside")}


def check_types(x, a: int, b: float, c: bool, big: ct.ScalarInt64, wide: Annotated[object, ct.ArrayAnnotation(
        index_dtype=ct.int64)], k: ct.Constant):
    ct.static_assert(k == 3)
    ct.static_assert(str(a.dtype) == "int32" and str(b.dtype) == "float32")
    ct.static_assert(str(c.dtype) == "bool_" and str(big.dtype) == "int64")
    ct.static_assert(str(wide.shape[0].dtype) == "int64" and str(x.shape[0].dtype) == "int32")
    ct.store(x, (0,), ct.full((1,), a * 1000000000, ct.int32))


def test_types_of_scalars():
    x = zeros(1, dtype=np.int32)
    assert run(check_types, x, 3, 1.5, True, 1 << 40, floats(1), 3).clean
    assert x[0] == np.int32(3_000_000_000 - 2**32)


@pytest.mark.parametrize(("args", "error"), [
    ((1 << 31,), OverflowError), ((np.int64(1),), TypeError), (("text",), TypeError), (([],), TypeError),
    ((), TypeError),
])
def test_arguments_that_are_refused(args, error):
    def body(x):
        pass

    with pytest.raises(error):
        run(body, *args)


def test_grids_that_are_refused():
    def body():
        pass

    for grid in ([1], (1, 1, 1, 1), 3):
        with pytest.raises(TypeError):
            sanitize(ct.kernel(body), grid, ())
    with pytest.raises(ValueError):
        sanitize(ct.kernel(body), (1 << 24,), ())


REFUSED = [
    (lambda x: ct.load(x, (0,), (3,)), TileTypeError, "power of two"),
    (lambda x: ct.load(x, (0, 0), (4, 4)), TileTypeError, "rank"),
    (lambda x: ct.store(x, (0,), ct.zeros((4,), ct.float64)), TileTypeError, "no implicit cast"),
    (lambda x: 1 if ct.load(x, (0,), (4,)) > 0 else 0, TileTypeError, "scalar"),
    (lambda x: ct.load(x, (ct.float32(0),), (4,)), TileTypeError, "integer"),
    (lambda x: x[0], TileTypeError, "ct.load"),
    (lambda x: ct.load(x, (0,), (4,))[0], TileTypeError, "None"),
    (lambda x: ct.load(x, (0,), (4,), order=(1,)), TileTypeError, "permutation"),
    (lambda x: ct.full((4,), 1, ct.bool_) + ct.full((4,), 1, ct.bool_), TileTypeError, "booleans"),
    (lambda x: ct.zeros((4,), ct.float16) + ct.zeros((4,), ct.bfloat16), TileTypeError, "promotion"),
    (lambda x: ct.floor(ct.full((4,), 1, ct.int32)), TileTypeError, "floor"),
    (lambda x: list(range(4, 0, -1)), TileValueError, "step"),
    (lambda x: ct.static_assert(False, "why"), TileStaticAssertionError, "why"),
    (lambda x: ct.zeros((4,), ct.float8_e5m3fnu), TileUnsupportedFeatureError, "float8_e5m3fnu"),
    (lambda x: x.foreign_pointer, TileUnsupportedFeatureError, "foreign_pointer"),
    (lambda x: ct.foreign_pointer_dtype(ct.int32), TileUnsupportedFeatureError, "ct.foreign_pointer_dtype"),
    (lambda x: ct.atomic_add(x, ct.full((4,), 0.5, ct.float32), 1), TileTypeError, "index"),
    (lambda x: ct.mma(x, x, x), TileTypeError, "rank"),
]


@pytest.mark.parametrize(("body", "error", "text"), REFUSED)
def test_programs_that_are_refused(body, error, text):
    with pytest.raises(error, match=text):
        run(body, floats(4))


def test_errors_are_named_like_those_of_cutile():
    assert all(issubclass(getattr(ct, e.__name__), ct.TileError) for e in (TileTypeError, TileValueError))
    assert issubclass(TileTypeError, TileError)


def test_device_functions_are_for_kernels():
    from tilecheck_runtime.cpu.execution.namespace import DEVICE

    with pytest.raises(RuntimeError, match="kernels"):
        DEVICE.bid(0)


def print_block(x):
    ct.print(f"block {ct.bid(0)}", ct.load(x, (0,), (2,)), end="!\n")
    ct.printf("%d %.1f\n", ct.bid(0), ct.load(x, (0,), (2,)))
    ct.assert_(ct.bid(0) < 1, "first only")


def test_output_and_assertions(capsys):
    with pytest.raises(AssertionError, match="first only"):
        run(print_block, floats(2), grid=(2,), seed=None)
    assert capsys.readouterr().out.startswith("block 0 [1.000000, 2.000000]!\n0 [1.0, 2.0]\n")


def assume_divisible(n):
    ct.assume_divisible_by(n, 4)


def test_false_assumptions_are_errors():
    run(assume_divisible, 8)
    with pytest.raises(AssertionError, match="assume_divisible_by"):
        run(assume_divisible, 6)


def test_a_run_does_not_change_the_module():
    before = dict(vars(device_helpers))
    run(with_helpers, floats(4), zeros(4), 4)
    assert vars(device_helpers) == before
