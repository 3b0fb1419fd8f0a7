"""Which functions can be about ownership: those that move, launch or make streams, and those that use these."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tilecheck.syntax.walk import walk

__all__ = ["find_ownership_functions"]

_MOVES: Final = frozenset({"partition", "partition_prefix", "unpartition", "share", "unshare"})
_WORDS: Final = frozenset({"Stream", "CUDAGraph"})
_DEFINITIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def find_ownership_functions(bodies: Mapping[str, Sequence[ast.stmt]], kernels: Iterable[str]) -> frozenset[str]:
    """The qualified names of functions that may move tensors or launch. `kernels` are the names of callable kernels.

    A function counts if it mentions the last part of the name of a function that counts; the name is not resolved.
    """
    known = set(kernels)
    mentioned = {name: frozenset(_names(body)) for name, body in bodies.items()}
    found = {name for name, body in bodies.items() if not known.isdisjoint(mentioned[name]) or _acts(body)}
    names = {_get_callable_name(name) for name in found}
    grown = bool(names)
    while grown:
        more = {name for name in bodies.keys() - found if not names.isdisjoint(mentioned[name])}
        found |= more
        names |= {_get_callable_name(name) for name in more}
        grown = bool(more)
    return frozenset(found)


def _get_callable_name(qualname: str) -> str:
    """The name that calls use: for `__init__`, the name of the class."""
    owner, _, last = qualname.partition("#")[0].rpartition(".")
    return owner.rpartition(".")[2] if last == "__init__" else last


def _list_nodes(body: Iterable[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from walk(statement)


def _names(body: Iterable[ast.stmt]) -> Iterator[str]:
    for node in _list_nodes(body):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.Attribute):
            yield node.attr


def _acts(body: Iterable[ast.stmt]) -> bool:
    return any(_moves(node) or (isinstance(node, ast.Attribute) and node.attr in _WORDS) for node in _list_nodes(body))


def _moves(node: ast.AST) -> bool:
    """`x.partition(128)`; not `text.partition(".")`."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr not in _MOVES:
        return False
    return not any(isinstance(a, ast.Constant) and isinstance(a.value, str) for a in node.args)
