"""Forked child processes: they have a copy of the counts, and none of the threads."""

from __future__ import annotations

import os
import threading
import time
import warnings
from collections.abc import Callable

import pytest

import tilecheck_runtime as tcr
from tests.patience import PATIENCE
from tests.runtime.launches import kernels as k
from tests.runtime.launches.gates import held_up
from tilecheck_runtime import f32
from tilecheck_runtime.compile import build
from tilecheck_runtime.ownership.storage import LOCK

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

"""Seconds."""


def _in_a_child(work: Callable[[], object]) -> str:
    """Returns the result of `work` in a forked child as text, or the text of its error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            said = repr(work())
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode())
        os._exit(0)
    os.close(writer)
    end = time.monotonic() + PATIENCE
    while not os.waitpid(child, os.WNOHANG)[0]:
        if time.monotonic() > end:
            os.kill(child, 9)
            os.waitpid(child, 0)
            raise TimeoutError("the child hangs")
        time.sleep(0.01)
    with os.fdopen(reader, "rb") as said:
        return said.read().decode()


def _double(x: tcr.Tensor) -> list[float]:
    return k.double(x.partition(4)).sync().numpy().tolist()


def test_a_child_launches():
    x = tcr.ones((8,), f32)
    assert _in_a_child(lambda: _double(x)) == str([2.0] * 8)
    assert _double(x) == [2] * 8


def test_a_child_launches_while_the_parent_flies():
    x = tcr.ones((8,), f32)
    with held_up():
        flight = k.double(tcr.ones((8,), f32).partition(4)).start()
        assert _in_a_child(lambda: _double(x)) == str([2.0] * 8)
    assert flight.wait().numpy().tolist() == [2] * 8


def test_a_child_launches_while_a_block_runs():
    x = tcr.ones((8,), f32)
    flight = k.double(tcr.ones((200_000,), f32).partition(16)).start()
    time.sleep(0.05)
    assert not flight.done()
    assert _in_a_child(lambda: _double(x)) == str([2.0] * 8)
    assert (flight.wait().numpy() == 2).all()


def test_a_flight_of_the_parent_is_not_one_of_the_child():
    with held_up():
        flight = k.double(tcr.ones((8,), f32).partition(4)).start()
        chain = k.double(tcr.ones((8,), f32).partition(4)).then(k.double).start()
        for one in (flight, chain):
            said = _in_a_child(lambda one=one: (one.done(), one.wait()))
            assert said.startswith("ForkedError: TC403 this work was started before the process was forked")
            assert "test_fork.py" in said and "wait before the fork for all work" in said
    assert flight.wait().numpy().tolist() == [2] * 8
    assert chain.wait().numpy().tolist() == [4] * 8


def test_a_lock_that_another_thread_has_is_free_in_the_child():
    taken, leave = threading.Event(), threading.Event()

    def hold() -> None:
        with LOCK:
            taken.set()
            leave.wait(0.2)

    thread = threading.Thread(target=hold)
    thread.start()
    taken.wait()
    x = tcr.ones((8,), f32)
    assert _in_a_child(lambda: _double(tcr.ones((8,), f32))) == str([2.0] * 8)
    leave.set()
    thread.join()
    assert _double(x) == [2] * 8


def test_a_child_does_not_warn_of_operations_of_its_parent():
    operation = k.double(tcr.ones((8,), f32).partition(4))

    def drop() -> list[str]:
        nonlocal operation
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            del operation
        return [str(w.message) for w in said]

    assert _in_a_child(drop) == "[]"
    assert operation.sync().numpy().tolist() == [2] * 8


def test_a_child_continues_with_a_bound_launch_and_a_graph_of_its_parent():
    bound, x = k.double.bind(tcr.ones((8,), f32).partition(4)), tcr.ones((8,), f32)
    graph = tcr.graph(k.double(tcr.ones((8,), f32).partition(4)))
    with held_up():
        bound()
        graph.start()
        for one in (bound, graph):
            assert _in_a_child(lambda one=one: one.wait()).startswith("ForkedError")
        assert _in_a_child(lambda: _double(x)) == str([2.0] * 8)
    graph.wait()
    assert bound.release().numpy().tolist() == graph.result.numpy().tolist() == [2] * 8


def test_a_fork_while_a_launch_compiles():
    """Launches have the lock of ownership when they ask for that of the compiler; a fork takes only the first."""
    begun, ended = threading.Event(), threading.Event()

    def launch() -> None:
        with LOCK:
            begun.set()
            time.sleep(0.2)
            with build._LOCK:
                ended.set()

    thread = threading.Thread(target=launch)
    thread.start()
    begun.wait()
    assert _in_a_child(lambda: build._LOCK.acquire(timeout=PATIENCE)) == "True"
    thread.join(PATIENCE)
    assert ended.is_set()
