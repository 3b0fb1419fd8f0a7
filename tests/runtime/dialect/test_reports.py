"""The sanitizer reports faults of dialect kernels at lines of their author."""

from __future__ import annotations

import inspect

import numpy as np

from tests.cases import dialect
from tests.runtime.dialect.launching import make_entry, run
from tilecheck_runtime import sanitize


def _line(kernel, text: str) -> int:
    lines, first = inspect.getsourcelines(kernel._pyfunc)
    return next(first + n for n, line in enumerate(lines) if text in line)


def test_an_input_that_is_too_short_is_reported_where_it_is_loaded():
    z, x, y = np.zeros(64, np.float32), np.zeros(64, np.float32), np.zeros(16, np.float32)
    report = run(dialect.add, {"z": z, "x": x, "y": y}, {"z": (16,)})
    (event,) = report.events
    assert (event.code, event.line) == ("TC201", _line(dialect.add, "load_like"))
    assert event.file == dialect.__file__


def test_a_loop_that_runs_past_an_input_is_reported_where_it_is_loaded():
    z, x, y = np.zeros((16, 16), np.float32), np.zeros((16, 64), np.float16), np.zeros((32, 16), np.float16)
    report = run(dialect.gemm, {"z": z, "x": x, "y": y}, {"z": (16, 16)}, BK=16)
    assert {(e.code, e.line) for e in report.events} == {("TC201", _line(dialect.gemm, "ct.mma"))}


def test_blocks_of_a_grid_too_large_are_reported():
    z = np.zeros(64, np.float32)
    arguments = {"z": z, "x": z + 1, "y": z + 2}
    entry = make_entry(dialect.add, arguments, {"z": (16,)})
    report = sanitize(entry.function, (5, 1, 1), entry.arguments(arguments))
    assert {(e.code, e.line) for e in report.events} == {("TC201", _line(dialect.add, "load_like"))}


def test_an_output_that_is_an_input_is_reported_at_the_kernel():
    z = np.ones(64, np.float32)
    report = run(dialect.add, {"z": z, "x": z, "y": z}, {"z": (16,)})
    assert {e.code for e in report.events} == {"TC401"}
    assert all(e.file == dialect.__file__ for e in report.events)
