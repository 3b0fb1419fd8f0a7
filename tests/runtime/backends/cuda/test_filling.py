"""Tensors of one value are filled by the device without a wait: their uses come later in the stream."""

from __future__ import annotations

import ctypes
import gc

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tests.runtime.backends.cuda.fake import Status
from tilecheck_runtime import bf16, bool_, f8e4m3, f16, f32, f64, i8, i16, i32, i64, u8, u64
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.errors.ownership import CaptureError
from tilecheck_runtime.tensors.capturing import begin_capture

N = 64
WAITS = {"cuEventSynchronize", "cuMemcpyHtoDAsync", "cuStreamSynchronize", "cuEventQuery"}


@pytest.mark.parametrize("dtype, value, calls", [
    (f32, 0, ["cuMemsetD8Async"]), (f64, 0, ["cuMemsetD8Async"]), (i64, -1, ["cuMemsetD8Async"]),
    (u8, 200, ["cuMemsetD8Async"]), (i8, -3, ["cuMemsetD8Async"]), (bool_, True, ["cuMemsetD8Async"]),
    (f8e4m3, 1.5, ["cuMemsetD8Async"]), (bf16, 2.5, ["cuMemsetD16Async"]), (f16, 1 / 3, ["cuMemsetD16Async"]),
    (i16, -300, ["cuMemsetD16Async"]), (i16, 257, ["cuMemsetD8Async"]), (f32, 1, ["cuMemsetD32Async"]),
    (i32, 70_000, ["cuMemsetD32Async"]), (i32, 0x10001, ["cuMemsetD16Async"]),
    (u64, 0x700000007, ["cuMemsetD32Async"]),
    (f64, 1 / 3, ["cuMemsetD32Async"] * 2 + ["cuMemcpyDtoDAsync"] * 3),
    (i64, 1 << 40, ["cuMemsetD32Async"] * 2 + ["cuMemcpyDtoDAsync"] * 3),
])
def test_the_shortest_pattern_is_written(gpu, dtype, value, calls):
    tcr.full((512,), 0x55, u8).numpy()  # and given back
    gpu.calls.clear()
    made = tcr.full((1, 7), value, dtype)
    found = [c for c in gpu.calls if c.startswith(("cuMemset", "cuMemcpy"))]
    assert found == calls and not WAITS & set(gpu.calls)
    assert (made.numpy() == np.full((1, 7), value).astype(made.numpy().dtype)).all()
    memory = made._storage.memory
    assert ctypes.string_at(memory.address + memory.nbytes, 16) == b"\x55" * 16, "nothing was written behind the end"


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0, 4), (5, 3, 2), (1025,)])
def test_tensors_of_every_extent_are_filled(gpu, shape):
    for dtype, value in ((f64, 0.1), (f32, -2.5), (f16, 7), (u8, 9)):
        found = tcr.full(shape, value, dtype).numpy()
        assert found.shape == shape and (found == np.full(shape, value).astype(found.dtype)).all()


def test_unfitting_values_are_refused_before_allocation(gpu, backend):
    before = backend.pool.taken
    with pytest.raises(OverflowError, match="300 is outside of uint8"):
        tcr.full((4,), 300, u8)
    assert tcr.full((0,), 300, u8).shape == (0,), "as NumPy does, where there is no element"
    assert backend.pool.taken <= before + 512


def test_a_launch_on_another_stream_comes_after(gpu):
    side = tcr.stream("side")
    gpu.paused = True
    x = tcr.ones((N,), f32)
    z = tcr.zeros((N,), f32).partition(16)
    gpu.calls.clear()
    flight = add(z, x, x).start(side)
    assert "cuStreamWaitEvent" in gpu.calls
    gpu.paused = False
    assert (flight.wait().numpy() == 2).all()


def test_separate_streams_are_not_refused(gpu, monkeypatch):
    monkeypatch.setenv("TILECHECK_STREAMS", "strict")
    side = tcr.stream("side")
    x = tcr.ones((N,), f32)
    for _ in range(3):
        z = add(tcr.zeros((N,), f32).partition(16), x, x).start(side).wait()
    assert (z.numpy() == 2).all()


def test_no_tensor_is_created_in_a_capture(gpu):
    with begin_capture(Location("here", 1)), pytest.raises(CaptureError, match="memory is allocated while a graph"):
        tcr.zeros((N,), f32)


def test_a_graph_does_not_fill_again(gpu):
    x, z = tcr.ones((N,), f32), tcr.zeros((N,), f32).partition(16)
    graph = tcr.graph(add(z, x, x))
    gpu.calls.clear()
    graph.replay()
    assert not [c for c in gpu.calls if c.startswith("cuMemset")]
    assert (graph.result.numpy() == 2).all()


def test_a_loop_that_allocates_its_output_does_not_wait(gpu, backend):
    """Memory goes round: an output that was let go of is the next one, in the order of the stream."""
    x = tcr.ones((N,), f32)
    for _ in range(3):
        add(tcr.zeros((N,), f32).partition(16), x, x).start().take_early()
    gc.collect()
    gpu.paused = True
    taken, kept = backend.pool.taken, []
    gpu.calls.clear()
    for n in range(20):
        y = tcr.full((N,), float(n), f32)
        z = add(tcr.zeros((N,), f32).partition(16), x, y).start().take_early()
        if n % 5 == 0:
            kept.append((n, z))
    assert not WAITS & set(gpu.calls)
    assert backend.pool.taken <= taken + 8 * 512
    gpu.paused = False
    for n, z in kept:
        assert (z.numpy() == 1 + n).all()


def test_memory_that_another_stream_uses_is_not_given_out_again(gpu, backend):
    side = tcr.stream("side")
    x = tcr.ones((N,), f32)
    z = tcr.zeros((N,), f32).partition(16)
    x.numpy()
    gpu.paused = True
    z = add(z, x, x).start(side).take_early()
    address = z._storage.memory.address
    del z
    gc.collect()
    assert tcr.zeros((N,), f32)._storage.memory.address != address
    gpu.paused = False
    tcr.ones((N,), f32).numpy()


def test_reused_memory_names_its_user(gpu, backend):
    """Its new owner may use it on another stream, which then waits."""
    side = tcr.stream("side")
    x = tcr.ones((N,), f32)
    gpu.paused = True
    z = add(tcr.zeros((N,), f32).partition(16), x, x).start().take_early()
    address = z._storage.memory.address
    del z
    gc.collect()
    again = tcr.empty((N,), f32, unsafe="`add` writes all of it")
    assert again._storage.memory.address == address
    again = again.partition(16)
    ones = tcr.ones((N,), f32)
    gpu.calls.clear()
    flight = add(again, ones, ones).start(side)
    assert "cuStreamWaitEvent" in gpu.calls
    gpu.paused = False
    assert (flight.wait().numpy() == 2).all()


def test_a_tensor_dropped_at_once_is_not_filled(gpu):
    gpu.paused = True
    for _ in range(5):
        tcr.ones((N,), f32)
    x = tcr.full((N,), 3, f32)
    gpu.paused = False
    assert (x.numpy() == 3).all()


def test_an_error_of_the_driver_is_reported(gpu):
    tcr.zeros((N,), f32).numpy()
    gpu.failure = Status(1, "CUDA_ERROR_INVALID_VALUE")
    with pytest.raises(RuntimeError, match="CUDA_ERROR_INVALID_VALUE"):
        tcr.zeros((N,), f32)
    gpu.failure = None
