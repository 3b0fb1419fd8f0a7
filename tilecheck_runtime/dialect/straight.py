"""A loop over the only cell of a block, written as straight code.

Where a block owns one piece, `for cell in z.cells():` runs once, but the compiled kernel would keep the loop. The text
of the function is kept, line by line, except that such a loop iterates over a constant that `cuda.tile` unrolls. The
changed text is registered under a name of its own that begins with the file of the author.
"""

from __future__ import annotations

import ast
import inspect
import linecache
from collections.abc import Collection, Iterator, Sequence
from types import CodeType, FunctionType
from typing import Final

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["straightened"]

_HEADER: Final = "_t_static_iter((0,))"
_JUMPS: Final = (ast.Break, ast.Continue, ast.Return)
_SCOPES: Final = (ast.FunctionDef, ast.Lambda, ast.ClassDef)


def straightened(function: FunctionType, outputs: Collection[str]) -> FunctionType:
    """The function in which loops over `cells()` of these outputs are unrolled; itself where there is none to unroll,
    or where its source is not to be had."""
    try:
        lines = inspect.findsource(function)[0]
        tree = ast.parse("".join(lines))
    except (OSError, SyntaxError):
        return function
    loops = [loop for body in _bodies(tree, function) for loop in _loops(body, outputs)]
    if not loops:
        return function
    changed = list(lines)
    for loop in loops:
        changed = _with_header(changed, loop.iter)
    return _rebuilt(function, changed) or function


def _bodies(tree: ast.Module, function: FunctionType) -> Iterator[ast.FunctionDef]:
    first = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            start = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            if start == first:
                yield node


def _loops(body: ast.FunctionDef, outputs: Collection[str]) -> Iterator[ast.For]:
    """Loops over the cells of an output whose name always means it, which always run to the end of their body."""
    stored = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    inner = {id(n) for scope in ast.walk(body) if isinstance(scope, _SCOPES) and scope is not body
             for n in ast.walk(scope)}
    for node in ast.walk(body):
        if isinstance(node, ast.For) and id(node) not in inner and not node.orelse:
            name = _output(node.iter)
            if name in outputs and name not in stored and not _jumps(node.body):
                yield node


def _output(iterated: ast.expr) -> str | None:
    """The name in `name.cells(...)`."""
    match iterated:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="cells"), keywords=[]):
            return name
    return None


def _jumps(body: Sequence[ast.stmt]) -> bool:
    """Whether a statement may leave the loop, or its iteration, early. Any jump counts, that of an inner loop too."""
    return any(isinstance(node, _JUMPS) for statement in body for node in ast.walk(statement))


def _with_header(lines: Sequence[str], iterated: ast.expr) -> list[str]:
    """The lines with another expression in place of one that stands on a single line."""
    if iterated.end_lineno != iterated.lineno or iterated.end_col_offset is None:
        return list(lines)
    number = iterated.lineno - 1
    raw = lines[number].encode()  # columns of a tree count bytes
    new = raw[:iterated.col_offset] + _HEADER.encode() + raw[iterated.end_col_offset:]
    return [*lines[:number], new.decode(), *lines[number + 1:]]


def _rebuilt(function: FunctionType, lines: Sequence[str]) -> FunctionType | None:
    old = function.__code__
    text = "".join(lines)
    filename = f"{old.co_filename} (one piece a block)"
    flags = old.co_flags & _FUTURES
    module = compile(text, filename, "exec", flags=flags, dont_inherit=True)
    found = [c for c in _codes(module) if (c.co_name, c.co_firstlineno) == (old.co_name, old.co_firstlineno)]
    if len(found) != 1 or found[0].co_freevars != old.co_freevars:
        return None
    linecache.cache[filename] = (len(text), None, list(lines), filename)
    space = {**function.__globals__, "_t_static_iter": ct.static_iter}
    made = FunctionType(found[0], space, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


_FUTURES: Final = 0x1000000  # of `from __future__ import annotations`, the only one that still changes anything


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
