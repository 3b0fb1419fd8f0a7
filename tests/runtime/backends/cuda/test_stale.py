"""Cached facts of a launch are not used for a different launch: one with other permissions of the memory, other
memory, another kernel, another stream or another thread."""

from __future__ import annotations

import gc
import threading
import warnings
import weakref

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.cases.dialect import add
from tests.patience import PATIENCE
from tests.runtime.backends.cuda.fake import Status, fake_gpu
from tests.runtime.backends.cuda.kernels import both, declared, increased
from tests.runtime.backends.cuda.swapped import two_of_a_name
from tilecheck_runtime import f16, f32, unsafe
from tilecheck_runtime.backends.selection import select
from tilecheck_runtime.launch_cache import cached_launch, repeat, templates
from tilecheck_runtime.launches import flight as flights
from tilecheck_runtime.launches import operation
from tilecheck_runtime.ownership.storage import LOCK

N = 64


def pieces(value=0.0, n=N, tile=16):
    return tcr.full((n,), value, f32).partition(tile)


@pytest.fixture
def known(gpu):
    """Arguments that were launched with often enough to be known, and whether the quick way is what takes them."""
    x, y, z = tcr.ones((N,), f32), tcr.ones((N,), f32), pieces()
    for _ in range(4):
        z = add(z, x, y).sync()
    assert z._core.site.last is not None
    made = add(z, x, y)
    assert type(made).__name__ == "CachedLaunch"
    return x, y, made.sync()


def is_cached(launch):
    return type(launch).__name__ == "CachedLaunch"


def test_a_repeated_launch_computes_the_same_as_an_ordinary_one(known):
    x, y, z = known
    for n in range(5):
        del y
        y = tcr.full((N,), float(n), f32)
        z = add(z, x, y).sync()
        assert (z.numpy() == 1 + n).all()


def test_a_moved_input_is_refused(known):
    x, y, z = known
    x.partition(16)
    with pytest.raises(tcr.MovedError, match="`x`"):
        add(z, x, y)
    assert (z.numpy() == 2).all(), "ownership came back"


def test_an_input_written_in_flight_is_refused(known, gpu):
    x, y, z = known
    part = x.partition(16)
    gpu.paused = True
    flight = increased(part).start()
    with pytest.raises(tcr.InFlightError):
        add(z, x, y)
    gpu.paused = False
    x = flight.wait().unpartition()
    assert (add(z, x, y).sync().numpy() == 3).all()


def test_a_consumed_output_is_refused(known):
    x, y, z = known
    add(z, x, y).sync()
    with pytest.raises(tcr.MovedError):
        add(z, x, y)


def test_an_output_borrowed_or_read_meanwhile_is_refused(known, gpu):
    x, y, z = known
    whole = z.unpartition()
    view = whole.view[:16]
    again = whole.partition(16)
    launch = add(again, x, y)
    assert (launch.sync().numpy() == 2).all()
    with pytest.raises(tcr.MovedError):
        view.numpy()


def test_changes_between_build_and_run_are_seen(known, gpu):
    x, y, z = known
    launch = add(z, x, y)
    assert is_cached(launch)
    part = x.partition(16)
    with pytest.raises(tcr.MovedError):
        launch.sync()
    del part


def test_a_repeated_launch_runs_once(known):
    x, y, z = known
    launch = add(z, x, y)
    launch.sync()
    with pytest.raises(tcr.MovedError, match="already run"):
        launch.sync()


def test_a_dropped_launch_releases_its_arguments_and_warns(known):
    x, y, z = known
    launch = add(z, x, y)
    assert is_cached(launch)
    with pytest.warns(tcr.NeverRunWarning, match="TC404 the launch of `add`"):
        del launch
        gc.collect()


def test_a_view_of_a_moved_tensor_is_refused(gpu):
    x, y, z = tcr.ones((2 * N,), f32), tcr.ones((N,), f32), pieces()
    view = x.view[:N]
    for _ in range(4):
        z = add(z, view, y).sync()
    x.partition(16)
    with pytest.raises(tcr.MovedError):
        add(z, view, y)


def test_the_same_address_with_another_shape(gpu):
    """Memory that was given back is given out again: a smaller tensor there has facts of its own."""
    x, y, z = tcr.ones((N,), f32), tcr.ones((N,), f32), pieces()
    for _ in range(4):
        z = add(z, x, y).sync()
    taken = z._storage.memory.address
    del z
    gc.collect()
    tries = [tcr.zeros((N - 3,), f32) for _ in range(50)]
    small, = [t for t in tries if t._storage.memory.address == taken]
    made = add(small.partition(16), tcr.ones((N - 3,), f32), tcr.ones((N - 3,), f32)).sync().numpy()
    assert made.shape == (N - 3,) and (made == 2).all()


@pytest.mark.parametrize("n, tile", [(N, 8), (N, 32), (N - 1, 16), (2 * N, 16)])
def test_other_extents_and_pieces_are_other_launches(known, n, tile):
    made = add(pieces(0.0, n, tile), tcr.ones((n,), f32), tcr.ones((n,), f32)).sync().numpy()
    assert made.shape == (n,) and (made == 2).all()


def test_new_memory_is_known_by_its_facts(known, gpu, monkeypatch):
    """A new output every time takes no ordinary launch, and gets right results all the same."""
    x, y, _ = known
    monkeypatch.setattr(templates, "record_template", lambda *a: pytest.fail("an ordinary launch"))
    for n in range(5):
        y = tcr.full((N,), float(n), f32)
        z = add(pieces(), x, y).sync()
        assert (z.numpy() == 1 + n).all()


def test_memory_at_another_alignment_is_not_taken_for_the_same(gpu):
    base = tcr.zeros((4 * N,), f32)
    x = tcr.ones((N,), f32)
    for _ in range(3):
        add(pieces(), x, x).sync()
    odd = tcr.ones((N + 1,), f32).view[1:]
    key = templates._layout_key((pieces(), x, x)), templates._layout_key((pieces(), odd, odd))
    assert key[0] != key[1]
    assert (add(pieces(), odd, odd).sync().numpy() == 2).all()
    del base


def test_an_input_that_shares_memory_with_the_output_is_refused_every_time(gpu):
    x = tcr.ones((N,), f32)
    for _ in range(3):
        add(pieces(), x, x).sync()
    for _ in range(3):
        base = tcr.zeros((2 * N,), f32)
        view, other = base.view[:N], base.view[N // 2:N + N // 2]
        with pytest.raises((tcr.AliasedError, tcr.MovedError)):
            add(view.partition(16), other, other)


def test_another_stream_waits_for_the_memory(known, gpu):
    x, y, z = known
    side = tcr.stream("side")
    gpu.paused = True
    for stream, waits in ((None, False), (None, False), (side, True), (None, True), (side, True)):
        gpu.calls.clear()
        z = add(z, x, y).start(stream).take_early()
        assert ("cuStreamWaitEvent" in gpu.calls) == waits, (stream, waits)
    gpu.paused = False
    assert (z.numpy() == 2).all()


def test_a_bound_launch_between_two_launches(known, gpu):
    """A launch by a bound launch counts as a use until it was waited for."""
    x, y, z = known
    side = tcr.stream("side")
    bound = add.bind(pieces(), x, y)
    gpu.paused = True
    bound(side)
    gpu.calls.clear()
    z = add(z, x, y).start().take_early()
    assert "cuStreamWaitEvent" in gpu.calls
    gpu.paused = False
    bound.wait()
    assert (z.numpy() == 2).all()


def test_a_launch_from_another_thread(known):
    x, y, z = known
    found = []

    def launch_in_thread():
        part = pieces()
        for _ in range(20):
            part = add(part, x, y).sync()
        found.append(part.numpy())

    threads = [threading.Thread(target=launch_in_thread) for _ in range(4)]
    for thread in threads:
        thread.start()
    for _ in range(20):
        z = add(z, x, y).sync()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all((f == 2).all() for f in found) and (z.numpy() == 2).all()


def test_kernels_of_one_name_are_two(gpu):
    one, two = two_of_a_name()
    one, two = unsafe("the checker sees the last one only")(one), unsafe("likewise")(two)
    x, z = tcr.ones((N,), f32), pieces()
    for _ in range(4):
        z = one(z, x).sync()
        assert (z.numpy() == 2).all()
        z = two(z, x).sync()
        assert (z.numpy() == 3).all()


def test_hints_are_those_of_the_kernel(known):
    x, y, z = known
    with pytest.raises(TypeError):
        add.hints["occupancy"] = 4
    other = add.replace_hints(occupancy=4)
    launch = other(z, x, y)
    assert not is_cached(launch)
    launch.sync()


def test_later_declarations_count(gpu):
    z = pieces()
    for _ in range(4):
        z = declared(z).sync()
    last = z._core.site.last
    assert last is not None
    unsafe("a reason")(declared)
    launch = declared(z)
    assert not is_cached(launch), "what is declared is looked at anew"
    assert (launch.sync().numpy() == 5).all()


def test_another_backend_of_the_same_device(known, monkeypatch):
    x, y, z = known
    _, second = fake_gpu()
    monkeypatch.setattr(select, "_cuda", lambda ordinal: second)
    select._choose.cache_clear()
    a, b = tcr.ones((N,), f32), tcr.ones((N,), f32)
    assert templates._layout_key((pieces(), a, b)) != templates._layout_key((z, x, y))
    assert (add(pieces(), a, b).sync().numpy() == 2).all()


def test_numbers_and_their_types(gpu):
    from tests.cases.dialect import rms_norm

    x, w = tcr.ones((4, N), f16), tcr.ones((N,), f16)
    z = tcr.zeros((4, N), f16).partition(1, N)
    for eps in (0.0, 0.0, 0.0, 3.0, 8.0):
        z = rms_norm(z, x, w, eps).sync()
        assert np.allclose(z.numpy(), 1 / np.sqrt(1 + eps), atol=2e-3)
    for wrong in (True, None, "1"):
        with pytest.raises(tcr.LaunchArgumentError):
            rms_norm(z, x, w, wrong)


def test_memory_is_freed_with_its_tensors(gpu):
    x, z = tcr.ones((N,), f32), pieces()
    for _ in range(4):
        z = add(z, x, x).sync()
    add(pieces(), x, x).sync()
    memories = [weakref.ref(h._storage.memory) for h in (x, z)]
    del x, z
    gc.collect()
    assert [m() for m in memories] == [None, None]


@pytest.fixture
def pair(gpu):
    """Two outputs of a kernel that is known with them, and its input."""
    x, a, b = tcr.ones((N,), f32), pieces(), pieces()
    for _ in range(4):
        a, b = both(a, b, x).sync()
    launch = both(a, b, x)
    assert is_cached(launch)
    return *launch.sync(), x


def test_several_outputs(pair):
    a, b, x = pair
    for _ in range(3):
        a, b = both(a, b, x).start().take_early()
    assert (a.numpy() == 2).all() and (b.numpy() == 3).all()
    b, a = both(b, a, x).sync()
    assert (b.numpy() == 2).all() and (a.numpy() == 3).all()
    a, b = both(a, b, x).then(lambda parts: both(*parts, x)).sync()
    assert (a.numpy() == 2).all() and (b.numpy() == 3).all()


@pytest.mark.parametrize("gone", [0, 1])
def test_a_moved_output_among_several_is_refused(pair, gone):
    a, b, x = pair
    whole = (a, b)[gone].unpartition()
    with pytest.raises(tcr.MovedError, match=f"`{'ab'[gone]}`"):
        both(a, b, x)
    left = (b, a)[gone]
    assert left.numpy().shape == (N,), "the other one was not moved"
    parts = [a, b]
    parts[gone] = whole.partition(16)
    a, b = both(*parts, x).sync()
    assert (a.numpy() == 2).all() and (b.numpy() == 3).all()


def test_several_outputs_of_a_launch_that_is_dropped(pair):
    a, b, x = pair
    launch = both(a, b, x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", tcr.NeverRunWarning)
        del launch
    for part in (a, b):
        with pytest.raises(tcr.MovedError, match="the launch of `both`"):
            part.numpy()


def test_a_flight_with_several_outputs_that_is_dropped(pair, gpu):
    a, b, x = pair
    gpu.paused = True
    flight = both(a, b, x).start()
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    del flight
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    gpu.paused = False
    assert (x.numpy() == 1).all()
    x.partition(16)


def test_the_line_of_each_call(known):
    """The cached facts of the last call belong to its line, and to its position in the line."""
    x, y, z = known
    for _ in range(3):
        first = add(z, x, y)
        line = first._place.line
        part = first.sync()
        second, third = add(part, x, y), add(pieces(), x, y)
        assert (second._place.line, third._place.line) == (line + 3, line + 3)
        with pytest.raises(tcr.MovedError) as caught:
            part.numpy()
        assert caught.value.before.line == line + 3 and caught.value.before.file == __file__
        with pytest.raises(tcr.MovedError) as caught:
            z.numpy()
        assert caught.value.before.line == line
        z, _ = second.sync(), third.sync()


def test_the_line_where_each_launch_was_started(known, gpu):
    x, y, z = known
    gpu.paused = True
    for _ in range(3):
        launch = add(z, x, y)
        line = launch._place.line
        flight = launch.start()
        with pytest.raises(tcr.InFlightError) as caught:
            x.partition(16)
        assert caught.value.before.line == line + 2
        with pytest.raises(tcr.MovedError) as ran:
            launch.start()
        assert ran.value.before.line == line + 2
        z = flight.take_early()
        flight = add(z, x, y).start()
        with pytest.raises(tcr.InFlightError) as caught:
            x.partition(16)
        assert caught.value.before.line == line + 10
        z = flight.take_early()
    gpu.paused = False


def test_a_refusal_leaves_the_lock_to_others(known):
    x, y, z = known
    add(z, x, y).sync()
    for _ in range(3):
        with pytest.raises(tcr.MovedError):
            add(z, x, y)
    found = []
    thread = threading.Thread(target=lambda: found.append(x.numpy()))
    thread.start()
    thread.join(10)
    assert len(found) == 1


def test_reused_state_belongs_to_one_launch(known, gpu):
    """Consecutive launches share their cached facts, but not their flights, events and locations."""
    x, y, z = known
    gpu.paused = True
    flights = []
    for _ in range(3):
        flight = add(z, x, y).start()
        z = flight.take_early()
        flights.append(flight)
    assert not any(f.done() for f in flights)
    for flight in flights:
        with pytest.raises(tcr.MovedError, match="the result of this flight was already taken"):
            flight.take_early()
    gpu.paused = False
    assert all(f.done() for f in flights)
    with pytest.raises(tcr.MovedError, match="already taken"):
        flights[0].wait()
    assert (z.numpy() == 2).all()


def test_a_cached_launch_does_not_retain_its_flight(known, gpu):
    x, y, z = known
    gpu.paused = True
    launch = add(z, x, y)
    flight = launch.start()
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    del flight
    with pytest.raises(tcr.InFlightError):
        x.partition(16)
    gpu.paused = False
    x.numpy()
    x.partition(16)
    with pytest.raises(tcr.MovedError, match="the launch of `add` was already run"):
        launch.start()


def test_a_launch_that_is_dropped_after_one_that_ran(known):
    """The facts that it shares with that launch do not contain the location of that launch."""
    x, y, z = known
    z = add(z, x, y).sync()
    with pytest.warns(tcr.NeverRunWarning, match="TC404 the launch of `add`") as caught:
        launch = add(z, x, y)
        line = launch._place.line
        del launch
    assert caught[0].lineno == line and caught[0].filename == __file__
    assert x.partition(16).shape == (N,), "nothing of it is held"


def test_a_refused_start_releases_its_arguments_and_is_reported_once(known, gpu):
    x, y, z = known
    launch = add(z, x, y)
    assert is_cached(launch)
    part = x.partition(16)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(tcr.MovedError, match="`x`"):
                launch.start()
        del launch
    assert part.shape == (N,)


def test_a_launch_replaced_by_an_ordinary_one_runs_once(known):
    x, y, z = known
    launch = add(z, x, y)
    assert is_cached(launch)
    assert launch.grid(4) is launch
    z = launch.sync()
    assert (z.numpy() == 2).all()
    with pytest.raises(tcr.MovedError, match="the launch of `add` was already run"):
        launch.start()
    launch = add(z, x, y).grid(4)
    with pytest.warns(tcr.NeverRunWarning, match="TC404 the launch of `add`") as caught:
        del launch
        gc.collect()
    assert len(caught) == 1


def test_cached_launches_run_as_parts_of_operations(known, gpu):
    x, y, z = known
    other = pieces()
    for _ in range(4):
        other = add(other, x, y).sync()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first, second = add(z, x, y), add(other, x, y)
        assert is_cached(first) and is_cached(second)
        z, other = tcr.zip(first, second).sync()
        z = add(z, x, y).then(lambda part: add(part, x, y)).sync()
        graph = tcr.graph(add(z, x, y))
        graph.replay()
        assert (graph.result.numpy() == 2).all()
        bound = add.bind(other, x, y)
        bound()
        other = bound.release()
    then = add(other, x, y).then(lambda part: add(part, x, y))
    with pytest.warns(tcr.NeverRunWarning) as caught:
        del then
        gc.collect()
    assert len(caught) == 1, "the launch at its beginning says nothing more"


def test_a_flight_that_failed_says_so_every_time(known, gpu):
    x, y, z = known
    gpu.paused = True
    flight = add(z, x, y).start()
    gpu.failure = Status(700, "CUDA_ERROR_ILLEGAL_ADDRESS")
    for _ in range(2):
        with pytest.raises(RuntimeError, match="CUDA_ERROR_ILLEGAL_ADDRESS"):
            flight.wait()


def test_a_program_reports_at_its_end_each_launch_that_never_ran(known):
    x, y, z = known
    launch = add(z, x, y)
    assert is_cached(launch)
    with pytest.warns(tcr.NeverRunWarning, match="TC404 the launch of `add`") as caught:
        operation._at_exit()
        del launch
        gc.collect()
    assert len(caught) == 1


def test_a_child_process_does_not_own_launches_of_its_parent(known, gpu):
    x, y, z = known
    launch = add(z, x, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        operation._after_fork()
        del launch
        z = pieces()
        gpu.paused = True
        flight = add(z, x, y).start()
        flights._after_fork()
        del flight
        gc.collect()
        gpu.paused = False


def test_memory_taken_by_a_launch_is_freed_with_it(gpu):
    x, z = tcr.ones((N,), f32), pieces()
    for _ in range(5):
        z = add(z, x, x).start().take_early()
    gc.collect()
    z = add(z, x, x).start().take_early()
    memories = [weakref.ref(h._storage.memory) for h in (x, z)]
    del x, z
    assert [m() for m in memories] == [None, None], "at once, without a collection of garbage"


@pytest.mark.parametrize("taken", [True, False], ids=["as soon as it is taken", "while it is waited for"])
@pytest.mark.parametrize("step", ["called", "start", "early"])
def test_an_interrupt_where_the_lock_is_taken(known, monkeypatch, taken, step):
    x, y, z = known
    steps = iter(["called", "start", "early"])

    def raise_interrupt():
        now = next(steps)
        if now != step or taken:
            LOCK.acquire()
        if now == step:
            raise KeyboardInterrupt

    monkeypatch.setattr(repeat, "_acquire", raise_interrupt)
    monkeypatch.setattr(cached_launch, "_acquire", raise_interrupt)
    with warnings.catch_warnings(), pytest.raises(KeyboardInterrupt):
        warnings.simplefilter("ignore")
        add(z, x, y).start().take_early()
    found = []
    thread = threading.Thread(target=lambda: found.append(LOCK.acquire(timeout=PATIENCE) and LOCK.release()))
    thread.start()
    thread.join(10)
    assert found == [None], "nobody has the lock"


def test_an_interrupt_of_the_driver_counts_as_a_launch(known, gpu, backend, monkeypatch):
    """It may be under way: its memory is not taken for unused on another stream."""
    x, y, z = known
    gpu.paused = True
    real = gpu.cuLaunchKernel

    def raise_interrupt(*arguments):
        real(*arguments)
        raise KeyboardInterrupt

    launch, before = add(z, x, y), backend.default.handed
    with monkeypatch.context() as patched:
        patched.setattr(gpu, "cuLaunchKernel", raise_interrupt, raising=False)
        with pytest.raises(KeyboardInterrupt):
            launch.start()
    assert backend.default.handed == before + 1
    assert not backend.default.has_reached(x._storage.memory.uses[backend.default])
    gpu.paused = False
    assert (launch.sync().numpy() == 2).all()


def test_memory_that_is_bound_is_used_by_every_launch(known, gpu, backend):
    """Launches of both kinds in turns, on memory that both use: neither forgets what the other did."""
    x, y, z = known
    for _ in range(2):
        z = add(z, x, y).start().take_early()
    bound = add.bind(pieces(), x, y)
    gpu.paused = True
    for _ in range(3):
        bound()
        z = add(z, x, y).start().take_early()
        bound()
        assert not backend.default.has_reached(x._storage.memory.uses[backend.default])
    again = z._core.site.last.packed
    gpu.calls.clear()
    z = add(z, x, y).start().take_early()
    assert again._stream is backend.default, "the quick way, though it is bound"
    assert x._storage.memory.uses[backend.default] > 1 << 60, "and bound memory stays what it is"
    assert z._storage.memory.uses[backend.default] == backend.default.handed
    gpu.paused = False
    bound.wait()
    gpu.paused = True
    z = add(z, x, y).start().take_early()
    assert x._storage.memory.uses[backend.default] == backend.default.handed, "it counts itself once more"
    side = tcr.stream("side")
    gpu.calls.clear()
    other = add(pieces(), x, y).start(side)
    assert "cuStreamWaitEvent" in gpu.calls
    gpu.paused = False
    assert (other.wait().numpy() == 2).all() and (z.numpy() == 2).all()


def test_a_bound_launch_that_is_dropped_between(known, gpu, backend):
    x, y, z = known
    bound = add.bind(pieces(), x, y)
    gpu.paused = True
    bound()
    z = add(z, x, y).start().take_early()
    del bound
    gpu.paused = False
    z.numpy()
    gc.collect()
    gpu.paused = True
    z = add(z, x, y).start().take_early()
    assert x._storage.memory.uses[backend.default] == backend.default.handed
    gpu.paused = False
    assert (z.numpy() == 2).all()
