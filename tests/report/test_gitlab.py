"""The Code Quality report: what GitLab asks of it, and fingerprints that lines do not change."""

from __future__ import annotations

import json
from typing import Any

import pytest
from msgspec.structs import replace

from tests.report.sample import PAIR, REPORT, SOURCE, lines, span
from tilecheck.diagnostics import Failure, Report
from tilecheck.report.formats import View, render


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI_PROJECT_DIR", raising=False)


def entries(report: Report, source: str = SOURCE) -> list[dict[str, Any]]:
    found = json.loads(render("gitlab", View(report, lambda path: source.split("\n"))))
    for entry in found:
        assert set(entry) >= {"description", "check_name", "fingerprint", "severity", "location"}
        assert entry["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert set(entry["location"]) == {"path", "lines"} and entry["location"]["lines"]["begin"] >= 1
        assert not entry["location"]["path"].startswith("./")
    return found


def test_findings_and_failures_are_entries() -> None:
    plain, pair, failure = entries(REPORT)
    assert pair["description"] == "TC101: two blocks write the same element of dst"
    assert pair["check_name"] == "TC101"
    assert pair["location"] == {"path": "kernels/copy.py", "lines": {"begin": 9, "end": 9}}
    assert [plain["severity"], pair["severity"], failure["severity"]] == ["minor", "critical", "blocker"]
    assert "help: let every block write its own tile" in pair["content"]["body"]
    assert failure["location"] == {"path": "broken.py", "lines": {"begin": 3, "end": 3}}
    assert json.loads(render("gitlab", View(Report((), (), (Failure("x.py", "m"),)), lines)))[0]["location"]["lines"]


def test_a_fingerprint_stays_when_lines_move_and_layout_changes() -> None:
    before = entries(Report((PAIR,), (), ()))[0]["fingerprint"]
    moved = replace(PAIR, span=span(11, 4, 33), notes=(replace(PAIR.notes[0], span=span(10, 4, 33)),))
    assert entries(Report((moved,), (), ()), "\n\n" + SOURCE)[0]["fingerprint"] == before
    spaced = SOURCE.replace("(i + 1,), tile)", "( i+1, ), tile, )  # a comment")
    assert entries(Report((PAIR,), (), ()), spaced)[0]["fingerprint"] == before
    assert entries(Report((PAIR,), (), ()), SOURCE.replace("i + 1", "i + 2"))[0]["fingerprint"] != before
    assert entries(Report((replace(PAIR, kernel="other"),), (), ()))[0]["fingerprint"] != before
    assert entries(Report((replace(PAIR, code="TC102"),), (), ()))[0]["fingerprint"] != before


def test_fingerprints_are_unique() -> None:
    found = entries(Report((PAIR, replace(PAIR, message="another"), PAIR), (), ()))
    assert len({entry["fingerprint"] for entry in found}) == 3


def test_nothing_found_is_an_empty_list() -> None:
    assert entries(Report((), (), ())) == []
