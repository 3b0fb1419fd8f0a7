"""Variables of modules that keep the value that they have after the import.

A kernel is compiled when it is first launched. A variable of its module may have another value by then.
"""

from __future__ import annotations

import ast
import dis
import inspect
import os
import symtable
import sys
import sysconfig
import tokenize
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

__all__ = ["find_changing", "find_constants", "parse_file"]

_INSTALLED: Final = tuple({
    os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep,
    *(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")),
})
"""Folders of code that changes no module of a project."""
_PACKAGES: Final = frozenset({"dist-packages", "site-packages"})
"""Names of such folders, wherever they are."""


@lru_cache(maxsize=256)
def parse_file(path: str) -> tuple[ast.Module, symtable.SymbolTable]:
    """The syntax of a file, and its scopes."""
    with tokenize.open(path) as file:
        source = file.read()
    return ast.parse(source), symtable.symtable(source, path, "exec")


@lru_cache(maxsize=64)
def find_constants(tree: ast.Module) -> frozenset[str]:
    """The variables of a module that it binds once, outside of loops, and whose contents its functions only read."""
    return frozenset(name for name in _count_bindings(tree.body) if name not in _varying_names(tree))


@lru_cache(maxsize=64)
def _varying_names(tree: ast.Module) -> frozenset[str]:
    """The variables of a module that it binds several times or in a loop, or that its functions change."""
    changed = set(_changing_names(tree))
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.AsyncFor, ast.While)):
            changed.update(n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    return frozenset(changed | {name for name, count in _count_bindings(tree.body).items() if count > 1})


_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def _count_bindings(body: Sequence[ast.stmt]) -> Counter[str]:
    """How often statements bind each name, at most: of several branches, one is taken."""
    found: Counter[str] = Counter()
    for statement in body:
        found.update(_bindings(statement))
        if isinstance(statement, ast.If):
            found += _count_bindings(statement.body) | _count_bindings(statement.orelse)
        elif isinstance(statement, ast.Try):
            branch = _count_bindings([*statement.body, *statement.orelse])
            for handler in statement.handlers:
                branch |= _count_bindings(handler.body)
            found += branch + _count_bindings(statement.finalbody)
        elif isinstance(statement, ast.Match):
            branch = Counter()
            for case in statement.cases:
                branch |= _count_bindings(case.body)
            found += branch
        elif not isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            found += _count_bindings([*getattr(statement, "body", ()), *getattr(statement, "orelse", ())])
    return found


def _bindings(statement: ast.stmt) -> Iterator[str]:
    """The names that a statement binds itself."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield statement.name
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
    else:
        inner = {id(n) for s in ast.walk(statement) if isinstance(s, ast.stmt) and s is not statement
                 for n in ast.walk(s)}
        yield from (n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)
                    and id(n) not in inner)


def _changed_in(function: ast.AST) -> Iterator[str]:
    """The names whose items or attributes a function may change."""
    for node in ast.walk(function):
        if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.value, ast.Name):
            reads = isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load)
            called = isinstance(node, ast.Attribute) and node.attr in _CHANGING
            if not reads and (called or not isinstance(node.ctx, ast.Load)):
                yield node.value.id


_CHANGING: Final = frozenset({"append", "clear", "extend", "insert", "pop", "popitem", "setdefault", "update"})


# --- what a kernel uses ----------------------------------------------------------------------------------------------

def find_changing(kernel: FunctionType, launch_file: str | None) -> str | None:
    """A variable that a kernel or one of its helpers uses, and that may have another value at a launch than after the
    import. A launch may also be part of the import."""
    elsewhere = _assigned_from_elsewhere(launch_file)
    for function in _list_functions(kernel):
        tree = _tree_of(function.__code__.co_filename)
        if tree is None:
            continue
        varying = _varying_names(tree)
        for name in _globals_of(function):
            own = name in function.__globals__
            if name in varying or (own and name in elsewhere):
                return name
            value = function.__globals__.get(name)
            if isinstance(value, ModuleType) and (attribute := _changing_attribute(value, function, elsewhere)):
                return f"{name}.{attribute}"
        for name in function.__code__.co_freevars:
            if name in _changing_cells(tree):
                return name
    return None


def _list_functions(kernel: FunctionType) -> Iterator[FunctionType]:
    """A kernel and the functions of the project that it reaches by names."""
    seen: set[int] = set()
    waiting: list[Any] = [kernel]
    while waiting:
        found = waiting.pop()
        found = inspect.unwrap(found) if callable(found) and not isinstance(found, type) else found
        found = getattr(found, "_pyfunc", found)
        if not isinstance(found, FunctionType) or id(found) in seen or _is_installed(found.__code__.co_filename):
            continue
        seen.add(id(found))
        yield found
        values = [found.__globals__.get(name) for name in _globals_of(found)] + list(_cells_of(found))
        attributes = {name for code in _codes_of(found.__code__) for name in code.co_names}
        for value in values:
            waiting.append(value)
            if isinstance(value, (ModuleType, type)) and not _is_installed(getattr(value, "__file__", None) or ""):
                waiting += [vars(value)[name] for name in attributes if name in vars(value)]


def _cells_of(function: FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:
            continue


def _codes_of(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_of(constant)


def _globals_of(function: FunctionType) -> list[str]:
    """The global variables that a function reads."""
    return sorted({str(i.argval) for code in _codes_of(function.__code__) for i in dis.get_instructions(code)
                   if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")})


def _changing_attribute(module: ModuleType, function: FunctionType, elsewhere: frozenset[str]) -> str | None:
    """An attribute of a module of the project that a function may read and that may change."""
    tree = _tree_of(getattr(module, "__file__", None) or "")
    if tree is None:
        return None
    names = {name for code in _codes_of(function.__code__) for name in code.co_names if name in vars(module)}
    return min(names & (_changing_names(tree) | elsewhere), default=None)


@lru_cache(maxsize=4096)
def _is_installed(file: str) -> bool:
    real = os.path.realpath(file)
    return real.startswith(_INSTALLED) or not _PACKAGES.isdisjoint(real.split(os.sep))


def _tree_of(file: str) -> ast.Module | None:
    """The syntax of a file of the project."""
    if not file.endswith(".py") or not os.path.isfile(file) or _is_installed(file):
        return None
    try:
        return parse_file(file)[0]
    except (SyntaxError, ValueError):
        return None


@lru_cache(maxsize=64)
def _changing_names(tree: ast.Module) -> frozenset[str]:
    """The variables of a module that its functions assign or change."""
    changed: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Global):
            changed.update(node.names)
        elif isinstance(node, _FUNCTIONS):
            changed.update(_changed_in(node))
    return frozenset(changed)


@lru_cache(maxsize=64)
def _changing_cells(tree: ast.Module) -> frozenset[str]:
    return frozenset(name for node in ast.walk(tree) if isinstance(node, ast.Nonlocal) for name in node.names)


def _assigned_from_elsewhere(launch_file: str | None) -> frozenset[str]:
    """The attributes that functions of the loaded files assign, and those that the file of a launch assigns."""
    loaded = {file for m in list(sys.modules.values()) if isinstance(file := getattr(m, "__file__", None), str)}
    found: set[str] = set()
    for file in loaded:
        tree = _tree_of(file)
        if tree is not None:
            found |= _assigned_in_functions(tree)
    tree = None if launch_file is None or launch_file in loaded else _tree_of(launch_file)
    return frozenset(found if tree is None else found | set(_assigned_attributes(tree)))


@lru_cache(maxsize=256)
def _assigned_in_functions(tree: ast.Module) -> frozenset[str]:
    return frozenset(name for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)
                     for name in _assigned_attributes(node))


def _assigned_attributes(tree: ast.AST) -> Iterator[str]:
    """The attributes that code assigns to other objects than that of its method, `setattr` included."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, (ast.Store, ast.Del)):
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls", "ctx")):
                yield node.attr
        elif isinstance(node, ast.Call) and isinstance(node.func, (ast.Name, ast.Attribute)) and "setattr" in (
                getattr(node.func, "id", ""), getattr(node.func, "attr", "")):
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
