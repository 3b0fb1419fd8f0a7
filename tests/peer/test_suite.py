"""The CPU backend passes the test suite of cutile-python, but for the kinds of tests that `remaining.toml` lists."""

from __future__ import annotations

import pytest

from tests.peer.harness import classify, kinds, left_out, reason_to_skip, run_file, suite_files, summarize

SHARE = 0.98
"""Of the applicable tests."""
needs_suite = pytest.mark.skipif(reason_to_skip() is not None, reason=str(reason_to_skip()))


@needs_suite
def test_control_flow_passes():
    result = run_file("test_control_flow.py")
    assert result.passed > 100 and not result.kinds and not result.unexplained


@needs_suite
@pytest.mark.nightly
def test_the_whole_suite_passes():
    results = [run_file(name) for name in suite_files()]
    assert [line for result in results for line in result.unexplained] == []
    passed, failed, _ = summarize(results)
    assert passed > 5000 and passed >= SHARE * (passed + failed)


def _failure(**row: str) -> dict[str, str]:
    return {"test": "test_x.py::test_y", "when": "call", "outcome": "failed", **row}


def test_failures_are_sorted_by_kind():
    rows = [
        {"test": "test_x.py::test_z", "when": "call", "outcome": "passed"},
        _failure(error="OSError", text="libcuda.so.1: cannot open shared object file"),
        _failure(error="Failed", text="error[TC106]: one scatter writes element [0] of 'x' more than once"),
        _failure(error="AssertionError", text="1 is not 2"),
    ]
    result = classify("test_x.py", rows)
    assert (result.passed, dict(result.kinds)) == (1, {"driver": 1, "duplicates": 1})
    assert result.unexplained == ("test_x.py::test_y: AssertionError: 1 is not 2",)
    assert summarize([result])[:2] == (1, 1)


def test_each_kind_has_a_reason_and_a_pattern():
    for kind in kinds():
        assert kind.reason.endswith(".") and (kind.files or kind.test or kind.error or kind.text), kind.name
    assert all(left_out().values())
    assert len({kind.name for kind in kinds()}) == len(kinds())
