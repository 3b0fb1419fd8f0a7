"""Nothing makes a second handle, operation or flight behind the back of who counts them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches import kernels as k
from tests.runtime.launches.gates import held_up
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import DuplicateError, InFlightError, f32

WAYS = {"copy": copy.copy, "deepcopy": copy.deepcopy, "pickle": pickle.dumps}


@pytest.mark.parametrize("way", WAYS)
def test_handles_are_not_duplicated(way):
    x = tcr.ones((8,), f32)
    p = tcr.zeros((8,), f32).partition(4)
    s = tcr.ones((8,), f32).share()
    verb = "pickled" if way == "pickle" else "duplicated by `copy`"
    for name, handle, fix in (("x", x, ".copy()"), ("p", p, ".unpartition().copy()"), ("s", s, ".copy()")):
        error = check_refused(DuplicateError, lambda handle=handle: WAYS[way](handle))
        assert error.code == "TC402" and f"`{fix}`" in error.fix and "`.numpy()`" in error.fix
        assert error.summary == (f"`{name}` cannot be {verb}: there is one of it, and what it may do is counted"
                                 ).replace(f"`{name}`", error.names[0])
    assert k.add(p, x, s).sync().numpy().tolist() == [2] * 8


def test_a_message_names_the_variable():
    mine = tcr.ones((8,), f32)
    with pytest.raises(DuplicateError, match=r"`mine` cannot be duplicated by `copy`") as caught:
        copy.deepcopy({"weights": [mine]})
    assert caught.value.use.file == __file__


@pytest.mark.parametrize("way", WAYS)
def test_operations_and_flights_are_not_duplicated(way):
    operation = k.double(tcr.ones((8,), f32).partition(4))
    error = check_refused(DuplicateError, lambda: WAYS[way](operation))
    assert error.names == ("the launch of `double`",)
    assert error.fix == "build another one: call the kernel again"
    both = tcr.zip(operation)
    assert check_refused(DuplicateError, lambda: WAYS[way](both)).names == ("the `zip` of the launch of `double`",)
    flight = both.start()
    assert check_refused(DuplicateError, lambda: WAYS[way](flight)).names == ("this flight",)
    assert flight.wait()[0].numpy().tolist() == [2] * 8


@pytest.mark.parametrize("way", WAYS)
def test_bound_launches_and_graphs_are_not_duplicated(way):
    bound = k.double.bind(tcr.ones((8,), f32).partition(4))
    error = check_refused(DuplicateError, lambda: WAYS[way](bound))
    assert error.names == ("the bound launch of `double`",) and error.fix == "bind another one: `kernel.bind(...)`"
    graph = tcr.graph(k.double(tcr.ones((8,), f32).partition(4)))
    error = check_refused(DuplicateError, lambda: WAYS[way](graph))
    assert error.names == ("a graph of the launch of `double`",)
    assert error.fix == "capture another one: `graph(kernel(...))`"
    bound()
    assert bound.release().numpy().tolist() == [2] * 8 and graph.replay().numpy().tolist() == [2] * 8


def test_failed_copies_do_not_release_memory():
    array = np.ones(8, np.float32)
    p = tcr.from_numpy(array, copy=False).partition(4)
    other = tcr.from_numpy(array, copy=False)
    with pytest.raises(DuplicateError):
        copy.copy(p)
    check_refused(tcr.MovedError, lambda: other.partition(4))
    with held_up():
        flight = k.double(p).start()
        check_refused(InFlightError, lambda: other.numpy())
    assert flight.wait().numpy().tolist() == [2] * 8
