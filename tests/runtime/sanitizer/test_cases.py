"""The cases: what is wrong is reported on its line and what is right is silent, in any order of blocks."""

from __future__ import annotations

import pytest

from tests.cases import ordinary_bad, ordinary_good, ordinary_launches, raw_bad, raw_good
from tests.cases.expectations import FOLDER, Case, cases
from tests.cases.launches import GOOD, Launch
from tests.runtime.sanitizer.launches import CODES, FAULTS, SILENT, arguments
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.tile_language.kernels import function_of

SEEDS = (None, 0, 1)


def _visible(case: Case) -> bool:
    return any(code not in SILENT for _, code in case.expected)


WRONG = [c for c in cases("raw_bad.py") if _visible(c)]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", WRONG, ids=str)
def test_faults_are_reported_at_their_lines(case, seed):
    kernel = getattr(raw_bad, case.name)
    for grid, spec in FAULTS[case.name]:
        report = sanitize(kernel, grid, arguments(function_of(kernel), spec), seed=seed)
        found = {(line, event.code) for event in report.events for line in event.lines}
        stands = {(event.line, event.code) for event in report.events}
        for line, code in case.expected:
            wanted = {(line, c) for c in CODES.get(code, {code})}
            if code == "TC206" and not wanted & found:
                continue  # offsets that are only read also overflow, which is harmless here
            assert wanted & (found if code == "TC206" else stands), (line, code, found)
        assert {line for line, _ in stands} <= {line for line, _ in case.expected}, report


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(("name", "launch"), [(n, launch) for n, ls in GOOD.items() for launch in ls])
def test_right_kernels_are_silent(name: str, launch: Launch, seed):
    kernel = getattr(raw_good, name)
    grid, spec = launch
    report = sanitize(kernel, grid, arguments(function_of(kernel), spec), seed=seed)
    assert report.clean, str(report)


def _ordinary(module, name, seed, launches):
    kernel = getattr(module, name)
    return [sanitize(kernel, grid, arguments(function_of(kernel), spec), seed=seed) for grid, spec in launches]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", cases("ordinary_bad.py"), ids=str)
def test_faults_of_ordinary_kernels_are_reported_at_their_lines(case, seed):
    reports = _ordinary(ordinary_bad, case.name, seed, ordinary_launches.BAD[case.name])
    wanted = {(line, c) for line, code in case.expected for c in CODES.get(code, {code})}
    assert {(e.line, e.code) for report in reports for e in report.events} == wanted


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("case", cases("ordinary_good.py"), ids=str)
def test_right_ordinary_kernels_are_silent(case, seed):
    for report in _ordinary(ordinary_good, case.name, seed, ordinary_launches.GOOD[case.name]):
        assert report.clean, str(report)


@pytest.mark.parametrize("case", [c for c in cases("raw_bad.py") if not _visible(c)], ids=str)
def test_every_fault_that_shows_has_a_launch(case):
    assert case.name not in FAULTS or case.name == "moving_slice_store"


def test_every_visible_fault_is_launched():
    assert {c.name for c in WRONG} <= set(FAULTS)
    assert FOLDER.is_dir()
