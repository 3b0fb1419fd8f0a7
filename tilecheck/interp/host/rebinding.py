"""Attributes of modules that code assigns: `consts.N = 3`, `setattr(consts, "N", 3)`."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary

from msgspec import Struct

from tilecheck.project.module import Module
from tilecheck.project.resolve import dotted_parts
from tilecheck.project.targets import ModuleTarget
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.project.project import Project

__all__ = ["is_assigned"]


class _Stores(Struct, frozen=True):
    """The chains of names whose attribute code assigns, by attribute; `` if any attribute may be meant."""

    chains: dict[str, frozenset[tuple[str, ...]]]
    executes: bool


_KNOWN: Final[WeakKeyDictionary[Module, _Stores]] = WeakKeyDictionary()
_SETTING: Final = frozenset({"delattr", "setattr"})


def is_assigned(project: Project, modules: Iterable[Module], owner: Module, name: str, plain: bool) -> bool:
    """Whether code of some modules may give a name of a module another value from outside, or by `exec` if it names a
    plain value."""
    return (plain and _stores(owner).executes) or any(
        _names_module(project, module, chain, owner) for module in modules
        for chain in (*_stores(module).chains.get(name, ()), *_stores(module).chains.get("", ())))


def _names_module(project: Project, module: Module, chain: tuple[str, ...], owner: Module) -> bool:
    scopes = module.skeleton.scopes
    found = (project.resolver.chain(module, chain, (scope, "") if scope else ("",))
             for scope in scopes if chain[0] in scopes[scope])
    return any(isinstance(origin, ModuleTarget) and origin.module.path == owner.path for origin in found)


def _stores(module: Module) -> _Stores:
    known = _KNOWN.get(module)
    if known is None:
        known = _KNOWN[module] = _find_stores(module)
    return known


def _find_stores(module: Module) -> _Stores:
    found: dict[str, set[tuple[str, ...]]] = {}
    executes = False
    for node in walk(module.skeleton.tree):
        if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load):
            _note(found, node.value, node.attr)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            if node.func.id in _SETTING and len(node.args) > 1:
                named = node.args[1]
                text = named.value if isinstance(named, ast.Constant) and isinstance(named.value, str) else ""
                _note(found, node.args[0], text)
            # without a namespace of its own, the code may bind the names of the module
            executes = executes or (node.func.id == "exec" and len(node.args) == 1 and not node.keywords)
    return _Stores({name: frozenset(chains) for name, chains in found.items()}, executes)


def _note(found: dict[str, set[tuple[str, ...]]], owner: ast.expr, name: str) -> None:
    chain = dotted_parts(owner)
    if chain is not None and chain[0] != "self":
        found.setdefault(name, set()).add(chain)
