"""Structs take their fields from msgspec: `dataclasses.field` in one of them would be a silent default value."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.imports import ROOT

FILES = sorted(path for path in (ROOT / "tilecheck").rglob("*.py") if "msgspec" in path.read_text(encoding="utf-8"))


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_fields_of_structs_are_those_of_msgspec(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    other = {alias.asname or alias.name for node in ast.walk(tree)
             if isinstance(node, ast.ImportFrom) and node.module == "dataclasses" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and "Struct" in {n for base in node.bases for n in _names(base)}:
            values = [s.value for s in node.body if isinstance(s, ast.AnnAssign) and s.value is not None]
            assert not [v for v in values if "field" in other & _names(v)], node.name
