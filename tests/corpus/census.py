"""Counts kernels without the checker: what stands under `@<cuda.tile>.kernel`, by the syntax tree and by a pattern."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

__all__ = ["by_pattern", "by_syntax", "count_kernel_calls"]

QUOTED = re.compile(r'("""|\'\'\').*?\1', re.DOTALL)
DECORATED = re.compile(r"^[ \t]*@[ \t]*(?:\w+\.)*kernel[ \t]*(?:\(|#|$)", re.MULTILINE)


def _files(root: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(root.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if re.search(r"\bcuda\b", text):
            yield path.relative_to(root.parent).as_posix(), text


def by_pattern(root: Path) -> dict[str, int]:
    """Lines outside docstrings that begin with such a decorator, by file."""
    return {name: n for name, text in _files(root) if (n := len(DECORATED.findall(QUOTED.sub("", text))))}


def by_syntax(root: Path) -> set[tuple[str, str, int]]:
    """(file, function, line of its `def`) of every function under such a decorator."""
    return {
        (name, node.name, node.lineno)
        for name, text in _files(root)
        for tree in (ast.parse(text),)
        for aliases in (_aliases(tree),)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef) and any(_kernel(d, aliases) for d in node.decorator_list)}


def count_kernel_calls(root: Path) -> int:
    """Calls `<cuda.tile>.kernel(...)` that are not decorators."""
    count = 0
    for _, text in _files(root):
        tree = ast.parse(text)
        aliases = _aliases(tree)
        decorators = {id(d) for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) for d in n.decorator_list}
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and id(n) not in decorators]
        count += sum(_kernel(n, aliases) for n in calls)
    return count


def _aliases(tree: ast.Module) -> set[str]:
    """Dotted names under which the decorator is known in a module."""
    out = {"cuda.tile.kernel"}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            out |= {f"{a.asname}.kernel" for a in node.names if a.name == "cuda.tile" and a.asname}
        elif isinstance(node, ast.ImportFrom) and node.module == "cuda":
            out |= {f"{a.asname or a.name}.kernel" for a in node.names if a.name == "tile"}
        elif isinstance(node, ast.ImportFrom) and node.module == "cuda.tile":
            out |= {a.asname or a.name for a in node.names if a.name == "kernel"}
    return out


def _kernel(node: ast.expr, aliases: set[str]) -> bool:
    return ast.unparse(node.func if isinstance(node, ast.Call) else node) in aliases
