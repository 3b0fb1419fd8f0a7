"""The type of a symbol or an array determines its meaning: no code parses or composes its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import tilecheck

ROOT = Path(tilecheck.__file__).parent

PARTS = (".shape[", ".strides[", ".ndim", "grid[", "numel(", "len(", "[*]")
"""Substrings that only the texts of symbols and arrays have."""

MAKES_TEXT = {
    "symbolic/symbols.py": "the texts of symbols, and symbols from text",
    "symbolic/arrays.py": "the texts of arrays, and arrays from text",
    "contracts/grammar.py": "errors of the contract language",
    "contracts/language.py": "how functions of the contract language are written",
    "interp/host/operators.py": "the name of an unknown truth value",
}
"""The files that spell symbols, and why."""

TAKES_APART = frozenset({
    "startswith", "endswith", "partition", "rpartition", "split", "rsplit", "removeprefix", "removesuffix", "find",
    "index", "lstrip", "rstrip", "strip",
})

READS_KEYS: dict[str, str] = {}
"""The files that look into the key of an atom, and why."""


def _docstrings(tree: ast.Module) -> set[int]:
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)
            and isinstance(node.value, ast.Constant)}


def _find_spelled_symbols(tree: ast.Module) -> Iterator[int]:
    """Lines with a string, or a part of one, that spells a symbol or an array."""
    docs = _docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs and any(
                part in node.value for part in PARTS):
            yield node.lineno


def _find_probed_keys(tree: ast.Module) -> Iterator[int]:
    """Lines that look for a part of the key of an atom, or of the text of an array."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in TAKES_APART:
            of = node.func.value
        elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(
                node.left, ast.Constant):
            of = node.comparators[0]
        else:
            continue
        if isinstance(of, ast.Attribute) and (of.attr == "key" or (
                of.attr == "text" and isinstance(of.value, ast.Attribute) and of.value.attr == "array")):
            yield node.lineno


def _files() -> list[str]:
    return sorted(path.relative_to(ROOT).as_posix() for path in ROOT.rglob("*.py"))


def _tree(file: str) -> ast.Module:
    return ast.parse((ROOT / file).read_text(encoding="utf-8"))


def test_few_files_compose_the_text_of_symbols() -> None:
    found = {file: lines for file in _files()
             if (lines := sorted(_find_spelled_symbols(_tree(file)))) and file not in MAKES_TEXT}
    assert not found, f"use the classes of tilecheck.symbolic instead of text: {found}"


def test_no_code_parses_keys_of_atoms() -> None:
    found = {file: lines for file in _files()
             if (lines := sorted(_find_probed_keys(_tree(file)))) and file not in READS_KEYS}
    assert not found, f"ask for the type of the atom instead: {found}"


@pytest.mark.parametrize("file", sorted(MAKES_TEXT.keys() - {"symbolic/arrays.py"}))
def test_every_file_that_is_listed_still_spells_symbols(file: str) -> None:
    assert list(_find_spelled_symbols(_tree(file)))


@pytest.mark.parametrize("file", sorted(READS_KEYS))
def test_every_file_that_is_listed_still_reads_keys(file: str) -> None:
    assert list(_find_probed_keys(_tree(file)))


@pytest.mark.parametrize("code", [
    'a.name.startswith("grid[")', '".shape[" in name', 'f"{array}.shape[{axis}]"', 'name.endswith("[*]")',
])
def test_probes_are_noticed(code: str) -> None:
    assert list(_find_spelled_symbols(ast.parse(code)))


@pytest.mark.parametrize("code", ['a.key.startswith("?")', '"#" in a.key', 'access.array.text.partition("[")[0]'])
def test_probes_of_keys_are_noticed(code: str) -> None:
    assert list(_find_probed_keys(ast.parse(code)))


def test_a_docstring_may_speak_of_symbols() -> None:
    assert not list(_find_spelled_symbols(ast.parse('def f() -> None:\n    """`x.shape[0]` of an array."""\n')))
