"""Finds the object of a kernel that a launch names, after its file was imported."""

from __future__ import annotations

import ast
import os
import symtable
import sys
import tokenize
from collections.abc import Iterator, Sequence
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final, TypeAlias

import cuda.tile as ct

from tilecheck.pipeline.compile_messages import Asked, KernelName, Where
from tilecheck_runtime.dialect.kernel import DialectKernel
from tilecheck_runtime.seen_launches.constants import find_changing, find_constants, parse_file
from tilecheck_runtime.tile_language.kernels import function_of

__all__ = ["NotReachedError", "find_kernel"]

_MISSING: Final = object()
_Parts: TypeAlias = "tuple[str, tuple[tuple[str, Any], ...]]"
"""The global variable that an expression begins with, and the attributes and items that follow."""


class NotReachedError(LookupError):
    """The object of a kernel is not known. The message says why."""


def find_kernel(asked: Asked, module: ModuleType) -> Any:
    """The kernel of a specialization. Raises NotReachedError."""
    found = _find(asked, module)
    launch = asked.launch
    file = None if launch is None else launch.file
    changing = find_changing(function_of(found), file)
    if changing is not None:
        raise NotReachedError(f"`{changing}`, which the kernel uses, may change after the import")
    return found


def _find(asked: Asked, module: ModuleType) -> Any:
    named = None if asked.launch is None else _named_at(asked.launch, module)
    if named is not None and (asked.kernel is None or _is_defined(named, asked.kernel)):
        return named
    if asked.kernel is None:
        raise NotReachedError("the launch does not name its kernel by a variable of the module")
    found = _defined_at_top(asked.kernel)
    if found is None:
        raise NotReachedError("no variable of a module names the kernel")
    return found


def _is_kernel(found: object) -> bool:
    return isinstance(found, (ct.kernel, DialectKernel))


# --- the variable that a launch names --------------------------------------------------------------------------------

def _named_at(place: Where, module: ModuleType) -> Any:
    """The kernel among the arguments of a call, if exactly one of them is a variable of the module with a kernel."""
    if os.path.realpath(module.__file__ or "") != os.path.realpath(place.file):
        return None
    tree, scopes = parse_file(place.file)
    lines = _read_lines(place.file)
    call = next((n for n in ast.walk(tree) if isinstance(n, ast.Call) and _is_at(n, place, lines)), None)
    if call is None:
        return None
    arguments = [*call.args, *(k.value for k in call.keywords)]
    parts = [p for a in arguments if (p := _parts(a)) is not None and not _is_local(p[0], call, tree, scopes)]
    found = [value for p in parts if _is_kernel(value := _evaluate(p, module))]
    return found[0] if len(found) == 1 else None


def _is_at(call: ast.Call, place: Where, lines: Sequence[bytes]) -> bool:
    return (call.lineno, call.end_lineno) == (place.line, place.end_line) and (
        _count_characters(lines[place.line - 1], call.col_offset) == place.column) and (
        _count_characters(lines[place.end_line - 1], call.end_col_offset or 0) == place.end_column)


@lru_cache(maxsize=16)
def _read_lines(path: str) -> tuple[bytes, ...]:
    """The lines of a file in UTF-8, without a byte order mark, as the offsets of a syntax tree count them."""
    with tokenize.open(path) as file:
        return tuple(line.encode() for line in file)


def _count_characters(line: bytes, offset: int) -> int:
    """A column in characters, from one in bytes."""
    return len(line[:offset].decode("utf-8", "ignore"))


def _parts(expression: ast.expr) -> _Parts | None:
    """An expression of names, attributes and constant items; None for any other."""
    steps: list[tuple[str, Any]] = []
    while not isinstance(expression, ast.Name):
        if isinstance(expression, ast.Attribute):
            steps.append(("attribute", expression.attr))
        elif isinstance(expression, ast.Subscript) and isinstance(expression.slice, ast.Constant):
            steps.append(("item", expression.slice.value))
        else:
            return None
        expression = expression.value
    return expression.id, tuple(reversed(steps))


def _is_local(name: str, call: ast.Call, tree: ast.Module, scopes: symtable.SymbolTable) -> bool:
    """Whether a name may be something other than the value that the module had after its import."""
    if name not in find_constants(tree):
        return True
    for table in _scopes_around(scopes, call.lineno, tree):
        if table.get_type() != "module" and name in table.get_identifiers() and not table.lookup(name).is_global():
            return True
    return False


def _scopes_around(table: symtable.SymbolTable, line: int, tree: ast.Module) -> Iterator[symtable.SymbolTable]:
    """The scopes that may be around a line: those of functions, classes and comprehensions that begin above it."""
    ends = _ends(tree)
    for child in table.get_children():
        if child.get_lineno() <= line <= ends.get((child.get_name(), child.get_lineno()), line):
            yield child
            yield from _scopes_around(child, line, tree)


@lru_cache(maxsize=16)
def _ends(tree: ast.Module) -> dict[tuple[str, int], int]:
    definitions = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    found: dict[tuple[str, int], int] = {}
    for node in ast.walk(tree):
        if isinstance(node, definitions):
            for line in range(min([node.lineno, *(d.lineno for d in node.decorator_list)]), node.lineno + 1):
                found[node.name, line] = node.end_lineno or node.lineno
    return found


def _evaluate(parts: _Parts, module: ModuleType) -> Any:
    name, steps = parts
    value: Any = vars(module).get(name, _MISSING)
    for how, step in steps:
        value = _attribute(value, step) if how == "attribute" else _item(value, step)
    return value


def _attribute(value: Any, name: str) -> Any:
    """An attribute of a class, or a constant variable of a module. Of another object it might run code."""
    if isinstance(value, ModuleType):
        file = getattr(value, "__file__", None)
        if not isinstance(file, str) or not file.endswith(".py") or name not in find_constants(parse_file(file)[0]):
            return _MISSING
    return vars(value).get(name, _MISSING) if isinstance(value, (ModuleType, type)) else _MISSING


def _item(value: Any, key: Any) -> Any:
    if type(value) in (dict, list, tuple):
        try:
            return value[key]
        except (LookupError, TypeError):
            return _MISSING
    return _MISSING


# --- the definition --------------------------------------------------------------------------------------------------

def _defined_at_top(name: KernelName) -> Any:
    """The kernel that a module or a class defines under its own name."""
    for module in list(sys.modules.values()):
        if isinstance(module, ModuleType) and _is_file(module, name.file):
            found: Any = module
            for part in name.qualname.split("."):
                found = vars(found).get(part) if isinstance(found, (ModuleType, type)) else None
            found = found.__func__ if isinstance(found, (staticmethod, classmethod)) else found
            if found is not None and _is_defined(found, name):
                return found
    return None


def _is_file(module: ModuleType, path: str) -> bool:
    file = vars(module).get("__file__")
    return isinstance(file, str) and os.path.realpath(file) == os.path.realpath(path)


def _is_defined(found: Any, name: KernelName) -> bool:
    """Whether an object is the kernel, or the function, of a definition."""
    function = found if isinstance(found, FunctionType) else found._pyfunc if _is_kernel(found) else None
    if not isinstance(function, FunctionType):
        return False
    code = function.__code__
    return os.path.realpath(code.co_filename) == os.path.realpath(name.file) and (
        code.co_qualname.replace("<locals>.", "") == name.qualname) and name.line in _lines(code)


def _lines(code: CodeType) -> Sequence[int]:
    last = max((line for _, _, line in code.co_lines() if line is not None), default=code.co_firstlineno)
    return range(code.co_firstlineno, max(last, code.co_firstlineno) + 1)
