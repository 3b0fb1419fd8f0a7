"""The units of a file: the code behind each name of a module, in a form that does not depend on layout."""

from __future__ import annotations

import ast
import io
import tokenize
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from tilecheck.syntax.text import SourceError, decode, parse

__all__ = ["BODY", "STARS", "bound_names", "contents", "unit_at", "units"]

BODY: Final = "<module>"
"""The statements of a module that bind no name."""

STARS: Final = "*"
"""The star imports of a module."""

_MARK: Final = "tilecheck:"


def units(tree: ast.Module) -> Mapping[str, Sequence[ast.stmt]]:
    """The statements of a module by the names that they bind. A statement that binds several is in several units."""
    out: defaultdict[str, list[ast.stmt]] = defaultdict(list)
    for statement in tree.body:
        for name in bound_names(statement) or (BODY,):
            out[name].append(statement)
    return out


def bound_names(statement: ast.stmt) -> tuple[str, ...]:
    """The names of the module that a statement binds or modifies."""
    return tuple(dict.fromkeys(_walk_bound(statement)))


def _walk_bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Import):
        yield from (alias.asname or alias.name.partition(".")[0] for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (STARS if alias.name == "*" else alias.asname or alias.name for alias in node.names)
    elif isinstance(node, ast.Name):
        if not isinstance(node.ctx, ast.Load):
            yield node.id
    elif isinstance(node, ast.Attribute | ast.Subscript):
        base: ast.AST = node
        while isinstance(base, ast.Attribute | ast.Subscript):
            base = base.value
        if not isinstance(node.ctx, ast.Load) and isinstance(base, ast.Name):
            yield base.id  # `C.x = ...` modifies `C`
    elif not isinstance(node, ast.Lambda):
        named = (node.name if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) else None,
                 node.rest if isinstance(node, ast.MatchMapping) else None)
        yield from (name for name in named if name is not None)
        for child in ast.iter_child_nodes(node):
            yield from _walk_bound(child)


def contents(data: bytes, file: str) -> Mapping[str, str] | None:
    """The text of each unit of a file; None if it cannot be parsed. Equal text means equal code and suppressions."""
    try:
        text = decode(data, file)
        tree = parse(text, file)
        found = units(tree)
        comments = _comments(text, tree)
        return {name: "\n".join(_dump_statements(name, statements, comments)) for name, statements in found.items()}
    except (SourceError, RecursionError):
        return None


def _dump_statements(
    name: str, statements: Iterable[ast.stmt], comments: Mapping[ast.stmt, Sequence[str]]
) -> Iterator[str]:
    for statement in statements:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            # only this alias: the others are separate units
            aliases = [ast.dump(a) for a in statement.names if (a.asname or a.name.partition(".")[0]) == name]
            where = f"{statement.level} {statement.module}" if isinstance(statement, ast.ImportFrom) else ""
            yield f"{where} {aliases}"
        else:
            yield ast.dump(statement)
        yield from comments.get(statement, ())


def _comments(text: str, tree: ast.Module) -> Mapping[ast.stmt, Sequence[str]]:
    """The suppressions and contracts in comments of each statement: those inside it, and above it."""
    out: defaultdict[ast.stmt, list[str]] = defaultdict(list)
    if _MARK in text:
        try:
            for token in tokenize.generate_tokens(io.StringIO(text).readline):
                if token.type == tokenize.COMMENT and _MARK in token.string:
                    statement = _statement(tree, token.start[0])
                    if statement is not None:
                        out[statement].append(token.string)
        except (tokenize.TokenError, SyntaxError):
            pass  # the tokens up to here count
    return out


def _statement(tree: ast.Module, line: int) -> ast.stmt | None:
    """The statement of a module that contains a line, or follows it."""
    ends = [statement.end_lineno or statement.lineno for statement in tree.body]
    index = bisect_left(ends, line)
    return tree.body[index] if index < len(ends) else None


def unit_at(tree: ast.Module, line: int) -> tuple[str, ...]:
    """The units that a line belongs to."""
    statement = _statement(tree, line)
    return () if statement is None else bound_names(statement) or (BODY,)
