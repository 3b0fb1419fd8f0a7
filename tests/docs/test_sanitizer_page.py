"""The page on the sanitizer: its script prints what it shows, and its list of operations is complete."""

from __future__ import annotations

import inspect
import os
import runpy
import textwrap
from pathlib import Path
from typing import Any

import pytest

from tests.docs.markdown import ROOT, blocks
from tilecheck_runtime.cpu.execution.namespace import DEVICE, OPERATIONS, UNSUPPORTED
from tilecheck_runtime.hooks.install import cpu_launches
from tilecheck_runtime.standin.cutile import make_modules

PAGE = ROOT / "docs" / "sanitizer.md"
HOST = {"kernel", "function", "launch", "tune", "ByTarget", "compiler_timeout"}


def _block(mark: str) -> str:
    (found,) = [block.text for block in blocks(PAGE) if block.before == f"<!-- {mark} -->"]
    return found.strip("\n")


def _update(mark: str, text: str) -> None:
    """With UPDATE_README set, writes what is real into the page first."""
    if os.environ.get("UPDATE_README"):
        before, opening, after = PAGE.read_text(encoding="utf-8").partition(f"<!-- {mark} -->\n```text\n")
        PAGE.write_text(f"{before}{opening}{text}\n```{after.partition('```')[2]}", encoding="utf-8")


def test_the_script_prints_the_shown_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
                                         capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("sanitizer.py").write_text(_block("script") + "\n", encoding="utf-8")
    with cpu_launches():
        runpy.run_path("sanitizer.py")
    output = capsys.readouterr().out.rstrip("\n")
    _update("output", output)
    assert output == _block("output")


def test_the_list_of_operations_is_complete() -> None:
    names = textwrap.fill(" ".join(sorted(OPERATIONS)), 110)
    _update("operations", names)
    assert names == _block("operations")


def test_every_operation_of_cutile_is_listed() -> None:
    ct = pytest.importorskip("cuda.tile")
    known = set(vars(DEVICE)) | set(vars(make_modules()["cuda.tile"])) | set(UNSUPPORTED)
    assert set(ct.__all__) <= known
    assert set(OPERATIONS) <= set(ct.__all__) and not set(UNSUPPORTED) & set(OPERATIONS)
    for name in set(ct.__all__) - HOST - set(UNSUPPORTED):
        assert name in vars(DEVICE) or name in vars(make_modules()["cuda.tile"]), name
    for kind in ("Array", "Tile", "TiledView"):
        theirs = {n for n in vars(getattr(ct, kind)) if not n.startswith("_")}
        assert theirs - {"from_foreign"} <= set(dir(getattr(DEVICE, kind))), kind


def _keywords(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    given = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.VAR_KEYWORD)
    return {p.name: p.kind for p in parameters if p.kind in given}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_operations_take_the_arguments_that_they_have_in_cutile(name: str) -> None:
    ct = pytest.importorskip("cuda.tile")
    real = getattr(ct, name)
    if inspect.isfunction(real):
        assert _keywords(OPERATIONS[name]) == _keywords(real)


def test_raw_memory_has_every_operation() -> None:
    RawArrayMemory = pytest.importorskip("cuda.tile._stub").RawArrayMemory
    theirs = {n for n in vars(RawArrayMemory) if not n.startswith("_")}
    assert theirs <= set(dir(DEVICE.RawArrayMemory))


def test_missing_ones_are_named_on_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert all(f"`{name}`" in text for name in UNSUPPORTED)
