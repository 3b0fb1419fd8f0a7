"""Padding: uses of unspecified lanes are found on their line, and nothing is said of kernels that have none."""

from __future__ import annotations

import pytest

from tests.cases.expectations import FOLDER, Case, cases
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

CODES = {"TC301", "TC303"}
OWN_BAD, OWN_GOOD = cases("padding_bad.py"), cases("padding_good.py")
GIVEN_BAD = [c for c in cases("raw_bad.py") if any(code in CODES for _, code in c.expected)]
GIVEN_GOOD = cases("raw_good.py")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    config = Config(use_cache=False, jobs=1)
    names = ("raw_bad.py", "raw_good.py", "padding_bad.py", "padding_good.py")
    return {n: check_source((FOLDER / n).read_text(encoding="utf-8"), n, config) for n in names}


def _found(reports: dict[str, Report], case: Case) -> set[tuple[int, str]]:
    return {(d.span.line, d.code) for d in reports[case.file].diagnostics if d.kernel == case.name and d.code in CODES}


def _verdicts(reports: dict[str, Report], case: Case) -> list[str]:
    kernel = next(k for k in reports[case.file].kernels if k.name == case.name)
    return [o.verdict for o in kernel.obligations if o.kind == "padding"]


@pytest.mark.parametrize("case", [*OWN_BAD, *GIVEN_BAD], ids=str)
def test_uses_of_undefined_lanes_are_found(reports, case):
    assert _found(reports, case) == {(line, code) for line, code in case.expected if code in CODES}
    assert "proved" not in _verdicts(reports, case) or len(set(_verdicts(reports, case))) > 1


@pytest.mark.parametrize("case", [*OWN_GOOD, *GIVEN_GOOD], ids=str)
def test_kernels_that_are_right_have_no_finding(reports, case):
    assert _found(reports, case) == set()
    assert set(_verdicts(reports, case)) <= {"proved", "conditional"}


def test_no_file_fails(reports):
    assert [r.failures for r in reports.values()] == [()] * len(reports)
