"""TC203: an index that counts tiles where it counted elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import elements, index_of, operation
from tilecheck.repair.source.tree import Source, dotted, walk

_SHAPES: Final = {"load": 2, "full": 0, "zeros": 0, "ones": 0}
"""The place of the shape among the arguments."""
_NAMES: Final = 4
"""Names for tiles that are followed, one made of the other."""


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    proposal = diagnostic.proposal
    call = source.call_at(diagnostic.span)
    function = None if call is None else source.function_around(call)
    if proposal is None or proposal.axis is None or call is None or function is None:
        return
    index = index_of(source, call)
    parts = [] if index is None else elements(source, function, index)
    if proposal.axis >= len(parts):
        return
    part = parts[proposal.axis]
    for text in dict.fromkeys(_counted(source, function, call, part, proposal.axis)):
        yield Fix(diagnostic.code, f"count tiles: `{text}`", "unsafe", (source.replace(part, text),))


def _counted(
    source: Source, function: cst.FunctionDef, call: cst.Call, part: cst.BaseExpression, axis: int,
) -> Iterator[str]:
    """What may be the number of the tile, where an expression is that times the extent of a tile."""
    value = source.named(function, part)
    extent = _extent(source, function, call, axis)
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Multiply):
        for one, other in ((value.left, value.right), (value.right, value.left)):
            if extent is not None and source.code(other) == extent and _stable(source, function, one):
                yield source.code(one)
    if isinstance(part, cst.Name):
        step = _step(source, function, part.value)
        if step is not None:
            yield f"{part.value} // {step}"
    if extent is not None and extent.isidentifier():
        text = source.code(part)
        whole = isinstance(part, cst.Name | cst.Call | cst.Attribute | cst.Subscript)
        yield f"{text} // {extent}" if whole else f"({text}) // {extent}"


def _extent(source: Source, function: cst.FunctionDef, call: cst.Call, axis: int) -> str | None:
    """The extent of the tile along an axis, as the call, or the load of what it stores, spells it."""
    name, method = operation(source, call)
    shape = source.argument(call, 2 - method, "shape")
    if name == "store":
        tile = source.argument(call, 2 - method, "tile")
        shape = None if tile is None else _shape(source, function, tile)
    if shape is None:
        return None
    extents = elements(source, function, shape)
    return source.code(extents[axis]) if axis < len(extents) else None


def _shape(
    source: Source, function: cst.FunctionDef, tile: cst.BaseExpression, depth: int = _NAMES,
) -> cst.BaseExpression | None:
    """The shape of the first tile in an expression, or in what its names are bound to, that is given one."""
    for part in walk(tile):
        if isinstance(part, cst.Call):
            place = _SHAPES.get(operation(source, part)[0])
            shape = None if place is None else source.argument(part, place, "shape")
            if shape is not None:
                return shape
        elif isinstance(part, cst.Name) and depth:
            value = source.named(function, part)
            shape = None if value is part else _shape(source, function, value, depth - 1)
            if shape is not None:
                return shape
    return None


def _step(source: Source, function: cst.FunctionDef, name: str) -> str | None:
    """The step of the loop whose variable a name is: `T` of `for k in range(0, K, T)`."""
    loops = [node for node in walk(function) if isinstance(node, cst.For) and isinstance(node.target, cst.Name)
             and node.target.value == name]
    if len(loops) == 1 and isinstance(loops[0].iter, cst.Call) and dotted(loops[0].iter.func) == "range":
        args = loops[0].iter.args
        if len(args) == 3 and isinstance(args[2].value, cst.Name):
            return args[2].value.value
    return None


def _stable(source: Source, function: cst.FunctionDef, node: cst.BaseExpression) -> bool:
    """Whether the names in an expression are bound once, so that it means the same elsewhere."""
    return all(len(source.values_of(function, part.value)) <= 1 for part in walk(node) if isinstance(part, cst.Name))
