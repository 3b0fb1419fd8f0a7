"""The lines about launches that `TILECHECK_LOG` prints."""

from __future__ import annotations

import cuda.tile as ct
import pytest

import tilecheck_runtime as tcr
from examples.vector_add import vector_add
from tests.cases.dialect import add
from tests.runtime.backends.cuda.test_raw_guards import OnGPU, devices, launched
from tilecheck_runtime import f32
from tilecheck_runtime.api import raw_launch as raw
from tilecheck_runtime.launch_cache import cached_launch
from tilecheck_runtime.launches import bound, launch
from tilecheck_runtime.launches.log import Log

__all__ = ["devices", "launched"]
N = 64


@pytest.fixture
def asked(monkeypatch):
    def ask(text):
        log = Log(text)
        for module in (bound, cached_launch, launch, raw):
            monkeypatch.setattr(module, "LOG", log)
    return ask


def test_launches_log_how_they_were_started(gpu, asked, capfd):
    asked("launch")
    x, z = tcr.ones((N,), f32), tcr.zeros((N,), f32).partition(16)
    for _ in range(4):
        z = add(z, x, x).sync()
    first, *_, last = [line for line in capfd.readouterr().err.splitlines() if "launch `add`" in line]
    assert first.startswith("tilecheck: launch `add` at tests/runtime/backends/cuda/test_logs.py:")
    assert ": every guard asked, grid (4, 1, 1), stream default, " in first and first.endswith(" us")
    assert ": like one before, grid (4, 1, 1), stream default" in last
    repeated = add.bind(z, x, x)
    repeated()
    repeated.wait()
    assert ": bound at tests/runtime/backends/cuda/test_logs.py:" in capfd.readouterr().err


def test_guards_log_their_checks(gpu, asked, capfd):
    asked("guards, compile")
    add(tcr.zeros((N + 16,), f32).partition(16), tcr.ones((N + 16,), f32), tcr.ones((N + 16,), f32)).sync()
    lines = capfd.readouterr().err.splitlines()
    assert "tilecheck: guards of `add`: `x` of shape (80,) may be read" in lines
    assert "tilecheck: guards of `add`: `z` of shape (80,) may be written" in lines
    assert any(line.startswith("tilecheck: guards of `add`: the checker says it is ") for line in lines)
    assert any("launch `add`" in line for line in lines)


def test_raw_launches(launched, asked, capfd, monkeypatch):
    asked("launch")
    x, y, out = OnGPU((N,), 0x10000), OnGPU((N,), 0x20000), OnGPU((N,), 0x30000)
    for _ in range(2):
        tcr.launch(7, (4, 1), vector_add, (x, y, out, 16))
    first, second = capfd.readouterr().err.splitlines()
    assert ": every guard asked, grid (4, 1, 1), stream 7, " in first and ": like one before, " in second
    monkeypatch.setenv("TILECHECK_GUARD", "off")
    tcr.launch(7, (5,), vector_add, (x, y, out, 16))
    assert ": without a guard that let it through, grid (5, 1, 1)" in capfd.readouterr().err
    assert ct is not None


def test_nothing_is_logged_by_default(gpu, asked, capfd):
    asked("")
    add(tcr.zeros((N,), f32).partition(16), tcr.ones((N,), f32), tcr.ones((N,), f32)).sync()
    assert capfd.readouterr().err == ""
