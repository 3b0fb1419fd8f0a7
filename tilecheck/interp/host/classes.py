"""The fields of objects, the members that a subclass overrides, and the attributes that code computes, from the classes
of the checked tree.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from msgspec import Struct

from tilecheck.project.module import Module
from tilecheck.syntax import tree
from tilecheck.syntax.walk import walk

__all__ = ["Accessors", "Field", "accessors_of", "is_overridden", "list_fields"]


class Field(Struct, frozen=True):
    """A field of an object, and the expression of its default. `computed` if a function creates the default."""

    name: str
    default: tree.Expr | None = None
    computed: bool = False


_UNUSUAL: Final = frozenset({"ClassVar", "InitVar", "KW_ONLY"})
"""Annotations of names that are not fields, or not parameters by place."""
_PASSED: Final = frozenset({"compare", "default", "default_factory", "hash", "metadata", "repr"})
"""Keywords of `dataclasses.field` that leave the parameters of the class as they are."""


def list_fields(definition: tree.ClassDef) -> tuple[Field, ...] | None:
    """The fields that the body of a class declares, in order; None where they are not certain."""
    found: dict[str, Field] = {}
    for stmt in definition.body:
        if isinstance(stmt, tree.Pass | tree.ExprStmt):
            continue
        target = stmt.target if isinstance(stmt, tree.Annotated) else stmt.targets[0] if isinstance(
            stmt, tree.Assign) and stmt.annotation is not None else None
        if not isinstance(stmt, tree.Annotated | tree.Assign) or not isinstance(target, tree.Name):
            return None
        if target.id in found or stmt.annotation is None or _is_unusual(stmt.annotation):
            return None
        made = Field(target.id) if isinstance(stmt, tree.Annotated) else _read_default(target.id, stmt.value)
        if made is None:
            return None
        found[target.id] = made
    return tuple(found.values())


def _read_default(name: str, value: tree.Expr) -> Field | None:
    if not isinstance(value, tree.Call):
        return Field(name, value)
    if tree.get_last_name(value.func) != "field":
        # an object may compute what a read of the field gives
        return None
    given = {k.name: k.value for k in value.keywords}
    if value.args or not given.keys() <= _PASSED:
        return None
    return Field(name, given.get("default"), "default_factory" in given)


def _is_unusual(annotation: tree.Expr) -> bool:
    if isinstance(annotation, tree.Constant):
        return any(word in str(annotation.value) for word in _UNUSUAL)
    if isinstance(annotation, tree.Name | tree.Attribute):
        return tree.get_last_name(annotation) in _UNUSUAL
    return any(isinstance(part, tree.Expr) and _is_unusual(part) for part in _parts(annotation))


def _parts(node: tree.Expr) -> Iterator[object]:
    for name in tree.PARTS[type(node)]:
        part = getattr(node, name)
        yield from part if isinstance(part, tuple) else (part,)


# --- attributes that code computes -----------------------------------------------------------------------------------

class Accessors(Struct, frozen=True):
    """The attributes of objects whose reads or stores run code, by name, as the classes of a module define them.

    stored  names of attributes that a store need not set: properties and descriptors
    active  those of which a read may give another value each time
    every   whether a class defines what a store of any attribute does
    """

    stored: frozenset[str] = frozenset()
    active: frozenset[str] = frozenset()
    every: bool = False


_STORING: Final = frozenset({"__delattr__", "__getattribute__", "__setattr__"})
_FIELDS: Final = frozenset({"field"})
_PURE: Final = frozenset({
    "bool", "cdiv", "dim", "float", "int", "isinstance", "max", "min", "numel", "size", "str", "stride",
})
"""Functions whose result does not depend on the contents of a list or dict."""
_KNOWN: Final[WeakKeyDictionary[Module, Accessors]] = WeakKeyDictionary()


def accessors_of(module: Module) -> Accessors:
    """The attributes that the classes of a module compute."""
    known = _KNOWN.get(module)
    if known is None:
        known = _KNOWN[module] = _find_accessors(module)
    return known


def _find_accessors(module: Module) -> Accessors:
    stored: set[str] = set()
    active: set[str] = set()
    every = False
    for node, _ in module.skeleton.classes.values():
        for stmt in node.body:
            if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
                every = every or stmt.name in _STORING
                if stmt.decorator_list:
                    stored.add(stmt.name)
                    active |= {stmt.name} if _is_active(stmt) else set()
            elif isinstance(stmt, ast.Assign | ast.AnnAssign) and isinstance(stmt.value, ast.Call):
                func = stmt.value.func
                if (func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")) in _FIELDS:
                    continue
                targets = stmt.targets if isinstance(stmt, ast.Assign) else [stmt.target]
                names = {t.id for t in targets if isinstance(t, ast.Name)}
                stored |= names
                active |= names if _is_descriptor(module, func) else set()
    return Accessors(frozenset(stored), frozenset(active), every)


def _is_active(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function may change something, or reads what may change unseen: an item of a list or dict."""
    for node in walk(function):
        if isinstance(node, ast.Subscript) and getattr(node.value, "attr", "") not in ("shape", "strides"):
            return True
        if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.Global | ast.Nonlocal):
            return True
        if isinstance(node, ast.Call) and node not in function.decorator_list:
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if name not in _PURE:
                return True
    return False


def _is_descriptor(module: Module, func: ast.expr) -> bool:
    """Whether a class of the module has objects that compute what a read of them gives."""
    return isinstance(func, ast.Name) and any(
        f"{func.id}.{name}" in module.skeleton.definitions for name in ("__get__", "__set__", "__set_name__"))


# --- subclasses ------------------------------------------------------------------------------------------------------

def is_overridden(modules: Iterable[Module], owner: str, name: str) -> bool:
    """Whether a class of the modules that derives from a class gives one of its members another value."""
    bases: dict[str, set[str]] = {}
    bound: dict[str, bool] = {}
    for module in modules:
        for qualname, (node, _) in module.skeleton.classes.items():
            last = qualname.rpartition(".")[2]
            bases.setdefault(last, set()).update(filter(None, map(_last_name, node.bases)))
            bound[last] = bound.get(last, False) or (qualname != owner and _binds(node, name))
    return any(has and _derives(last, owner.rpartition(".")[2], bases, set()) for last, has in bound.items())


def _derives(name: str, owner: str, bases: Mapping[str, set[str]], seen: set[str]) -> bool:
    if name in seen:
        return False
    seen.add(name)
    return any(base == owner or _derives(base, owner, bases, seen) for base in bases.get(name, ()))


def _binds(node: ast.ClassDef, name: str) -> bool:
    for stmt in node.body:
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            if stmt.name == name:
                return True
        elif any(isinstance(n, ast.Name) and n.id == name and not isinstance(n.ctx, ast.Load) for n in walk(stmt)):
            return True
    return False


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
