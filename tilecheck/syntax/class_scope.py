"""Names of a class body: code that stands directly in it sees them before those of the module."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.syntax import tree

__all__ = ["sees_class"]


def sees_class(definition: tree.ClassDef, expr: object) -> bool:
    """Whether an expression of the class body mentions a name that the class binds."""
    mentioned = {node.id for node in _nodes(expr) if isinstance(node, tree.Name)}
    return bool(mentioned) and not mentioned.isdisjoint(_bound(definition.body))


def _nodes(node: object) -> Iterator[object]:
    """A node and all below it."""
    yield node
    for part in node if isinstance(node, tuple) else [getattr(node, name) for name in tree.FIELDS[type(node)]]:
        yield from _nodes(part)


def _bound(node: object) -> Iterator[str]:
    """The names that statements bind, those inside functions and classes excluded."""
    if isinstance(node, tree.FuncDef | tree.ClassDef):
        yield node.name
        return
    if isinstance(node, tree.ImportStmt):
        yield from (local for local, _ in node.names)
    yield from getattr(node, "assigns", ())
    for target in (*getattr(node, "targets", ()), getattr(node, "target", None)):
        if target is not None:
            yield from (found.id for found in _nodes(target) if isinstance(found, tree.Name))
    if isinstance(node, tree.With):
        yield from (found.id for found in _nodes(node.items) if isinstance(found, tree.Name))
    for part in node if isinstance(node, tuple) else [getattr(node, name) for name in tree.FIELDS[type(node)]]:
        yield from _bound(part)
