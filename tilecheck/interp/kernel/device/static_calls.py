"""Operations of cuda.tile in Python that the compiler executes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import TileRef
from tilecheck.syntax.tree import (
    Attribute,
    BinOp,
    Call,
    Expr,
    Sequence,
    Subscript,
    UnaryOp,
)

__all__ = ["check_static_calls"]

_SAFE: Final = frozenset({
    "add", "bitwise_and", "bitwise_lshift", "bitwise_not", "bitwise_or", "bitwise_rshift", "bitwise_xor", "cdiv",
    "divmod", "equal", "floordiv", "foreign_pointer_dtype", "greater", "greater_equal", "less", "less_equal", "matmul",
    "maximum", "minimum", "mod", "mul", "negative", "not_equal", "pow", "sub", "truediv"})
"""Operations that Python may call while the compiler executes it."""


def check_static_calls(m: Machine, name: str, arguments: tuple[Expr, ...]) -> None:
    """Notes calls of operations in the arguments of `ct.static_eval` and similar functions. Those of `static_assert`
    after the condition are executed only where it fails."""
    for argument in arguments[:1]:
        for node in _calls(argument):
            with m.suspend_recording():
                func = m.eval(node.func)
            if isinstance(func, TileRef) and func.name in m.operations.tile and func.name not in _SAFE:
                refuse(m, "TC603", "static", node.span, func.name, name)


def _calls(node: Expr) -> Iterator[Call]:
    """The calls in an expression that Python executes whenever it evaluates the expression."""
    if isinstance(node, Call):
        yield node
        for part in (*node.args, *(k.value for k in node.keywords)):
            yield from _calls(part)
    elif isinstance(node, BinOp):
        yield from _calls(node.left)
        yield from _calls(node.right)
    elif isinstance(node, UnaryOp):
        yield from _calls(node.operand)
    elif isinstance(node, (Attribute, Subscript)):
        yield from _calls(node.value)
    elif isinstance(node, Sequence):
        for item in node.items:
            yield from _calls(item)
