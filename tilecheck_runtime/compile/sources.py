"""Detects whether a function and its helpers still match the source in their files."""

from __future__ import annotations

import ast
import contextlib
import inspect
import os
import sysconfig
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from types import CodeType, FunctionType, ModuleType
from typing import Any, Final

__all__ = ["is_as_written"]

_FUTURES: Final = 0x1000000
"""Compiler flag of `from __future__ import annotations`."""
_INSTALLED: Final = tuple({
    os.path.dirname(os.path.dirname(os.path.realpath(__file__))) + os.sep,
    *(os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")),
})
"""Folders of code that is not edited while it is used: the dialect, Python, installed packages."""


def is_as_written(function: FunctionType) -> bool:
    """Returns whether the source that the checker reads is that of a function and of its callees, with the numbers that
    they use.

    A file may have been edited after its import, or the program may have changed a global. Then a proof says nothing
    about the function.
    """
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        found = waiting.pop()
        if found in seen:
            continue
        seen.add(found)
        source = _read_source(found.__code__.co_filename)
        if source is None or not _code_is_as_written(found.__code__, source) or not (
                _constants_are_as_written(found, source) and _helpers_are_as_written(found, source)):
            return False
        waiting += [called for called in _called_functions(found) if _is_user_code(called)]
    return True


def _called_functions(function: FunctionType) -> Iterator[FunctionType]:
    """Yields functions that a function names, in its own module or through an imported one."""
    space = {**function.__globals__, **_closure_values(function)}
    names = {name for code in _codes(function.__code__) for name in (*code.co_names, *code.co_freevars)}
    values = [space[name] for name in names if name in space]
    values += [getattr(module, name, None) for module in values if isinstance(module, ModuleType) for name in names]
    for value in values:
        found = inspect.unwrap(value) if callable(value) else value
        if isinstance(found, FunctionType):
            yield found


def _closure_values(function: FunctionType) -> dict[str, Any]:
    """Returns the variables of enclosing functions that have values."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:
            continue
    return found


def _is_user_code(function: FunctionType) -> bool:
    return not os.path.realpath(function.__code__.co_filename).startswith(_INSTALLED)


def _read_source(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _code_is_as_written(code: CodeType, source: bytes) -> bool:
    return any(_is_same_code(code, found) for found in _compile_source(source, code.co_filename,
                                                                       code.co_flags & _FUTURES))


@lru_cache(maxsize=64)
def _compile_source(source: bytes, file: str, flags: int) -> tuple[CodeType, ...]:
    """Returns all code objects of a source."""
    try:
        return tuple(_codes(compile(source, file, "exec", flags=flags, dont_inherit=True)))
    except (SyntaxError, ValueError):
        return ()


def _helpers_are_as_written(function: FunctionType, source: bytes) -> bool:
    """Returns whether functions that a module defines once, at its top level, are still bound to their names. A program
    may have assigned another function, which is also written in some file."""
    space, names = function.__globals__, {name for code in _codes(function.__code__) for name in code.co_names}
    for name in _functions(source) & names & set(space):
        found = inspect.unwrap(space[name]) if callable(space[name]) else space[name]
        code = getattr(getattr(found, "_pyfunc", found), "__code__", None)
        if code is not None and (code.co_name, code.co_filename) != (name, function.__code__.co_filename):
            return False
        if not callable(found):
            return False
    return True


@lru_cache(maxsize=64)
def _functions(source: bytes) -> frozenset[str]:
    """Returns names that a module binds once, by a `def` at its top level."""
    tree = ast.parse(source)
    bound = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    bound.update(n.name for n in tree.body if isinstance(n, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)))
    return frozenset(n.name for n in tree.body if isinstance(n, ast.FunctionDef) and bound[n.name] == 1)


def _constants_are_as_written(function: FunctionType, source: bytes) -> bool:
    """Returns whether globals that a function uses, and that its module sets once to a number, still have that
    value."""
    space, names = function.__globals__, {name for code in _codes(function.__code__) for name in code.co_names}
    return all((type(space[name]), space[name]) == (type(value), value)
               for name, value in _constants(source).items() if name in names and name in space)


@lru_cache(maxsize=64)
def _constants(source: bytes) -> dict[str, Any]:
    """Returns names that a module sets once, at its top level, to a value that is computed from numbers alone."""
    tree = ast.parse(source)
    stored = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store))
    found: dict[str, Any] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else (
            node.target if isinstance(node, ast.AnnAssign) else None)
        value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
        if isinstance(target, ast.Name) and value is not None and stored[target.id] == 1 and all(
                isinstance(n, _NUMERIC) for n in ast.walk(value)):
            with contextlib.suppress(ArithmeticError, TypeError, ValueError):
                found[target.id] = eval(compile(ast.Expression(value), "<constant>", "eval"), {"__builtins__": {}})
    return found


_NUMERIC: Final = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.operator, ast.unaryop, ast.expr_context)


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _is_same_code(a: CodeType, b: CodeType) -> bool:
    if (a.co_name, a.co_firstlineno, a.co_code, a.co_names, a.co_varnames, a.co_freevars) != (
            b.co_name, b.co_firstlineno, b.co_code, b.co_names, b.co_varnames, b.co_freevars):
        return False
    return len(a.co_consts) == len(b.co_consts) and all(
        _is_same_code(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else (type(x), x) == (type(y), y)
        for x, y in zip(a.co_consts, b.co_consts, strict=True))
