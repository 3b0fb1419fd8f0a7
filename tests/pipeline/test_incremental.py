"""After any edits, an analysis that uses cached results yields the same report, byte by byte, as one that uses none."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from tests.pipeline.edited_tree import TREE, edit, write
from tests.seeds import source_seed
from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.obligations.variants import execute_nothing
from tilecheck.pipeline import analyze, units, workspace
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.run import Pipeline, analyse_paths
from tilecheck.pipeline.workspace import Workspace
from tilecheck.report.json import render_json


def _config(folder: Path, cached: bool) -> Config:
    return Config(root=folder, use_cache=cached, jobs=1)


def _json(report: Report) -> str:
    return render_json(replace(report, paths=()))


def _analyse_uncached(folder: Path) -> str:
    config = _config(folder, cached=False)
    return _json(finish(analyse_paths([str(folder)], config), config))


def _contents(folder: Path) -> dict[str, bytes | None]:
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*.py"))}


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "user"))
    folder = tmp_path / "tree"
    write(folder, TREE)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("number", range(2))
def test_random_edits_of_a_tree(tree: Path, number: int) -> None:
    chance = random.Random(source_seed() + number)
    config = _config(tree, cached=True)
    warm, watching = Pipeline(), Workspace(_contents(tree), [str(tree)], {})
    edits: list[str] = []
    for _ in range(25):
        edits += [edit(chance, tree) for _ in range(chance.randrange(1, 4))]
        expected = _analyse_uncached(tree)
        cold = finish(analyse_paths([str(tree)], config), config)
        assert _json(cold) == expected, edits
        again = finish(analyse_paths([str(tree)], config, pipeline=warm), _config(tree, cached=True))
        assert _json(again) == expected, edits
        watching.restock(_contents(tree))
        for _ in range(chance.randrange(12)):
            watching.step()  # and sometimes it is overtaken by the next edit
        if chance.random() < 0.6:
            while watching.step():
                pass
            assert _json(finish(watching.analysis(), config)) == expected, edits


def _record_computed(monkeypatch: pytest.MonkeyPatch) -> list[units.Unit]:
    """The units that are computed from here on."""
    computed: list[units.Unit] = []
    real = Workspace.take

    def take(workspace: Workspace, done: units.Done, computed_here: bool = True) -> None:
        computed.append(done.unit)
        real(workspace, done, computed_here)

    monkeypatch.setattr(Workspace, "take", take)
    return computed


def _steps(computed: list[units.Unit]) -> set[tuple[str, str]]:
    return {(unit.step, unit.qualname or Path(unit.file).name) for unit in computed}


@pytest.mark.parametrize(("name", "change", "expected"), [
    ("pkg/kernels.py", lambda text: text + "# a comment\n", {("sites", "kernels.py")}),
    ("pkg/kernels.py", lambda text: text.replace("(T,)", "(T, )"), {
        ("sites", "kernels.py"), ("launches", "kernels.py"), ("launches", "host.py"), ("launches", "main.py"),
        ("proof", "alone"), ("conclusion", "alone")}),
    ("pkg/helpers.py", lambda text: text.replace("return 0", "return j"), {
        ("sites", "helpers.py"), ("launches", "helpers.py"), ("launches", "hub.py"), ("launches", "kernels.py"),
        ("proof", "put"), ("conclusion", "put")}),
    ("unrelated.py", lambda text: "import os\n", {("sites", "unrelated.py"), ("launches", "unrelated.py")}),
])
def test_a_new_process_computes_the_units_that_read_what_changed(
    tree: Path, monkeypatch: pytest.MonkeyPatch, name: str, change: Callable[[str], str], expected: set[tuple[str, str]]
) -> None:
    config = _config(tree, cached=True)
    analyse_paths([str(tree)], config)
    path = tree / name
    path.write_text(change(path.read_text() if path.exists() else ""))
    computed = _record_computed(monkeypatch)
    found = finish(analyse_paths([str(tree)], config), config)
    assert _steps(computed) <= expected
    assert ("sites", path.name) in _steps(computed)
    monkeypatch.undo()
    assert _json(found) == _analyse_uncached(tree)


def test_a_proof_with_an_internal_error_is_not_cached(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import tilecheck.pipeline.analyze

    config = _config(tree, cached=True)
    with monkeypatch.context() as patched:
        patched.setattr(tilecheck.pipeline.analyze, "execute", lambda *_: 1 // 0)
        failed = analyse_paths([str(tree)], config)
    assert not failed.can_be_kept and len(failed.failures) == 3
    computed = _record_computed(monkeypatch)
    assert not analyse_paths([str(tree)], config).failures
    assert {unit.qualname for unit in computed if unit.step == "proof"} == {"put", "wide", "alone"}
    assert {unit.step for unit in computed} == {"proof", "conclusion"}


def test_results_of_contents_that_are_not_on_disk_are_not_cached(tree: Path) -> None:
    config = _config(tree, cached=True)
    path = str(tree / "pkg/helpers.py")
    before = finish(analyse_paths([str(tree)], config), config)
    helpers = b"def column(j):\n    return j\n\n\ndef row(i):\n    return i\n"
    edited = analyse_paths([str(tree)], config, contents={path: helpers})
    assert finish(edited, config) != before
    assert finish(analyse_paths([str(tree)], config), config) == before


_CHOSEN = """\
import cuda.tile as ct
import helpers
from helpers import PICK


@ct.kernel
def k(x, out, which: ct.Constant[int], T: ct.Constant[int]):
    t = ct.load(x, (ct.bid(0),), (T,))
    ct.store(out, (ct.bid(0),), CALL)


def run(x, out):
    ct.launch(0, (ct.cdiv(x.shape[0], 16),), k, (x, out, 1, 16))
"""


@pytest.mark.parametrize("call", [
    "PICK[which](t)", "helpers.PICK[which](t)", "(helpers.first if which == 0 else helpers.second)(t)",
    "helpers.call(which, t)"])
def test_an_edit_of_a_function_that_only_a_launch_chooses(tmp_path: Path, call: str) -> None:
    """A conclusion executes the kernel as a launch compiles it. It is cached with the files that its proof has read."""
    helpers = ("def first(t):\n    return t\n\n\ndef second(t):\n    return t + SUM\n\n\nPICK = (first, second)\n\n\n"
               "def call(which, t):\n    return PICK[which](t)\n")
    (tmp_path / "kernels.py").write_text(_CHOSEN.replace("CALL", call))
    for added in ("1", "len([y for y in (1, 2)])", "2"):
        (tmp_path / "helpers.py").write_text(helpers.replace("SUM", added))
        config = _config(tmp_path, cached=True)
        found = finish(analyse_paths([str(tmp_path)], config), config)
        assert _json(found) == _analyse_uncached(tmp_path)


def test_a_conclusion_uses_nothing_that_the_proof_has_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "kernels.py").write_text(_CHOSEN.replace("CALL", "PICK[which](t)"))
    (tmp_path / "helpers.py").write_text("def first(t):\n    return t\n\n\nPICK = (first, first)\n")
    config = _config(tmp_path, cached=False)
    conclude, conclude_kernel = units.conclude_unit, analyze.conclude_kernel
    used: list[object] = []

    def record(kernel: Any, launches: Any, execute: Any) -> Any:
        used.append(execute)
        return conclude_kernel(kernel, launches, execute)

    monkeypatch.setattr(analyze, "conclude_kernel", record)
    analyse_paths([str(tmp_path)], config)
    assert used and execute_nothing not in used
    monkeypatch.setattr(workspace, "conclude_unit", lambda *given: conclude(*given[:-1], {}))
    analyse_paths([str(tmp_path)], config)
    assert used[-1] is execute_nothing
