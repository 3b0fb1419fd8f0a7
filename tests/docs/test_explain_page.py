"""The page on explanations: its commands print what it shows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.console import check_files, run_commands, write_files
from tests.docs.markdown import ROOT

PAGE = ROOT / "docs" / "explain.md"


def test_its_files_have_the_findings_they_show() -> None:
    check_files(PAGE)


def test_its_commands_print_the_shown_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    write_files(PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_commands(PAGE, capsys) == 2
