"""The fields of objects, the members that a subclass overrides, and the attributes that code computes, from the classes
of the checked tree.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final
from weakref import WeakKeyDictionary

from msgspec import Struct

from tilecheck.project.module import Module
from tilecheck.syntax import tree
from tilecheck.syntax.walk import walk

__all__ = ["Accessors", "Field", "accessors_of", "count_bindings", "is_overridden", "join_accessors", "list_fields"]


class Field(Struct, frozen=True):
    """A field of an object, and the expression of its default. `computed` if a function creates the default."""

    name: str
    default: tree.Expr | None = None
    computed: bool = False


_UNUSUAL: Final = frozenset({"ClassVar", "InitVar", "KW_ONLY"})
"""Annotations of names that are not fields, or not parameters by place."""
_PASSED: Final = frozenset({"compare", "default", "default_factory", "hash", "metadata", "repr"})
"""Keywords of `dataclasses.field` that leave the parameters of the class as they are."""


def list_fields(definition: tree.ClassDef, resolve: Callable[[tree.Expr], str]) -> tuple[Field, ...] | None:
    """The fields that the body of a class declares, in order; None where they are not certain.

    resolve  returns the dotted name of an object from outside the checked tree
    """
    found: dict[str, Field] = {}
    for stmt in definition.body:
        if isinstance(stmt, tree.Pass | tree.ExprStmt):
            continue
        target = stmt.target if isinstance(stmt, tree.Annotated) else stmt.targets[0] if isinstance(
            stmt, tree.Assign) and stmt.annotation is not None else None
        if not isinstance(stmt, tree.Annotated | tree.Assign) or not isinstance(target, tree.Name):
            return None
        if target.id in found or stmt.annotation is None or _is_unusual(stmt.annotation, resolve):
            return None
        made = Field(target.id) if isinstance(stmt, tree.Annotated) else _read_default(target.id, stmt.value, resolve)
        if made is None:
            return None
        found[target.id] = made
    return tuple(found.values())


def _read_default(name: str, value: tree.Expr, resolve: Callable[[tree.Expr], str]) -> Field | None:
    if not isinstance(value, tree.Call):
        return Field(name, value)
    if resolve(value.func) != "dataclasses.field":
        # an object may compute what a read of the field gives
        return None
    given = {k.name: k.value for k in value.keywords}
    if value.args or not given.keys() <= _PASSED:
        return None
    return Field(name, given.get("default"), "default_factory" in given)


def _is_unusual(annotation: tree.Expr, resolve: Callable[[tree.Expr], str]) -> bool:
    if isinstance(annotation, tree.Constant):
        # in a text, names may be those of an import
        return isinstance(annotation.value, str) and ("[" in annotation.value or annotation.value in _UNUSUAL)
    if isinstance(annotation, tree.Name | tree.Attribute):
        return bool({tree.get_last_name(annotation), resolve(annotation).rpartition(".")[2]} & _UNUSUAL)
    return any(isinstance(part, tree.Expr) and _is_unusual(part, resolve) for part in _parts(annotation))


def _parts(node: tree.Expr) -> Iterator[object]:
    for name in tree.PARTS[type(node)]:
        part = getattr(node, name)
        yield from part if isinstance(part, tuple) else (part,)


# --- attributes that code computes -----------------------------------------------------------------------------------

class Accessors(Struct, frozen=True):
    """The attributes of objects whose reads or stores run code, by name, as the classes of a module define them.

    stored  names of attributes that a store need not set: properties and descriptors
    active  those of which a read may give another value each time
    methods names of functions
    every   whether a class defines what a store of any attribute does
    """

    stored: frozenset[str] = frozenset()
    active: frozenset[str] = frozenset()
    methods: frozenset[str] = frozenset()
    every: bool = False


def join_accessors(parts: Iterable[Accessors]) -> Accessors:
    """The attributes that the classes of several modules compute."""
    found = Accessors()
    for part in parts:
        found = Accessors(
            found.stored | part.stored, found.active | part.active, found.methods | part.methods,
            found.every or part.every)
    return found


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
    methods: set[str] = set()
    every = False
    for node, _ in module.skeleton.classes.values():
        for stmt in node.body:
            if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef):
                every = every or stmt.name in _STORING
                methods.add(stmt.name)
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
    return Accessors(frozenset(stored), frozenset(active), frozenset(methods), every)


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
    """Whether a class of the modules that derives from a class, or may, finds another member under a name of it."""
    known = list(modules)
    last = owner.rpartition(".")[2]
    classes = [(qualname, node) for module in known for qualname, (node, _) in module.skeleton.classes.items()]
    if any(count_bindings(node.body, name) > 1 for qualname, node in classes if qualname == owner):
        return True
    binding = {qualname.rpartition(".")[2] for qualname, node in classes
               if qualname != owner and count_bindings(node.body, name)}
    bases: dict[str, set[str]] = {}
    for qualname, node in classes:
        bases.setdefault(qualname.rpartition(".")[2], set()).update(filter(None, map(_last_name, node.bases)))
    derived = {each for each in bases if each != last and last in _list_ancestors(each, bases)}
    if any(binding & {each, *_list_ancestors(each, bases)} for each in derived):
        return True
    # under another name, it may be the base of any class
    return any(_is_passed_around(module, last, bool(binding)) for module in known)


def _list_ancestors(name: str, bases: Mapping[str, set[str]]) -> frozenset[str]:
    found: set[str] = set()
    pending = list(bases.get(name, ()))
    while pending:
        base = pending.pop()
        if base not in found:
            found.add(base)
            pending += bases.get(base, ())
    return frozenset(found)


_TESTING: Final = frozenset({"isinstance", "issubclass", "super"})
_MAKING: Final = frozenset({"new_class", "type"})


def _is_passed_around(module: Module, name: str, is_bound: bool) -> bool:
    """Whether a module gives a class another name, or creates classes from it without a definition.

    is_bound  whether another class has the member
    """
    plain: set[int] = set()
    mentioned: list[ast.Name] = []
    for node in walk(module.skeleton.tree):
        if isinstance(node, ast.Name) and node.id == name:
            mentioned.append(node)
        elif isinstance(node, ast.Attribute):
            plain.add(id(node.value))
        elif isinstance(node, ast.ClassDef):
            plain.update(map(id, node.bases))
        elif isinstance(node, ast.Call):
            plain.add(id(node.func))
            called = _last_name(node.func)
            if called in _TESTING:
                plain.update(id(n) for arg in node.args for n in walk(arg))
            elif called in _MAKING and len(node.args) > 1 and any(
                    isinstance(n, ast.Name) and n.id == name for arg in node.args for n in walk(arg)):
                return True
        elif isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            plain.update(map(id, walk(node.annotation)))
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.returns is not None:
            plain.update(map(id, walk(node.returns)))
    return is_bound and any(id(node) not in plain for node in mentioned)


def count_bindings(body: Iterable[ast.stmt], name: str) -> int:
    """The number of places where a class body binds a name."""
    count = 0
    for stmt in body:
        if isinstance(stmt, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            count += stmt.name == name and not _extends(stmt)
            continue
        for node in walk(stmt):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                # under a condition, it need not be the only one
                count += 2 * (node.name == name)
            elif isinstance(node, ast.Name):
                count += node.id == name and not isinstance(node.ctx, ast.Load)
            elif isinstance(node, ast.alias):
                count += (node.asname or node.name) == name
    return count


def _extends(function: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> bool:
    """Whether a definition is `@v.setter`, which keeps the property, or a variant for the type checker."""
    return any((isinstance(d, ast.Attribute) and d.attr in ("setter", "deleter")) or _last_name(d) == "overload"
               for d in function.decorator_list)


def _last_name(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript | ast.Call):
        node = node.value if isinstance(node, ast.Subscript) else node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
