"""Gives names that are bound to several values a name of their own for each, if a type checker requires it.

Only names in one block of statements are considered, and only if the first value is never read after the second
binding: neither in the next iteration of a loop, nor after the block.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise

__all__ = ["rename_bindings"]


def rename_bindings(text: str) -> str:
    """Returns a file in which bindings of its functions have distinct names."""
    lines = text.split("\n")
    tree = ast.parse(text)
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    edits: dict[tuple[int, int], tuple[str, str]] = {}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for block, loops in _blocks(function.body, ()):
            for name in sorted({name for statement in block if (name := _binds(statement))}):
                for place, new in _split(function, block, loops, name, taken):
                    edits[place] = (name, new)
    for (row, column), (old, new) in sorted(edits.items(), reverse=True):
        line = lines[row - 1].encode()
        lines[row - 1] = (line[:column] + new.encode() + line[column + len(old.encode()) :]).decode()
    return "\n".join(lines)


def _blocks(
    body: Sequence[ast.stmt], loops: tuple[ast.stmt, ...],
) -> Iterator[tuple[Sequence[ast.stmt], tuple[ast.stmt, ...]]]:
    """Blocks of statements, each with the loops around it."""
    yield body, loops
    for statement in body:
        for inner in ("body", "orelse"):
            found = getattr(statement, inner, None)
            if isinstance(found, list) and not isinstance(statement, ast.FunctionDef):
                around = (*loops, statement) if isinstance(statement, ast.For | ast.While) else loops
                yield from _blocks(found, around)


def _binds(statement: ast.stmt) -> str | None:
    """The name that a plain assignment binds."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1 and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def _names(node: ast.AST, name: str) -> list[ast.Name]:
    return [part for part in ast.walk(node) if isinstance(part, ast.Name) and part.id == name]


def _split(
    function: ast.FunctionDef, block: Sequence[ast.stmt], loops: tuple[ast.stmt, ...], name: str, taken: set[str],
) -> Iterator[tuple[tuple[int, int], str]]:
    """Yields locations of a name, each with the new name there."""
    bindings = [k for k, statement in enumerate(block) if _binds(statement) == name]
    inside = {id(part) for statement in block for part in _names(statement, name)}
    outside = [part for part in _names(function, name) if id(part) not in inside]
    if not bindings:
        return
    runs: list[tuple[int, int]] = []
    if not outside:
        # the last binding keeps the name: nothing is read before the first
        if any(_names(s, name) for s in block[: bindings[0]]) or _reads_itself(block[bindings[0]], name):
            return
        runs = [pair for pair in pairwise(bindings) if not _is_bound_in(block[pair[0] + 1 : pair[1]], name)]
        if not runs and not loops and len(bindings) > 1:
            # the result of a loop is converted, and the conversion gets the new name
            runs = [(bindings[-1], len(block))]
    elif len(bindings) == 1 and not loops and all(part.lineno < block[bindings[0]].lineno for part in outside):
        runs = [(bindings[0], len(block))]
    for number, (first, after) in enumerate(runs, 1):
        if _is_bound_in(block[first + 1 : after], name):
            continue
        new = f"{name}_{number}"
        while new in taken:
            new += "_"
        taken.add(new)
        target = block[first].targets[0]  # type: ignore[attr-defined]
        yield (target.lineno, target.col_offset), new
        last = block[after] if after < len(block) else None
        read = [*block[first + 1 : after], *([last.value] if isinstance(last, ast.Assign) else [])]
        for part in (part for statement in read for part in _names(statement, name)):
            yield (part.lineno, part.col_offset), new


def _is_bound_in(statements: Sequence[ast.stmt], name: str) -> bool:
    """Whether a name is bound in some statements, also in a branch or a loop."""
    return any(isinstance(part.ctx, ast.Store) for statement in statements for part in _names(statement, name))


def _reads_itself(statement: ast.stmt, name: str) -> bool:
    return isinstance(statement, ast.Assign) and bool(_names(statement.value, name))
