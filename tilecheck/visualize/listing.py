"""Which lines of the source stand beside a picture: the kernel, and the functions of its file that it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

__all__ = ["helpers"]

_MOST: Final = 120
"""Lines of helpers beside a picture."""


def helpers(lines: Sequence[str], first: int, last: int) -> tuple[int, ...]:
    """Lines of the functions that are called on the lines from `first` to `last`, and by those, in order; functions
    that stand in other files are not found."""
    try:
        tree = ast.parse("\n".join(lines))
    except (SyntaxError, ValueError):
        return ()
    known = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    todo = list(_called_names(n for n in ast.walk(tree) if first <= getattr(n, "lineno", 0) <= last))
    found: dict[str, ast.FunctionDef] = {}
    while todo:
        name = todo.pop()
        function = known.get(name)
        if function is not None and name not in found and not first <= function.lineno <= last:
            found[name] = function
            todo += _called_names(ast.walk(function))
    numbers = {n for f in found.values() for n in range(f.lineno, (f.end_lineno or f.lineno) + 1)}
    return tuple(sorted(numbers - set(range(first, last + 1)))[:_MOST])


def _called_names(nodes: Iterable[ast.AST]) -> Iterator[str]:
    for n in nodes:
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
            yield n.func.id
