"""Options of `check` that say which rules count, where, and how much: on the command line and in the configuration."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import RACY, Run
from tests.cli.test_check import codes


def found_codes(run: Run, *options: str) -> list[str]:
    return codes(run(".", "--format", "concise", *options).out)


def configure(text: str) -> None:
    Path("pyproject.toml").write_text(f"[tool.tilecheck]\n{text}\n")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--extend-select", "TC102"], ["TC101", "TC102"]),
        (["--extend-select", "unproven-disjoint"], ["TC101", "TC102"]),
        (["--extend-ignore", "TC101"], []),
        (["--select", "TC4", "--extend-select", "TC102"], ["TC102"]),
    ],
)
def test_extending_adds_to_the_configured_rules(run: Run, options: list[str], expected: list[str]) -> None:
    configure('select = ["TC101"]')
    assert found_codes(run) == ["TC101"]
    assert found_codes(run, *options) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--per-file-ignores", "racy.py:TC101"], ["TC102"]),
        (["--per-file-ignores", "racy.py:TC1,TC4"], ["TC102"]),
        (["--per-file-ignores", "*.py:TC101,unproven.py:TC102"], []),
        (["--per-file-ignores", "racy.py:overlapping-write", "--per-file-ignores", "unproven.py:ALL"], []),
        (["--per-file-ignores", "other.py:ALL"], ["TC101", "TC102"]),
        (["--extend-per-file-ignores", "racy.py:TC101"], []),
        (["--extend-per-file-ignores", "racy.py:TC9"], ["TC101"]),
    ],
)
def test_rules_are_ignored_in_files(run: Run, options: list[str], expected: list[str]) -> None:
    configure('[tool.tilecheck.per-file-ignores]\n"unproven.py" = ["TC102"]')
    assert found_codes(run) == ["TC101"]
    assert found_codes(run, *options) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--per-file-ignores", "racy.py"], "'racy.py' must be PATTERN:RULES"),
        (["--per-file-ignores", ":TC1"], "':TC1' must be PATTERN:RULES"),
        (["--extend-per-file-ignores", "a.py:"], "'a.py:' must be PATTERN:RULES"),
        (["--per-file-ignores", "a.py:TC999"], "unknown rule selector 'TC999'"),
        (["--extend-select", "TC999"], "unknown rule selector 'TC999'"),
        (["--fail-level", "note"], "'note' is not one of 'error', 'warning'"),
        (["--config", "nonsense=1"], "--config: unknown key 'nonsense' in [tool.tilecheck]"),
        (["--config", "jobs=many"], "--config: jobs must be a whole number"),
        (["--config", "strict='a'b"], "--config strict='a'b: "),
        (["--config", 'select=["TC999"]'], "--config: select: unknown rule selector 'TC999'"),
        (["--config", "a.toml", "--config", "b.toml"], "--config takes one file"),
        (["--config", "strict=true", "--config", "none.toml"], "none.toml: No such file"),
    ],
)
def test_wrong_options_are_reported_in_a_line(run: Run, options: list[str], message: str) -> None:
    result = run(".", *options)
    assert result.status == 2 and message in result.err and result.err.count("\n") == 1


def test_the_level_that_fails(run: Run) -> None:
    assert run("unproven.py").status == 0
    for options in (["--fail-level", "warning"], ["--error-on-warning"], ["--config", 'fail-level="warning"']):
        result = run("unproven.py", *options)
        assert result.status == 1 and "warning[TC102]" in result.out
        assert run("clean.py", *options).status == 0
        assert run("unproven.py", *options, "--exit-zero").status == 0
    configure('fail-level = "warning"')
    assert run("unproven.py").status == 1
    assert run("unproven.py", "--fail-level", "error").status == 0
    configure('fail-level = "none"')
    assert "fail-level must be 'error' or 'warning'" in run().err


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ('select=["TC102"]', ["TC102"]),
        ('ignore = ["TC101"]', ["TC102"]),
        ("exclude=['racy.py']", ["TC102"]),
        ('per-file-ignores={"racy.py" = ["ALL"]}', ["TC102"]),
        ('per-file-ignores."racy.py"=["ALL"]', ["TC102"]),
        ("jobs=1", ["TC101", "TC102"]),
        ("strict=true", ["TC101", "TC102", "TC201"]),
    ],
)
def test_any_setting_can_be_given_on_the_command_line(run: Run, override: str, expected: list[str]) -> None:
    assert found_codes(run, "--config", override) == expected
    configure("jobs = 2")
    assert found_codes(run, "--config", override) == expected
    assert found_codes(run, "--isolated", "--config", override) == expected


def test_options_win_over_overrides_and_those_over_files(run: Run) -> None:
    Path("other.toml").write_text('[tool.tilecheck]\nselect = ["TC102"]\n')
    assert found_codes(run, "--config", "other.toml") == ["TC102"]
    assert found_codes(run, "--config", "other.toml", "--config", 'select=["TC101"]') == ["TC101"]
    assert found_codes(run, "--config", 'select=["TC101"]', "--config", "other.toml", "--select", "TC4") == []
    Path("odd=name.toml").write_text('[tool.tilecheck]\nselect = ["TC101"]\n')
    assert found_codes(run, "--config", "odd=name.toml") == ["TC101"]


def test_paths_of_overrides_are_relative_to_the_current_folder(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    configure('exclude = ["clean.py"]')
    Path("inner").mkdir()
    monkeypatch.chdir("inner")
    assert run("..", "--config", "cache-dir=kept").status == 1  # without quotes it is a text
    assert Path("kept").is_dir() and not Path("../kept").exists()
    assert run("..", "--config", 'baseline="known.json"', "--update-baseline").status == 0
    assert len(json.loads(Path("known.json").read_text())["findings"]) == 2


def test_excluded_files_can_be_skipped_although_they_are_named(run: Run) -> None:
    configure('exclude = ["racy.py", "vendored/"]')
    Path("vendored").mkdir()
    Path("vendored/racy.py").write_text(RACY)
    named = ("racy.py", "vendored/racy.py", "clean.py", "--format", "concise")
    assert codes(run(*named).out) == ["TC101", "TC101"]
    assert codes(run(*named, "--force-exclude").out) == []
    assert codes(run(*named, "--force-exclude", "--isolated").out) == ["TC101", "TC101"]
    assert codes(run(*named, "--force-exclude", "--isolated", "--extend-exclude", "vendored/").out) == ["TC101"]
    configure('exclude = ["racy.py"]\nforce-exclude = true')
    assert run("racy.py").out.startswith("No findings in 0 files")
