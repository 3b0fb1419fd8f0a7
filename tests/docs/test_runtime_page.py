"""The page on tensors and launches: its scripts print what it shows, and its tables are complete."""

from __future__ import annotations

import gc
import os
import re
import runpy
import warnings
from pathlib import Path

import pytest

import tilecheck_runtime as tcr
from tests.docs.markdown import ROOT, blocks
from tilecheck_runtime import LostFlightWarning, NeverRunWarning, OwnershipError, UnprovenWarning
from tilecheck_runtime.errors import ownership as errors

PAGE = ROOT / "docs" / "runtime.md"
SCRIPTS = re.findall(r"<!-- script (\w+) -->", PAGE.read_text(encoding="utf-8"))


def _block(mark: str) -> str:
    (found,) = [block.text for block in blocks(PAGE) if block.before == f"<!-- {mark} -->"]
    return found.strip("\n")


def _update(mark: str, text: str) -> None:
    """With UPDATE_README set, writes what is real into the page first."""
    if os.environ.get("UPDATE_README"):
        before, opening, after = PAGE.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n```text\n")
        PAGE.write_text(f"{before}{opening}{text}\n```{after.partition('```')[2]}", encoding="utf-8")


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_script_prints_the_shown_output(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                       capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("cuda.tile")
    monkeypatch.chdir(tmp_path)
    Path("runtime.py").write_text(_block(f"script {name}") + "\n", encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        runpy.run_path("runtime.py")
        gc.collect()
    output = capsys.readouterr().out.rstrip("\n")
    _update(f"output {name}", output)
    assert output == _block(f"output {name}")


def test_every_error_is_on_the_page_with_its_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    kinds = {vars(errors)[name] for name in errors.__all__ if isinstance(vars(errors)[name], type)}
    for kind in kinds - {OwnershipError, NeverRunWarning, LostFlightWarning, UnprovenWarning}:
        assert getattr(tcr, kind.__name__) is kind
        (row,) = [line for line in text.splitlines() if line.startswith("| `") and f"`{kind.__name__}`" in line]
        assert f"| {kind.code} |" in row or kind.__name__ in ("KernelFaultError", "RefutedError", "UnprovenError")
    assert "`NeverRunWarning` (TC404)" in text and "`LostFlightWarning`" in text and "`UnprovenWarning`" in text
