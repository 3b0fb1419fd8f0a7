"""After any edit, the findings of all files equal those of a run over the files."""

from __future__ import annotations

import random
import shutil
from collections.abc import Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.cases.expectations import FOLDER
from tilecheck.api import check_paths
from tilecheck.config import Config
from tilecheck.diagnostics import Report
from tilecheck.pipeline import workspace as workspace_module
from tilecheck.pipeline.policy import finish
from tilecheck.pipeline.workspace import Workspace
from tilecheck.syntax.text import is_valid

HELPERS = """\
import cuda.tile as ct

WIDTH = 4


def column(j):
    return 0


def row(i):
    return i
"""

KERNELS = """\
import cuda.tile as ct
from helpers import column, row
import helpers


@ct.kernel
def put(a, c, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(c, (row(i), column(j)), ct.load(a, (i, j), (T, T)))


@ct.kernel
def alone(a, c, T: ct.Constant[int]):
    ct.store(c, (ct.bid(0),), ct.load(a, (ct.bid(0),), (T,)))


@ct.kernel
def wide(a, c, S: ct.Constant[int]):
    i = ct.bid(0) * S + ct.arange(helpers.WIDTH, dtype=ct.int32)
    ct.scatter(c, i, ct.gather(a, i))
"""

HOST = """\
import cuda.tile as ct
from kernels import wide


def run(stream, a, c):
    ct.launch(stream, (a.shape[0],), wide, (a, c, 2))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "helpers.py").write_text(HELPERS)
    (tmp_path / "kernels.py").write_text(KERNELS)
    (tmp_path / "host.py").write_text(HOST)
    return tmp_path


def _open(folder: Path, overlay: Mapping[str, tuple[str, ...]] | None = None) -> Workspace:
    files = {str(p): p.read_bytes() for p in sorted(folder.rglob("*.py"))}
    return Workspace(files, [str(folder)], overlay or {})


def _all_steps(workspace: Workspace) -> int:
    steps = 0
    while workspace.step(()):
        steps += 1
    return steps


def _report(workspace: Workspace, folder: Path) -> Report:
    return finish(workspace.analysis(), _config(folder))


def _config(folder: Path) -> Config:
    return Config(root=folder, use_cache=False, jobs=1)


def _edit(workspace: Workspace, path: Path, text: str) -> None:
    path.write_text(text)
    workspace.replace({str(path): text.encode()})


def _agrees(workspace: Workspace, folder: Path) -> None:
    _all_steps(workspace)
    # its files are those of an editor: it names none that were read from disk
    assert _report(workspace, folder) == replace(check_paths([folder], _config(folder)), paths=())


def _record_proofs(monkeypatch: pytest.MonkeyPatch, workspace: Workspace) -> list[str]:
    """Returns a list that collects the kernels that a workspace proves from now on."""
    names: list[str] = []
    original = workspace_module.prove_unit

    def record_proof(project, path, site, overlay):
        if project is workspace.project:
            names.append(site.qualname)
        return original(project, path, site, overlay)

    monkeypatch.setattr(workspace_module, "prove_unit", record_proof)
    return names


def test_the_cases_are_judged_as_by_a_run(tmp_path):
    shutil.copytree(FOLDER, tmp_path / "cases")
    workspace = _open(tmp_path)
    _agrees(workspace, tmp_path)
    assert len(workspace.analysis().kernels) > 300


def test_an_edit_of_a_kernel_proves_that_kernel(tree, monkeypatch):
    workspace = _open(tree)
    _agrees(workspace, tree)
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "kernels.py", KERNELS.replace("(ct.bid(0),), (T,)", "(ct.bid(0),), (T, )"))
    _agrees(workspace, tree)
    assert names == ["alone"]


def test_an_edit_of_a_helper_proves_the_kernels_that_use_it(tree, monkeypatch):
    workspace = _open(tree)
    _agrees(workspace, tree)
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "helpers.py", HELPERS.replace("return 0", "return j"))
    _agrees(workspace, tree)
    assert names == ["put"]
    assert "TC101" not in {d.code for d in _report(workspace, tree).diagnostics}


def test_an_edit_of_a_constant_proves_the_kernels_that_use_it(tree, monkeypatch):
    workspace = _open(tree)
    _agrees(workspace, tree)
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "helpers.py", HELPERS.replace("WIDTH = 4", "WIDTH = 2"))
    _agrees(workspace, tree)
    assert names == ["wide"]


def test_an_edit_of_a_launch_proves_nothing(tree, monkeypatch):
    workspace = _open(tree)
    _agrees(workspace, tree)
    assert "TC405" in {d.code for d in _report(workspace, tree).diagnostics}
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "host.py", HOST.replace("(a, c, 2)", "(a, c, 4)"))
    _agrees(workspace, tree)
    assert names == []
    assert not {"TC405", "TC102"} & {d.code for d in _report(workspace, tree).diagnostics}


def test_a_helper_of_host_code_in_another_file(tree, monkeypatch):
    sizes = "def width():\n    return 2\n"
    (tree / "sizes.py").write_text(sizes)
    (tree / "host.py").write_text(
        HOST.replace("(a, c, 2)", "(a, c, width())").replace("import wide", "import wide\nfrom sizes import width"))
    workspace = _open(tree)
    _agrees(workspace, tree)
    assert "TC405" in {d.code for d in _report(workspace, tree).diagnostics}
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "sizes.py", sizes.replace("2", "4"))
    _agrees(workspace, tree)
    assert names == [] and "TC405" not in {d.code for d in _report(workspace, tree).diagnostics}


def test_an_edit_of_a_class(tree, monkeypatch):
    classes = "from enum import IntEnum\n\n\nclass Sizes(IntEnum):\n    WIDTH = 4\n"
    (tree / "classes.py").write_text(classes)
    (tree / "kernels.py").write_text(
        KERNELS.replace("import helpers\n", "from classes import Sizes\n").replace("helpers.WIDTH", "Sizes.WIDTH"))
    workspace = _open(tree)
    _agrees(workspace, tree)
    assert "TC405" in {d.code for d in _report(workspace, tree).diagnostics}
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "classes.py", classes.replace("4", "2"))
    _agrees(workspace, tree)
    assert names == ["wide"] and "TC405" not in {d.code for d in _report(workspace, tree).diagnostics}


def test_an_edit_of_a_star_imported_module_proves_its_kernels(tree, monkeypatch):
    for name, result in (("one", "0"), ("two", "j")):
        (tree / f"{name}.py").write_text(f"def column(j):\n    return {result}\n")
    (tree / "hub.py").write_text("from one import *\n")
    (tree / "kernels.py").write_text(
        KERNELS.replace("from helpers import column, row", "from hub import column\nfrom helpers import row"))
    workspace = _open(tree)
    _agrees(workspace, tree)
    assert "TC101" in {d.code for d in _report(workspace, tree).diagnostics}
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "hub.py", "from two import *\n")
    _agrees(workspace, tree)
    assert names == ["put"] and "TC101" not in {d.code for d in _report(workspace, tree).diagnostics}


def test_a_comment_at_the_end_proves_nothing(tree, monkeypatch):
    workspace = _open(tree)
    _all_steps(workspace)
    names = _record_proofs(monkeypatch, workspace)
    _edit(workspace, tree / "kernels.py", KERNELS + "# done\n")
    _agrees(workspace, tree)
    assert names == []


@pytest.mark.parametrize("change", [
    ("helpers.py", HELPERS.replace("def column", "def other")),
    ("helpers.py", "from elsewhere import *\n" + HELPERS),
    ("helpers.py", HELPERS + "\n\nrow = column\n"),
    ("helpers.py", ""),
    ("kernels.py", KERNELS.replace("from helpers import column, row", "from helpers import row\ncolumn = row")),
    ("kernels.py", "\n\n" + KERNELS),
    ("kernels.py", KERNELS.replace("@ct.kernel\ndef put", "def put")),
    ("kernels.py", KERNELS.replace("def alone", "def put")),
    ("kernels.py", KERNELS + "\n\nmade = ct.kernel(row)\n"),
    ("host.py", HOST.replace("from kernels import wide", "from kernels import alone as wide")),
    ("host.py", HOST.replace("def run", "def _run") + "\n\ndef outer(s, a, c):\n    _run(s, a, c)\n"),
    ("kernels.py", KERNELS.replace("def put(", "def put((")),
], ids=lambda change: change[1].splitlines()[0] if change[1] else "empty")
def test_reverted_edits_restore_the_results(tree, change):
    name, text = change
    (tree / "elsewhere.py").write_text("def column(j):\n    return j\n")
    workspace = _open(tree)
    _all_steps(workspace)
    before = (tree / name).read_text()
    _edit(workspace, tree / name, text)
    _agrees(workspace, tree)
    _edit(workspace, tree / name, before)
    _agrees(workspace, tree)


def test_added_and_deleted_files_are_followed(tree):
    workspace = _open(tree)
    _all_steps(workspace)
    away = tree / "helpers.py"
    text = away.read_text()
    away.unlink()
    workspace.restock({str(p): p.read_bytes() for p in sorted(tree.rglob("*.py"))})
    _agrees(workspace, tree)
    away.write_text(text.replace("return 0", "return j"))
    workspace.restock({str(p): p.read_bytes() for p in sorted(tree.rglob("*.py"))})
    _agrees(workspace, tree)
    (tree / "helpers").mkdir()  # a package in front of the module
    (tree / "helpers" / "__init__.py").write_text(text)
    workspace.restock({str(p): p.read_bytes() for p in sorted(tree.rglob("*.py"))})
    _agrees(workspace, tree)


def test_edits_in_between_steps(tree):
    """Work that an edit overtakes leaves nothing behind."""
    workspace = _open(tree)
    other = [HELPERS.replace("return 0", "return j"), HELPERS.replace("WIDTH = 4", "WIDTH = 8")]
    texts = [HELPERS, *other, HELPERS + "\n"]
    for number in range(40):
        workspace.step(())
        _edit(workspace, tree / "helpers.py", texts[number % len(texts)])
    _agrees(workspace, tree)


FILES = ("raw_bad.py", "raw_good.py", "dialect.py", "host.py", "host_good.py", "host_torch_bad.py", "padding_bad.py",
         "ordinary_bad.py")


def _mutate(text: str, chance: random.Random) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    kind = chance.randrange(6)
    if kind == 0:
        lines.insert(at, "")
    elif kind == 1:
        del lines[at]
    elif kind == 2:
        lines[at] = lines[at].replace("0", "1", 1)
    elif kind == 3:
        other = chance.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    elif kind == 4:
        lines[at] += "  # edited"
    else:
        lines.insert(at, lines[at])
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_random_edits(tmp_path, seed):
    for name in FILES:
        shutil.copy(FOLDER / name, tmp_path / name)
    workspace = _open(tmp_path)
    _all_steps(workspace)
    chance = random.Random(seed)
    for _ in range(5):
        for _ in range(chance.randrange(1, 4)):
            path = tmp_path / chance.choice(FILES)
            text = _mutate(path.read_text(), chance)
            if is_valid(text.encode()) or chance.random() < 0.2:
                _edit(workspace, path, text)
        _agrees(workspace, tmp_path)
