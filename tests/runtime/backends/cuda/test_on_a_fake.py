"""The requests of the backend to a device, on a fake one: all rules of launches, lifetimes and order without a GPU."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add, gemm
from tests.runtime.dialect.kernels import in_place
from tests.runtime.launches import unproven
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import Linear, f16, f32, i8
from tilecheck_runtime.backends.cuda import stream
from tilecheck_runtime.backends.cuda.poller import Poller

N = 64


def pieces(value=0.0):
    return tcr.full((N,), value, f32).partition(16)


def test_tensors_and_launches(gpu):
    x = tcr.arange(N, dtype=f32)
    assert x._storage.memory.device == "cuda:0" and x._storage.memory.address in gpu.memory
    assert (x.view[3:40:5].numpy() == np.arange(3, 40, 5)).all()
    assert (add(pieces(), x, x).sync().numpy() == 2 * np.arange(N)).all()
    a, b = tcr.randn((12, 8), f16, seed=1), tcr.randn((8, 20), f16, seed=2)
    made = gemm(tcr.zeros((12, 20), f32).partition(4, 4).map(Linear(), 3), a, b, 4).sync().numpy()
    assert np.allclose(made, a.numpy().astype(np.float32) @ b.numpy().astype(np.float32), atol=1e-3)
    t = tcr.randn((6, 10), f32, seed=3)
    assert (t.transposed().copy().numpy() == t.numpy().T).all() and (t.view[1:3].copy().numpy() == t.numpy()[1:3]).all()
    assert (t.astype(f16).numpy() == t.numpy().astype(np.float16)).all()


def test_a_launch_returns_before_it_runs(gpu):
    x = tcr.ones((N,), f32)
    z = pieces()
    gpu.paused = True
    flight = add(z, x, x).start()
    assert not flight.done() and not gpu.launched
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    with pytest.raises(TimeoutError):
        flight.wait(0.001)
    gpu.paused = False
    assert (flight.wait().numpy() == 2).all() and gpu.launched == ["add"]


def test_memory_of_a_dropped_flight_is_not_given_to_others(gpu, backend):
    x = tcr.ones((N,), f32)
    z = pieces()
    taken = {x._storage.memory.address, z._storage.memory.address}
    gpu.paused = True
    add(z, x, x).start()
    del x, z
    gc.collect()
    new = [backend.allocate(4 * N) for _ in range(4)]
    assert not taken & {m.address for m in new}
    gpu.paused = False
    del new
    gc.collect()
    assert taken <= {m.address for m in [backend.allocate(4 * N) for _ in range(8)]}


def test_launches_record_events_on_demand(gpu):
    x = tcr.ones((N,), f32)
    bound = add.bind(pieces(), x, x)
    bound()
    gpu.calls.clear()
    for _ in range(10):
        bound()
    assert set(gpu.calls) == {"cuLaunchKernel"}
    bound.wait()
    assert gpu.calls.count("cuEventRecord") == 1


def test_a_bound_launch_is_refused_after_a_change(gpu):
    x, y = tcr.ones((N,), f32), tcr.ones((N,), f32)
    bound = add.bind(pieces(), x, y)
    bound()
    with pytest.raises(tcr.InFlightError, match="the bound launch of `add`"):
        x.partition(16)
    bound.wait()
    before = len(gpu.launched)
    part = x.partition(16)
    with pytest.raises(tcr.MovedError, match="`x`"):
        bound()
    x = part.unpartition()
    with pytest.raises(tcr.MovedError):
        bound()  # the handle it was bound to is gone for good
    assert len(gpu.launched) == before
    assert (bound.release().numpy() == 2).all()
    with pytest.raises(tcr.MovedError, match="already released"):
        bound()


def test_a_bound_launch_is_refused_while_its_input_is_written(gpu):
    x, y = tcr.ones((N,), f32), tcr.ones((N,), f32)
    view = x.view[:]
    bound = add.bind(pieces(), view, y)
    part = x.partition(16)
    with pytest.raises(tcr.MovedError):
        bound()
    flight = in_place_1(part).start()
    with pytest.raises(tcr.OwnershipError):
        bound()
    flight.wait()


def in_place_1(part):
    from tests.runtime.backends.cuda.kernels import increased

    return increased(part)


def test_a_bound_launch_that_is_dropped_in_flight(gpu, backend):
    x, z = tcr.ones((N,), f32), pieces()
    taken = {x._storage.memory.address, z._storage.memory.address}
    bound = add.bind(z, x, x)
    gpu.paused = True
    bound()
    del bound, x, z
    gc.collect()
    assert not taken & {m.address for m in [backend.allocate(4 * N) for _ in range(4)]}


def test_a_chain_is_handed_over_without_waiting(gpu):
    x, first, second = tcr.ones((N,), f32), pieces(), pieces()
    gpu.paused = True
    threads = threading.active_count()
    flight = add(first, x, x).then(lambda z: add(second, z.unpartition(), x)).start()
    assert threading.active_count() == threads and not gpu.launched
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    gpu.paused = False
    assert (flight.wait().numpy() == 3).all()
    x.partition(16)


def test_a_chain_whose_next_step_fails_says_so_when_it_is_waited_for(gpu):
    x = tcr.ones((N,), f32)
    flight = add(pieces(), x, x).then(lambda z: 1 / 0).start()
    with pytest.raises(ZeroDivisionError):
        flight.wait()
    x.partition(16)


def test_a_long_chain(gpu):
    op = in_place(tcr.zeros((4, 4), f32).partition(4, 4))
    for _ in range(1500):
        op = op.then(in_place)
    assert op.what == "the launch of `in_place` and its follow-up"
    gpu.paused = True
    flight = op.start()
    gpu.paused = False
    assert len(gpu.launched) == 0 and not hasattr(flight, "_thread")


def test_awaiting(gpu):
    async def main():
        x = tcr.ones((N,), f32)
        gpu.paused = True
        flight = add(pieces_, x, x).start()
        asyncio.get_running_loop().call_later(0.01, lambda: setattr(gpu, "paused", False))
        return await flight

    pieces_ = pieces()
    assert (asyncio.run(main()).numpy() == 2).all()


def test_streams_are_ordered_by_the_memory_that_they_use(gpu, backend):
    first, second = tcr.stream("first"), tcr.stream("second")
    x = tcr.ones((N,), f32)
    add_bound = add.bind(pieces(), x, x)
    gpu.paused = True
    add_bound(first)
    gpu.calls.clear()
    add_bound(second)
    assert "cuStreamWaitEvent" in gpu.calls
    assert second.handle.queue and not gpu.launched
    gpu.paused = False
    assert (add_bound.release().numpy() == 2).all() and len(gpu.launched) == 2


def test_a_stream_of_another_library(gpu, backend):
    class Theirs:
        cuda_stream = 77

    class Core:
        def __cuda_stream__(self):
            return 0, 78

    x = tcr.ones((N,), f32)
    for given, handle in ((Theirs(), 77), (Core(), 78), (79, 79)):
        assert (add(pieces(), x, x).start(given).wait().numpy() == 2).all()
        assert handle in gpu.foreign
    op = add(pieces(), x, x)
    with pytest.raises(TypeError, match="is not a stream"):
        op.start("default")
    op.sync()


def test_a_failure_names_only_the_launches_in_flight(gpu):
    from tests.runtime.backends.cuda.fake import Status
    from tilecheck_runtime.backends.cuda.errors import DeviceFailureError

    x = tcr.ones((N,), f32)
    done = add(pieces(), x, x).sync()
    z, w = pieces(), tcr.zeros((4, 4), f32).partition(4, 4)
    gpu.paused = True
    flight, other = add(z, x, x).start(), in_place(w).start()
    gpu.failure = Status(700, "CUDA_ERROR_ILLEGAL_ADDRESS")
    with pytest.raises(DeviceFailureError, match="CUDA_ERROR_ILLEGAL_ADDRESS") as caught:
        flight.wait()
    assert [k.split("`")[1] for k in caught.value.kernels] == ["add", "in_place"]
    assert "test_on_a_fake.py" in str(caught.value)
    with pytest.raises(DeviceFailureError):
        other.wait()
    with pytest.raises(DeviceFailureError):
        done.numpy()


def test_a_graph_owns_its_memory(gpu, backend):
    x, y, spare = tcr.ones((N,), f32), tcr.full((N,), 2, f32), pieces()
    first = pieces()
    graph = tcr.graph(add(first, x, y).then(lambda z, spare=spare, y=y: add(spare, z.unpartition(), y)))
    assert not gpu.launched
    assert (graph.replay().numpy() == 5).all() and gpu.launched == ["add", "add"]
    graph.update(x, np.full(N, 10, np.float32))
    assert (graph.replay().numpy() == 14).all()
    graph.update(x, tcr.full((N,), 20, f32))
    assert (graph.replay().numpy() == 24).all()
    with pytest.raises(tcr.LaunchArgumentError, match="is not an input"):
        graph.update(tcr.ones((N,), f32), np.zeros(N, np.float32))
    with pytest.raises(tcr.LaunchArgumentError, match="has shape"):
        graph.update(x, np.zeros(3, np.float32))
    taken = {t._storage.memory.address for t in (x, y)}
    with pytest.raises(tcr.GraphLifetimeError, match=r"graph\.update"):
        x.partition(16)
    del x, y, spare, first
    gc.collect()
    assert not taken & {m.address for m in [backend.allocate(4 * N) for _ in range(4)]}
    assert (graph.replay().numpy() == 24).all()


def test_a_graph_is_not_replayed_without_its_result(gpu):
    x = tcr.ones((N,), f32)
    graph = tcr.graph(add(pieces(), x, x))
    graph.replay()
    mine = graph.result.unpartition()
    with pytest.raises(tcr.GraphLifetimeError, match="its result was moved into a tensor"):
        graph.replay()
    assert (mine.numpy() == 2).all()
    del graph
    x.partition(16)


@pytest.mark.filterwarnings("ignore:TC404")
@pytest.mark.parametrize(("step", "says"), [
    (lambda x, z: add(pieces(), x, x), "memory is allocated while a graph is captured"),
    (lambda x, z: z.numpy(), "the elements of a partition are read while a graph is captured"),
    (lambda x, z: tcr.graph(add(z, x, x)), "is launched inside another operation"),
    (lambda x, z: add(z, x, x).sync(), "is launched inside another operation"),
])
def test_a_graph_refuses_unsupported_operations(gpu, step, says):
    x = tcr.ones((N,), f32)
    op = add(pieces(), x, x)
    with pytest.raises(tcr.OwnershipError, match=says):
        tcr.graph(op.then(lambda z: step(x, z)))
    assert not gpu.launched


def test_a_graph_that_is_dropped_in_flight(gpu, backend):
    x, z = tcr.ones((N,), f32), pieces()
    taken = {x._storage.memory.address, z._storage.memory.address}
    graph = tcr.graph(add(z, x, x))
    gpu.paused = True
    graph.start()
    del graph, x, z
    gc.collect()
    assert not taken & {m.address for m in [backend.allocate(4 * N) for _ in range(4)]}


def test_a_kernel_that_is_not_compiled_leaves_its_arguments(gpu):
    x = tcr.ones((N,), f32)
    with pytest.raises(ValueError, match="num_ctas"):
        add.replace_hints(num_ctas=3)(pieces(), x, x).sync()
    x.partition(16)
    assert not gpu.launched


def test_strict_streams(gpu, monkeypatch):
    monkeypatch.setenv("TILECHECK_STREAMS", "strict")
    x, side = tcr.ones((N,), f32), tcr.stream("side")
    bound = add.bind(pieces(), x, x)
    gpu.paused = True
    bound()
    with pytest.raises(tcr.StreamError, match="stream `side` uses memory that stream `default` still uses"):
        bound(side)
    gpu.paused = False
    bound(side)
    assert (bound.release().numpy() == 2).all()


def test_arguments_on_two_devices(gpu, monkeypatch):
    x, y = tcr.ones((N,), f32), tcr.ones((N,), f32)
    monkeypatch.setattr(y._storage.memory, "device", "cuda:1")
    with pytest.raises(tcr.LaunchArgumentError, match=r"`y` of `add` lies on cuda:1, and the launch is on cuda:0"):
        add(pieces(), x, y).sync()


@pytest.mark.parametrize(("options", "says"), [
    ({"version": 12090}, r"supports CUDA 12\.9, tile kernels need 13\.0: install driver r580"),
    ({"count": 0}, "sees no GPU: look at CUDA_VISIBLE_DEVICES"),
])
def test_a_machine_that_cannot_run_kernels(options, says):
    from tests.runtime.backends.cuda.fake import FakeDriver
    from tilecheck_runtime.backends.cuda.driver import Driver, check_driver
    from tilecheck_runtime.backends.cuda.errors import NoGPUError

    with pytest.raises(NoGPUError, match=says):
        check_driver(Driver(FakeDriver(**options)))


def test_a_missing_device_is_an_error():
    from tests.runtime.backends.cuda.fake import FakeDriver, FakeLoader
    from tilecheck_runtime.backends.cuda.backend import CUDA
    from tilecheck_runtime.backends.cuda.driver import Driver
    from tilecheck_runtime.backends.cuda.errors import NoGPUError

    with pytest.raises(NoGPUError, match="there is no device cuda:2: the driver sees 2, numbered from 0"):
        CUDA(2, Driver(FakeDriver(count=2)), FakeLoader())


def test_memory_that_does_not_fit_after_all_that_is_free_was_given_back(gpu, backend):
    gpu.capacity = 1 << 20
    held = [backend.allocate(1 << 16) for _ in range(8)]
    del held[4:]
    gc.collect()
    assert backend.allocate(3 << 17).nbytes == 3 << 17
    with pytest.raises(MemoryError, match="1048576 bytes do not fit on cuda:0"):
        backend.allocate(1 << 20)


def test_arrays_of_others_are_taken_over(gpu, backend):
    theirs = backend.allocate(4 * N)

    class Theirs:
        def __init__(self):
            self.__cuda_array_interface__ = {"shape": (N,), "strides": None, "typestr": "<f4", "version": 3,
                                             "stream": 5, "data": (theirs.address, False)}

    from tilecheck_runtime.tensors import foreign

    foreign_driver = foreign.cuda_driver
    foreign.cuda_driver = lambda: backend.driver
    try:
        owner = Theirs()
        x, y = tcr.from_dlpack(owner), tcr.from_dlpack(owner)
    finally:
        foreign.cuda_driver = foreign_driver
    part = x.partition(16)
    with pytest.raises(tcr.AliasedError):
        add(part, y, tcr.ones((N,), f32))
    z = add(part, tcr.ones((N,), f32), tcr.ones((N,), f32)).sync().unpartition()
    assert (y.numpy() == 2).all() and (z.numpy() == 2).all() and 5 in gpu.foreign


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_launch_in_a_child_process_is_refused(gpu):
    tcr.ones((N,), f32)
    child = os.fork()
    if child == 0:
        try:
            tcr.ones((N,), f32)
        except tcr.NoGPUError as error:
            os._exit(0 if "spawn" in str(error) else 2)
        os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    tcr.ones((N,), f32)


def test_memory_is_borrowed_by_other_libraries(gpu):
    x = tcr.arange(N, dtype=f32).reshape(8, 8)
    loan = x.view[1:3].lend()
    interface = loan.__cuda_array_interface__
    assert interface["shape"] == (2, 8) and interface["strides"] == (32, 4) and interface["typestr"] == "<f4"
    assert interface["data"] == (x._storage.memory.address + 32, False)
    with pytest.raises(tcr.SharedError, match="is borrowed by another library"):
        x.numpy()
    assert (x.view[3:].numpy() == np.arange(24, 64).reshape(5, 8)).all()
    del loan
    x.partition(8, 8)
    assert x.__dlpack_device__() == (2, 0)
    y = tcr.ones((4,), tcr.bf16)
    with pytest.raises(BufferError, match=r"astype\(f32\)"):
        y.lend()
    with pytest.raises(BufferError, match=r"x\.lend\(\)"):
        y.__dlpack__()


@pytest.mark.parametrize("setting", ["", "off", "warn", "error"])
def test_a_kernel_that_does_not_pass_the_checker_is_refused(gpu, setting, monkeypatch):
    monkeypatch.setenv("TILECHECK_GUARD", setting)
    x, z = tcr.ones((N,), f32), pieces()
    error = check_refused(tcr.UnprovenError, lambda: unproven.racing(z, x))
    assert error.code == "TC105"
    assert check_refused(tcr.UnprovenError, lambda: unproven.racing.bind(z, x)).code == "TC105"
    assert not gpu.launched and (add(z, x, x).sync().numpy() == 2).all()
    assert (unproven.trusted(pieces(), x).sync().numpy() == 1).all()


def test_conversions_round_once_and_saturate(gpu):
    x = tcr.from_numpy(np.array([300.0, -300.0, np.nan, 1.7], np.float32))
    assert x.astype(i8).numpy().tolist() == [127, -128, 0, 1]


def test_the_device_is_polled_again_when_threads_wait(gpu, monkeypatch):
    x, z = tcr.ones((N,), f32), pieces()
    monkeypatch.setattr(stream, "POLLER", Poller())
    gpu.paused = True
    flight, heard = add(z, x, x).start(), threading.Event()
    with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="new thread"):
        patch.setattr(threading.Thread, "start", no_thread)
        flight.when_done(heard.set)
    flight.when_done(heard.set)
    gpu.paused = False
    assert heard.wait(10) and (flight.wait().numpy() == 2).all()


def no_thread(_: threading.Thread) -> None:
    raise RuntimeError("can't start new thread")


def test_chains_in_steps_use_earlier_results(gpu):
    x, also = tcr.ones((N,), f32), tcr.zeros((N,), f32)

    def add_twice(z):
        first = z.unpartition()
        return add(also.partition(16), first, first).then(lambda w: add(pieces(), first, w.unpartition()))

    flight = add(pieces(), x, x).then(add_twice).then(lambda z: add(pieces(), z.unpartition(), x)).start()
    assert (flight.wait().numpy() == 7).all()


def test_a_kernel_is_compiled_for_the_gpu_that_its_arguments_are_on(gpu, monkeypatch):
    from tilecheck_runtime.api import compile_ahead as warm

    asked = []
    monkeypatch.setattr(warm, "build", lambda function, signature, arch, options: asked.append(arch))
    monkeypatch.setattr(warm, "specialize_for_launch", lambda *a: SimpleNamespace(function=None, signature=None))
    add.compile(pieces(), tcr.ones((N,), f32), tcr.ones((N,), f32))
    assert asked == ["sm_90"]
