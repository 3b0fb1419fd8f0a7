"""`zip` and `then`."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import inspect
import threading
import warnings

import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches import kernels as k
from tests.runtime.launches.gates import held_up
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import InFlightError, KernelFaultError, LostFlightWarning, MovedError, f32, i32

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def _unguarded(monkeypatch):
    """Some of the kernels are wrong on purpose."""
    monkeypatch.setenv("TILECHECK_GUARD", "off")


def _pieces(value=0):
    return tcr.full((8,), value, f32).partition(4)


def _at(place):
    return tcr.full((1,), place, i32)


def test_results_of_a_zip_come_in_order():
    x = tcr.ones((8,), f32)
    a, b = tcr.zip(k.add(_pieces(), x, x), k.double(_pieces(3))).sync()
    assert a.numpy().tolist() == [2] * 8 and b.numpy().tolist() == [6] * 8
    assert tcr.zip().sync() == ()


def test_a_zip_nests_and_is_awaited():
    async def main():
        (a, b), c = await tcr.zip(tcr.zip(k.double(_pieces(1)), k.double(_pieces(2))), k.double(_pieces(3)))
        return [p.numpy()[0] for p in (a, b, c)]

    assert asyncio.run(main()) == [2, 4, 6]


def test_parts_of_a_zip_do_not_depend_on_each_other():
    x, y = tcr.zeros((8,), f32), tcr.ones((8,), f32)
    launch = k.add(x.view[:4].partition(4), y, y)
    both = tcr.zip(k.add(_pieces(), y, y), launch)
    both.sync()
    first, second = k.double(x.view[:4].partition(4)), k.add(tcr.zeros((4,), f32).partition(4), y, x.view[4:])
    tcr.zip(first, second).sync()


def test_a_zip_with_conflicting_parts_is_refused():
    x, y = tcr.zeros((8,), f32), tcr.ones((8,), f32)
    reading = k.add(_pieces(), y, x)
    writing = k.double(x.view[:4].partition(4))
    error = check_refused(InFlightError, lambda: tcr.zip(writing, reading).sync())
    assert error.summary == "`y` is read while the launch of `double`, which is in flight, writes it"
    assert x.numpy().tolist() == [0] * 8


def test_a_zip_waits_for_all_when_one_fails():
    x, y = tcr.ones((8,), f32), tcr.zeros((8,), f32)
    fail, also = k.outside(_pieces(), x, _at(7)), k.outside(_pieces(), x, _at(9))
    both = tcr.zip(fail, k.add(y.view[:8].partition(4), x, x), also)
    with pytest.raises(KernelFaultError) as caught:
        both.sync()
    (note,) = caught.value.__notes__
    assert note.startswith("another operation of the same `zip` failed as well: TC201")
    assert y.numpy().tolist() == [2] * 8


def test_a_zip_that_is_late_can_be_waited_for_again():
    with held_up() as gate:
        flight = tcr.zip(k.double(_pieces(1)), k.double(_pieces(2))).start()
        with pytest.raises(TimeoutError):
            flight.wait(0.01)
        assert not flight.done()
        gate.set()
        assert [p.numpy()[0] for p in flight.wait()] == [2, 4] and flight.done()


@pytest.mark.parametrize("thing", [3, None, "x"])
def test_a_zip_is_of_operations(thing):
    with pytest.raises(TypeError, match=r"`zip` takes operations that have not run, such as `kernel\(...\)`, not "):
        tcr.zip(thing)


def test_operations_in_a_zip_are_consumed():
    launch = k.double(_pieces(1))
    both = tcr.zip(launch)
    error = check_refused(MovedError, lambda: launch.sync())
    assert error.summary == "the launch of `double` was already made part of a `zip`; an operation runs once"
    both.sync()


def test_then_continues_with_the_result():
    x = tcr.ones((8,), f32)
    made = k.add(_pieces(), x, x).then(k.double).then(k.double).sync()
    assert made.numpy().tolist() == [8] * 8


def test_then_is_started_and_awaited():
    with held_up() as gate:
        flight = k.double(_pieces(1)).then(k.double).start()
        assert not flight.done()
        with pytest.raises(TimeoutError):
            flight.wait(0.01)
        gate.set()
        assert flight.wait().numpy()[0] == 4

    async def main():
        return (await k.double(_pieces(1)).then(k.double)).numpy()[0]

    assert asyncio.run(main()) == 4


def test_then_after_a_zip():
    def add_pair(pair):
        a, b = (p.unpartition() for p in pair)
        return k.add(_pieces(), a, b)

    made = tcr.zip(k.double(_pieces(1)), k.double(_pieces(2))).then(add_pair).sync()
    assert made.numpy().tolist() == [6] * 8


def test_then_returns_an_operation():
    with pytest.raises(TypeError, match=r"the function given to `.then` at .*test_combinations.py:\d+ returned 5; it "
                       r"returns an operation that has not run"):
        k.double(_pieces(1)).then(lambda z: 5).sync()


def test_an_error_between_the_steps_comes_out():
    def fail(z):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        k.double(_pieces(1)).then(fail).sync()
    with pytest.raises(KernelFaultError):
        k.outside(_pieces(), tcr.ones((8,), f32), _at(7)).then(k.double).sync()


def test_an_unawaited_failure_between_steps_is_reported():
    def fail(z):
        raise KeyError("mine")

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with held_up() as gate:
            flight = k.double(_pieces(1)).then(fail).start()
            ended = threading.Event()
            flight.when_done(ended.set)
            del flight
            gate.set()
            assert ended.wait(10)
            while not caught and threading.active_count() > 2:
                gc.collect()
    (warning,) = caught
    assert warning.category is LostFlightWarning and warning.filename == __file__
    assert str(warning.message) == "an operation failed, and no code waited for it: 'mine'"


def test_a_chain_holds_the_tensors_of_its_steps_to_the_end():
    x, y = tcr.ones((8,), f32), tcr.zeros((8,), f32)
    reached, go_on = threading.Event(), threading.Event()

    def continue_launch(z):
        reached.set()
        assert go_on.wait(10)
        error = check_refused(MovedError, lambda: y.numpy())
        assert error.before.file == __file__ and error.before.line == flight_line
        return k.add(z, x.view[:], x)

    flight_line = inspect.currentframe().f_lineno + 1
    flight = k.add(y.view[:].partition(4), x, x).then(continue_launch).start()
    assert reached.wait(10)
    error = check_refused(InFlightError, lambda: x.partition(4))
    assert error.summary == "`x` is partitioned while the launch of `add`, which is in flight, reads it"
    go_on.set()
    assert flight.has_ended(10)
    check_refused(InFlightError, lambda: x.partition(4))
    check_refused(InFlightError, lambda: y.numpy())
    z = flight.wait()
    assert x.partition(4).tiles == (2,) and z.numpy().tolist() == [2] * 8
    z.unpartition()
    assert y.numpy().tolist() == [2] * 8


def test_a_step_may_write_the_input_of_an_earlier_step():
    x = tcr.ones((8,), f32)
    made = k.add(_pieces(), x, x).then(lambda z: k.add(x.partition(4), z.unpartition(), tcr.ones((8,), f32))).sync()
    assert made.numpy().tolist() == [3] * 8


def test_chains_nest():
    x = tcr.ones((8,), f32)
    inner = k.add(_pieces(), x, x).then(k.double)
    reached, go_on = threading.Event(), threading.Event()

    def continue_launch(pair):
        reached.set()
        assert go_on.wait(10)
        first, _ = pair
        return k.add(x.partition(4), first.unpartition(), tcr.ones((8,), f32))

    flight = tcr.zip(inner, k.double(_pieces(3))).then(continue_launch).start()
    assert reached.wait(10)
    check_refused(InFlightError, lambda: x.partition(4))
    go_on.set()
    assert flight.wait().numpy().tolist() == [5] * 8


def test_parts_of_a_zip_within_a_chain_still_conflict():
    x = tcr.zeros((8,), f32)

    def continue_launch(z):
        return tcr.zip(k.double(x.view[:4].partition(4)), k.add(z, x, x))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises((InFlightError, MovedError)):
            k.double(_pieces(1)).then(continue_launch).sync()
    assert x.numpy().tolist() == [0] * 8


def test_an_abandoned_chain_releases_its_memory():
    x = tcr.ones((8,), f32)
    flight = k.add(_pieces(), x, x).then(k.double).start()
    assert flight.has_ended(10)
    check_refused(InFlightError, lambda: x.partition(4))
    del flight
    assert x.partition(4).tiles == (2,)


def test_a_zip_whose_second_part_is_refused_waits_for_the_first():
    x, y = tcr.ones((8,), f32), tcr.zeros((8,), f32)
    moved = y.view[:]
    second = k.add(_pieces(), x, moved)
    p = y.partition(4)
    with pytest.raises(MovedError) as caught:
        tcr.zip(k.outside(_pieces(), x, _at(7)), second).sync()
    assert caught.value.__notes__[0].startswith("another operation of the same `zip` failed as well: TC201")
    assert p.tiles == (2,) and x.partition(4).tiles == (2,)


@pytest.mark.parametrize("parts", [0, 1])
def test_a_zip_of_few_is_awaited(parts):
    async def main():
        return len(await tcr.zip(*(k.double(_pieces(1)) for _ in range(parts))))

    assert asyncio.run(main()) == parts


def test_a_step_that_is_a_chain_itself():
    first = k.double(tcr.ones((8,), f32).partition(4))
    made = first.then(lambda z: k.double(z).then(lambda w: k.double(w).then(k.double))).sync()
    assert made.numpy().tolist() == [16] * 8


def test_a_step_may_run_two_chains_on_halves_of_its_input():
    def halves(z: tcr.Partition) -> tcr.Operation:
        whole = z.unpartition()
        return tcr.zip(*(k.double(h.partition(2)).then(k.double) for h in (whole.view[:4], whole.view[4:])))

    a, b = k.double(tcr.ones((8,), f32).partition(4)).then(halves).sync()
    assert a.numpy().tolist() == b.numpy().tolist() == [8] * 4


def test_two_chains_of_one_step_do_not_meet():
    kept = []

    def launch_twice(z: tcr.Partition) -> tcr.Operation:
        whole = z.unpartition()
        kept.append(whole)
        left = k.double(whole.view[:4].partition(2))
        return tcr.zip(left.then(k.double), k.double(tcr.ones((4,), f32).partition(2)).then(
            lambda _: k.double(whole.view[2:6].partition(2))))

    flight = k.double(tcr.ones((8,), f32).partition(4)).then(launch_twice).start()
    with pytest.raises((InFlightError, MovedError)):
        flight.wait()


def test_an_operation_given_twice_can_still_be_run():
    operation = k.double(tcr.ones((8,), f32).partition(4))
    error = check_refused(MovedError, lambda: tcr.zip(operation, operation))
    assert error.summary == "the launch of `double` is given to `zip` twice; an operation runs once"
    assert operation.sync().numpy().tolist() == [2] * 8


def test_a_tensor_that_escapes_a_step_leaves_the_chain():
    """A callback that a step schedules has a copy of its context; it is the program's all the same."""
    x, found = tcr.ones((8,), f32), []

    def use() -> None:
        found.append(check_refused(InFlightError, lambda: x.partition(4)))

    def step(z: tcr.Partition) -> tcr.Operation:
        other = threading.Thread(target=contextvars.copy_context().run, args=(use,))
        other.start()
        other.join()
        return k.double(z)

    assert k.add(_pieces(), x, x).then(step).sync().numpy().tolist() == [4] * 8
    (error,) = found
    assert error.summary == "`x` is partitioned while the launch of `add`, which is in flight, reads it"
