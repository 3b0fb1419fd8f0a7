"""How a kernel spells where it stands in its grid."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.repair.source.operations import identify_operation, spell_name
from tilecheck.repair.source.tree import Source, walk

_SCALAR: Final = frozenset({"bid", "num_blocks", "num_tiles", "cdiv", "min", "max"})
"""Operations that yield numbers that an index can be."""

__all__ = ["find_axis", "follows_block", "spell_block_count"]


def find_axis(source: Source, function: cst.FunctionDef, node: cst.BaseExpression, what: str = "bid") -> int | None:
    """The axis of `ct.bid(axis)`, also through a name that is bound once; `what` may be `num_blocks`."""
    found = source.resolve_name(function, node)
    if isinstance(found, cst.Call) and identify_operation(source, found) == (what, False) and len(found.args) == 1:
        value = found.args[0].value
        if isinstance(value, cst.Integer):
            return int(value.evaluated_value)
    return None


def _find_names(source: Source, function: cst.FunctionDef, axis: int, what: str) -> Iterator[str]:
    for name in _find_bound_names(function):
        values = source.values_of(function, name)
        if len(values) == 1 and values[0] is not None and find_axis(source, function, values[0], what) == axis:
            yield name


def spell_block_count(source: Source, function: cst.FunctionDef, axis: int) -> str | None:
    """A name that is bound to `ct.num_blocks(axis)`, or the call."""
    return next(_find_names(source, function, axis, "num_blocks"), None) or _spell_call(source, "num_blocks", axis)


def follows_block(source: Source, function: cst.FunctionDef, node: cst.BaseExpression, axis: int) -> bool:
    """Whether an expression is a number that is computed from `ct.bid(axis)`, through names that are bound once."""
    known: set[str] = set()
    for name in _find_bound_names(function):
        values = source.values_of(function, name)
        if len(values) == 1 and values[0] is not None and _reaches_block(source, function, values[0], axis, known):
            known.add(name)
    return _reaches_block(source, function, node, axis, known)


def _reaches_block(
    source: Source, function: cst.FunctionDef, value: cst.BaseExpression, axis: int, known: set[str]
) -> bool:
    parts = list(walk(value))
    if any(isinstance(part, cst.Call) and identify_operation(source, part)[0] not in _SCALAR for part in parts):
        return False
    return any(find_axis(source, function, part) == axis or (isinstance(part, cst.Name) and part.value in known)
               for part in parts if isinstance(part, cst.Call | cst.Name))


def _find_bound_names(function: cst.FunctionDef) -> list[str]:
    found = [target.target for node in walk(function) if isinstance(node, cst.Assign) for target in node.targets]
    names = [part.value for target in found if isinstance(target, cst.Name | cst.Tuple) for part in walk(target)
             if isinstance(part, cst.Name)]
    return list(dict.fromkeys(names))


def _spell_call(source: Source, what: str, axis: int) -> str | None:
    spelled = spell_name(source, what)
    return None if spelled is None else f"{spelled}({axis})"
