"""Element indices that cover a tile: `coordinate * T + ct.arange(T)`."""

from __future__ import annotations

from typing import Final

import libcst as cst

from tilecheck.repair.source.operations import identify_operation
from tilecheck_runtime.migrate.source_kernel import SourceKernel

__all__ = ["Run", "lanes_of", "run_of"]

Run = tuple[cst.BaseExpression | None, cst.BaseExpression]
"""The expression that counts the tiles, None for the first one only, and the extent of a tile."""

_CHAIN: Final = 8
"""The length of the longest chain of names that is followed."""
_CALLS: Final = {"add": cst.Add, "mul": cst.Multiply}


def _resolve_names(subject: SourceKernel, node: cst.BaseExpression) -> cst.BaseExpression:
    """Returns the definition of an expression, through names that are bound once."""
    for _ in range(_CHAIN):
        found = subject.source.resolve_name(subject.function, node)
        if found is node:
            break
        node = found
    return node


def lanes_of(subject: SourceKernel, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Returns `T` of `ct.arange(T)`, also through a name."""
    found = _resolve_names(subject, node)
    if isinstance(found, cst.Call) and identify_operation(subject.source, found)[0] == "arange" and found.args:
        return found.args[0].value
    return None


def run_of(subject: SourceKernel, node: cst.BaseExpression) -> Run | None:
    """Returns the run that an index covers; None if it does not cover one."""
    alone = lanes_of(subject, node)
    if alone is not None:
        return None, alone
    for scaled, lanes in _operands(subject, node, cst.Add):
        extent = lanes_of(subject, lanes)
        for one, size in _operands(subject, scaled, cst.Multiply) if extent is not None else ():
            if extent is not None and subject.code(size) == subject.code(extent):
                return one, extent
    return None


def _operands(
    subject: SourceKernel, node: cst.BaseExpression, kind: type[cst.BaseBinaryOp],
) -> list[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """The operands of a sum or product, in both orders, also if it is written as a call."""
    found = _resolve_names(subject, node)
    pair: tuple[cst.BaseExpression, cst.BaseExpression] | None = None
    if isinstance(found, cst.BinaryOperation) and isinstance(found.operator, kind):
        pair = found.left, found.right
    elif isinstance(found, cst.Call) and len(found.args) >= 2 and _CALLS.get(
            identify_operation(subject.source, found)[0]) is kind:
        pair = found.args[0].value, found.args[1].value
    return [] if pair is None else [pair, pair[::-1]]
