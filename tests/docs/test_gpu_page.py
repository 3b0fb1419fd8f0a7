"""The page on GPUs: its scripts print what it shows, and its tables are complete."""

from __future__ import annotations

import os
import re
import runpy
import shlex
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

import tilecheck_runtime as tcr
from tests.docs.markdown import ROOT, blocks
from tests.runtime.compile import needs
from tilecheck.cli import app as cli
from tilecheck_runtime.compile import assemble, debug, toolchain
from tilecheck_runtime.errors import compilation as errors
from tilecheck_runtime.kernel_cache import folder, store

PAGE = ROOT / "docs" / "gpu.md"


def _block(mark: str) -> str:
    (found,) = [block.text for block in blocks(PAGE) if block.before == f"<!-- {mark} -->"]
    return found.strip("\n")


def _update(mark: str, text: str) -> None:
    """With UPDATE_README set, writes what is real into the page first."""
    if os.environ.get("UPDATE_README"):
        before, opening, after = PAGE.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n```text\n")
        PAGE.write_text(f"{before}{opening}{text}\n```{after.partition('```')[2]}", encoding="utf-8")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv(folder.VARIABLE, str(tmp_path / "cache"))
    Path("runtime.py").write_text(_block("script build") + "\n", encoding="utf-8")


@needs.machine_code
def test_the_script_prints_the_shown_output(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    runpy.run_path(str(tmp_path / "runtime.py"))
    output = capsys.readouterr().out.rstrip("\n").replace(str(tmp_path) + os.sep, "")
    _update("output build", output)
    assert output == _block("output build")


@needs.machine_code
def test_the_command_behaves_as_described(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [EntryPoint("build", "tilecheck_runtime.commands.build:command", cli.PLUGIN_GROUP)]
    monkeypatch.setattr(cli, "_plugins", lambda: known)
    assert cli.main(shlex.split(_block("command build"))[1:]) == 0
    assert len(list(Path("cubins").glob("*.cubin"))) == 4 and Path("cubins/manifest.json").exists()


def test_every_error_and_every_variable_is_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    listed = set(re.findall(r"`(\w+Error)`", text))
    assert set(errors.__all__) <= listed
    for name in errors.__all__:
        assert getattr(tcr, name) is vars(errors)[name]
    for variable in (folder.VARIABLE, store.LIMIT, assemble.TIMEOUT, toolchain.OVERRIDE, debug.LOG, debug.DUMP):
        assert f"| `{variable}" in text
