"""Launches, streams, graphs and memory on a GPU."""

from __future__ import annotations

import asyncio
import gc
import threading

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tests.runtime.dialect.kernels import in_place
from tilecheck_runtime import f16, f32
from tilecheck_runtime.backends.selection.select import current

N = 1 << 20


def pieces(n=N, tile=1024):
    return tcr.zeros((n,), f32).partition(tile)


def test_tensors_are_created_and_freed():
    x = tcr.randn((33, 65), f32, seed=1)
    assert x._storage.memory.device == "cuda:0"
    values = x.numpy()
    assert (x.view[::2, 3:60:7].numpy() == values[::2, 3:60:7]).all()
    assert (x.transposed().numpy() == values.T).all()
    assert (x.view[5:9].copy().numpy() == values[5:9]).all()
    assert (x.transposed().copy().numpy() == values.T).all()
    assert (x.astype(f16).numpy() == values.astype(np.float16)).all()
    assert tcr.ones((0, 4), f32).numpy().shape == (0, 4)


def test_many_launches_of_changing_sizes_use_memory_again():
    pool = current().pool
    x = tcr.ones((N,), f32)
    for _ in range(3):
        for n in (1000, 5000, N):
            assert (add(pieces(n), x, x).sync().numpy() == 2).all()
    taken = pool.taken
    for _ in range(50):
        add(pieces(), x, x).sync()
    assert pool.taken == taken


def test_a_flight_that_is_dropped_keeps_its_memory():
    x = tcr.ones((N,), f32)
    for _ in range(200):
        add(pieces(), x, x).start()  # dropped in flight; its memory must not be given to the next one
        y = tcr.full((N,), 3, f32)
        assert (y.numpy()[::4097] == 3).all()
    gc.collect()
    assert (y.numpy() == 3).all() and (x.numpy() == 1).all()


def test_a_chain_is_handed_over_without_a_thread():
    x = tcr.ones((N,), f32)
    before = threading.active_count()
    flight = add(pieces(), x, x).then(lambda z: add(pieces(), z.unpartition(), x)).start()
    assert threading.active_count() <= before + 1
    with pytest.raises(tcr.InFlightError):
        x.partition(1024)
    assert (flight.wait().numpy() == 3).all()
    x.partition(1024)


def test_awaiting_many():
    async def main():
        x = tcr.ones((N,), f32)
        made = await asyncio.gather(*(_one(x) for _ in range(20)))
        assert all((z.numpy()[::1001] == 2).all() for z in made)

    async def _one(x):
        return await add(pieces(), x, x)

    asyncio.run(main())


def test_streams_are_ordered_by_the_memory_they_touch():
    first, second = tcr.stream("first"), tcr.stream("second")
    x = tcr.ones((N,), f32)
    z = add(pieces(), x, x).start(first).wait().unpartition()
    for k in range(20):
        z = add(pieces(), z, x).start(second if k % 2 else first).wait().unpartition()
    assert (z.numpy() == 22).all()


def test_work_of_one_stream_is_waited_for_by_copies_of_another():
    x = tcr.ones((1 << 24,), f32)
    bound = add.bind(pieces(1 << 24), x, x)
    side = tcr.stream("side")
    for _ in range(20):
        bound(side)
    made = bound.release()
    assert (made.numpy() == 2).all()


def test_a_bound_launch_keeps_its_guards():
    x, y = tcr.ones((N,), f32), tcr.ones((N,), f32)
    bound = add.bind(pieces(), x, y)
    for _ in range(3):
        bound()
    with pytest.raises(tcr.InFlightError):
        x.partition(1024)
    bound.wait()
    moved = x.partition(1024)
    with pytest.raises(tcr.MovedError) as caught:
        bound()
    assert "`x`" in str(caught.value)
    x = moved.unpartition()
    assert (bound.release().numpy() == 2).all()
    with pytest.raises(tcr.MovedError):
        bound()


def test_a_graph_is_replayed_with_other_inputs():
    x, y, spare = tcr.ones((N,), f32), tcr.full((N,), 2, f32), pieces()
    graph = tcr.graph(add(pieces(), x, y).then(lambda z, spare=spare, y=y: add(spare, z.unpartition(), y)))
    assert (graph.replay().numpy() == 5).all()
    graph.update(x, np.full(N, 10, np.float32))
    assert (graph.replay().numpy() == 14).all()
    graph.update(x, tcr.full((N,), 20, f32))
    for _ in range(10):
        graph.start()
    graph.wait()
    assert (graph.result.numpy() == 24).all()
    with pytest.raises(tcr.GraphLifetimeError):
        x.partition(1024)
    del x, y, spare
    gc.collect()
    junk = [tcr.full((N,), 9, f32) for _ in range(20)]
    assert (graph.replay().numpy() == 24).all()
    assert all((j.numpy()[::4001] == 9).all() for j in junk)


def test_a_graph_of_many_in_place():
    z = tcr.zeros((64, 64), f32).partition(16, 16)
    op = in_place(z)
    for _ in range(99):
        op = op.then(in_place)
    graph = tcr.graph(op)
    assert (graph.replay().numpy() == 100).all()
    assert (graph.replay().numpy() == 200).all()


def test_nothing_is_allocated_or_read_in_a_capture():
    x = tcr.ones((N,), f32)
    for step in (lambda z: add(pieces(), x, x), lambda z: z.numpy(), lambda z: add(z, x, x).sync()):
        with pytest.raises(tcr.OwnershipError):
            tcr.graph(add(pieces(), x, x).then(step))


def test_another_device_is_named():
    from tilecheck_runtime.backends.cuda.errors import NoGPUError
    from tilecheck_runtime.backends.selection.select import backend_of

    with pytest.raises(NoGPUError, match="there is no device cuda:63"):
        backend_of("cuda:63")


def test_a_kernel_that_cannot_be_compiled_leaves_its_arguments():
    x = tcr.ones((N,), f32)
    op = add.replace_hints(num_ctas=3)(pieces(), x, x)
    with pytest.raises(ValueError, match="num_ctas"):
        op.sync()
    x.partition(1024)


def test_many_threads():
    x = tcr.ones((1 << 16,), f32).share()
    wrong = []

    def work(k):
        for _ in range(50):
            z = add(pieces(1 << 16), x.share(), x.share()).sync()
            if not (z.numpy() == 2).all():
                wrong.append(k)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_a_bound_launch_and_a_graph_in_another_thread():
    x = tcr.ones((N,), f32)
    bound, graph = add.bind(pieces(), x, x), tcr.graph(add(pieces(), x, x))
    failed = []

    def work():
        try:
            bound()
            graph.replay()
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert not failed
    assert (bound.release().numpy() == 2).all() and (graph.result.numpy() == 2).all()
