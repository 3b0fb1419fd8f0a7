"""Operations that were built and never run."""

from __future__ import annotations

import gc
import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import tilecheck_runtime as tcr
from tests.docs.markdown import ROOT
from tests.patience import PATIENCE
from tests.runtime.launches import kernels as k
from tilecheck_runtime import GridError, NeverRunWarning, f32


def _collect_warnings(work):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        work()
        gc.collect()
    assert all(w.category is NeverRunWarning and w.filename == __file__ for w in caught)
    return [(w.lineno - work.__code__.co_firstlineno, str(w.message).split("\n")[0]) for w in caught]


def _pieces():
    return tcr.zeros((8,), f32).partition(4)


def test_dropping_one_warns_where_it_was_built():
    def work():
        launch = k.double(_pieces())
        del launch

    assert _collect_warnings(work) == [(1, "TC404 the launch of `double` was built and never run")]


def test_the_message_suggests_the_call():
    with pytest.warns(NeverRunWarning) as caught:
        k.double(_pieces())
    (warning,) = caught
    place, fix = str(warning.message).split("\n")[1:]
    assert place.startswith("  --> ") and place.endswith(f"test_never_run.py:{warning.lineno}")
    assert fix == "  = help: run it: `.sync()`, or `.start()` and wait for it later"


def test_rule_20_each_unrun_operation_in_a_loop_is_reported():
    def work():
        for _ in range(3):
            k.double(_pieces())

    assert _collect_warnings(work) == [(2, "TC404 the launch of `double` was built and never run")] * 3


def test_an_unrun_operation_in_a_reference_cycle_is_reported():
    def work():
        holder = {"launch": k.double(_pieces())}
        holder["self"] = holder

    assert _collect_warnings(work) == [(1, "TC404 the launch of `double` was built and never run")]


def test_a_combination_is_reported_once():
    def work():
        tcr.zip(k.double(_pieces()),
                k.double(_pieces()))
        k.double(_pieces()).then(k.double)

    assert _collect_warnings(work) == [
        (1, "TC404 the `zip` of the launch of `double` and the launch of `double` was built and never run"),
        (3, "TC404 the launch of `double` and its follow-up was built and never run"),
    ]


def test_operations_that_ran_or_were_refused_are_not_reported():
    def work():
        k.double(_pieces()).sync()
        k.double(_pieces()).start().wait()
        with pytest.raises(GridError):
            k.double(_pieces()).grid(7).sync()
        with pytest.raises(tcr.LaunchArgumentError):
            k.double()

    assert _collect_warnings(work) == []


def test_a_dropped_launch_gives_its_memory_back():
    x = tcr.zeros((8,), f32)
    with pytest.warns(NeverRunWarning):
        k.double(x.view[:4].partition(4))
    assert x.numpy().tolist() == [0] * 8


SCRIPT = """
import threading
import time
import tilecheck_runtime as tcr
from tests.runtime.launches.kernels import double, failing
from tilecheck_runtime import f32

kept = double(tcr.zeros((8,), f32).partition(4))
cycle = [double(tcr.zeros((8,), f32).partition(4))]
cycle.append(cycle)
del cycle
running = double(tcr.zeros((8,), f32).partition(4)).start()
lost = failing(tcr.zeros((8,), f32).partition(4)).start()
in_a_thread = double(tcr.zeros((8,), f32).partition(4))
threading.Thread(target=lambda held: time.sleep(3600), args=(in_a_thread,), daemon=True).start()
del in_a_thread
"""


def test_unrun_operations_are_reported_at_exit(tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, cwd=tmp_path,
                          env={"PYTHONPATH": str(ROOT), "TILECHECK_GUARD": "off"}, timeout=PATIENCE, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stderr.splitlines() if "Warning:" in line]
    assert sorted(line.partition(": ")[0].rpartition(":")[2] for line in lines if "TC404" in line) == ["14", "8", "9"]
    assert sum("LostFlightWarning" in line for line in lines) == 1 and len(lines) == 4
    assert "Traceback" not in done.stderr
