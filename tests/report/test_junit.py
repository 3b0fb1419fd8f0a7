"""JUnit XML: well-formed for any messages, with correct counts."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from tests.report.sample import KERNEL, PAIR, PLAIN, REPORT, lines
from tilecheck.diagnostics import Failure, Report, Severity
from tilecheck.report.formats import View, render


def suites(report: Report, fail_level: Severity = "error") -> ElementTree.Element:
    text = render("junit", View(report, lines, fail_level=fail_level))
    assert text.startswith('<?xml version="1.0" encoding="utf-8"?>\n')
    root = ElementTree.fromstring(text.encode())
    assert root.tag == "testsuites"
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert element.get("tests") == str(len(cases)) != "0"
        assert element.get("failures") == str(len(list(element.iter("failure"))))
        assert element.get("errors") == str(len(list(element.iter("error"))))
        assert all(case.get("name") and case.get("classname") and len(case) <= 1 for case in cases)
    return root


def test_a_finding_is_a_case_that_fails_and_a_milder_one_passes() -> None:
    root = suites(REPORT)
    assert [suite.get("name") for suite in root] == ["broken.py", "kernels/copy.py"]
    plain, pair = root[1]
    assert pair.get("name") == "copy: TC101 at 9:5" and pair.get("line") == "9"
    assert pair[0].tag == "failure" and pair[0].get("message") == PAIR.message
    assert "help: let every block write its own tile" in (pair[0].text or "")
    assert plain[0].tag == "system-out"
    assert [case[0].tag for case in suites(REPORT, "warning")[1]] == ["failure", "failure"]
    assert root[0][0][0].tag == "error" and root[0][0][0].get("message") == "invalid syntax"


def test_a_kernel_without_findings_is_a_case_that_passes() -> None:
    (case,) = suites(Report((), (replace(KERNEL, verdict="proved"),), ()))[0]
    assert case.get("name") == "copy: proved" and len(case) == 0


def test_a_run_without_findings_has_a_case() -> None:
    (case,) = suites(Report((), (), ()))[0]
    assert len(case) == 0


EVIL = ["\x00", "\x1b[31m", "\x0b\x0c", "\ud800", "\ufffe", "</failure>", "]]>", "&lt;", '"<&']


@pytest.mark.parametrize("evil", EVIL)
def test_invalid_xml_characters_are_escaped(evil: str) -> None:
    bad = replace(PLAIN, message=f"a{evil}b", kernel=f"k{evil}", span=replace(PLAIN.span, file=f"f{evil}.py"))
    root = suites(Report((bad,), (), (Failure(f"g{evil}.py", evil),)), "warning")
    (message,) = {element.get("message") for element in root.iter("failure")}
    assert message is not None and message.startswith("a") and message.endswith("b")
    if evil.isprintable():
        assert message == f"a{evil}b"
