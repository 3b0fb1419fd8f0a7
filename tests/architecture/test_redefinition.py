"""No function or class of a module hides an earlier one of the same name. ruff's F811 does not report one that
the hidden function itself mentions."""

from __future__ import annotations

import ast

import pytest

from tests.architecture.imports import ROOT

FOLDERS = ("benchmarks", "examples", "tests", "tilecheck", "tilecheck_runtime")
REPLACING = ("overload", "register", "setter", "deleter", "kernel")
"""Decorators under which a name is defined several times on purpose."""


def _replaces(node: ast.stmt) -> bool:
    decorators = [ast.unparse(each) for each in getattr(node, "decorator_list", [])]
    return any(part in decorator for decorator in decorators for part in REPLACING)


def find_redefinitions(source: str) -> list[str]:
    found = []
    for scope in ast.walk(ast.parse(source)):
        if isinstance(scope, ast.Module | ast.ClassDef):
            names: set[str] = set()
            for node in scope.body:
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and not _replaces(node):
                    if node.name in names:
                        found.append(f"{node.lineno}: {node.name}")
                    names.add(node.name)
    return found


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_name_is_defined_twice(folder: str) -> None:
    files = [path for path in (ROOT / folder).rglob("*.py") if not path.is_relative_to(ROOT / "tests" / "cases")]
    found = {path.relative_to(ROOT).as_posix(): find_redefinitions(path.read_text(encoding="utf-8")) for path in files}
    assert not {path: names for path, names in found.items() if names}


def test_a_function_that_mentions_itself_is_found() -> None:
    assert find_redefinitions("def f() -> None:\n    f\n\n\ndef f() -> None: ...\n") == ["5: f"]
