"""The executor on the cases: what is wrong collides, strays or is observed; what is right does none of that."""

from __future__ import annotations

import pytest

from tests.cases.expectations import FOLDER, cases
from tests.cases.launches import BAD, GOOD, Launch, arguments
from tests.oracle.loading import load_text
from tests.oracle.log import collisions
from tests.oracle.run import run

KINDS = {
    "TC101": {"write-write"}, "TC103": {"read-write"}, "TC106": {"duplicate"}, "TC107": {"mixed"},
    "TC206": {"write-write", "read-write"},
}
RACES = [c for c in cases("raw_bad.py") if any(code in ("TC101", "TC103", "TC106", "TC107") for _, code in c.expected)]
STRAYING = [c for c in cases("raw_bad.py") if any(code in ("TC201", "TC202", "TC203") for _, code in c.expected)]
UNDEFINED = [c for c in cases("raw_bad.py") if any(code == "TC301" for _, code in c.expected)]


@pytest.mark.parametrize("case", RACES, ids=str)
def test_wrong_kernel_collides(case):
    kernel = load_text((FOLDER / case.file).read_text(), case.file)[case.name]
    logs = [run(kernel, grid, arguments(spec)) for grid, spec in BAD[case.name]]
    assert all(log.valid for log in logs), [(log.error, log.undefined) for log in logs]
    seen = {(line, c.kind) for log in logs for c in collisions(log) for line in (c.line_a, c.line_b)}
    for line, code in case.expected:
        assert any((line, kind) in seen for kind in KINDS[code]), (line, code, seen)


@pytest.mark.parametrize("case", STRAYING, ids=str)
def test_wrong_index_leaves_the_array(case):
    kernel = load_text((FOLDER / case.file).read_text(), case.file)[case.name]
    logs = [run(kernel, grid, arguments(spec)) for grid, spec in BAD[case.name]]
    assert {o.line for log in logs for o in log.outside} == {line for line, _ in case.expected}


@pytest.mark.parametrize("case", UNDEFINED, ids=str)
def test_undefined_lanes_are_observed_where_they_are_expected(case):
    kernel = load_text((FOLDER / case.file).read_text(), case.file)[case.name]
    logs = [run(kernel, grid, arguments(spec)) for grid, spec in BAD[case.name]]
    assert all(log.valid for log in logs), [(log.error, log.undefined) for log in logs]
    (line,) = {line for line, _ in case.expected}
    assert min(o.line for log in logs for o in log.observed) == line


@pytest.mark.parametrize(("name", "launch"), [(n, launch) for n, ls in GOOD.items() for launch in ls])
def test_right_kernel_does_not_collide(name: str, launch: Launch):
    kernel = load_text((FOLDER / "raw_good.py").read_text(), "raw_good.py")[name]
    grid, spec = launch
    log = run(kernel, grid, arguments(spec))
    assert log.valid, (log.error, log.undefined)
    assert log.records
    assert not log.observed
    assert collisions(log) == []


def test_every_right_kernel_has_a_launch():
    assert {c.name for c in cases("raw_good.py")} == set(GOOD)
