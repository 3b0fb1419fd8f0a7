"""The lint rules on their cases, launches included: each finding on its line, once, and no other."""

from __future__ import annotations

import re

import pytest

from tests.cases.expectations import FOLDER
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Report

CODES = {"TC111", "TC203", "TC204", "TC207", "TC302", "TC304", "TC305", "TC408"}
FILES = ("lints_bad.py", "lints_good.py", "raw_bad.py", "raw_good.py")
_EXPECT = re.compile(r"# expect: ([A-Z0-9, ]+)")


@pytest.fixture(scope="module")
def reports() -> dict[str, Report]:
    config = Config(use_cache=False, jobs=1)
    return {name: check_source((FOLDER / name).read_text(encoding="utf-8"), name, config) for name in FILES}


def _expected(name: str) -> list[tuple[int, str]]:
    lines = (FOLDER / name).read_text(encoding="utf-8").splitlines()
    found = ((number, code.strip()) for number, line in enumerate(lines, 1) if (match := _EXPECT.search(line))
             for code in match[1].split(","))
    return sorted((number, code) for number, code in found if code in CODES)


@pytest.mark.parametrize("name", FILES)
def test_findings_are_where_they_are_expected(reports, name):
    assert not reports[name].failures
    found = sorted((d.span.line, d.code) for d in reports[name].diagnostics if d.code in CODES)
    assert found == _expected(name)


def test_every_code_has_a_case():
    assert {code for name in FILES for _, code in _expected(name)} == CODES


def test_right_kernels_and_launches_have_no_finding_at_all(reports):
    assert reports["lints_good.py"].diagnostics == ()
