"""Traverses the interpreter's syntax trees, in the order of `ast.walk` and in a fraction of its time.

Operators and contexts (`ast.Add`, `ast.Load`) are left out: they have no location and no children, and are read from
the nodes that have them.
"""

from __future__ import annotations

import ast
from typing import Final

__all__ = ["children", "walk"]

_WITHOUT_NODES: Final = frozenset((
    "arg", "asname", "attr", "conversion", "ctx", "id", "is_async", "kind", "kwd_attrs", "level", "lineno", "module",
    "n", "op", "ops", "rest", "s", "simple", "tag", "type_comment",
))
"""Fields that hold text, numbers, operators or contexts, in every type of node."""


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each type of node that may hold other nodes."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        names = () if kind is ast.Constant else tuple(name for name in kind._fields if name not in _WITHOUT_NODES)
        self[kind] = names
        return names


_FIELDS: Final = _Fields()


def children(node: ast.AST) -> list[ast.AST]:
    """The direct children of a node, in the order of the source, but for operators and contexts."""
    found: list[ast.AST] = []
    for name in _FIELDS[type(node)]:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST):
            found.append(value)
    return found


def walk(root: ast.AST) -> list[ast.AST]:
    """A node and all its descendants but operators and contexts, level by level."""
    found = [root]
    fields = _FIELDS
    for node in found:  # the list grows
        for name in fields[type(node)]:
            value = getattr(node, name, None)
            if isinstance(value, list):
                found += [each for each in value if isinstance(each, ast.AST)]
            elif isinstance(value, ast.AST):
                found.append(value)
    return found
