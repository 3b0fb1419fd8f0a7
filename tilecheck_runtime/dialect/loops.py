"""Rewrites loops over cells into hand-written form.

`for cell in z.cells():` runs once if a block owns one piece, but the compiled kernel would contain a loop; and if a
block owns several, `z.coords(cell)` and `z[cell] = t` would each compute the coordinates. So the text of the function
is changed, within its lines: a loop that runs once iterates over a constant, which `cuda.tile` unrolls; other loops
compute the coordinates once, before their first statement. Line numbers do not change. The new text is registered under
a name that begins with the author's file.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Final

from tilecheck_runtime.dialect.device.cutile import ct

__all__ = ["Loops", "rewrite_loops"]

_ONCE: Final = "_t_static_iter((0,))"
_JUMPS: Final = (ast.Break, ast.Continue, ast.Return)
_SCOPES: Final = (ast.FunctionDef, ast.Lambda, ast.ClassDef)
_COMPOUND: Final = (ast.For, ast.While, ast.If, ast.With, ast.FunctionDef)
_FUTURES: Final = 0x1000000
"""Compiler flag of `from __future__ import annotations`, the only such import that still has an effect."""


@dataclass(frozen=True)
class Loops:
    """A function with its loops over cells rewritten.

    resolved  names of the outputs whose cells are objects with coordinates, not numbers
    """

    function: FunctionType
    resolved: frozenset[str]


@dataclass(frozen=True)
class _Edit:
    """A replacement of a part of one line; columns count bytes, as in a tree."""

    line: int
    start: int
    end: int
    text: str


def rewrite_loops(function: FunctionType, mapped: Mapping[str, bool]) -> Loops:
    """Returns the function with rewritten loops over the cells of its outputs; unchanged if there are none, or if its
    source is not available. `mapped` says for each output whether a block owns several pieces."""
    unchanged = Loops(function, frozenset())
    try:
        lines = inspect.findsource(function)[0]
        body = _definition(ast.parse("".join(lines)), function)
    except (OSError, SyntaxError):
        return unchanged
    if body is None:
        return unchanged
    loops = [loop for loop in _loops(body) if _output(loop.iter) in mapped]
    kept = _names_used_directly(body, mapped)
    edits = [e for loop in loops if not mapped[_output(loop.iter)] for e in _unroll(loop, kept)]
    several = [loop for loop in loops if mapped[_output(loop.iter)]]
    resolved = _resolve_cells(several, kept, mapped) if len(several) == _walks(body, mapped) else []
    edits += resolved
    made = _rebuild(function, lines, _apply_edits(lines, edits)) if edits else None
    if made is None:
        return unchanged
    return Loops(made, frozenset(n for n in mapped if mapped[n]) if resolved else frozenset())


def _definition(tree: ast.Module, function: FunctionType) -> ast.FunctionDef | None:
    first = function.__code__.co_firstlineno
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__ and first == _first_line(node):
            return node
    return None


def _first_line(node: ast.FunctionDef) -> int:
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def _loops(body: ast.FunctionDef) -> list[ast.For]:
    """Loops over cells, in source order."""
    found = [n for n in ast.walk(body) if isinstance(n, ast.For) and _output(n.iter)]
    return sorted(found, key=lambda n: n.lineno)


def _output(iterated: ast.expr) -> str:
    """The name in `name.cells(...)`; empty for anything else."""
    match iterated:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="cells"), keywords=[]):
            return name
    return ""


def _names_used_directly(body: ast.FunctionDef, mapped: Mapping[str, bool]) -> frozenset[str]:
    """Outputs that the function uses only under their own names, so that their cells do not escape."""
    lost = {n.id for n in ast.walk(body) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for scope in ast.walk(body):
        if isinstance(scope, _SCOPES) and scope is not body:
            lost |= {n.id for n in ast.walk(scope) if isinstance(n, ast.Name)}
    held = {id(n.value) for n in ast.walk(body) if isinstance(n, (ast.Attribute, ast.Subscript))}
    together = {id(a) for n in ast.walk(body) if isinstance(n, ast.expr) and _output(n) and isinstance(n, ast.Call)
                for a in n.args}
    for node in ast.walk(body):
        if isinstance(node, ast.Name) and id(node) not in held | together:
            lost.add(node.id)
    return frozenset(mapped) - lost


def _unroll(loop: ast.For, kept: frozenset[str]) -> list[_Edit]:
    """Makes a loop that runs once iterate over a constant, unless it can exit early, which an unrolled loop cannot."""
    jumps = any(isinstance(n, _JUMPS) for statement in loop.body for n in ast.walk(statement))
    if loop.orelse or jumps or _output(loop.iter) not in kept or loop.iter.lineno != loop.iter.end_lineno:
        return []
    return [_Edit(loop.iter.lineno, loop.iter.col_offset, loop.iter.end_col_offset or 0, _ONCE)]


def _walks(body: ast.FunctionDef, mapped: Mapping[str, bool]) -> int:
    """The number of times that cells of a mapped output are requested, in a loop or elsewhere."""
    found = (n.value for n in ast.walk(body) if isinstance(n, ast.Attribute) and n.attr == "cells")
    return sum(isinstance(value, ast.Name) and mapped.get(value.id, False) for value in found)


def _resolve_cells(loops: Sequence[ast.For], kept: frozenset[str], mapped: Mapping[str, bool]) -> list[_Edit]:
    """Returns the edits that compute coordinates before the first statement of these loops. All loops or none, because
    a function has one kind of cell."""
    edits: list[_Edit] = []
    if not all(name in kept for name, many in mapped.items() if many):
        return []
    for number, loop in enumerate(loops):
        first, target = loop.body[0], loop.target
        if isinstance(first, _COMPOUND) or not isinstance(target, ast.Name):
            return []
        counter = f"_t_cell{number}"
        edits.append(_Edit(target.lineno, target.col_offset, target.end_col_offset or 0, counter))
        statement = f"{target.id} = {_output(loop.iter)}.resolve_cell({counter}); "
        edits.append(_Edit(first.lineno, first.col_offset, first.col_offset, statement))
    return edits


def _apply_edits(lines: Sequence[str], edits: Sequence[_Edit]) -> list[str]:
    made = list(lines)
    for edit in sorted(edits, key=lambda e: (e.line, e.start), reverse=True):
        raw = made[edit.line - 1].encode()
        made[edit.line - 1] = (raw[:edit.start] + edit.text.encode() + raw[edit.end:]).decode()
    return made


def _rebuild(function: FunctionType, before: Sequence[str], lines: Sequence[str]) -> FunctionType | None:
    """Compiles the changed text with the globals and closure of the old function. None if the text is no longer that of
    the function."""
    version = zlib.crc32("".join(lines).encode())  # one file has as many texts as kernels and kinds of schedule
    filename = f"{function.__code__.co_filename} (loops over cells rewritten, {version:08x})"
    old, new = _code(function, before, filename), _code(function, lines, filename)
    if old is None or new is None or old.co_code != function.__code__.co_code:
        return None
    linecache.cache[filename] = (sum(map(len, lines)), None, list(lines), filename)
    space = {**function.__globals__, "_t_static_iter": ct.static_iter}
    made = FunctionType(new, space, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    return made


def _code(function: FunctionType, lines: Sequence[str], filename: str) -> CodeType | None:
    """The code of the function in a text of its module."""
    known = function.__code__
    module = compile("".join(lines), filename, "exec", flags=known.co_flags & _FUTURES, dont_inherit=True)
    found = [c for c in _codes(module) if (c.co_name, c.co_firstlineno) == (known.co_name, known.co_firstlineno)]
    return found[0] if len(found) == 1 and found[0].co_freevars == known.co_freevars else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)
