"""Kernels that no earlier version was tried on: their seeds follow from a hash of the sources."""

from __future__ import annotations

import os

import hypothesis
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.oracle.builder import Chooser
from tests.oracle.figures import contradictions, measure
from tests.oracle.generate import Subject, build
from tests.oracle.judging import examine, explain
from tests.seeds import VARIABLE, source_seed

KERNELS = int(os.environ.get("TILECHECK_ORACLE_KERNELS", "600"))
"""Kernels for races; a third as many for bounds, and for padding."""
PART = 100
MORE = 2000
"""Kernels of a nightly run."""
SUBJECTS: tuple[Subject, ...] = ("races", "bounds", "padding")


def _parts(first: int, kernels: int) -> list[tuple[Subject, int, int]]:
    """The subject, first offset and number of kernels of each part."""
    counts: list[tuple[Subject, int]] = [("races", kernels), ("bounds", kernels // 3), ("padding", kernels // 3)]
    return [(subject, first + at, min(PART, count - at)) for subject, count in counts for at in range(0, count, PART)]


def _assert_no_contradiction(subject: Subject, offset: int, count: int) -> None:
    begin = source_seed() + offset
    found = measure(range(begin, begin + count), workers=1, subject=subject)
    assert not found.contradicted, f"{VARIABLE}={source_seed()}\n{contradictions(found)}"


@pytest.mark.slow
@pytest.mark.parametrize(("subject", "offset", "count"), _parts(0, KERNELS))
def test_no_verdict_is_contradicted(subject: Subject, offset: int, count: int) -> None:
    _assert_no_contradiction(subject, offset, count)


@pytest.mark.nightly
@pytest.mark.parametrize(("subject", "offset", "count"), _parts(KERNELS, MORE))
def test_no_verdict_on_further_kernels_is_contradicted(subject: Subject, offset: int, count: int) -> None:
    _assert_no_contradiction(subject, offset, count)


class _Drawn:
    """Decisions by Hypothesis, so that a contradicted kernel is shrunk to a small one."""

    def __init__(self, data: st.DataObject) -> None:
        self._data = data

    def pick(self, options):
        return options[self._data.draw(st.integers(0, len(options) - 1))]


@pytest.mark.slow
@pytest.mark.parametrize("subject", SUBJECTS)
@hypothesis.seed(source_seed())
@given(data=st.data())
@settings(max_examples=15, deadline=None, database=None, suppress_health_check=list(HealthCheck), print_blob=False)
def test_drawn_kernels(data: st.DataObject, subject: Subject) -> None:
    choose: Chooser = _Drawn(data)
    kernel = build(choose, subject)
    outcome = examine(kernel, "drawn", count=16)
    assert not outcome.contradictions, explain(kernel, outcome)
