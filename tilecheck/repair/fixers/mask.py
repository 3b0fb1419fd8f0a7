"""TC302: an unused mask is passed to the accesses at the index that it is computed from."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import libcst as cst

from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.edits import Fix
from tilecheck.repair.source.operations import get_index, identify_operation
from tilecheck.repair.source.tree import Source, walk

_MASKED: Final = frozenset({"gather", "scatter"})


def fixes(source: Source, diagnostic: Diagnostic) -> Iterator[Fix]:
    found = _find_assignment(source, diagnostic)
    function = None if found is None else source.function_around(found[1])
    if found is None or function is None:
        return
    name, statement = found
    lanes = {part.value for part in walk(statement.value) if isinstance(part, cst.Name)}
    line = source.at.first_line(statement)
    edits = []
    for node in walk(function):
        if not isinstance(node, cst.Call) or identify_operation(source, node) not in {(op, False) for op in _MASKED}:
            continue
        index = get_index(source, node)
        if index is None or source.keyword(node, "mask") is not None or source.at.first_line(node) <= line:
            continue
        if lanes & _find_lane_names(source, function, index):
            edit = source.add_keyword(node, "mask", name)
            if edit is not None:
                edits.append(edit)
    if edits:
        yield Fix(diagnostic.code, f"pass `mask={name}`", "unsafe", tuple(edits))


def _find_assignment(source: Source, diagnostic: Diagnostic) -> tuple[str, cst.Assign] | None:
    """The assignment that a finding stands on, and the name that it binds."""
    for node in source.nodes:
        if isinstance(node, cst.Assign) and len(node.targets) == 1 and isinstance(node.targets[0].target, cst.Name):
            span = source.at.span(node)
            target = source.at.span(node.targets[0].target)
            if diagnostic.span in (span, target, source.at.span(node.value)):
                return node.targets[0].target.value, node
    return None


def _find_lane_names(source: Source, function: cst.FunctionDef, index: cst.BaseExpression) -> set[str]:
    """The names of tiles in an index. A mask compares those that are not scalars."""
    out = {part.value for part in walk(index) if isinstance(part, cst.Name)}
    for name in tuple(out):
        for value in source.values_of(function, name):
            if isinstance(value, cst.Tuple):
                out |= {part.value for part in walk(value) if isinstance(part, cst.Name)}
    return {name for name in out if any(_has_lanes(source, value) for value in source.values_of(function, name))}


def _has_lanes(source: Source, value: cst.BaseExpression | None) -> bool:
    return value is not None and any(isinstance(part, cst.Call) and identify_operation(source, part)[0] == "arange"
                                     for part in walk(value))
