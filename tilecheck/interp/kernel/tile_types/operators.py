"""The result types of operators and builtin functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tilecheck.dtypes import (
    BOOL,
    F32,
    FLOATS,
    I32,
    INTEGERS,
    UNKNOWN,
    DType,
    ElementType,
    Weak,
    get_quotient_type,
    is_fraction,
    promote,
)
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.tile_types.typing import NOTHING, drop_type, note, operand, set_type
from tilecheck.interp.kernel.tile_types.uses import Operand
from tilecheck.interp.kernel.values import Bool, Const, Data, Int, Value
from tilecheck.syntax.tree import Span

TILES: Final = (Int, Bool, Data)


def of_builtin(m: Machine, name: str, args: Arguments, result: Value) -> Value:
    """The same for a builtin or library function."""
    if m.knowledge.written is None or name in _HANDED_ON:
        return result
    if name == "abs" and args.positional:
        return type_unary(m, "ct.abs", args.positional[0], args.span, result)
    if name == "len":
        known = isinstance(result, Int) and result.term.constant is not None
        return set_type(result, Weak.INT if known else UNKNOWN)
    if name == "bool" and args.positional and isinstance(result, Bool) and result.shape == ():
        x = operand(args.positional[0])
        return drop_type(result) if x is NOTHING else set_type(
            result, Weak.BOOL if isinstance(x.dtype, Weak) else BOOL)
    return drop_type(result)


_HANDED_ON: Final = frozenset({
    "min", "max", "sum", "math.prod", "functools.reduce", "operator.add", "operator.mul", "pow", "getattr"})
"""Functions that consist of operators. The operators check types themselves."""


def type_result(
    result: Value, dtype: ElementType | None, operands: tuple[Value | None, ...], made: Span | None = None,
) -> Value:
    """The result with a type, if the shapes of all operands are certain."""
    if not isinstance(result, TILES):
        return result
    types = [operand(v) for v in operands]
    if any(t is NOTHING for t in types):
        return drop_type(result) if result.shape is not None else set_type(result, dtype)
    if made is None:
        made = next((t.made for t in types if t.shape == result.shape and t.made is not None), None)
    return set_type(result, dtype, made)


_COMPARISONS: Final = frozenset({"==", "!=", "<", "<=", ">", ">="})


def type_combination(
    m: Machine, op: str, left: Value, right: Value, span: Span, result: Value, name: str = ""
) -> Value:
    """The result of a binary operator or comparison, or of the function `name` that does the same."""
    if m.knowledge.written is None or not isinstance(result, (*TILES, Const)):
        return result
    a, b = operand(left), operand(right)
    if a is NOTHING or b is NOTHING:
        return drop_type(result)
    if op == "@":
        note(m, "mma", "@", (a, b), span)
        return set_type(result, promote(a.dtype, b.dtype) or UNKNOWN, span)
    both = isinstance(a.dtype, Weak) and isinstance(b.dtype, Weak)
    if not both:
        note(m, "elementwise", name or op, (a, b), span)
    if isinstance(result, Const):
        # a constant with a type of its own is none that takes on another
        return result if both else Data((), None, (), _combined_type(op, a, b))
    made = next((o.made for o in (a, b) if o.shape == result.shape and o.made is not None), None)
    return set_type(result, _combined_type(op, a, b), made)


def _combined_type(op: str, a: Operand, b: Operand) -> ElementType:
    if op in _COMPARISONS:
        if isinstance(a.dtype, Weak) and isinstance(b.dtype, Weak):
            return Weak.BOOL
        return BOOL if a.shape or b.shape or isinstance(a.dtype, DType) or isinstance(b.dtype, DType) else UNKNOWN
    if op == "**" and isinstance(a.dtype, DType) and a.dtype in FLOATS and b.dtype in INTEGERS:
        return a.dtype
    if UNKNOWN in (a.dtype, b.dtype):
        return UNKNOWN
    dtype = promote(a.dtype, b.dtype)
    if dtype is None:
        return UNKNOWN
    if op == "/":
        return get_quotient_type(dtype)
    # a symbol may stand for a truth value, which takes part in arithmetic with another one as a number only
    return dtype


def of_unary(m: Machine, op: str, value: Value, span: Span, result: Value) -> Value:
    """The result of `-x`, `~x` or `not x`."""
    if m.knowledge.written is None:
        return result
    return type_unary(m, {"-": "ct.negative", "~": "ct.bitwise_not"}.get(op, op), value, span, result)


def type_unary(m: Machine, op: str, value: Value, span: Span, result: Value) -> Value:
    x = operand(value)
    if x is NOTHING:
        return drop_type(result)
    if op in ("ct.bitwise_not", "ct.floor", "ct.ceil", "ct.isnan") and not isinstance(x.dtype, Weak):
        note(m, "unary", op, (x,), span)
    return type_result(result, _UNARY_TYPES.get(op, _fraction)(x.dtype), (value,))


_TypeRule: TypeAlias = "Callable[[ElementType | None], ElementType | None]"


def _fraction(dtype: ElementType | None) -> ElementType | None:
    return Weak.FLOAT if isinstance(dtype, Weak) else F32 if dtype in INTEGERS or dtype is BOOL else (
        dtype if is_fraction(dtype) else UNKNOWN)


def _number(dtype: ElementType | None) -> ElementType | None:
    return I32 if dtype is BOOL else dtype if dtype in FLOATS or dtype in INTEGERS or dtype in (
        Weak.INT, Weak.FLOAT) else UNKNOWN


def _of_tile(dtype: ElementType | None) -> ElementType | None:
    return UNKNOWN if isinstance(dtype, Weak) else dtype


def _of_integer(dtype: ElementType | None) -> ElementType | None:
    return dtype if dtype is Weak.INT else _of_tile(dtype)


def _of_absolute(dtype: ElementType | None) -> ElementType | None:
    return dtype if dtype in (Weak.INT, Weak.FLOAT) else _of_tile(dtype)


_UNARY_TYPES: Final[Mapping[str, _TypeRule]] = {
    "ct.negative": _number, "ct.bitwise_not": _of_integer, "ct.abs": _of_absolute, "ct.floor": _of_tile,
    "ct.ceil": _of_tile,
    "not": lambda dtype: Weak.BOOL if isinstance(dtype, Weak) else BOOL,
    "ct.isnan": lambda dtype: UNKNOWN if isinstance(dtype, Weak) else BOOL,
}


def of_subscript(m: Machine, value: Value, kept: int, span: Span) -> None:
    """Checks `t[:, None]`, in which `:` retains this many axes."""
    x = operand(value)
    if x is not NOTHING and m.knowledge.written is not None:
        note(m, "subscript", "[...]", (x,), span, (kept,))
