"""Which operation a call is, and where its arguments are."""

from __future__ import annotations

from typing import Final

import libcst as cst

from tilecheck.repair.source.tree import Source, get_dotted_name

__all__ = ["get_index", "get_index_parts", "identify_operation", "spell_name"]

_INDEX: Final = {"load": 1, "store": 1, "gather": 1, "scatter": 1, "extract": 1, "insert": 1}
"""The place of the index among the arguments of a function; of a method it is the one before."""


def identify_operation(source: Source, call: cst.Call) -> tuple[str, bool]:
    """The name of the called function, and whether it is a method of an array, tile or view."""
    name = get_dotted_name(call.func)
    if not name:  # a method of an expression that is not a name, such as `x.tiled_view(shape).load(i)`
        return (call.func.attr.value, True) if isinstance(call.func, cst.Attribute) else ("", False)
    base, _, last = name.rpartition(".")
    return last, base not in ("", source.tile_module())


def get_index(source: Source, call: cst.Call) -> cst.BaseExpression | None:
    """The index that an access takes."""
    name, method = identify_operation(source, call)
    place = _INDEX.get(name, 1) - method
    found = source.argument(call, place, "index")
    return source.argument(call, place, "indices") if found is None else found


def get_index_parts(
    source: Source, function: cst.FunctionDef | None, index: cst.BaseExpression
) -> list[cst.BaseExpression]:
    """The parts of an index, one for each axis. A name that is bound once stands for its value."""
    found = index if function is None else source.resolve_name(function, index)
    if isinstance(found, cst.Tuple | cst.List):
        starred = any(isinstance(element, cst.StarredElement) for element in found.elements)
        return [] if starred else [element.value for element in found.elements]
    return [index]


def spell_name(source: Source, name: str) -> str | None:
    """How this file says `ct.<name>`; None when nothing that it imports has it."""
    module = source.tile_module()
    if module is not None:
        return f"{module}.{name}"
    first, _, rest = name.partition(".")
    for node in source.nodes:
        if isinstance(node, cst.ImportFrom) and node.module is not None and get_dotted_name(node.module) == "cuda.tile":
            for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
                if get_dotted_name(alias.name) == first:
                    local = alias.evaluated_alias or first
                    return f"{local}.{rest}" if rest else local
    return None
