"""After any edits, mypy reports what a run without any results reports."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.mypy_plugin.runner import mypy, write_config
from tests.pipeline.edited_tree import TREE, edit, write
from tests.seeds import source_seed
from tilecheck.syntax.text import is_valid


@pytest.mark.slow
def test_random_edits_of_a_tree(tmp_path: Path) -> None:
    chance = random.Random(source_seed())
    tree, copy = tmp_path / "tree", tmp_path / "copy"
    write(tree, TREE)
    write_config(tree)
    mypy(tree)
    edits: list[str] = []
    for _ in range(5):
        edits += [edit(chance, tree) for _ in range(chance.randrange(1, 3))]
        for path in sorted(tree.rglob("*.py")):  # mypy stops at a syntax error
            if not is_valid(path.read_bytes()):
                path.write_text(TREE.get(path.relative_to(tree).as_posix(), ""), encoding="utf-8")
        if (tree / "pkg/helpers/__init__.py").exists():  # mypy refuses two files of one module
            shutil.rmtree(tree / "pkg/helpers")
        package = tree / "pkg/__init__.py"  # mypy refuses relative imports outside of a package
        if not package.exists():
            package.parent.mkdir(exist_ok=True)
            package.write_text(TREE["pkg/__init__.py"], encoding="utf-8")
        found = mypy(tree)
        if "run mypy again" in found.output:
            found = mypy(tree)
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".mypy_cache", ".tilecheck_cache"))
        assert found.findings == mypy(copy).findings, edits
