"""The part of a file that a kernel needs: helpers, constants and imports, with their own dependencies."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable
from dataclasses import dataclass

from tilecheck_runtime.migrate.refusal import Refusal

__all__ = ["Dependencies", "collect_dependencies"]


@dataclass(frozen=True)
class Dependencies:
    """Source text, in the order of the file."""

    imports: tuple[str, ...]
    definitions: tuple[str, ...]

    def text(self) -> str:
        return "\n".join((*self.imports, "", "", *(f"{d}\n\n" for d in self.definitions)))


def collect_dependencies(text: str, names: Iterable[str], typed: bool = False) -> Dependencies:
    """Returns the definitions of `names` in a file. With `typed`, parameters of helpers without annotation get `Any`.

    Raises `Refusal` for a name with a binding that cannot be copied.
    """
    tree = ast.parse(text)
    binding: dict[str, ast.stmt] = {}
    for node in tree.body:
        for name in _bound_names(node):
            binding[name] = node
    wanted: list[ast.stmt] = []
    pending = sorted(set(names))
    seen: set[str] = set()
    while pending:
        name = pending.pop()
        if name in seen or (name not in binding and hasattr(builtins, name)):
            continue
        seen.add(name)
        found = binding.get(name)
        if found is None:
            raise Refusal(f"`{name}` is not defined at the top of the file")
        if not isinstance(found, ast.Import | ast.ImportFrom | ast.Assign | ast.AnnAssign | ast.FunctionDef):
            raise Refusal(f"`{name}` is defined in a way that cannot be carried over", found.lineno)
        if found not in wanted:
            wanted.append(found)
            pending += sorted(_read_names(found))
    wanted.sort(key=lambda node: node.lineno)
    imports = tuple(_import(node, seen) for node in wanted if isinstance(node, ast.Import | ast.ImportFrom))
    others = tuple(_segment(text, node, typed) for node in wanted if not isinstance(node, ast.Import | ast.ImportFrom))
    return Dependencies(imports, others)


def _bound_names(node: ast.stmt) -> Iterable[str]:
    if isinstance(node, ast.Import | ast.ImportFrom):
        return [(alias.asname or alias.name).partition(".")[0] for alias in node.names]
    if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
        return [node.name]
    return [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]


def _read_names(node: ast.stmt) -> set[str]:
    """Names that a statement reads from its surroundings."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        return set()
    read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    if isinstance(node, ast.FunctionDef):
        own = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        arguments = node.args
        own |= {arg.arg for arg in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)}
        return read - own
    return read


def _import(node: ast.Import | ast.ImportFrom, wanted: set[str]) -> str:
    names = [alias for alias in node.names if (alias.asname or alias.name).partition(".")[0] in wanted]
    kept = ast.Import(names) if isinstance(node, ast.Import) else ast.ImportFrom(node.module, names, node.level)
    return ast.unparse(kept)


def _segment(text: str, node: ast.stmt, typed: bool) -> str:
    first = min((d.lineno for d in getattr(node, "decorator_list", ())), default=node.lineno)
    lines = text.split("\n")[first - 1 : node.end_lineno]
    if typed and isinstance(node, ast.FunctionDef):
        arguments = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)
        changes = [(arg.end_lineno or 0, arg.end_col_offset or 0, ": Any") for arg in arguments
                   if arg.annotation is None]
        header = node.body[0].lineno
        rows = range(node.lineno - 1, header)
        closing = next((r for r in rows if text.split("\n")[r].rstrip().endswith(":")), None)
        if node.returns is None and closing is not None:
            line = text.split("\n")[closing].rstrip()
            changes.append((closing + 1, len(line) - 1, " -> Any"))
        for row, column, new in sorted(changes, reverse=True):
            line = lines[row - first]
            lines[row - first] = line[:column] + new + line[column:]
    return "\n".join(lines)
