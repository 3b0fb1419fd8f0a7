"""A raw launch that was let through is taken for the same only where nothing that a guard looks at is other."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace

import numpy as np
import pytest

import tilecheck_runtime as tcr
from examples.vector_add import vector_add
from tests.runtime.backends.cuda.test_raw_guards import OnGPU, declared, devices, launched, sums, three  # noqa: F401
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import requires, unsafe
from tilecheck_runtime.api import raw_launch as raw

GRID = (4, 1, 1)


class Device:
    """`torch.device`."""

    def __init__(self, kind, index):
        self.type, self.index = kind, index

    def __eq__(self, other):
        return (self.type, self.index) == (other.type, other.index)

    __hash__ = None


class Tensor:
    """The questions of guards to a tensor of torch."""

    def __init__(self, shape=(64,), address=0x10000, dtype="f4", device="cuda", index=0, strides=(1,)):
        dtype = np.dtype(dtype)
        self.shape, self.dtype, self.device = shape, dtype, Device(device, index)
        self.address, self.strides = address, strides

    is_cuda = property(lambda self: self.device.type == "cuda")

    def data_ptr(self):
        return self.address

    def stride(self):
        return self.strides

    def get_device(self):
        return self.device.index

    def element_size(self):
        return self.dtype.itemsize


Tensor.__module__ = "torch"
Device.__hash__ = lambda self: hash((self.type, self.index))


@pytest.fixture
def asked(monkeypatch, launched):  # noqa: F811
    """The launches of which every guard was asked."""
    calls, real = [], raw.check_launch
    monkeypatch.setattr(raw, "check_launch", lambda *a: (calls.append(a), real(*a))[1])
    return calls


@pytest.fixture(params=["torch", "interface"])
def arrays(request, asked):
    """Makes arguments, which were launched with."""
    def make_arguments(**of_out):
        at = of_out.pop("address", 0x30000)
        if request.param == "torch":
            return Tensor(address=0x10000), Tensor(address=0x20000), Tensor(address=at, **of_out)
        strides = tuple(4 * s for s in of_out.pop("strides", (1,)))
        return OnGPU((64,), 0x10000), OnGPU((64,), 0x20000), OnGPU(of_out.pop("shape", (64,)), at, strides=strides)

    tcr.launch(7, GRID, vector_add, (*make_arguments(), 16))
    asked.clear()
    tcr.launch(7, GRID, vector_add, (*make_arguments(), 16))
    tcr.launch(7, tuple(n for n in GRID), vector_add, [*make_arguments(), 16])
    assert not asked, "the quick way is what is tried here"
    return make_arguments


def test_a_tensor_that_moved_is_checked_again(arrays, asked, launched):  # noqa: F811
    tcr.launch(7, GRID, vector_add, (*arrays(address=0x50000), 16))
    assert len(asked) == 1


def test_a_tensor_that_overlaps_now_is_refused(arrays, launched):  # noqa: F811
    before = len(launched)
    error = check_refused(tcr.AliasedError, lambda: tcr.launch(7, GRID, vector_add, (*arrays(address=0x10080), 16)))
    assert "share memory" in error.summary and len(launched) == before


def test_the_same_object_that_was_given_other_memory(arrays, launched):  # noqa: F811
    """`x.data = y`, and `set_`: the tensor is the same, and lies elsewhere."""
    x, y, out = arrays()
    if isinstance(out, Tensor):
        tcr.launch(7, GRID, vector_add, (x, y, out, 16))
        out.address = x.address
        check_refused(tcr.AliasedError, lambda: tcr.launch(7, GRID, vector_add, (x, y, out, 16)))


def test_a_launch_with_other_strides_is_checked_again(arrays):
    check_refused(tcr.ReadOnlyError, lambda: tcr.launch(7, GRID, vector_add, (*arrays(strides=(0,)), 16)))


def test_a_launch_with_other_extents_is_checked_again(arrays, asked):
    check_refused(tcr.ContractError, lambda: tcr.launch(7, (5, 1, 1), vector_add, (*arrays(), 16)))
    with pytest.raises(tcr.OwnershipError):
        tcr.launch(7, GRID, vector_add, (*arrays(shape=(128,), address=0x1ff00), 16))


@pytest.mark.parametrize("grid", [(8, 1, 1), (4, 2, 1), (0, 1, 1), (4.0, 1, 1), [4, 1, 1], (4, 1, 1, 1), 4])
def test_a_launch_with_another_grid_is_checked_again(arrays, launched, grid):  # noqa: F811
    before = len(launched)
    with pytest.raises(tcr.OwnershipError):
        tcr.launch(7, grid, vector_add, (*arrays(), 16))
    assert len(launched) == before


def test_a_grid_of_other_types_is_checked_again(arrays, asked):
    tcr.launch(7, (4, True, 1), vector_add, (*arrays(), 16))
    tcr.launch(7, (np.int64(4), 1, 1), vector_add, (*arrays(), 16))
    assert len(asked) == 2


def test_a_grid_of_mutable_values_is_checked_again(arrays, launched):  # noqa: F811
    class Count:
        n = 4

        def __index__(self):
            return self.n

    grid = (Count(), 1, 1)
    for _ in range(3):
        tcr.launch(7, grid, vector_add, (*arrays(), 16))
    Count.n = 9
    check_refused(tcr.ContractError, lambda: tcr.launch(7, grid, vector_add, (*arrays(), 16)))


@pytest.mark.parametrize("number", [8, 32, True, 16.0])
def test_a_launch_with_another_number_is_checked_again(arrays, asked, number):
    with contextlib.suppress(tcr.OwnershipError, TypeError):
        tcr.launch(7, GRID, vector_add, (*arrays(), number))
    assert len(asked) == 1


def test_a_launch_with_fewer_arguments_is_refused(arrays):
    check_refused(tcr.LaunchArgumentError, lambda: tcr.launch(7, GRID, vector_add, arrays()))


def test_a_launch_on_another_device_is_checked_again(arrays, devices):  # noqa: F811
    x, y, out = arrays()
    if isinstance(y, Tensor):
        y = Tensor(address=y.address, index=1)
    else:
        devices[0x20000] = 1
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.launch(7, GRID, vector_add, (x, y, out, 16)))
    assert "lies on cuda:1" in error.summary


def test_a_tensor_of_torch_with_other_elements_or_on_the_host(arrays, asked, launched):  # noqa: F811
    x, y, out = arrays()
    if isinstance(x, Tensor):
        before = len(launched)
        tcr.launch(7, GRID, vector_add, (x, Tensor(address=y.address, dtype="i4"), out, 16))
        assert len(asked) == 1 and len(launched) == before + 1
        x.device = Device("cpu", -1)
        y.device, out.device = x.device, x.device
        with pytest.raises(Exception):  # noqa: B017  # goes to the CPU, which knows nothing of these
            tcr.launch(7, GRID, vector_add, (x, y, out, 16))
        assert len(launched) == before + 1


def test_later_declarations_count(asked):
    kernel = declared
    z = OnGPU((32,))
    for _ in range(2):
        tcr.launch(7, (2,), kernel, (z, 16))
    asked.clear()
    tcr.launch(7, (2,), kernel, (z, 16))
    assert not asked
    before = vars(kernel._pyfunc).copy()
    try:
        requires("z.shape[0] % 64 == 0")(kernel)
        check_refused(tcr.ContractError, lambda: tcr.launch(7, (2,), kernel, (z, 16)))
    finally:
        vars(kernel._pyfunc).clear()
        vars(kernel._pyfunc).update(before)


def test_lists_are_checked_at_every_launch(asked, monkeypatch):
    monkeypatch.setattr(raw, "driver", lambda: SimpleNamespace(is_capturing=lambda handle: False))
    unsafe("the checker does not see lists")(sums)
    x, y, out = three()
    for _ in range(3):
        tcr.launch(7, (4,), sums, ([x, y], out, 16))
    assert len(asked) == 3
    check_refused(tcr.AliasedError, lambda: tcr.launch(7, (4,), sums, ([x, out], out, 16)))


def test_launches_in_turns(arrays, asked):
    """Two that were let through are both known."""
    for _ in range(3):
        for address in (0x30000, 0x50000):
            tcr.launch(7, GRID, vector_add, (*arrays(address=address), 16))
    assert len(asked) <= 1
    check_refused(tcr.AliasedError, lambda: tcr.launch(7, GRID, vector_add, (*arrays(address=0x20010), 16)))
