"""The JSON report and baselines are what their schemas say, and the schemas leave out nothing that they have."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.report.sample import PLAIN, REPORT
from tilecheck.api import check_paths
from tilecheck.baseline.baseline import Known, render_baseline
from tilecheck.config import Config
from tilecheck.diagnostics import ClauseState, ObligationKind, Report, Severity
from tilecheck.report.json import VERSION, render_json
from tilecheck.symbolic.footprint import ClauseKind, Verdict

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "tilecheck" / "schemas"
REPORT_SCHEMA = json.loads((SCHEMAS / f"report-{VERSION}.json").read_text(encoding="utf-8"))
BASELINE_SCHEMA = json.loads((SCHEMAS / "baseline-1.json").read_text(encoding="utf-8"))


def _close_schema(schema: Any) -> Any:
    """The schema with no names allowed but those it lists."""
    if isinstance(schema, list):
        return [_close_schema(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    out = {key: _close_schema(value) for key, value in schema.items()}
    if "properties" in schema:
        out["additionalProperties"] = False
    return out


def errors(document: object, schema: Any) -> list[str]:
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(schema)
    return [error.message for error in jsonschema.Draft202012Validator(schema).iter_errors(document)]


def test_a_report_matches_the_schema_exactly() -> None:
    full = Report(REPORT.diagnostics, REPORT.kernels, REPORT.failures, 2, ("a.py",), (PLAIN,), 3)
    for report in (REPORT, full, Report((), (), ())):
        document = json.loads(render_json(report))
        assert errors(document, REPORT_SCHEMA) == []
        assert errors(document, _close_schema(REPORT_SCHEMA)) == []


def test_a_real_report_matches_the_schema() -> None:
    report = check_paths([ROOT / "examples", ROOT / "tests" / "cases"], Config(use_cache=False, jobs=1))
    assert report.diagnostics and report.kernels
    assert errors(json.loads(render_json(report)), _close_schema(REPORT_SCHEMA)) == []


def test_the_schema_rejects_a_wrong_report() -> None:
    document = json.loads(render_json(REPORT))
    for change in (
        lambda d: d.pop("kernels"),
        lambda d: d["diagnostics"][0].update(line=0),
        lambda d: d["diagnostics"][0].pop("code"),
        lambda d: d["kernels"][0].update(verdict="fine"),
        lambda d: d.update(version=2),
    ):
        changed = copy.deepcopy(document)
        change(changed)
        assert errors(changed, REPORT_SCHEMA)


def test_names_of_kinds_and_verdicts_are_those_of_the_checker() -> None:
    definitions = REPORT_SCHEMA["$defs"]
    assert set(definitions["verdict"]["enum"]) == set(get_args(Verdict))
    assert set(definitions["obligation"]["properties"]["kind"]["enum"]) == set(get_args(ObligationKind))
    assert set(definitions["clause"]["properties"]["kind"]["enum"]) == set(get_args(ClauseKind))
    assert set(definitions["clause"]["properties"]["state"]["enum"]) == set(get_args(ClauseState))
    assert set(definitions["diagnostic"]["properties"]["severity"]["enum"]) == set(get_args(Severity))


def test_baselined_findings_are_marked() -> None:
    document = json.loads(render_json(Report(REPORT.diagnostics[1:], (), (), baselined=REPORT.diagnostics[:1])))
    assert [(d["code"], d["baselined"]) for d in document["diagnostics"]] == [("TC102", True), ("TC101", False)]


def test_a_baseline_matches_its_schema() -> None:
    baseline = {Known("a.py", None, "TC101", "0" * 16, True): 2, Known("b.py", "k", "TC102", "1" * 16, False): 1}
    assert errors(json.loads(render_baseline(baseline)), BASELINE_SCHEMA) == []
    assert errors(json.loads(render_baseline({})), BASELINE_SCHEMA) == []
    assert errors({"version": 1, "findings": [{}]}, BASELINE_SCHEMA)
