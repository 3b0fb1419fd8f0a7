"""Copies as operations, on both backends."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import f16, f32

N = 64


@pytest.fixture(params=["cpu", "fake GPU"])
def device(request):
    return None if request.param == "cpu" else request.getfixturevalue("gpu")


def pieces(value=0.0):
    return tcr.full((N,), value, f32).partition(16)


def test_a_copy_is_a_step_of_a_chain(device):
    x = tcr.arange(N, dtype=f32)
    assert (tcr.copy(pieces(), x).sync().numpy() == np.arange(N)).all()
    spare = pieces()
    z = tcr.copy(pieces(), x).then(lambda z: add(spare, z.unpartition(), x)).sync()
    assert (z.numpy() == 2 * np.arange(N)).all()
    assert (tcr.copy(tcr.zeros((8, 8), f32).partition(8, 8), x.reshape(8, 8).transposed()).sync().numpy()
            == np.arange(N).reshape(8, 8).T).all()


def test_a_graph_copies(device):
    x, spare, last = tcr.ones((N,), f32), pieces(), pieces()
    graph = tcr.graph(add(spare, x, x).then(lambda z, last=last: tcr.copy(last, z.unpartition())))
    assert (graph.replay().numpy() == 2).all()
    graph.update(x, np.full(N, 5, np.float32))
    assert (graph.replay().numpy() == 10).all()
    alone = tcr.graph(tcr.copy(pieces(), x))
    assert (alone.replay().numpy() == 5).all()


def test_a_copy_in_flight(gpu):
    x, z = tcr.ones((N,), f32), pieces()
    gpu.paused = True
    flight = tcr.copy(z, x).start()
    check_refused(tcr.InFlightError, lambda: x.partition(16))
    gpu.paused = False
    assert (flight.wait().numpy() == 1).all()
    x.partition(16)


def test_unsupported_copies_are_refused(device):
    x, z = tcr.ones((N,), f32), pieces()
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.copy(x, x))
    assert error.summary == "`copy` takes a partition and a tensor, not a Tensor and a Tensor"
    error = check_refused(tcr.LaunchArgumentError, lambda: tcr.copy(z, tcr.ones((N,), f16)))
    assert "`into` (here `z`) of `copy` has shape (64,) and elements of type f32" in error.summary
    view = x.view[:]
    part = x.partition(16)
    error = check_refused(tcr.AliasedError, lambda: tcr.copy(part, view))
    assert error.summary == "`into` (here `part`) and `source` (here `view`) of `copy` share memory"
    with pytest.warns(tcr.NeverRunWarning, match="TC404 the copy was built and never run"):
        tcr.copy(z, part.unpartition())
        gc.collect()
    check_refused(tcr.MovedError, lambda: z.unpartition())
