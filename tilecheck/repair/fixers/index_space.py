"""TC203: an index that counts tiles where it counted elements."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import get_index, get_index_parts, identify_operation
from tilecheck.repair.source.tree import Source, get_dotted_name, walk

_SHAPES: Final = {"load": 2, "full": 0, "zeros": 0, "ones": 0}
"""The place of the shape among the arguments."""
_NAMES: Final = 4
"""Names for tiles that are followed, one computed from the other."""


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    proposal = diagnostic.proposal
    call = source.call_at(diagnostic.span)
    function = None if call is None else source.function_around(call)
    if proposal is None or proposal.axis is None or call is None or function is None:
        return
    index = get_index(source, call)
    parts = [] if index is None else get_index_parts(source, function, index)
    if proposal.axis >= len(parts):
        return
    part = parts[proposal.axis]
    for text in dict.fromkeys(_divide_by_extent(source, function, call, part, proposal.axis)):
        yield Fix(diagnostic.code, f"count tiles: `{text}`", "unsafe", (source.replace(part, text),))


def _divide_by_extent(
    source: Source, function: cst.FunctionDef, call: cst.Call, part: cst.BaseExpression, axis: int,
) -> Iterator[str]:
    """Texts for the number of the tile, if an expression is that number times the extent of the tile."""
    value = source.resolve_name(function, part)
    extent = _get_extent(source, function, call, axis)
    if isinstance(value, cst.BinaryOperation) and isinstance(value.operator, cst.Multiply):
        for one, other in ((value.left, value.right), (value.right, value.left)):
            if extent is not None and source.code(other) == extent and _is_bound_once(source, function, one):
                yield source.code(one)
    if isinstance(part, cst.Name):
        step = _find_step(source, function, part.value)
        if step is not None:
            yield f"{part.value} // {step}"
    if extent is not None and extent.isidentifier():
        text = source.code(part)
        whole = isinstance(part, cst.Name | cst.Call | cst.Attribute | cst.Subscript)
        yield f"{text} // {extent}" if whole else f"({text}) // {extent}"


def _get_extent(source: Source, function: cst.FunctionDef, call: cst.Call, axis: int) -> str | None:
    """The extent of the tile along an axis, as spelled in the call or in the load of the stored tile."""
    name, method = identify_operation(source, call)
    shape = source.argument(call, 2 - method, "shape")
    if name == "store":
        tile = source.argument(call, 2 - method, "tile")
        shape = None if tile is None else _find_shape(source, function, tile)
    if shape is None:
        return None
    extents = get_index_parts(source, function, shape)
    return source.code(extents[axis]) if axis < len(extents) else None


def _find_shape(
    source: Source, function: cst.FunctionDef, tile: cst.BaseExpression, depth: int = _NAMES,
) -> cst.BaseExpression | None:
    """The shape of the first tile in an expression, or in what its names are bound to, that is given one."""
    for part in walk(tile):
        if isinstance(part, cst.Call):
            place = _SHAPES.get(identify_operation(source, part)[0])
            shape = None if place is None else source.argument(part, place, "shape")
            if shape is not None:
                return shape
        elif isinstance(part, cst.Name) and depth:
            value = source.resolve_name(function, part)
            shape = None if value is part else _find_shape(source, function, value, depth - 1)
            if shape is not None:
                return shape
    return None


def _find_step(source: Source, function: cst.FunctionDef, name: str) -> str | None:
    """The step of the loop whose variable a name is: `T` of `for k in range(0, K, T)`."""
    loops = [node for node in walk(function) if isinstance(node, cst.For) and isinstance(node.target, cst.Name)
             and node.target.value == name]
    if len(loops) == 1 and isinstance(loops[0].iter, cst.Call) and get_dotted_name(loops[0].iter.func) == "range":
        args = loops[0].iter.args
        if len(args) == 3 and isinstance(args[2].value, cst.Name):
            return args[2].value.value
    return None


def _is_bound_once(source: Source, function: cst.FunctionDef, node: cst.BaseExpression) -> bool:
    """Whether the names in an expression are bound once, so that it means the same elsewhere."""
    return all(len(source.values_of(function, part.value)) <= 1 for part in walk(node) if isinstance(part, cst.Name))
