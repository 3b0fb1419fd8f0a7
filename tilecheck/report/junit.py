"""JUnit XML: a suite for each file, a case for each kernel without findings, and one for each finding."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tilecheck.diagnostics import Diagnostic, Failure, KernelReport, at_least
from tilecheck.report.formats import View
from tilecheck.report.prose import sentences

__all__ = ["render"]

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot represent, not even escaped."""


def render(view: View) -> str:
    """Findings that make the run fail are failures; other findings are the output of a case that passes.

    A file that could not be checked is an error. A run without any case has one case that passes.
    """
    report = view.report
    by_file: defaultdict[str, list[Element]] = defaultdict(list)
    found = {(d.span.file, d.kernel) for d in report.diagnostics}
    for kernel in report.kernels:
        if (kernel.file, kernel.name) not in found:
            by_file[kernel.file].append(_passing_case(kernel))
    for diagnostic in report.diagnostics:
        by_file[diagnostic.span.file].append(_finding(diagnostic, at_least(diagnostic.severity, view.fail_level)))
    for failure in report.failures:
        by_file[failure.file].append(_failure(failure))
    if not by_file:
        by_file["tilecheck"].append(_case("tilecheck", "nothing to report", 1))
    root = Element("testsuites", {"name": "tilecheck", **_counts([c for cases in by_file.values() for c in cases])})
    for file, cases in sorted(by_file.items()):
        suite = SubElement(root, "testsuite", {"name": _xml(file), **_counts(cases)})
        suite.extend(cases)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, encoding="unicode")}\n'


def _counts(cases: list[Element]) -> dict[str, str]:
    kinds = Counter(child.tag for case in cases for child in case)
    return {"tests": str(len(cases)), "failures": str(kinds["failure"]), "errors": str(kinds["error"])}


def _case(file: str, name: str, line: int) -> Element:
    return Element("testcase", {"classname": _xml(file), "name": _xml(name), "file": _xml(file), "line": str(line)})


def _passing_case(kernel: KernelReport) -> Element:
    return _case(kernel.file, f"{kernel.name}: {kernel.verdict}", kernel.line)


def _finding(diagnostic: Diagnostic, fails: bool) -> Element:
    span = diagnostic.span
    where = f"{diagnostic.kernel}: " if diagnostic.kernel else ""
    case = _case(span.file, f"{where}{diagnostic.code} at {span.line}:{span.column + 1}", span.line)
    text = "\n".join((f"{span.file}:{span.line}:{span.column + 1}: {diagnostic.severity}", *sentences(diagnostic)))
    if fails:
        child = SubElement(case, "failure", {"type": diagnostic.code, "message": _xml(diagnostic.message)})
    else:
        child = SubElement(case, "system-out")
    child.text = _xml(text)
    return case


def _failure(failure: Failure) -> Element:
    case = _case(failure.file, "not checked", failure.line or 1)
    SubElement(case, "error", {"type": "not checked", "message": _xml(failure.message)})
    return case


def _xml(text: str) -> str:
    """Text with escapes of Python for characters that XML cannot represent."""
    return _NOT_XML.sub(lambda match: match[0].encode("unicode_escape").decode(), text)
