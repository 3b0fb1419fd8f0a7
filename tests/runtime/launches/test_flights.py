"""Operations and flights: when they run, when results come back, lifetimes, and errors."""

from __future__ import annotations

import asyncio
import gc
import signal
import subprocess
import sys
import threading
import time
import warnings
import weakref

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.docs.markdown import ROOT
from tests.patience import PATIENCE
from tests.runtime.launches import kernels as k
from tests.runtime.launches.gates import held_up, wait_for_stream
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import (
    InFlightError,
    KernelFaultError,
    LostFlightWarning,
    MovedError,
    NestedLaunchError,
    f32,
    i32,
    session,
)
from tilecheck_runtime.hooks.run import run_script

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(autouse=True)
def _unguarded(monkeypatch):
    """Some of the kernels are wrong on purpose."""
    monkeypatch.setenv("TILECHECK_GUARD", "off")


def _pieces(value=0):
    return tcr.full((8,), value, f32).partition(4)


def _at(place):
    return tcr.full((1,), place, i32)


def test_rule_20_an_operation_is_lazy():
    array = np.zeros(8, np.float32)
    x = tcr.ones((8,), f32)
    launch = k.add(tcr.from_numpy(array, copy=False).partition(4), x, x)
    assert array.tolist() == [0] * 8
    launch.sync()
    assert array.tolist() == [2] * 8


def test_rule_20_a_result_comes_back_only_after_completion():
    x, z = tcr.ones((8,), f32), _pieces()
    with held_up() as gate:
        flight = k.add(z, x, x).start()
        assert not flight.done()
        with pytest.raises(TimeoutError, match=r"it has not ended after 0.01 seconds: wait for it again"):
            flight.wait(0.01)
        check_refused(InFlightError, lambda: z.numpy())
        gate.set()
        assert flight.wait().numpy().tolist() == [2] * 8


def test_a_flight_is_in_flight_until_it_is_waited_for():
    x, z = tcr.ones((8,), f32), _pieces()
    flight = k.add(z, x, x).start()
    assert flight.has_ended(10) and flight.done()
    check_refused(InFlightError, lambda: z.numpy())
    check_refused(InFlightError, lambda: x.partition(4))
    flight.wait()
    assert x.partition(4).tiles == (2,)


def test_a_launch_runs_beside_the_host():
    x = tcr.ones((8,), f32)
    names = []
    with held_up() as gate:
        flight = k.add(_pieces(), x, x).start()
        names.append("host")
        flight.when_done(lambda: names.append("launch"))
        gate.set()
        flight.wait()
    assert names == ["host", "launch"]


def test_a_result_is_taken_once():
    x = tcr.ones((8,), f32)
    flight = k.add(_pieces(), x, x).start()
    z = flight.wait()
    error = check_refused(MovedError, lambda: flight.wait())
    assert error.summary == "the result of this flight was already taken"
    assert error.fix == "keep it: `z = flight.wait()`"
    assert z.numpy().tolist() == [2] * 8


def test_an_operation_runs_once():
    x = tcr.ones((8,), f32)
    launch = k.add(_pieces(), x, x)
    launch.sync()
    for again in (lambda: launch.sync(), lambda: launch.start(), lambda: launch.then(lambda z: z),
                  lambda: tcr.zip(launch), lambda: launch.grid(2)):
        error = check_refused(MovedError, again)
        assert error.summary == "the launch of `add` was already run; an operation runs once"
        assert error.fix == "build it again from the tensors that the first run returned"


def test_rule_18_a_borrowed_tensor_outlives_its_launch():
    array = np.ones(8, np.float32)
    alive = weakref.ref(array)
    with held_up() as gate:
        flight = k.add(_pieces(), tcr.from_numpy(array, copy=False), tcr.ones((8,), f32)).start()
        ended = threading.Event()
        flight.when_done(ended.set)
        del array, flight
        gc.collect()
        assert alive() is not None
        gate.set()
        assert ended.wait(10)
        wait_for_stream()
    gc.collect()
    assert alive() is None


def test_a_dropped_flight_gives_its_memory_back_when_it_is_through():
    x, y = tcr.zeros((8,), f32), tcr.ones((8,), f32)
    with held_up() as gate:
        k.add(x.view[:8].partition(4), y, y).start()
        errors = [check_refused(InFlightError, lambda: x.numpy()), check_refused(InFlightError, lambda: y.partition(4))]
        gate.set()
        wait_for_stream()
    assert x.numpy().tolist() == [2] * 8 and y.partition(4).tiles == (2,)
    assert all(error.__traceback__ is not None for error in errors)


def test_an_error_of_a_kernel_comes_out_of_wait():
    flight = k.failing(_pieces()).start()
    with pytest.raises(Exception, match=r"tile extent 3 of \(3,\) is not a power of two") as caught:
        flight.wait()
    block, note = caught.value.__notes__
    assert block.startswith("in block 0 of `failing`")
    assert note.startswith("in the launch of `failing` at ") and "test_flights.py" in note
    with pytest.raises(type(caught.value)):
        flight.wait()


def test_a_launch_that_failed_gives_its_memory_back():
    x = tcr.zeros((8,), f32)
    flight = k.failing(x.view[:4].partition(4)).start()
    with pytest.raises(Exception, match="power of two"):
        flight.wait()
    assert x.numpy().tolist() == [0] * 8


def test_sanitizer_findings_are_errors():
    x = tcr.ones((8,), f32)
    with pytest.raises(KernelFaultError) as caught:
        k.outside(_pieces(), x, _at(7)).sync()
    error = caught.value
    assert error.code == "TC201" and len(error.events) == 1
    assert str(error).startswith("TC201 the launch of `outside` went wrong\n  --> ")
    assert error.summary == f"{error.events[0].message}, in `outside`"
    assert f"  {error.events[0]}" in str(error) and error.events[0].file.endswith("kernels.py")
    assert error.use.file == __file__


def test_an_open_session_receives_sanitizer_findings():
    x = tcr.ones((8,), f32)
    with session() as found:
        k.outside(_pieces(), x, _at(7)).sync()
    assert found.report().codes() == {"TC201"} and found.report().launches == 1


def test_a_later_session_receives_no_earlier_finding():
    x = tcr.ones((8,), f32)
    with held_up() as gate:
        flight = k.outside(_pieces(), x, _at(7)).start()
        with session() as found:
            gate.set()
            with pytest.raises(KernelFaultError):
                flight.wait()
    assert found.report().clean


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("cycle", [True, False])
def test_an_unawaited_failure_is_reported(early, cycle):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with held_up() as gate:
            flight = k.failing(_pieces()).start()
            line = flight._passage.place.line
            ended = threading.Event()
            flight.when_done(ended.set)
            if cycle:
                flight.itself = flight
            if early:
                flight = gc.collect()
            gate.set()
            assert ended.wait(10)
            wait_for_stream()
        flight = None
        gc.collect()
    (warning,) = caught
    assert warning.category is LostFlightWarning and warning.lineno == line and warning.filename == __file__
    assert str(warning.message).startswith("the launch of `failing` failed, and no code waited for it: ")


def test_rule_21_no_launch_inside_a_running_operation():
    x = tcr.ones((8,), f32)
    y = x.copy()
    errors = []

    def continue_launch(z):
        for inner in (lambda: k.add(_pieces(), y, y).sync(), lambda: k.add(_pieces(), y, y).start()):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                errors.append(check_refused(NestedLaunchError, inner))
        return k.double(z)

    assert k.add(_pieces(), x, x).then(continue_launch).sync().numpy().tolist() == [4] * 8
    for error in errors:
        assert error.code == "TC407" and error.before.file == __file__
        assert error.summary == ("the launch of `add` is launched inside another operation that is running in this "
                                 "thread")
        assert error.fix == "return the operation without running it: `.then(lambda r: kernel(...))`"


def test_rule_21_other_threads_may_launch():
    x = tcr.ones((8,), f32)
    results = []

    def continue_launch(z):
        open_gate = threading.Thread(target=lambda: results.append(k.add(_pieces(), x, x).sync().numpy().tolist()))
        open_gate.start()
        open_gate.join()
        return k.double(z)

    y = x.copy()
    k.add(_pieces(), y, y).then(continue_launch).sync()
    assert results == [[2] * 8]


def test_rule_21_no_launch_inside_a_kernel():
    from tilecheck_runtime.cpu.machine import State

    x = tcr.ones((8,), f32)
    launch = k.add(_pieces(), x, x)
    before = State.recorder, State.thread
    State.recorder, State.thread = object(), threading.get_ident()
    try:
        error = check_refused(NestedLaunchError, lambda: launch.start())
    finally:
        State.recorder, State.thread = before
    assert error.summary == "the launch of `add` is launched inside a kernel"
    assert launch.sync().numpy().tolist() == [2] * 8


def test_rule_21_no_kernel_calls_another():
    x = tcr.ones((8,), f32)
    with pytest.raises(NestedLaunchError) as caught:
        k.calls_another(_pieces(), x, x).sync()
    error = caught.value
    assert error.use.file == k.__file__  # it stands in the kernel
    assert error.summary == "`add` is a kernel, and another kernel calls it"
    assert error.fix == "put what both do into a plain function, and call that"


def test_awaiting_does_not_block_the_loop():
    x = tcr.ones((8,), f32)
    order = []

    async def launch_and_wait(gate):
        z = await k.add(_pieces(), x, x)
        order.append("launch")
        return z

    async def open_gate(gate):
        order.append("other")
        gate.set()

    async def main():
        with held_up() as gate:
            z, _ = await asyncio.gather(launch_and_wait(gate), open_gate(gate))
        return z.numpy().tolist()

    assert asyncio.run(main()) == [2] * 8 and order == ["other", "launch"]


def test_awaiting_a_flight_and_a_failure():
    x = tcr.ones((8,), f32)

    async def main():
        flight = k.add(_pieces(), x, x).start()
        z = await flight
        with pytest.raises(KernelFaultError):
            await k.outside(_pieces(), x, _at(7))
        return z.numpy().tolist()

    assert asyncio.run(main()) == [2] * 8


def test_a_cancelled_await_leaves_the_flight_alone():
    x, y = tcr.zeros((8,), f32), tcr.ones((8,), f32)

    async def main():
        with held_up() as gate:
            task = asyncio.ensure_future(_await(k.add(x.view[:8].partition(4), y, y)))
            await asyncio.sleep(0.01)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            del task
            check_refused(InFlightError, lambda: x.numpy())
            gate.set()

    asyncio.run(main())
    wait_for_stream()
    assert x.numpy().tolist() == [2] * 8


async def _await(operation):
    return await operation


def test_threads_launch_side_by_side():
    shared = tcr.ones((64,), f32).share()
    results, errors = [], []

    def work(n):
        try:
            mine = shared.share()
            z = tcr.zeros((64,), f32)
            for _ in range(5):
                z = k.add(z.partition(16), mine, mine).sync().unpartition()
            results.append((n, z.numpy().sum()))
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors and sorted(results) == [(n, 128) for n in range(8)]


def test_threads_that_want_the_same_memory_do_not_both_get_it():
    for _ in range(20):
        x = tcr.zeros((64,), f32)
        got, refusals = [], []
        start = threading.Barrier(4)

        def work(x=x, got=got, refusals=refusals, start=start):
            start.wait()
            try:
                got.append(x.partition(16))
            except MovedError as error:
                refusals.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(got) == 1 and len(refusals) == 3


def test_an_empty_grid_launches_nothing():
    x = tcr.zeros((0,), f32)
    made = k.add(tcr.zeros((0,), f32).partition(4), x, x).sync()
    assert made.grid == (0, 1, 1) and made.numpy().shape == (0,)


SCRIPT = """
import tilecheck_runtime as tcr
from tests.runtime.launches.kernels import outside
from tilecheck_runtime import f32, i32

x = tcr.ones((8,), f32)
outside(tcr.zeros((8,), f32).partition(4), x, tcr.full((1,), 7, i32)).sync()
print("went on")
"""


def test_a_script_under_the_sanitizer_goes_on_and_is_reported(tmp_path, capsys):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    failed, report = run_script(str(script), ())
    assert not failed and capsys.readouterr().out == "went on\n"
    (event,) = report.events
    assert event.code == "TC201" and event.file.endswith("kernels.py") and report.launches == 1
    assert event.kernel == "outside" and event.array == "x"


def _interrupt_main_thread() -> None:
    """Interrupts the main thread once this process has worked for a while, however long a busy machine takes."""
    end = time.process_time() + 0.1
    while time.process_time() < end:
        time.sleep(0.005)
    signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)


def _interrupts_a_launch() -> bool:
    """Whether an interrupt ends a launch at once. One that arrives in a finaliser is swallowed by the interpreter."""
    n = 1 << 14
    x, z = tcr.ones((n,), f32), tcr.zeros((n,), f32)
    launch = k.add(z.view[:].partition(1), x, x)
    interrupting = threading.Thread(target=_interrupt_main_thread)
    begin = time.process_time()
    try:
        interrupting.start()
        launch.sync()
        interrupting.join()
        return False
    except KeyboardInterrupt:
        pass  # once it is gone, nothing holds the launch
    wait_for_stream()
    gc.collect()
    assert time.process_time() - begin < 5 and 0 < z.numpy().sum() < 2 * n
    return True


@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals for one thread")
def test_a_launch_can_be_interrupted():
    assert any(_interrupts_a_launch() for _ in range(3))
    assert k.add(_pieces(), tcr.ones((8,), f32), tcr.ones((8,), f32)).sync().numpy().tolist() == [2] * 8


CHAIN = """
import time
import tilecheck_runtime as tcr
from tests.runtime.launches.kernels import double
from tilecheck_runtime import f32

def slowly(z):
    time.sleep(0.5)
    return double(z)

def shown(z):
    print(z.numpy()[0])
    return double(z)

double(tcr.ones((8,), f32).partition(4)).then(slowly).then(shown).start()
print("end")
"""


def test_the_program_ends_after_all_steps(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(CHAIN, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path,
                          env={"PYTHONPATH": str(ROOT)}, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "end\n4.0\n", "")


def test_only_one_of_several_threads_starts_an_operation():
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(100):
            operation, ready, found = k.double(tcr.ones((8,), f32).partition(4)), threading.Barrier(4), []

            def start(operation=operation, ready=ready, found=found) -> None:
                ready.wait()
                try:
                    found.append(operation.start())
                except MovedError:
                    found.append(None)

            threads = [threading.Thread(target=start) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            (flight,) = [f for f in found if f is not None]
            assert len(found) == 4 and flight.wait().numpy().tolist() == [2] * 8
    finally:
        sys.setswitchinterval(interval)
