"""The checker finds the recorded facts. `python -m tests.golden.record --update` records intended changes."""

from __future__ import annotations

import pytest

from tests.golden.record import GROUPS, compare, load, measure


@pytest.mark.parametrize("group", GROUPS)
def test_results_equal_the_recorded_ones(group: str, request: pytest.FixtureRequest) -> None:
    if group == "corpus":
        request.getfixturevalue("corpus")  # skips where the wheel can neither be found nor downloaded
    changes = list(compare(load(group), measure(group)))
    assert not changes, "\n".join(changes)


def test_a_difference_is_named_in_words() -> None:
    recorded = {"a.py::k": {"verdict": ["line 3: proved"]}, "a.py": {"findings": ["3:0-3:9 TC101 error k"]}}
    found = {"a.py::k": {"verdict": ["line 3: refuted"]}, "a.py": {"findings": ["3:0-3:9 TC101 error k"]}}
    assert list(compare(recorded, found)) == [
        "a.py::k: verdict: no longer line 3: proved",
        "a.py::k: verdict: now line 3: refuted",
    ]
