"""A walk visits trees in the order of the standard library, without operators and contexts."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from pathlib import Path

from tilecheck.syntax.walk import children, walk

ROOT = Path(__file__).parents[2]
LEFT_OUT = (ast.operator, ast.boolop, ast.unaryop, ast.cmpop, ast.expr_context)


def _nodes(found: Iterable[ast.AST]) -> list[ast.AST]:
    return [node for node in found if not isinstance(node, LEFT_OUT)]


def test_the_order_is_that_of_the_standard_library() -> None:
    for file in (ROOT / "tilecheck" / "syntax").glob("*.py"):
        tree = ast.parse(file.read_bytes())
        nodes = walk(tree)
        assert nodes == _nodes(ast.walk(tree))
        assert all(children(node) == _nodes(ast.iter_child_nodes(node)) for node in nodes)


def test_fields_may_be_missing() -> None:
    made = ast.Call(func=ast.Name("f"))
    assert children(made) == _nodes(ast.iter_child_nodes(made))
