"""The page on pictures: its commands print what it shows, and its picture is what they draw."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.docs.console import check_files, run_commands, write_files
from tests.docs.markdown import ROOT
from tilecheck.visualize.build import BLOCKS, CELLS
from tilecheck.visualize.place import PANELS

PAGE = ROOT / "docs" / "show.md"
IMAGES = ROOT / "docs" / "images"


def test_its_files_have_the_findings_they_show() -> None:
    check_files(PAGE)


def test_its_commands_print_the_shown_output(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:
    write_files(PAGE, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run_commands(PAGE, capsys) == 4
    drawn = (tmp_path / "permute_heads_racy.svg").read_text(encoding="utf-8")
    committed = IMAGES / "permute_heads_racy.svg"
    if os.environ.get("UPDATE_README"):
        committed.write_text(drawn, encoding="utf-8")
    assert committed.read_text(encoding="utf-8") == drawn


def test_its_images_exist_and_are_small() -> None:
    named = re.findall(r"\]\((images/[^)]+)\)", PAGE.read_text(encoding="utf-8"))
    assert named
    for name in named:
        assert (PAGE.parent / name).stat().st_size < 100_000


def test_its_limits_equal_those_of_the_command() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert f"at most {BLOCKS} blocks and {CELLS} elements" in text
    assert f"at most {PANELS} slices" in text
