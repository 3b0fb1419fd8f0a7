"""After any edits, mypy reports what a run without any results reports."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from tests.mypy_plugin.runner import mypy, run_daemon, write_config
from tests.pipeline.edited_tree import TREE, edit, write
from tests.seeds import source_seed
from tilecheck.syntax.text import is_valid

ROUNDS = 6


def _edit(chance: random.Random, tree: Path) -> list[str]:
    """Make one or two edits, after which mypy can still read the tree."""
    edits = [edit(chance, tree) for _ in range(chance.randrange(1, 3))]
    for path in sorted(tree.rglob("*.py")):  # mypy stops at a syntax error
        if not is_valid(path.read_bytes()):
            path.write_text(TREE.get(path.relative_to(tree).as_posix(), ""), encoding="utf-8")
    if (tree / "pkg/helpers/__init__.py").exists():  # mypy refuses two files of one module
        shutil.rmtree(tree / "pkg/helpers")
    package = tree / "pkg/__init__.py"  # mypy refuses relative imports outside of a package
    if not package.exists():
        package.parent.mkdir(exist_ok=True)
        package.write_text(TREE["pkg/__init__.py"], encoding="utf-8")
    return edits


def _find_anew(tree: Path, copy: Path) -> set[tuple[str, int, str]]:
    """The findings of a run without any results."""
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(tree, copy, ignore=shutil.ignore_patterns(".mypy_cache", ".tilecheck_cache"))
    return mypy(copy).findings


@pytest.mark.slow
def test_random_edits_of_a_tree(tmp_path: Path) -> None:
    chance = random.Random(source_seed())
    tree = tmp_path / "tree"
    write(tree, TREE)
    write_config(tree)
    mypy(tree)
    edits: list[str] = []
    for _ in range(5):
        edits += _edit(chance, tree)
        found = mypy(tree)
        if "run mypy again" in found.output:
            found = mypy(tree)
        assert found.findings == _find_anew(tree, tmp_path / "copy"), edits


@pytest.mark.slow
def test_the_daemon_after_random_edits(tmp_path: Path) -> None:
    chance = random.Random(source_seed())
    tree = tmp_path / "tree"
    write(tree, TREE)
    write_config(tree)
    edits: list[str] = []
    with run_daemon(tree) as check:
        check()
        for _ in range(ROUNDS):
            edits += _edit(chance, tree)
            assert check().findings == _find_anew(tree, tmp_path / "copy"), edits
