"""Which functions can be about ownership: those that move, launch or make streams, and those that use these."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

__all__ = ["concerned"]

_MOVES: Final = frozenset({"partition", "partition_prefix", "unpartition", "share", "unshare"})
_WORDS: Final = frozenset({"Stream", "CUDAGraph"})
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def concerned(bodies: Mapping[str, Sequence[ast.stmt]], kernels: Iterable[str]) -> frozenset[str]:
    """The functions, by qualified name, of which that may be so. `kernels` are the names of kernels that can be called.

    A function counts when it mentions the last name of one that does, whatever that name means there.
    """
    known = set(kernels)
    mentioned = {name: frozenset(_names(body)) for name, body in bodies.items()}
    found = {name for name, body in bodies.items() if not known.isdisjoint(mentioned[name]) or _acts(body)}
    names = {_last(name) for name in found}
    grown = bool(names)
    while grown:
        more = {name for name in bodies.keys() - found if not names.isdisjoint(mentioned[name])}
        found |= more
        names |= {_last(name) for name in more}
        grown = bool(more)
    return frozenset(found)


def _last(qualname: str) -> str:
    """The name that it is used by: that of a class, for what makes an instance."""
    owner, _, last = qualname.partition("#")[0].rpartition(".")
    return owner.rpartition(".")[2] if last == "__init__" else last


def _inside(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _names(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in _inside(body):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _acts(body: Iterable[ast.stmt]) -> bool:
    return any(_moves(node) or (isinstance(node, ast.Attribute) and node.attr in _WORDS) for node in _inside(body))


def _moves(node: ast.AST) -> bool:
    """`x.partition(128)`; not `text.partition(".")`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _MOVES:
        return False
    return not any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args)
