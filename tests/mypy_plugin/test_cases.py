"""Cases by data: those of other tests, and the pages in `cases/`, whose comments `expected.py` reads."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.mypy_plugin.expected import complaints, rules_of
from tests.mypy_plugin.given import FILES, read_given
from tests.mypy_plugin.runner import Run, is_ours, mypy, write_config
from tests.stubs.pages import Case, cases
from tilecheck.mypy_plugin.codes import code_of
from tilecheck.rules.catalog import RULES

PAGES = sorted(Path(__file__).with_name("cases").glob("*.md"))
CASES = [case for page in PAGES for case in cases(page)]
GIVEN = list(read_given())
ENOUGH = 4
"""Cases of either kind that each rule has."""


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Run:
    """All pages, each block a module, and all cases that other tests have."""
    folder = tmp_path_factory.mktemp("pages")
    write_config(folder)
    texts = {**{case.file: case.text for case in CASES}, **{case.name: case.text for case in GIVEN}}
    assert len(texts) == len(CASES) + len(GIVEN)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return mypy(folder, "--no-incremental")


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.page.stem}: {case.name}")
def test_mypy_reports_the_errors_in_the_comments(case: Case, run: Run):
    assert complaints(case.file, case.lines(), run) == []


@pytest.mark.parametrize("case", GIVEN, ids=lambda case: case.name)
def test_expected_findings_are_reported_at_their_lines(case, run: Run):
    ours = [m for m in run.messages if m.file == case.name and is_ours(m)]
    found = {(m.line, m.text.split()[0]) for m in ours}
    assert found >= case.expected
    assert found == case.expected or case.name in FILES  # which have further findings that are true
    assert all(m.code == code_of(m.text.split()[0]) for m in ours)


LANGUAGE = "TC6"
"""The rules of the device language have their cases in `tests/rules/language`."""


@pytest.mark.parametrize("rule", [code for code in RULES if not code.startswith(LANGUAGE)])
def test_a_rule_has_cases_of_either_kind(rule: str):
    bad, good = Counter(), Counter()
    for case in GIVEN:
        bad.update(case.bad)
        good.update(case.good)
    for case in CASES:
        found = set().union(*(rules_of(line) for _, line in case.lines()))
        bad.update(found)
        if not found and (named := re.match(r"no (TC\d+)", case.name)):
            good[named[1]] += 1
    assert bad[rule] >= ENOUGH
    assert good[rule] >= ENOUGH


@pytest.mark.parametrize("name", ["dialect.py"])
def test_lines_that_plain_mypy_reports_are_also_reported_with_the_plugin(name: str, run: Run):
    case = next(case for case in GIVEN if case.name == name)
    lines = enumerate(case.text.split("\n"), 1)
    marked = {number for number, line in lines if re.search(r"# expect: .*\bmypy\b", line)}
    assert marked == {m.line for m in run.messages if m.file == name and m.kind == "error" and not is_ours(m)}
