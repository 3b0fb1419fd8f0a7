"""Measuring on the CPU: the arithmetic, and the order in which things run."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

import tilecheck_runtime as tcr
from tilecheck_runtime.tools import bench as tools
from tilecheck_runtime.tools.bench import Comparison, Timing, bench, compare
from tilecheck_runtime.tools.tune import tune


class Clock:
    """Says how long each call takes, and remembers them."""

    def __init__(self, **takes):
        self.takes, self.seen = takes, []

    def time(self, call, repeats, flush):
        self.seen.append(call.__name__)
        return self.takes[call.__name__]


def run_first():
    """Something."""


def run_second():
    """Something else."""


def test_two_candidates_take_turns(monkeypatch):
    clock = Clock(run_first=10.0, run_second=9.9)
    monkeypatch.setattr(tools, "clock_for", lambda backend: clock)
    found = compare(run_first, run_second, samples=4, warm_up=1)
    assert clock.seen == [
        "run_first",
        "run_second",
        "run_first",
        "run_second",
        "run_second",
        "run_first",
        "run_first",
        "run_second",
        "run_second",
        "run_first",
    ]
    assert found.ratio == pytest.approx(0.99) and found.interval == (pytest.approx(0.99), pytest.approx(0.99))
    assert found.within(0.02) and not found.within(0.005)
    assert str(found).startswith("0.9900 (0.9900 to 0.9900); 10.00 us and 9.90 us")


def test_the_spread_is_that_of_the_middle_half():
    timing = Timing((1.0, 2.0, 3.0, 4.0, 100.0))
    assert timing.median == 3 and timing.spread == (1.5, 52.0)
    assert str(timing) == "3.00 us (1.50 to 52.00, 5 samples)"
    assert Timing((5.0,)).spread == (5.0, 5.0)


def test_an_interval_holds_the_median():
    found = Comparison(Timing((1.0,)), Timing((1.0,)), 1.0, tools._interval([0.9, 1.0, 1.1] * 10))
    assert found.interval[0] <= 1.0 <= found.interval[1]


def test_real_calls_are_measured():
    calls = []
    timing = bench(lambda: calls.append(1), samples=3, repeats=5, warm_up=2)
    assert len(calls) == 25 and len(timing.samples) == 3 and timing.median > 0
    assert tcr.bench is bench and tcr.compare is compare


def test_the_picture_of_a_benchmark():
    folder = str(Path(__file__).parents[3] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        from bars import picture
    finally:
        sys.path.remove(folder)
    found = {"machine": {"card": "A & B"}, "launch": {
                     "ct.launch_us": 8.0, "bound_us": 7.5, "unbound_us": 12.0, "guarded_raw_us": 9.0,
                     "graph_us_a_kernel": 1.0},
             "gemm": {"4096": {"dialect_TFLOP_s": 700.0, "by_hand_TFLOP_s": 700.0, "cublas_TFLOP_s": 690.0}}}
    text = picture(json.loads(json.dumps(found)))
    assert text.startswith("<svg") and "A &amp; B" in text and text.count("<rect") == 8 and 'width="400.0"' in text


@pytest.mark.parametrize("interval, same, words, reached", [
    ((0.985, 0.988), False, "1.4 % faster, other machine code", True),
    ((0.998, 1.002), True, "as fast, the same machine code", True),
    ((0.990, 1.004), None, "neither faster nor slower for certain, machine code not compared", True),
    ((0.990, 1.006), None, "neither faster nor slower for certain, machine code not compared", False),
    ((1.004, 1.006), False, "0.5 % slower, other machine code", False),
])
def test_the_summary_compares_both_implementations(interval, same, words, reached):
    """The upper end of the interval decides: it may be faster, and not more than half a percent slower."""
    folder = str(Path(__file__).parents[3] / "benchmarks")
    sys.path.insert(0, folder)
    try:
        from shown import against_by_hand, comparison_facts
    finally:
        sys.path.remove(folder)
    result = comparison_facts(Comparison(Timing((1.0,)), Timing((1.0,)), sum(interval) / 2, interval), same)
    text, well = against_by_hand("add, tile 512", json.loads(json.dumps(result)))
    assert text.startswith("add, tile 512, against the same by hand: ") and f"of its time, {words}; upper end" in text
    assert well is reached and result["interval"] == interval and result["same_machine_code"] is same


def test_a_search_that_takes_too_long_ends(monkeypatch):
    """The first configuration is tried in any case; the others report why they were not tried."""
    space = [{"tile": n} for n in (1, 2, 3)]
    found = tune(lambda tile: lambda: None, space, samples=1, seconds=0.0)
    assert found.best == {"tile": 1} and [t.error for t in found.trials[1:]] == ["not tried, as 0 s were over"] * 2
    assert all(t.error is None for t in tune(lambda tile: lambda: None, space, samples=1).trials)
