"""Which names a piece of code may set, and whether it may leave a loop early. Purely syntactic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from tilecheck.kernel.tree import (
    FIELDS,
    Assign,
    Attribute,
    AugAssign,
    Break,
    ClassDef,
    For,
    FuncDef,
    ImportStmt,
    Lambda,
    Name,
    Return,
    Sequence,
    Starred,
    Subscript,
    Unknown,
    UnknownStmt,
    While,
    With,
)


def assigned_names(nodes: Iterable[object]) -> frozenset[str]:
    """Names that statements bind or change, or that expressions used as targets name."""
    return frozenset(n for node in nodes for n in _names(node))


def bound_in(expressions: tuple[object, ...]) -> frozenset[str]:
    """Names that assignment expressions inside of expressions bind."""
    return frozenset(_walk(expressions))


@lru_cache(maxsize=4096)
def _by_identity(key: int, holder: _Holder) -> frozenset[str]:
    return frozenset(_walk(holder.node))


class _Holder:
    """Keeps a node alive beside its identity, so that the identity stays its own."""

    __slots__ = ("node",)

    def __init__(self, node: object) -> None:
        self.node = node

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Holder) and other.node is self.node

    def __hash__(self) -> int:
        return id(self.node)


def _names(node: object) -> frozenset[str]:
    if isinstance(node, (Name, Sequence, Starred, Attribute, Subscript)):
        return frozenset(_targets(node))
    return _by_identity(id(node), _Holder(node))


def _targets(node: object) -> Iterator[str]:
    if isinstance(node, Name):
        yield node.id
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _targets(item)
    elif isinstance(node, (Starred, Attribute, Subscript)):
        yield from _targets(node.value)


def _walk(node: object) -> Iterator[str]:
    if isinstance(node, (FuncDef, ClassDef)):
        yield node.name
        return
    if isinstance(node, Lambda):
        return
    if isinstance(node, Assign):
        for t in node.targets:
            yield from _targets(t)
    elif isinstance(node, (AugAssign, For)):
        yield from _targets(node.target)
    elif isinstance(node, With):
        for _, target in node.items:
            yield from _targets(target)
    elif isinstance(node, (Unknown, UnknownStmt)):
        yield from node.assigns
    elif isinstance(node, ImportStmt):
        yield from (local for local, _ in node.names)
    for child in _children(node):
        yield from _walk(child)


def _children(node: object) -> Iterator[object]:
    if isinstance(node, tuple):
        yield from node
        return
    for name in FIELDS[type(node)]:
        value = getattr(node, name)
        if isinstance(value, tuple) or FIELDS[type(value)]:
            yield value


def jumps_out(body: Iterable[object]) -> bool:
    """Whether a loop with this body may be left by `break` or `return`."""
    return any(_may_jump(id(s), _Holder(s)) for s in body)


@lru_cache(maxsize=4096)
def _may_jump(key: int, holder: _Holder) -> bool:
    return _jumps(holder.node, breaks=True)


def _jumps(node: object, breaks: bool) -> bool:
    if isinstance(node, Return) or (breaks and isinstance(node, Break)):
        return True
    if isinstance(node, (FuncDef, ClassDef, Lambda)):
        return False
    if isinstance(node, (For, While)):
        breaks = False
    return any(_jumps(child, breaks) for child in _children(node))
