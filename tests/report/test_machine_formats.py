"""The reports for programs: their shape is a promise."""

from __future__ import annotations

import json

from msgspec.structs import replace

from tests.report.sample import PLAIN, REPORT
from tilecheck.diagnostics import Report
from tilecheck.report.concise import render_concise
from tilecheck.report.contract import render_contracts, render_contracts_json, select_kernels
from tilecheck.report.json import render_json


def test_concise_is_path_line_column_code_message() -> None:
    assert render_concise(REPORT) == (
        "kernels/copy.py:7:12: TC102 could not be proved\n"
        "kernels/copy.py:9:5: TC101 two blocks write the same element of dst\n"
    )


def test_concise_keeps_a_message_on_one_line() -> None:
    broken = Report((replace(PLAIN, message="two\n  lines"),), (), ())
    assert render_concise(broken) == "kernels/copy.py:7:12: TC102 two lines\n"


def test_concise_of_nothing_is_empty() -> None:
    assert render_concise(Report((), (), ()), statistics=True) == ""


def test_json_has_the_promised_names() -> None:
    report = json.loads(render_json(REPORT))
    assert set(report) >= {"diagnostics", "kernels"}
    plain, pair = report["diagnostics"]
    promised = {"file", "line", "column", "end_line", "end_column", "code", "severity", "message", "kernel", "notes"}
    assert set(pair) >= promised
    assert (pair["file"], pair["line"], pair["column"], pair["end_line"], pair["end_column"]) == (
        "kernels/copy.py", 9, 5, 9, 34,
    )  # fmt: skip
    assert pair["notes"] == ["the other write", "equal values are no excuse"]
    assert plain["notes"] == []
    (kernel,) = report["kernels"]
    assert set(kernel) == {"file", "name", "line", "verdict", "contract", "launches", "obligations"}
    assert kernel["contract"] == [{"clause": "grid[1] == 1", "kind": "structural", "state": "open"}]
    first, second = kernel["obligations"]
    assert set(first) >= {"kind", "line", "array", "verdict", "why"}
    assert (second["kind"], second["line"], second["array"], second["verdict"]) == ("disjoint", 9, "dst", "refuted")


def test_json_carries_the_witness_and_the_places_of_notes() -> None:
    pair = json.loads(render_json(REPORT))["diagnostics"][1]
    assert pair["witness"]["grid"] == [2, 1, 1]
    assert pair["witness"]["second"] == {"block": [1, 0, 0], "iterations": {"k@7": 2}, "lanes": {}}
    assert pair["related"][0]["line"] == 8
    assert json.loads(render_json(REPORT))["failures"] == [
        {"file": "broken.py", "line": 3, "message": "invalid syntax"}
    ]


def test_contracts_are_listed_with_the_verdict_on_each_obligation() -> None:
    assert render_contracts(REPORT.kernels) == (
        "kernels/copy.py:5: copy: refuted\n"
        "  requires grid[1] == 1  structural, open\n"
        "  line 8  disjoint  dst  proved\n"
        "  line 9  disjoint  dst  refuted\n"
    )
    assert json.loads(render_contracts_json(REPORT.kernels))["kernels"][0]["name"] == "copy"


def test_kernels_are_selected_by_path_and_name() -> None:
    for path, name, found in [
        ("kernels", "", True),
        (".", "copy", True),
        ("kernels/copy.py", "copy", True),
        ("kernels/cop", "", False),
        ("kernels", "opy", False),
    ]:
        assert bool(select_kernels(REPORT, [(path, name)])) is found
