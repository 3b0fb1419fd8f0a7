"""Entries: plain functions that are built from a kernel and a plan."""

from __future__ import annotations

import inspect
import pickle
from typing import TypeVar

import numpy as np
import pytest

from tests.cases import dialect
from tests.runtime.dialect import kernels
from tests.runtime.dialect.launching import run
from tilecheck_runtime import Linear, Mut, f32, kernel, sanitize
from tilecheck_runtime.dialect.plan import Output, Plan, PlanError

B = TypeVar("B", bound=int)
z = TypeVar("z", bound=int)

ADD = Plan((("B", 128),), (Output((128,)),))


def test_equal_plans_have_one_entry():
    again = Plan((("B", 128),), (Output((128,)),))
    assert dialect.add.entry(ADD) is dialect.add.entry(again)
    assert dialect.add.entry(ADD) is not dialect.add.entry(Plan((("B", 64),), (Output((64,)),)))
    assert pickle.loads(pickle.dumps(ADD)) == ADD


def test_an_entry_takes_arrays_and_then_constants():
    entry = dialect.gemm.entry(Plan((("BK", 4), ("BM", 8), ("BN", 16)), (Output((8, 16)),)))
    assert entry.parameters == ("z", "x", "y")
    assert entry.constants == (("BM", 8), ("BN", 16), ("BK", 4))
    assert entry.arguments({"x": 1, "y": 2, "z": 0}) == (0, 1, 2, 8, 16, 4)
    assert tuple(inspect.signature(entry.function).parameters) == ("z", "x", "y", "BM", "BN", "BK")
    assert inspect.getsource(entry.function).startswith("def gemm(z, x, y, BM:")


@kernel
def named_alike(z: Mut[f32, z]) -> None:
    z.store(z.load() + 1.0)


def test_a_parameter_and_a_type_variable_of_one_name():
    array = np.zeros(10, np.float32)
    assert run(named_alike, {"z": array}, {"z": (4,)}).clean
    assert (array == 1).all()


@pytest.mark.parametrize(("plan", "message"), [
    (Plan((), (Output((128,)),)), "no value for type variable B"),
    (Plan((("B", 128),), ()), "the kernel has 1 outputs, the plan 0"),
    (Plan((("B", 128),), (Output((64,)),)), r"'z' is declared with pieces of \(128,\) and partitioned into pieces of"),
    (Plan((("B", 128),), (Output((128,), whole=(True, False)),)), "'z' has 1 axes, its plan 2"),
])
def test_plans_that_do_not_fit(plan, message):
    with pytest.raises(PlanError, match=message):
        dialect.add.entry(plan)


def test_grids():
    def grid(kernel, tile, shape, **options):
        values = zip(kernel.signature.outputs[0].extents, tile, strict=True)
        return kernel.entry(Plan(tuple(values), (Output(tile, **options),))).grid({"z": shape})

    assert grid(kernels.copy1, (8,), (17,)) == (3, 1, 1)
    assert grid(kernels.copy2, (8, 4), (17, 9)) == (3, 3, 1)
    assert grid(kernels.copy3, (8, 4, 2), (17, 9, 1)) == (3, 3, 1)
    assert grid(kernels.copy4, (8, 4, 2, 1), (17, 9, 1, 5)) == (9, 1, 5)
    assert grid(kernels.copy5, (8, 4, 2, 1, 1), (17, 9, 3, 5, 7)) == (3 * 3 * 2, 5, 7)
    assert grid(kernels.copy5, (8, 4, 2, 1, 1), (17, 9, 3, 5, 7), schedule=Linear(), blocks=11) == (11, 1, 1)
    with pytest.raises(PlanError, match="'z' has 16777216 pieces along grid axis 0, of at most 16777215: take larger"):
        grid(kernels.copy4, (1, 1, 1, 1), (4096, 4096, 1, 1))
    with pytest.raises(PlanError, match="'z' has 2 axes and is partitioned along 1"):
        grid(kernels.copy1, (8,), (17, 3))


@kernel
def no_output(x: int) -> None:
    pass


def test_a_kernel_without_output_has_no_grid():
    with pytest.raises(PlanError, match="a kernel without an output has no grid of its own: give one"):
        no_output.entry(Plan((), ())).grid({})


def test_a_smaller_grid_leaves_the_rest_untouched():
    entry = dialect.add.entry(Plan((("B", 4),), (Output((4,)),)))
    arrays = {"z": np.zeros(20, np.float32), "x": np.ones(20, np.float32), "y": np.ones(20, np.float32)}
    assert sanitize(entry.function, (3, 1, 1), entry.arguments(arrays)).clean
    assert arrays["z"].tolist() == [2.0] * 12 + [0.0] * 8


def test_hints_are_stored_and_replaced():
    tuned = kernel(occupancy=2, num_ctas=1)(dialect.add._pyfunc)
    assert tuned.hints == {"occupancy": 2, "num_ctas": 1}
    assert tuned.replace_hints(occupancy=4).hints == {"occupancy": 4, "num_ctas": 1}
    assert tuned.replace_hints()._pyfunc is dialect.add._pyfunc
    assert (tuned.__name__, repr(tuned)) == ("add", "<kernel add>")


def test_objects_that_are_not_functions_have_no_entry():
    with pytest.raises(TypeError, match="@kernel is for a plain function, not for 7"):
        kernel(7).entry(ADD)  # type: ignore[call-overload]
