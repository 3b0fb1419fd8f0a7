"""The front end of `cuda.tile` sees a kernel before the CPU runs it."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np
import pytest

from tilecheck_runtime.cpu.execution import execute
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import TileUnsupportedFeatureError

X = np.zeros(8, np.float32)


@ct.kernel
def refuses_in_a_branch_that_is_not_taken(x, n: int):
    if n > 0:
        ct.store(x, (0,), ct.zeros((3,), ct.float32))


def test_errors_are_those_of_the_front_end():
    with pytest.raises(ct.TileTypeError, match="power of two"):
        execute.launch(None, (1,), refuses_in_a_branch_that_is_not_taken, (X, 0))


@ct.kernel
def takes_any_element(x):
    ct.store(x, (0,), ct.load(x, (0,), (8,)) & 1)


def test_each_type_of_arguments_is_compiled():
    integers = np.arange(8, dtype=np.int32)
    assert sanitize(takes_any_element, (1,), (integers,)).clean
    assert integers.tolist() == [0, 1] * 4
    with pytest.raises(ct.TileTypeError):
        sanitize(takes_any_element, (1,), (X.copy(),))


@ct.kernel
def uses_a_type_that_the_cpu_lacks(x):
    ct.store(x, (0,), ct.zeros((8,), ct.float8_e5m3fnu).astype(ct.float32))


def test_errors_of_the_cpu_have_both_classes():
    with pytest.raises(TileUnsupportedFeatureError) as caught:
        execute.launch(None, (1,), uses_a_type_that_the_cpu_lacks, (X.copy(),))
    assert isinstance(caught.value, ct.TileUnsupportedFeatureError)
    assert str(caught.value) == "element type float8_e5m3fnu is not supported on the CPU"
    assert caught.value.message == str(caught.value)


SEEN: list[int] = []


@ct.kernel
def notes_its_extent(x, T: ct.Constant[int]):
    ct.static_eval(SEEN.append(T))
    ct.store(x, (ct.bid(0),), ct.load(x, (ct.bid(0),), (T,)))


def test_expressions_of_the_host_run_once_for_each_compilation():
    SEEN.clear()
    for _ in range(2):
        assert sanitize(notes_its_extent, (2,), (X.copy(), 4)).clean
    assert sanitize(notes_its_extent, (4,), (X.copy(), 2)).clean
    assert SEEN == [4, 2]


def test_a_kernel_without_source_runs():
    space = {"ct": ct}
    exec("def fill(x):\n    ct.store(x, (0,), ct.full((8,), 2.0, ct.float32))", space)
    x = X.copy()
    assert sanitize(ct.kernel(space["fill"]), (1,), (x,)).clean
    assert (x == 2).all()
