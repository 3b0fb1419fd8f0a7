"""`contract`, `rule`, `rules`, and commands that other packages bring."""

from __future__ import annotations

import json
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run


def test_contract_prints_clauses_and_verdicts(run: Run) -> None:
    result = run("contract", "clean.py::clean")
    assert result.status == 0
    assert result.out.startswith("clean.py:5: clean: ")
    assert "grid[1] == 1" in result.out
    assert "disjoint" in result.out


def test_contract_of_a_folder_and_as_json(run: Run) -> None:
    names = [k["name"] for k in json.loads(run("contract", ".", "--format", "json").out)["kernels"]]
    assert names == ["clean", "racy", "unproven"]
    (only,) = json.loads(run("contract", "racy.py::racy", "--format", "json").out)["kernels"]
    assert only["verdict"] == "refuted"


def test_an_overlay_declares_contracts_of_foreign_code(run: Run) -> None:
    Path("contracts.toml").write_text('[contracts]\n"unproven.py::unp*" = ["injective(ids)"]\n')
    assert "TC102" in run("unproven.py").out
    assert "TC102" not in run("unproven.py", "--contracts", "contracts.toml").out
    Path("pyproject.toml").write_text('[tool.tilecheck]\ncontracts = ["contracts.toml"]\n')
    assert "TC102" not in run("unproven.py").out
    assert "injective(ids)" in run("contract", "unproven.py").out


def test_a_faulty_overlay_is_a_usage_error(run: Run) -> None:
    Path("contracts.toml").write_text('[contracts]\n"unproven.py::unproven" = ["injective("]\n')
    result = run("unproven.py", "--contracts", "contracts.toml")
    assert result.status == 2
    assert "contracts.toml" in result.err and result.err.count("\n") == 1


def test_rule_prints_pages(run: Run) -> None:
    assert run("rule", "TC101").out.startswith("# TC101: overlapping-write\n")
    assert run("rule", "overlapping-write") == run("rule", "tc101")
    everything = run("rule", "--all").out
    assert "# TC902: opt-out-without-reason" in everything
    assert "TC405  grid-mismatch" in run("rules").out


def test_other_packages_bring_commands(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Entry:
        name = "greet"

        def load(self) -> click.Command:
            return click.Command("greet", callback=lambda: click.echo("hello"))

    monkeypatch.setattr("tilecheck.cli.app._plugins", lambda: [Entry()])
    assert run("greet").out == "hello\n"
    assert "greet" in run("--help").out
    Path("greet").mkdir()
    assert run("greet").out.startswith("No findings")


def test_an_invalid_declaration_is_named_and_is_status_2(run: Run) -> None:
    text = Path("clean.py").read_text().replace("@ct.kernel", '@requires("T <")\n@ct.kernel')
    Path("clean.py").write_text(text.replace("as ct\n", "as ct\nfrom tilecheck import requires\n"))
    result = run("clean.py")
    assert result.status == 2
    assert "clean.py:5: `T <` is not a contract: " in result.err
