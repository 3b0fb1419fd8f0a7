"""The checker on the cases: what they expect is found on its line, and nothing else is said."""

from __future__ import annotations

import pytest

from tests.cases.expectations import FOLDER, Case, cases
from tests.cases.launches import GOOD, Launch, scalars
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import annotation_of, equivalent, evaluate, parse
from tilecheck.diagnostics import KernelReport, Report

RACES = {"TC101", "TC103", "TC106", "TC107", "TC108"}
BOUNDS = {"TC201", "TC202", "TC206"}
"""Those of tiles and elements outside their array, or their row."""
LINTS = {"TC203", "TC204", "TC302", "TC304", "TC305"}
PADDING = {"TC301"}
CODES = RACES | BOUNDS | PADDING | LINTS
"""The codes that are asked for here."""
NO_WITNESS = LINTS | {"TC108"}
"""Codes whose findings have no pair of blocks to show."""
SETTLED = {"proved", "conditional", "atomic", "single-block"}
BAD, RIGHT = cases("raw_bad.py"), cases("raw_good.py")
FAULTY = [c for c in BAD if any(code in CODES for _, code in c.expected)]


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    config = Config(use_cache=False, jobs=1)
    return {name: check_source((FOLDER / name).read_text(encoding="utf-8"), name, config)
            for name in ("raw_bad.py", "raw_good.py")}


def _kernel(reports: dict[str, Report], case: Case) -> KernelReport:
    return next(k for k in reports[case.file].kernels if k.name == case.name)


def _found(reports: dict[str, Report], case: Case) -> set[tuple[int, str]]:
    return {(d.span.line, d.code) for d in reports[case.file].diagnostics if case.first <= d.span.line <= case.last}


def test_every_case_is_analysed(reports):
    for name, expected in (("raw_bad.py", BAD), ("raw_good.py", RIGHT)):
        assert not reports[name].failures
        assert [k.name for k in reports[name].kernels] == [c.name for c in expected]


@pytest.mark.parametrize("case", FAULTY, ids=str)
def test_faults_are_found_at_their_lines(reports, case):
    wanted = {(line, code) for line, code in case.expected if code in CODES}
    found = _found(reports, case)
    assert wanted <= found
    assert {line for line, _ in found} <= {line for line, _ in case.expected}


def test_a_launch_that_rounds_a_head_up_is_found(reports):
    lines = [line for line, text in enumerate((FOLDER / "raw_bad.py").read_text(encoding="utf-8").splitlines(), 1)
             if text.endswith("# expect: TC405")]
    assert lines == [d.span.line for d in reports["raw_bad.py"].diagnostics if d.code == "TC405"]


@pytest.mark.parametrize("case", FAULTY, ids=str)
def test_every_error_has_a_witness(reports, case):
    for d in reports[case.file].diagnostics:
        if case.first <= d.span.line <= case.last and d.severity == "error" and d.code in CODES - NO_WITNESS:
            assert d.witness is not None, d


@pytest.mark.parametrize("case", [c for c in BAD if c not in FAULTY], ids=str)
def test_other_faults_are_not_these(reports, case):
    assert not [f for f in _found(reports, case) if f[1] in CODES]


@pytest.mark.parametrize("case", RIGHT, ids=str)
def test_right_kernels_have_no_finding(reports, case):
    assert _found(reports, case) == set()


@pytest.mark.parametrize("case", [c for c in RIGHT if c.verdict], ids=str)
def test_right_kernels_are_decided(reports, case):
    assert case.verdict == "structural"
    kernel = _kernel(reports, case)
    assert {o.verdict for o in kernel.obligations} <= SETTLED
    assert [c.clause for c in kernel.contract if c.kind == "semantic" and c.state != "declared"] == []


@pytest.mark.parametrize("case", [c for c in RIGHT if c.verdict], ids=str)
def test_bounds_of_right_kernels_need_no_more_than_structure(reports, case):
    bounds = [o for o in _kernel(reports, case).obligations if o.kind == "bounds"]
    assert {o.verdict for o in bounds} <= {"proved"}


@pytest.mark.parametrize(("case", "clause"), [(c, text) for c in RIGHT for text in c.contract], ids=str)
def test_contract_has_the_clause(reports, case, clause):
    said = [part for c in _kernel(reports, case).contract for part in parse(c.clause) if part.cond is not None]
    for wanted in parse(clause):
        assert wanted.cond is not None
        assert any(equivalent(wanted.cond, part.cond) for part in said if part.cond is not None), wanted.text


@pytest.mark.parametrize(("name", "launch"), [(n, launch) for n, ls in GOOD.items() for launch in ls])
def test_right_launches_meet_the_contract(reports, name, launch: Launch):
    kernel = next(k for k in reports["raw_good.py"].kernels if k.name == name)
    grid, spec = launch
    for clause in kernel.contract:
        for part in parse(clause.clause):
            assert annotation_of(part) is not None or evaluate(part, scalars(grid, spec)), part.text
