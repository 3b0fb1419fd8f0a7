"""`docs/architecture.md` is right: its names exist, its picture is current, its table has every folder."""

from __future__ import annotations

import ast
import re

import pytest

from tests.architecture.imports import ROOT
from tests.architecture.picture import PICTURE, draw
from tilecheck.api import check_source
from tilecheck.config import Config

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROWS = re.findall(r"\| `(tilecheck/[\w/]+\.py)` \| `(\w+)` \|", PAGE) + [
    (file, name) for name, file in re.findall(r"\| `(\w+)` \| `(tilecheck/[\w/]+\.py)` \|", PAGE)]


@pytest.mark.parametrize(("file", "name"), ROWS)
def test_names_exist(file: str, name: str) -> None:
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    assert name in {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}


def test_the_walk_is_short() -> None:
    walk = PAGE.partition("<!-- walk -->")[2].partition("Five values")[0]
    assert 15 < len(set(re.findall(r"`(tilecheck/[\w/]+\.py)`", walk))) <= 25


def test_every_folder_is_in_the_table() -> None:
    folders = {path.parent.name for path in (ROOT / "tilecheck").glob("*/__init__.py")}
    assert {name for name in folders if f"`tilecheck/{name}/`" not in PAGE} <= {"text"}


def test_the_example_is_found() -> None:
    (example,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    lines = [n for n, line in enumerate(example.splitlines(), 1) if "# error: TC101" in line]
    report = check_source(example, "page.py", Config(use_cache=False))
    assert [(d.code, d.span.line) for d in report.diagnostics] == [("TC101", line) for line in lines]


def test_the_picture_is_current() -> None:
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run `python -m tests.architecture.picture`"
