"""The CPU as a backend, through the interface alone."""

from __future__ import annotations

import os
import threading
import time

import cuda.tile as ct
import ml_dtypes
import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.patience import PATIENCE
from tests.runtime.launches import kernels as k
from tilecheck_runtime import KernelFaultError, f32, session
from tilecheck_runtime.backends.cpu.backend import HostStream
from tilecheck_runtime.backends.interface import Backend, Job
from tilecheck_runtime.backends.selection.select import backend_of, current
from tilecheck_runtime.cpu.dtypes import DTYPES
from tilecheck_runtime.cpu.execution.translate import Translator
from tilecheck_runtime.dialect.device.reference import Ref
from tilecheck_runtime.errors.locations import Location
from tilecheck_runtime.ownership.memory import Strided

F32, BF16 = DTYPES["float32"], DTYPES["bfloat16"]
HERE = Location("script.py", 3)


@pytest.fixture
def backend() -> Backend:
    return current()


def _array(backend, values, dtype=F32):
    made = Strided(backend.allocate(values.size * dtype.storage.itemsize), dtype, values.shape,
                   tuple(s // values.itemsize for s in values.strides))
    backend.upload(values, made)
    return made


def test_memory_is_on_the_device(backend):
    memory = backend.allocate(100)
    assert memory.device == backend.device == "cpu" and memory.nbytes == 100 and memory.address % 128 == 0
    assert backend_of("cpu") is backend
    with pytest.raises(LookupError, match="there is no backend for device 'rocm:0'"):
        backend_of("rocm:0")


def test_copies_to_the_device_and_back_preserve_values(backend):
    values = np.arange(6, dtype=np.float32).reshape(2, 3)
    array = _array(backend, values)
    assert (backend.download(array) == values).all()
    column = Strided(array.memory, F32, (2,), (3,), 4)
    assert backend.download(column).tolist() == [1, 4]
    backend.view(column)[:] = 9
    assert backend.download(array).tolist() == [[0, 9, 2], [3, 9, 5]]
    backend.download(array)[:] = 0
    assert backend.download(array).any()


def test_copies_convert(backend):
    values = np.array([1.0, 1.00390625, 3e38], np.float32)
    source, target = _array(backend, values), _array(backend, np.zeros(3, ml_dtypes.bfloat16), BF16)
    event = backend.copy(source, target, backend.default)
    assert event.wait(10) and event.done() and event.error() is None
    assert (backend.download(target) == values.astype(ml_dtypes.bfloat16)).all()


def test_memory_of_others_is_adopted(backend):
    owner = np.arange(4, dtype=np.float32)
    memory = backend.adopt(owner.ctypes.data, owner.nbytes, owner, False)
    array = Strided(memory, F32, (4,), (1,))
    backend.view(array)[0] = 5
    assert owner[0] == 5 and memory.address == owner.ctypes.data
    readonly = backend.adopt(owner.ctypes.data, owner.nbytes, owner, True)
    with pytest.raises(ValueError, match="read-only"):
        backend.view(Strided(readonly, F32, (4,), (1,)))[0] = 6


def test_a_stream_runs_in_order_and_streams_run_in_parallel(backend):
    first, second, gate, order = backend.stream("first"), backend.stream("second"), threading.Event(), []
    held = first.submit(lambda: gate.wait() and None)
    behind = first.submit(lambda: order.append("behind"))
    assert second.submit(lambda: order.append("beside")).wait(10)
    assert not behind.done() and not behind.wait(0.01)
    gate.set()
    assert behind.wait(10) and held.done() and order == ["beside", "behind"]


@pytest.mark.parametrize("fails", [True, False])
def test_work_begins_after_an_event_of_another_stream(backend, fails):
    first, second, gate, order = backend.stream("first"), backend.stream("second"), threading.Event(), []

    def work():
        gate.wait()
        order.append("first")
        if fails:
            raise ValueError("mine")

    event = first.submit(work)
    backend.order(second, event)
    after = second.submit(lambda: order.append("second"))
    assert not after.wait(0.01)
    gate.set()
    assert after.wait(10) and order == ["first", "second"]
    assert isinstance(event.error(), ValueError) is fails and after.error() is None


def test_an_event_calls_back_once_it_is_done(backend):
    gate, called = threading.Event(), []
    event = backend.default.submit(lambda: gate.wait() and None)
    event.when_done(lambda: called.append(1))
    assert not called
    gate.set()
    event.wait(10)
    event.when_done(lambda: called.append(2))
    backend.default.submit(lambda: None).wait(10)
    assert called == [1, 2]


def test_work_of_a_stream_for_the_same_stream_is_done_at_once(backend):
    inner = []
    event = backend.default.submit(lambda: inner.append(backend.default.submit(lambda: None).done()))
    assert event.wait(10) and inner == [True]


def shift_elements(x, out, by):
    i = ct.bid(0)
    ct.store(out, (i,), ct.load(x, (i + by,), (4,)))


def test_a_launch_raises_the_error_of_its_kernel(backend):
    x, out = (_array(backend, np.arange(8, dtype=np.float32)) for _ in range(2))
    event = backend.launch(Job(shift_elements, (2, 1, 1), (x, out, 0), "shifted", HERE), backend.default)
    assert event.wait(10) and event.error() is None
    wrong = backend.launch(Job(shift_elements, (2, 1, 1), (x, out, 2), "shifted", HERE), backend.default)
    assert wrong.wait(10)
    error = wrong.error()
    assert isinstance(error, KernelFaultError) and error.use == HERE and error.code == "TC201"
    with session() as found:
        observed = backend.launch(Job(shift_elements, (2, 1, 1), (x, out, 2), "shifted", HERE), backend.default)
        assert observed.wait(10) and observed.error() is None
    assert found.report().codes() == {"TC201"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_child_process_has_streams_of_its_own(backend):
    assert backend.default.submit(lambda: None).wait(10)
    child = os.fork()
    if child == 0:
        os._exit(0 if backend.default.submit(lambda: None).wait(10) else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_stream_has_a_thread_while_it_has_work(backend):
    stream = backend.stream("now and then")
    name = "tilecheck-now and then"
    for _ in range(3):
        seen = []
        assert stream.submit(lambda seen=seen: seen.append(threading.current_thread().name)).wait(10)
        assert seen == [name]
        deadline = time.monotonic() + PATIENCE
        while any(t.name == name for t in threading.enumerate()) and time.monotonic() < deadline:
            time.sleep(0.01)
        assert all(t.name != name for t in threading.enumerate())


def test_a_stream_takes_work_from_many_threads(backend):
    stream, done = backend.stream("busy"), []
    threads = [threading.Thread(target=lambda n=n: [stream.submit(lambda m=m: done.append((n, m))).wait(10)
                                                    for m in range(50)]) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [(n, m) for n in range(8) for m in range(50)]


def test_a_stream_without_a_thread_tries_again(monkeypatch):
    stream, done = HostStream("tried"), []

    def none_left(thread) -> None:
        raise RuntimeError("can't start new thread")

    with monkeypatch.context() as patched:
        patched.setattr(threading.Thread, "start", none_left)
        with pytest.raises(RuntimeError):
            stream.submit(lambda: done.append("lost"))
    assert stream.submit(lambda: done.append("done")).wait(10)
    assert done == ["done"]


def test_library_code_is_translated_once_and_user_code_at_each_launch(monkeypatch):
    assert Translator().value(Ref) is Translator().value(Ref) is not Ref
    p = k.by_factor(tcr.ones((8,), f32).partition(4)).sync()
    monkeypatch.setattr(k, "FACTOR", 5.0)
    assert k.by_factor(p).sync().numpy().tolist() == [10] * 8
