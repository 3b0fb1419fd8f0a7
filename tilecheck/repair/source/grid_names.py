"""How a kernel spells where it stands in its grid."""

from __future__ import annotations

import libcst as cst

from tilecheck.repair.source.operations import identify_operation
from tilecheck.repair.source.tree import Source

__all__ = ["find_axis"]


def find_axis(source: Source, function: cst.FunctionDef, node: cst.BaseExpression, what: str = "bid") -> int | None:
    """The axis of `ct.bid(axis)`, also through a name that is bound once; `what` may be `num_blocks`."""
    found = source.resolve_name(function, node)
    if isinstance(found, cst.Call) and identify_operation(source, found) == (what, False) and len(found.args) == 1:
        value = found.args[0].value
        if isinstance(value, cst.Integer):
            return int(value.evaluated_value)
    return None
