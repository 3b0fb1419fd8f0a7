"""A walk visits trees in the order of the standard library."""

from __future__ import annotations

import ast
from pathlib import Path

from tilecheck.syntax.walk import children, walk

ROOT = Path(__file__).parents[2]


def test_the_order_is_that_of_the_standard_library() -> None:
    for file in (ROOT / "tilecheck" / "syntax").glob("*.py"):
        tree = ast.parse(file.read_bytes())
        nodes = walk(tree)
        assert nodes == list(ast.walk(tree))
        assert all(children(node) == list(ast.iter_child_nodes(node)) for node in nodes)


def test_fields_may_be_missing() -> None:
    made = ast.Call(func=ast.Name("f"))
    assert children(made) == list(ast.iter_child_nodes(made))
