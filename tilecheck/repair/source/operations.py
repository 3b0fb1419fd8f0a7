"""Which operation a call is, and where its arguments are."""

from __future__ import annotations

from typing import Final

import libcst as cst

from tilecheck.repair.source.tree import Source, dotted

__all__ = ["elements", "index_of", "operation", "spell"]

_INDEX: Final = {"load": 1, "store": 1, "gather": 1, "scatter": 1, "extract": 1, "insert": 1}
"""The place of the index among the arguments of a function; of a method it is the one before."""


def operation(source: Source, call: cst.Call) -> tuple[str, bool]:
    """The name of what is called, and whether it is a method of an array, tile or view."""
    name = dotted(call.func)
    if not name:  # a method of something that is no name, such as `x.tiled_view(shape).load(i)`
        return (call.func.attr.value, True) if isinstance(call.func, cst.Attribute) else ("", False)
    base, _, last = name.rpartition(".")
    return last, base not in ("", source.tile_module())


def index_of(source: Source, call: cst.Call) -> cst.BaseExpression | None:
    """The index that an access takes."""
    name, method = operation(source, call)
    place = _INDEX.get(name, 1) - method
    found = source.argument(call, place, "index")
    return source.argument(call, place, "indices") if found is None else found


def elements(source: Source, function: cst.FunctionDef | None, index: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The parts of an index, one for each axis; where it is a name that is bound once, those of what it is bound to."""
    found = index if function is None else source.named(function, index)
    if isinstance(found, cst.Tuple | cst.List):
        starred = any(isinstance(element, cst.StarredElement) for element in found.elements)
        return [] if starred else [element.value for element in found.elements]
    return [index]


def spell(source: Source, name: str) -> str | None:
    """How this file says `ct.<name>`; None when nothing that it imports has it."""
    module = source.tile_module()
    if module is not None:
        return f"{module}.{name}"
    first, _, rest = name.partition(".")
    for node in source.nodes:
        if isinstance(node, cst.ImportFrom) and node.module is not None and dotted(node.module) == "cuda.tile":
            for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                if dotted(alias.name) == first:
                    local = alias.evaluated_alias or first
                    return f"{local}.{rest}" if rest else local
    return None
