"""Memory that is shared with other libraries, in both directions."""

from __future__ import annotations

import gc
import weakref

import ml_dtypes
import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import tilecheck_runtime as tcr
from tests.runtime.launches.gates import wait_for_stream
from tests.runtime.launches.kernels import add, half_filled
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import (
    ForeignMemoryError,
    MovedError,
    ReadOnlyError,
    SharedError,
    bf16,
    f4e2m1,
    f8e4m3,
    f8e5m2,
    f32,
)
from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.tensors.capsules import LABELS, label, relabel


class Other:
    """An array of another library."""

    def __init__(self, array, device=(1, 0), versioned=True):
        self.array, self.device, self.versioned = array, device, versioned

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        return self.array.__dlpack__(max_version=max_version) if self.versioned else self.array.__dlpack__()


def test_rule_23_the_owner_of_foreign_memory_is_retained():
    array = np.ones(8, np.float32)
    alive = weakref.ref(array)
    x = tcr.from_numpy(array, copy=False)
    del array
    gc.collect()
    assert alive() is not None and x.numpy().tolist() == [1] * 8
    flight = add(tcr.zeros((8,), f32).partition(4), x, x).start()
    del x
    gc.collect()
    assert alive() is not None
    assert flight.wait().numpy().tolist() == [2] * 8
    del flight
    wait_for_stream()
    gc.collect()
    assert alive() is None


def test_a_launch_writes_foreign_memory_in_place():
    array = np.zeros(8, np.float32)
    x = tcr.ones((8,), f32)
    p = tcr.from_numpy(array, copy=False).partition(4)
    add(p, x, x).sync()
    assert array.tolist() == [2] * 8


def test_from_numpy_copies_by_default():
    array = np.zeros(4, np.float32)
    x = tcr.from_numpy(array)
    array[:] = 7
    assert x.numpy().tolist() == [0] * 4
    for odd in (np.arange(6.0)[::-1], np.arange(6.0)[::2], np.broadcast_to(np.float32(1), (3,))):
        assert (tcr.from_numpy(odd).numpy() == odd).all()


@pytest.mark.parametrize(("array", "fault", "fix"), [
    (np.arange(6, dtype=np.float32)[::-1], "has stride -4 bytes on axis 0, which is negative", "take a copy"),
    (np.zeros(33, np.uint8)[1:].view(np.float32), "which is not aligned to its 4-byte elements", "take a copy"),
    (np.zeros(8, [("a", "f4"), ("b", "i2")])["a"], "has stride 6 bytes on axis 0, which is not a multiple of its "
     "4-byte elements", "take a copy"),
    (as_strided(np.zeros(4, np.float32), (5,), (4,)), "reaches 0 bytes in front of the memory it belongs to and 4 "
     "bytes past its end", "make it with a shape and strides that lie inside"),
    (as_strided(np.frombuffer(bytearray(16), np.float32), (5,), (4,)), "reaches 0 bytes in front of the memory it "
     "belongs to and 4 bytes past its end", "make it with a shape and strides that lie inside"),
    (np.zeros(4, np.complex64), "has elements of type complex64, which kernels do not have", "convert it"),
    (np.zeros(4, ">f4"), "has elements of type >f4, which kernels do not have", "convert it"),
], ids=["negative", "unaligned", "uneven", "outside", "outside a buffer", "type", "order"])
def test_rule_23_foreign_memory_is_looked_at(array, fault, fix):
    error = check_refused(ForeignMemoryError, lambda: tcr.from_numpy(array, copy=False))
    assert error.code == "TC408" and error.summary.startswith("`array` ")
    assert fault in error.summary and error.fix.startswith(fix)


def test_rule_23_read_only_memory_is_only_read():
    array = np.ones(8, np.float32)
    array.flags.writeable = False
    x = tcr.from_numpy(array, copy=False)
    assert x.readonly and add(tcr.zeros((8,), f32).partition(4), x, x).sync().numpy().tolist() == [2] * 8
    error = check_refused(ReadOnlyError, lambda: x.partition(4))
    assert error.summary == "`x` cannot be partitioned: its memory is read-only"
    check_refused(ReadOnlyError, lambda: x.view[:4].partition(4))
    assert x.copy().partition(4).tiles == (2,)
    assert x.share().unshare().readonly


def test_rule_23_a_broadcast_array_is_only_read():
    array = as_strided(np.ones(4, np.float32), (3, 4), (0, 4))
    x = tcr.from_numpy(array, copy=False)
    assert x.numpy().shape == (3, 4)
    error = check_refused(ReadOnlyError, lambda: x.partition(1, 4))
    assert error.summary == "`x` cannot be partitioned: with strides (0, 1) several of its elements lie at one address"
    assert error.fix == "partition a copy: `.copy()`"


def test_two_tensors_in_one_foreign_array_are_one_storage():
    array = np.zeros((2, 8), np.float32)
    whole, second = tcr.from_numpy(array, copy=False), tcr.from_numpy(array[1], copy=False)
    p = second.partition(4)
    check_refused(MovedError, lambda: whole.numpy())
    assert tcr.from_numpy(array[0], copy=False).numpy().shape == (8,)
    third = tcr.from_numpy(array, copy=False)
    check_refused(MovedError, lambda: third.numpy())
    p.unpartition()
    assert whole.numpy().shape == (2, 8)


def test_storages_that_a_later_one_joins_are_one():
    array = np.zeros(8, np.float32)
    head, tail = tcr.from_numpy(array[:4], copy=False), tcr.from_numpy(array[4:], copy=False)
    whole = tcr.from_numpy(array, copy=False)
    p = head.partition(2)
    assert tail.numpy().shape == (4,)
    check_refused(MovedError, lambda: whole.numpy())
    assert p.tiles == (2,)


def test_a_borrowed_array_is_read_only_and_counts():
    x = tcr.ones((8,), f32)
    lent = x.numpy(copy=False)
    assert not lent.flags.writeable and lent.tolist() == [1] * 8
    error = check_refused(SharedError, lambda: x.partition(4))
    assert error.summary == "`x` is partitioned, but its memory is borrowed by NumPy"
    assert error.fix == "let go of the array there with `del`, or take a copy: `.copy()`"
    part = lent[2:]
    del lent
    check_refused(SharedError, lambda: x.partition(4))
    assert add(tcr.zeros((8,), f32).partition(4), x, x).sync().numpy()[0] == 2
    del part
    assert x.partition(4).tiles == (2,)


def test_a_borrowed_array_retains_the_memory():
    lent = tcr.ones((1000,), bf16).numpy(copy=False)
    gc.collect()
    assert lent.dtype == ml_dtypes.bfloat16 and (lent == 1).all()


def test_dlpack_borrows_for_reading():
    x = tcr.ones((8,), f32)
    array = np.from_dlpack(x)
    assert not array.flags.writeable and array.__array_interface__["data"][0] == x.region.address
    error = check_refused(SharedError, lambda: x.partition(4))
    assert error.summary == "`x` is partitioned, but its memory is borrowed by another library by DLPack"
    assert x.numpy()[0] == 1
    del array
    assert x.partition(4).tiles == (2,)


def test_an_older_library_gets_a_copy():
    x = tcr.ones((8,), f32)
    capsule = x.__dlpack__()
    error = check_refused(SharedError, lambda: x.numpy())
    assert error.summary == "`x` is read, but its memory is borrowed by another library by DLPack"
    del capsule
    assert x.numpy()[0] == 1
    check_refused(ReadOnlyError, lambda: x.transposed().__dlpack__())
    s = x.share()
    t = s.share()
    check_refused(SharedError, lambda: s.__dlpack__())
    del t


def test_dlpack_copies_on_request():
    x = tcr.ones((8,), f32)
    array = np.from_dlpack(x, copy=True)
    p = x.partition(4)
    array[:] = 3
    assert p.numpy().tolist() == [1] * 8


@pytest.mark.parametrize(("wishes", "text"), [
    ({"stream": 1}, "this tensor lies on the CPU, where there are no streams"),
    ({"dl_device": (2, 0)}, "this tensor lies on the CPU, where there are no streams"),
])
def test_dlpack_reports_unsupported_tensors(wishes, text):
    with pytest.raises(BufferError) as caught:
        tcr.ones((8,), f32).__dlpack__(**wishes)
    assert str(caught.value) == text


@pytest.mark.parametrize("dtype", [bf16, f8e4m3, f8e5m2])
@pytest.mark.parametrize("wishes", [{}, {"max_version": (1, 0)}])
def test_small_floats_pass_by_dlpack_under_their_own_name(dtype, wishes):
    x = tcr.randn((4, 6), f32, seed=1).astype(dtype)
    capsule = x.view[1:, ::2].__dlpack__(**wishes)
    found = label(capsule)
    assert (found.code, found.bits, found.lanes) == (LABELS[x._layout.dtype], x._layout.dtype.bits, 1)
    del capsule, found
    y = tcr.from_dlpack(x.view[1:, ::2])
    assert y.dtype is dtype and y.readonly and y.shape == (3, 3)
    assert (y.numpy() == x.numpy()[1:, ::2]).all()
    assert y.region.address == x.view[1:, ::2].region.address
    check_refused(SharedError, lambda: x.partition(1, 1))
    del y
    gc.collect()
    assert x.partition(2, 2).tiles == (2, 3)


def test_small_floats_are_written_to_their_origin():
    class Writable:
        def __init__(self, array):
            self.array = array

        def __dlpack_device__(self):
            return (1, 0)

        def __dlpack__(self, **wishes):
            return relabel(self.array.view(np.uint16).__dlpack__(max_version=(1, 0)), DTYPES["bfloat16"])

    array = np.zeros(4, ml_dtypes.bfloat16)
    x = tcr.from_dlpack(Writable(array))
    assert x.dtype is bf16
    tcr.from_dlpack(Writable(array), copy=True)
    made = half_filled(x.partition(2)).sync()
    assert made.numpy().tolist() == [0.5] * 4 and array.tolist() == [0.5] * 4


def test_the_smallest_floats_do_not_pass():
    with pytest.raises(BufferError, match=r"f4e2m1 cannot be passed on by DLPack: write `.numpy\(\)`, or convert it"):
        np.from_dlpack(tcr.ones((8,), f4e2m1))


def test_numpy_gets_an_error_for_unsupported_types():
    with pytest.raises((BufferError, RuntimeError)):
        np.from_dlpack(tcr.ones((8,), bf16))


class TorchTensor:
    """As much of a torch tensor as is needed; older versions pass their memory on without a version."""

    device, dtype, requires_grad = "cpu", "torch.float32", False

    def __init__(self, data):
        self.data = data

    def detach(self):
        return self

    def numpy(self):
        return self.data


TorchTensor.__module__ = "torch"


def test_tensors_of_torch_can_be_written():
    array = np.zeros(8, np.float32)
    x = tcr.ones((8,), f32)
    assert add(tcr.from_dlpack(TorchTensor(array)).partition(4), x, x).sync().numpy().tolist() == [2] * 8
    assert array.tolist() == [2] * 8


def test_tensors_of_torch_that_cannot():
    tensor = TorchTensor(np.zeros(8, np.float32))
    tensor.requires_grad = True
    error = check_refused(ForeignMemoryError, lambda: tcr.from_dlpack(tensor))
    assert error.summary == "`tensor` requires a gradient, which torch would not know of"
    assert error.fix == "write `.detach()`"
    tensor.requires_grad, tensor.device = False, "cuda:0"
    error = check_refused(ForeignMemoryError, lambda: tcr.from_dlpack(tensor))
    assert error.summary == "`tensor` lies on cuda:0, not on the CPU"


def test_torch_when_it_is_there():
    torch = pytest.importorskip("torch")
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.zeros(8, dtype=dtype)
        x = tcr.from_dlpack(tensor)
        assert not x.readonly and x.region.address == tensor.data_ptr()
        assert torch.from_dlpack(x.copy()).dtype == dtype


@pytest.mark.parametrize("versioned", [True, False])  # an older library cannot say what may be written
def test_from_dlpack_shares_and_keeps_the_owner(versioned):
    array = np.ones(8, np.float32)
    other = Other(array, versioned=versioned)
    alive = weakref.ref(other)
    x = tcr.from_dlpack(other)
    del other
    gc.collect()
    assert alive() is not None and x.readonly is not versioned
    if versioned:
        x = add(x.partition(4), tcr.ones((8,), f32), tcr.ones((8,), f32)).sync()
        assert array.tolist() == [2] * 8
    del x
    wait_for_stream()
    gc.collect()
    assert alive() is None


def test_from_dlpack_takes_the_read_only_flag_over():
    array = np.ones(8, np.float32)
    array.flags.writeable = False
    assert tcr.from_dlpack(Other(array)).readonly
    copied = tcr.from_dlpack(Other(array), copy=True)
    assert not copied.readonly and copied.partition(4).tiles == (2,)


def test_a_tensor_that_comes_back_by_dlpack_is_the_same_memory():
    x = tcr.ones((8,), f32)
    y = tcr.from_dlpack(x)
    assert y.readonly
    check_refused(SharedError, lambda: (x.partition(4), y))


@pytest.mark.parametrize(("device", "where"), [((2, 1), "cuda:1"), ((99, 0), "device type 99:0")])
def test_from_dlpack_of_another_device_is_refused(device, where):
    other = Other(np.ones(8, np.float32), device)
    error = check_refused(ForeignMemoryError, lambda: tcr.from_dlpack(other))
    assert error.summary == f"`other` lies on {where}, not on the CPU" and error.fix == "move it first: `.cpu()`"


def test_from_dlpack_refuses_unsupported_types():
    other = Other(np.ones(8, np.complex64))
    error = check_refused(ForeignMemoryError, lambda: tcr.from_dlpack(other))
    assert error.summary == "`other` has elements of type complex64, which kernels do not have"
    other = Other(np.ones(8, "datetime64[s]"))
    error = check_refused(ForeignMemoryError, lambda: tcr.from_dlpack(other))
    assert error.summary.startswith("`other` cannot be taken over (") and "from_numpy" in error.fix


def test_objects_that_are_not_arrays_are_refused():
    with pytest.raises(TypeError, match=r"from_numpy takes a NumPy array, not a list: write `from_dlpack\(...\)`"):
        tcr.from_numpy([1, 2])
    with pytest.raises(TypeError, match=r"from_dlpack takes an object with `__dlpack__`, not a list"):
        tcr.from_dlpack([1, 2])
