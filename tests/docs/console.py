"""Pages that show files and commands: the files are written, the commands are run, and what they print is compared."""

from __future__ import annotations

import os
import shlex
from pathlib import Path

import pytest

from tests.docs.markdown import Block, blocks
from tilecheck.api import check_source
from tilecheck.cli.app import main
from tilecheck.config import Config

_FILE = "<!-- file: "


def files(page: Path) -> dict[str, Block]:
    """The files of a page by name."""
    return {b.before.removeprefix(_FILE).removesuffix(" -->"): b for b in blocks(page)
            if b.language == "python" and b.before.startswith(_FILE)}


def write_files(page: Path, folder: Path) -> None:
    for name, block in files(page).items():
        (folder / name).write_text(block.text, encoding="utf-8")


def check_files(page: Path) -> None:
    """The files of a page have the findings that their comments say, and no others."""
    for name, block in files(page).items():
        report = check_source(block.text, name, Config(use_cache=False))
        assert report.failures == ()
        found = {(d.span.line, d.code) for d in report.diagnostics if d.severity != "note"}
        assert found == block.expected, name


def run_commands(page: Path, capsys: pytest.CaptureFixture[str]) -> int:
    """Run every command of a page in the working folder and compare what it prints; returns how many there were.

    With UPDATE_README set, the output is written into the page first.
    """
    count = 0
    for block in [b for b in blocks(page) if b.language == "console"]:
        command, _, shown = block.text.partition("\n")
        words = shlex.split(command.removeprefix("$ "))
        assert words[0] == "tilecheck", command
        status = main(words[1:])
        captured = capsys.readouterr()
        printed = captured.out + captured.err
        assert status == (2 if printed.startswith("error: ") else 0), printed
        if os.environ.get("UPDATE_README") and printed != shown:
            text = page.read_text(encoding="utf-8")
            page.write_text(text.replace(f"```console\n{block.text}```", f"```console\n{command}\n{printed}```"),
                            encoding="utf-8")
        else:
            assert printed == shown
        count += 1
    return count
