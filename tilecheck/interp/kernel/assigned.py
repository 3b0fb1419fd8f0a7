"""Which names a piece of code may set, and whether it may leave a loop early. Purely syntactic."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Final

from tilecheck.syntax.tree import (
    PARTS,
    Annotated,
    Assign,
    Attribute,
    AugAssign,
    Break,
    ClassDef,
    For,
    FuncDef,
    If,
    ImportStmt,
    Lambda,
    Name,
    Return,
    Sequence,
    Starred,
    Subscript,
    Try,
    Unknown,
    UnknownStmt,
    While,
    With,
)


def assigned_names(nodes: Iterable[object]) -> frozenset[str]:
    """Names that statements bind or change, or that expressions used as targets name."""
    return frozenset(n for node in nodes for n in _names(node))


def local_names(function: FuncDef | Lambda) -> frozenset[str]:
    """The parameters of a function and the names that its body binds, except those of other scopes."""
    return _find_local_names(_Holder(function))


@lru_cache(maxsize=4096)
def _find_local_names(holder: _Holder) -> frozenset[str]:
    function = holder.node
    assert isinstance(function, (FuncDef, Lambda))
    bound: set[str] = set()
    elsewhere: set[str] = set()
    for part in function.body if isinstance(function, FuncDef) else (function.body,):
        _bind(part, bound, elsewhere)
    return frozenset((bound | {p.name for p in function.params}) - elsewhere)


def _bind(node: object, bound: set[str], elsewhere: set[str]) -> None:
    """Adds the names that a piece of code binds, and those that it declares to be of another scope. An assignment to
    an item or an attribute binds none."""
    match node:
        case tuple():
            for child in node:
                _bind(child, bound, elsewhere)
            return
        case FuncDef() | ClassDef():
            bound.add(node.name)
            return
        case Lambda():
            return
        case UnknownStmt() if node.what in ("global", "nonlocal"):
            elsewhere.update(node.assigns)
            return
        case Unknown() | UnknownStmt():
            bound.update(node.assigns)
        case ImportStmt():
            bound.update(local for local, _ in node.names)
        case Assign():
            for target in node.targets:
                bound.update(_bound_by(target))
        case AugAssign() | For() | Annotated():
            bound.update(_bound_by(node.target))
        case With():
            bound.update(name for _, target in node.items for name in _bound_by(target))
    for name in PARTS[type(node)]:
        _bind(getattr(node, name), bound, elsewhere)


def _bound_by(target: object) -> Iterator[str]:
    if isinstance(target, Name):
        yield target.id
    elif isinstance(target, Sequence):
        for item in target.items:
            yield from _bound_by(item)
    elif isinstance(target, Starred):
        yield from _bound_by(target.value)


def bound_in(expressions: tuple[object, ...]) -> frozenset[str]:
    """Names that assignment expressions inside of expressions bind."""
    out: set[str] = set()
    _walk(expressions, out)
    return frozenset(out)


@lru_cache(maxsize=4096)
def _by_identity(key: int, holder: _Holder) -> frozenset[str]:
    out: set[str] = set()
    _walk(holder.node, out)
    return frozenset(out)


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


def _walk(node: object, out: set[str]) -> None:
    """Add the names that a piece of code binds."""
    if isinstance(node, tuple):
        for child in node:
            _walk(child, out)
        return
    kind = type(node)
    if kind in _SPECIAL:
        if isinstance(node, (FuncDef, ClassDef)):
            out.add(node.name)
            return
        if isinstance(node, Lambda):
            return
        if isinstance(node, Assign):
            for t in node.targets:
                out.update(_targets(t))
        elif isinstance(node, (AugAssign, For)):
            out.update(_targets(node.target))
        elif isinstance(node, With):
            for _, target in node.items:
                out.update(_targets(target))
        elif isinstance(node, (Unknown, UnknownStmt)):
            out.update(node.assigns)
        elif isinstance(node, ImportStmt):
            out.update(local for local, _ in node.names)
    for name in PARTS[kind]:
        _walk(getattr(node, name), out)


_SPECIAL: Final = frozenset({
    Assign, AugAssign, ClassDef, For, FuncDef, ImportStmt, Lambda, Unknown, UnknownStmt, With})
"""The nodes that bind something by themselves, or in which nothing is bound for the code around them."""


def jumps_out(body: Iterable[object]) -> bool:
    """Whether a loop with this body may be left by `break` or `return`."""
    return any(_may_jump(id(s), _Holder(s)) for s in body)


@lru_cache(maxsize=4096)
def _may_jump(key: int, holder: _Holder) -> bool:
    return _jumps(holder.node, breaks=True)


def _jumps(node: object, breaks: bool) -> bool:
    if isinstance(node, Return) or (breaks and isinstance(node, Break)):
        return True
    if isinstance(node, (If, For, While, With, UnknownStmt)):
        blocks: tuple[tuple[object, ...], ...] = (node.body,)
        if isinstance(node, (If, For, While)):
            blocks = (node.body, node.orelse)
        breaks = breaks and not isinstance(node, (For, While))
    elif isinstance(node, Try):
        blocks = (node.body, *node.handlers, node.orelse, node.finalbody)
    else:
        return False
    return any(_jumps(child, breaks) for block in blocks for child in block)
