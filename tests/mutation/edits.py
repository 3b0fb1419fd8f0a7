"""Single edits that move an access past the end of its array, or leave what lies there undefined."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Final

from tests.mutation.mutate import Mutant, Source, mask_of, read_called_name

_CLAMPS: Final = frozenset(["min", "max", "minimum", "maximum"])
_TILES: Final = {"load": ("index", 1, "shape", 2), "store": ("index", 1, "tile", 2)}
"""Tile accesses: name and position of the index, and of the argument that has the tile's shape."""


def _argument(node: ast.Call, name: str, place: int) -> ast.expr | None:
    named = next((k.value for k in node.keywords if k.arg == name), None)
    return named if named is not None or place >= len(node.args) else node.args[place]


def _padding(source: Source, node: ast.Call) -> Iterator[Mutant]:
    for keyword in node.keywords:
        if keyword.arg == "padding_mode" and "UNDETERMINED" not in source.of(keyword.value):
            yield Mutant("padding dropped", keyword.value.lineno, source.drop_keyword(node, keyword),
                         f"{read_called_name(node)} loses {source.of(keyword.value)}")


def _clamp(source: Source, node: ast.Call) -> Iterator[Mutant]:
    if read_called_name(node) in _CLAMPS and len(node.args) == 2 and not node.keywords:
        for kept in node.args:
            if not isinstance(kept, ast.Constant):
                yield Mutant("clamp dropped", node.lineno, source.replace_node(node, source.of(kept)),
                             f"{source.of(node)} -> {source.of(kept)}")


def _scale_index(source: Source, node: ast.Call) -> Iterator[Mutant]:
    """The index of a tile where that of its first element is."""
    if read_called_name(node) != "load":
        return
    index, shape = _argument(node, "index", 1), _argument(node, "shape", 2)
    if not isinstance(index, ast.Tuple) or not isinstance(shape, ast.Tuple) or len(index.elts) != len(shape.elts):
        return
    for part, extent in zip(index.elts, shape.elts, strict=True):
        if not isinstance(part, ast.Constant) and source.of(extent) != "1":
            yield Mutant("tile index times tile", part.lineno,
                         source.replace_node(part, f"({source.of(part)}) * {source.of(extent)}"),
                         f"{source.of(part)} times {source.of(extent)}")


def _lengthen_loop(source: Source, node: ast.AST) -> Iterator[Mutant]:
    if isinstance(node, ast.For) and isinstance(node.iter, ast.Call) and read_called_name(node.iter) == "range":
        if node.iter.args:
            end = node.iter.args[0 if len(node.iter.args) == 1 else 1]
            yield Mutant(
                "loop end + 1", end.lineno, source.replace_node(end, f"({source.of(end)}) + 1"), source.of(end)
            )
    elif isinstance(node, ast.While) and isinstance(node.test, ast.Compare) and isinstance(node.test.ops[0], ast.Lt):
        end = node.test.comparators[0]
        yield Mutant("loop end + 1", end.lineno, source.replace_node(end, f"({source.of(end)}) + 1"), source.of(end))


def _drop_mask(source: Source, node: ast.Call) -> Iterator[Mutant]:
    mask = mask_of(node)
    if mask is not None and not isinstance(mask, ast.Constant):
        yield Mutant(
            "mask dropped", mask.lineno, source.replace_node(mask, "None"), f"{read_called_name(node)} loses its mask"
        )
    if read_called_name(node) == "where" and len(node.args) == 3:
        for kept in node.args[1:]:
            if not isinstance(kept, ast.Constant):
                yield Mutant("mask dropped", node.lineno, source.replace_node(node, source.of(kept)),
                             f"where({source.of(node.args[0])}) -> {source.of(kept)}")


def edits(text: str, kernel: str) -> Iterator[Mutant]:
    """Edits of one kernel of a source text, and of the helpers it calls in that text; each once."""
    tree, source = ast.parse(text), Source(text)
    functions = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
    seen = {text}
    for function in _list_reached_functions(functions, kernel):
        for node in ast.walk(function):
            for made in _edits(source, node):
                if made.text not in seen:
                    seen.add(made.text)
                    yield made


def _list_reached_functions(functions: dict[str, ast.FunctionDef], kernel: str) -> list[ast.FunctionDef]:
    found: dict[str, ast.FunctionDef] = {}
    wanted = [kernel]
    while wanted:
        name = wanted.pop()
        if name in functions and name not in found:
            found[name] = functions[name]
            wanted += [read_called_name(n) for n in ast.walk(functions[name]) if isinstance(n, ast.Call)]
    return list(found.values())


def _edits(source: Source, node: ast.AST) -> Iterator[Mutant]:
    yield from _lengthen_loop(source, node)
    if isinstance(node, ast.Call):
        for edit in (_padding, _clamp, _scale_index, _drop_mask):
            yield from edit(source, node)
