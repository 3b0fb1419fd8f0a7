"""Workflow commands: one a line, for any messages and paths."""

from __future__ import annotations

import re

import pytest
from msgspec.structs import replace

from tests.report.sample import PAIR, REPORT, lines, span
from tilecheck.diagnostics import Failure, Report
from tilecheck.report.formats import View, render

COMMAND = re.compile(r"::(error|warning|notice) ((?:\w+=[^,:\r\n]*,?)+)::([^\r\n]*)")


def commands(report: Report) -> list[tuple[str, dict[str, str], str]]:
    """The commands as GitHub reads them, without escapes."""
    out = []
    for line in render("github", View(report, lines)).splitlines():
        found = COMMAND.fullmatch(line)
        assert found, line
        properties = dict(part.split("=", 1) for part in found[2].split(","))
        plain = {name: unescape(value) for name, value in properties.items()}
        out.append((found[1], plain, unescape(found[3])))
    return out


def unescape(text: str) -> str:
    for code, character in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, character)
    return text


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_WORKSPACE", raising=False)


def test_each_finding_and_each_failure_is_a_command() -> None:
    plain, pair, failure = commands(REPORT)
    assert (plain[0], pair[0], failure[0]) == ("warning", "error", "error")
    assert pair[1] == {
        "file": "kernels/copy.py", "line": "9", "endLine": "9", "col": "5", "endColumn": "34",
        "title": "TC101 overlapping-write in copy",
    }  # fmt: skip
    assert pair[2].splitlines() == [
        "two blocks write the same element of dst",
        "the other write (line 8)",
        "equal values are no excuse",
        "help: let every block write its own tile",
    ]
    assert failure[1:] == ({"file": "broken.py", "line": "3", "title": "not checked"}, "invalid syntax")


def test_columns_are_left_out_where_they_are_refused() -> None:
    (found,) = commands(Report((replace(PAIR, span=span(7, 4, 9, end_line=9)),), (), ()))
    assert found[1]["line"] == "7" and found[1]["endLine"] == "9" and "col" not in found[1]


@pytest.mark.parametrize("evil", ["a\n::error::b", "100%", "%0A", "a\r\nb", "a, b: c::d", "x,line=1::"])
def test_messages_and_paths_are_escaped(evil: str) -> None:
    bad = replace(PAIR, message=evil, kernel=evil, span=span(1, 0, 1, file=f"{evil}.py"), notes=(), help=None)
    (finding, failure) = commands(Report((bad,), (), (Failure(f"{evil}.py", evil),)))
    assert finding[2] == failure[2] == evil
    assert finding[1]["file"] == failure[1]["file"] == f"{evil}.py"
    assert finding[1]["title"].endswith(f" in {evil}")


def test_paths_are_relative_to_the_workspace(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    inner = tmp_path / "repository" / "inner"
    inner.mkdir(parents=True)
    monkeypatch.chdir(inner)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "repository"))
    assert commands(REPORT)[0][1]["file"] == "inner/kernels/copy.py"


def test_a_clean_report_is_empty() -> None:
    assert render("github", View(Report((), (), ()), lines)) == ""
