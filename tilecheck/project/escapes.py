"""Suppressions that do not suppress findings: those of the runtime, of the dialect and of type checkers."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from tilecheck.syntax.walk import walk

__all__ = ["Escape", "escapes"]

_KEYWORDS: Final = ("unchecked", "unsafe")
"""Arguments of the runtime that take a reason: `kernel.compile(..., unchecked="why")`, `empty(..., unsafe="why")`."""
_IGNORE: Final = re.compile(r"#\s*type:\s*ignore\s*\[(?P<codes>[^\]]*\btile-[^\]]*)\]\s*(?:#\s*(?P<reason>.*))?")
_MENTIONS: Final = (b"unchecked", b"unsafe", b"Mut[", b"tile-")


class Escape(Struct, frozen=True):
    """A suppression on a line (from 1). `reason` is "" if the author gives none."""

    file: str
    line: int
    what: str
    reason: str


def escapes(path: Path) -> Iterator[Escape]:
    """The suppressions of a file, by line; none if it cannot be read or parsed, which the checker reports."""
    try:
        data = path.read_bytes()
        if not any(word in data for word in _MENTIONS):
            return
        tree = ast.parse(data)
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return
    found = [*_find_type_ignores(str(path), data)]
    for node in walk(tree):
        handler = _HANDLERS.get(type(node))
        if handler is not None:
            found += handler(str(path), node)
    yield from sorted(set(found), key=lambda escape: (escape.line, escape.what))


def _find_reasons(path: str, node: ast.Call) -> Iterator[Escape]:
    for keyword in node.keywords:
        value = keyword.value
        if keyword.arg in _KEYWORDS and isinstance(value, ast.Constant) and isinstance(value.value, str):
            name = ast.unparse(node.func).rpartition(".")[2]
            yield Escape(path, value.lineno, f'{name}(..., {keyword.arg}=...)', value.value.strip())


def _find_whole_arrays(path: str, node: ast.FunctionDef) -> Iterator[Escape]:
    """Accesses of a dialect kernel to a whole output: `z.array` of a `Mut` parameter."""
    owned = {a.arg for a in (*node.args.posonlyargs, *node.args.args) if _is_mutable(a.annotation)}
    for inner in walk(node) if owned else ():
        if (isinstance(inner, ast.Attribute) and inner.attr == "array" and isinstance(inner.value, ast.Name)
                and inner.value.id in owned):
            yield Escape(path, inner.lineno, f"{inner.value.id}.array", "")


def _is_mutable(annotation: ast.expr | None) -> bool:
    head = annotation.value if isinstance(annotation, ast.Subscript) else None
    return (isinstance(head, ast.Name) and head.id == "Mut") or (isinstance(head, ast.Attribute) and head.attr == "Mut")


_HANDLERS: Final[dict[type, Callable[..., Iterator[Escape]]]] = {
    ast.Call: _find_reasons,
    ast.FunctionDef: _find_whole_arrays,
}


def _find_type_ignores(path: str, data: bytes) -> Iterator[Escape]:
    """Comments such as `# type: ignore[tile-race]`."""
    if b"tile-" not in data:
        return
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            match = _IGNORE.search(token.string) if token.type == tokenize.COMMENT else None
            if match is not None:
                codes = ", ".join(code.strip() for code in match["codes"].split(",") if "tile-" in code)
                yield Escape(path, token.start[0], f"# type: ignore[{codes}]", (match["reason"] or "").strip())
    except (tokenize.TokenError, SyntaxError):
        return
