"""The ownership dialect on its cases: what breaks a rule is found where it stands, and nothing else is said."""

from __future__ import annotations

import re

import pytest

from tests.cases.expectations import FOLDER, Case, cases
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import equivalent, parse
from tilecheck.diagnostics import KernelReport, Report

FILES = ("dialect.py", "dialect_good.py", "dialect_bad.py")
CASES = [c for name in FILES for c in cases(name)]
CLEAN = [c for c in CASES if c.file != "dialect_bad.py" and not c.expected]
CONSTRUCTED = {"proved", "atomic"}


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    config = Config(use_cache=False, jobs=1)
    return {name: check_source((FOLDER / name).read_text(encoding="utf-8"), name, config) for name in FILES}


def _kernel(reports: dict[str, Report], case: Case) -> KernelReport:
    return next(k for k in reports[case.file].kernels if k.name == case.name)


def _expected(name: str) -> set[tuple[int, str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    return {(number, code) for number, line in enumerate(lines, 1) for code in re.findall(
        r"TC\d+", line.partition("# expect:")[2])}


@pytest.mark.parametrize("name", FILES)
def test_every_case_is_a_kernel(reports, name):
    assert not reports[name].failures
    assert [k.name for k in reports[name].kernels] == [c.name for c in CASES if c.file == name]


@pytest.mark.parametrize("name", FILES)
def test_exactly_the_expected_findings_are_reported(reports, name):
    assert {(d.span.line, d.code) for d in reports[name].diagnostics} == _expected(name)


@pytest.mark.parametrize("name", FILES)
def test_every_finding_is_an_error(reports, name):
    assert {d.severity for d in reports[name].diagnostics} <= {"error"}


@pytest.mark.parametrize("case", CLEAN, ids=str)
def test_right_kernels_are_proved_without_a_semantic_clause(reports, case):
    kernel = _kernel(reports, case)
    assert {o.verdict for o in kernel.obligations} <= CONSTRUCTED
    assert [c.clause for c in kernel.contract if c.kind == "semantic" and c.state != "declared"] == []


@pytest.mark.parametrize("case", CLEAN, ids=str)
def test_their_writes_are_proved_by_construction(reports, case):
    writes = [o for o in _kernel(reports, case).obligations if o.kind == "disjoint"]
    assert writes
    assert all(o.rules == ("cell",) for o in writes if o.verdict == "proved")


@pytest.mark.parametrize(("case", "clause"), [(c, text) for c in CLEAN for text in c.contract], ids=str)
def test_contract_has_the_clause(reports, case, clause):
    said = [part for c in _kernel(reports, case).contract for part in parse(c.clause) if part.cond is not None]
    for wanted in parse(clause):
        assert wanted.cond is not None
        assert any(equivalent(wanted.cond, part.cond) for part in said if part.cond is not None), wanted.text
