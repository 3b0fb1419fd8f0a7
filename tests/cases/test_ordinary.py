"""Kernels of ordinary kinds: first what the executor sees in them, then what the checker says."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from tests.cases.expectations import FOLDER, Case, cases
from tests.cases.launches import Launch, arguments, scalars
from tests.cases.ordinary_launches import BAD, GOOD
from tests.oracle.aspects import COMPLETE
from tests.oracle.loading import load_text
from tests.oracle.log import Log, collisions
from tests.oracle.run import run
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import annotation_of, evaluate, parse
from tilecheck.diagnostics import KernelReport, Report

FILES: Mapping[str, Mapping[str, tuple[Launch, ...]]] = {"ordinary_bad.py": BAD, "ordinary_good.py": GOOD}
WRONG, RIGHT = cases("ordinary_bad.py"), cases("ordinary_good.py")
CHECKED = pytest.mark.skipif({"bounds", "padding"} != COMPLETE, reason="the checker does not do bounds and padding")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    config = Config(use_cache=False, jobs=1)
    return {name: check_source((FOLDER / name).read_text(encoding="utf-8"), name, config) for name in FILES}


def _found(reports: dict[str, Report], case: Case) -> set[tuple[int, str]]:
    return {(d.span.line, d.code) for d in reports[case.file].diagnostics if case.first <= d.span.line <= case.last
            and d.severity != "note"}


def _kernel(reports: dict[str, Report], case: Case) -> KernelReport:
    return next(k for k in reports[case.file].kernels if k.name == case.name)


def _logs(case: Case) -> list[Log]:
    kernel = load_text((FOLDER / case.file).read_text(encoding="utf-8"), case.file)[case.name]
    return [run(kernel, grid, arguments(spec)) for grid, spec in FILES[case.file][case.name]]


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_right_kernels_run_without_a_fault(case):
    for log in _logs(case):
        assert log.valid, (log.error, log.undefined)
        assert not log.observed
        assert log.records
        assert not collisions(log)


@pytest.mark.parametrize("case", WRONG, ids=str)
def test_wrong_kernels_go_wrong_at_the_line(case):
    ((line, code),) = case.expected
    for log in _logs(case):
        assert log.error is None
        seen = [o.line for o in (log.observed if code == "TC301" else log.outside)]
        assert seen
        assert min(seen) == line


@CHECKED
@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_right_kernels_have_no_finding(reports, case):
    assert _found(reports, case) == set()


@CHECKED
@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_right_launches_meet_the_contract(reports, case):
    for grid, spec in GOOD[case.name]:
        for clause in _kernel(reports, case).contract:
            for part in parse(clause.clause):
                assert annotation_of(part) is not None or evaluate(part, scalars(grid, spec)), part.text


@CHECKED
@pytest.mark.parametrize("case", WRONG, ids=str)
def test_faults_are_found_at_their_lines(reports, case):
    assert case.expected <= _found(reports, case)
    assert {line for line, _ in _found(reports, case)} <= {line for line, _ in case.expected}
