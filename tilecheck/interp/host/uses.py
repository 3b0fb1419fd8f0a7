"""Where the functions of a module are mentioned in it: a function that is only ever called by name is followed from its
callers."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.project.module import Module

__all__ = ["uses"]

_APPLIED: Final = "forward"
"""The method of a `torch.autograd.Function` that `apply` calls."""


def uses(module: Module) -> Mapping[str, Sequence[ast.Call | None]]:
    """By qualified name of a function, the calls that may call it; None for a mention that is not a call, or if it
    may be called without being named."""
    skeleton = module.skeleton
    nodes = walk(skeleton.tree)
    called = {id(node.func): node for node in nodes if isinstance(node, ast.Call)}
    names: dict[str, list[ast.Call | None]] = {}
    owned: dict[str, list[ast.Call | None]] = {}
    for node in nodes:
        if isinstance(node, ast.Name):
            names.setdefault(node.id, []).append(called.get(id(node)))
        elif isinstance(node, ast.Attribute):
            found = called.get(id(node))
            names.setdefault(node.attr, []).append(found)
            if isinstance(node.value, ast.Name):
                owned.setdefault(node.value.id, []).append(found if node.attr == "apply" else None)
    out: dict[str, Sequence[ast.Call | None]] = {}
    for qualname, definition in skeleton.definitions.items():
        owner, _, last = qualname.rpartition(".")
        found_here = list(names.get(last, ()))
        # code that registers a function may call it
        found_here += [None] * any("register" in ast.dump(d) for d in definition.node.decorator_list)
        if last == _APPLIED and owner in skeleton.classes:
            # `M.apply(...)` calls it, and so does an instance of a module
            node, _ = skeleton.classes[owner]
            applied = owned.get(owner, [])
            plain = len(applied) == len(names.get(owner, ())) and any(
                _get_last_name(base) == "Function" for base in node.bases
            )
            found_here += applied if plain else [None]
        out[qualname] = found_here
    return out


def _get_last_name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
