"""Operations element by element: arithmetic, comparisons, bits, fractions and selection."""

from __future__ import annotations

from functools import partial
from typing import Final

from tilecheck.dtypes import UNKNOWN, Weak, promote
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.coerce import to_bool
from tilecheck.interp.kernel.conversions import cdiv_values, take_absolute
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operation import Operation, PoisonRule
from tilecheck.interp.kernel.operators import binary, compare, data_function, invert, negate_value, select, shape_of
from tilecheck.interp.kernel.poison.rules import combine_operands, keep_poison
from tilecheck.interp.kernel.tile_types.operators import type_combination, type_result, type_unary
from tilecheck.interp.kernel.tile_types.typing import drop_type, note, operand
from tilecheck.interp.kernel.values import TileRef, Tuple, Value
from tilecheck.ops.arguments import keep_type, one_of, two_of
from tilecheck.symbolic import Source

# --- values ----------------------------------------------------------------------------------------------------------

def _compute_binary(op: str, m: Machine, args: Arguments) -> Value:
    a, b = two_of(args)
    return binary(m, op, a, b, args.span)


def _compute_comparison(op: str, m: Machine, args: Arguments) -> Value:
    a, b = two_of(args)
    return compare(m, op, a, b, args.span)


def _compute_fraction(name: str, m: Machine, args: Arguments) -> Value:
    return data_function(m, name, tuple(v for v in args.positional if not isinstance(v, TileRef)) or (MISSING,))


def _compute_divmod(m: Machine, args: Arguments) -> Value:
    a, b = two_of(args)
    return Tuple((binary(m, "//", a, b, args.span), binary(m, "%", a, b, args.span)))


def _compute_cdiv(m: Machine, args: Arguments) -> Value:
    return cdiv_values(m, *two_of(args), args)


def _compute_negative(m: Machine, args: Arguments) -> Value:
    return negate_value(m, one_of(args), args.span)


def _compute_bitwise_not(m: Machine, args: Arguments) -> Value:
    return invert(m, one_of(args), args.span)


def _compute_abs(m: Machine, args: Arguments) -> Value:
    return take_absolute(m, one_of(args), args)


def _compute_where(m: Machine, args: Arguments) -> Value:
    given = args.take(("cond", "x", "y"))
    cond = to_bool(m, given.get("cond", MISSING), args.span)
    return select(m, cond, given.get("x", MISSING), given.get("y", MISSING), args.span)


def _compute_isnan(m: Machine, args: Arguments) -> Value:
    return m.fresh_truth("data", args.span, shape_of(one_of(args)), Source.DATA)


# --- types -----------------------------------------------------------------------------------------------------------

def _type_unary(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    value = args.take(("x",)).get("x")
    return drop_type(result) if value is None else type_unary(m, op, value, args.span, result)


def _type_binary(symbol: str, m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("x", "y"))
    if "x" not in given or "y" not in given:
        return drop_type(result)
    return type_combination(m, symbol, given["x"], given["y"], args.span, result, op)


def _type_where(m: Machine, op: str, args: Arguments, result: Value) -> Value:
    given = args.take(("cond", "x", "y"))
    values = tuple(given.get(n) for n in ("cond", "x", "y"))
    cond, x, y = (operand(v) for v in values)
    note(m, "elementwise", op, (cond, x, y), args.span)
    dtype = UNKNOWN if UNKNOWN in (x.dtype, y.dtype) else promote(x.dtype, y.dtype)
    return type_result(result, UNKNOWN if isinstance(dtype, Weak) else dtype or UNKNOWN, values)


# --- records ---------------------------------------------------------------------------------------------------------

_ROUNDED: Final = "x, y, /, *, rounding_mode=None, flush_to_zero=False"
_EXTREME: Final = "x, y, /, *, flush_to_zero=False, propagate_nan=False"
_TWO: Final = "x, y, /"


def _describe_binary(
    name: str, symbol: str, summary: str, signature: str = _TWO, poison: PoisonRule = combine_operands,
) -> Operation:
    """An operation that is an operator of Python. The operator checks the types of its operands itself."""
    return Operation(name, signature, summary, "none", partial(_compute_binary, symbol), keep_type, poison)


def _describe_comparison(name: str, symbol: str) -> Operation:
    return Operation(name, _TWO, f"The truth values of `x {symbol} y`.", "none", partial(_compute_comparison, symbol),
                     keep_type, combine_operands)


def _describe_fraction(name: str, summary: str, signature: str = "x, /") -> Operation:
    return Operation(name, signature, summary, "none", partial(_compute_fraction, name), _type_unary, combine_operands)


OPERATIONS: Final = (
    _describe_binary("add", "+", "The sums `x + y`.", _ROUNDED),
    _describe_binary("sub", "-", "The differences `x - y`.", _ROUNDED),
    _describe_binary("mul", "*", "The products `x * y`.", _ROUNDED),
    _describe_binary("floordiv", "//", "The quotients of `x / y`, rounded down."),
    _describe_binary("mod", "%", "The remainders of `x // y`, with the sign of `y`."),
    _describe_binary("pow", "**", "`x` to the power of `y`."),
    _describe_binary("minimum", "min", "The lower of `x` and `y`.", _EXTREME),
    _describe_binary("maximum", "max", "The higher of `x` and `y`.", _EXTREME),
    _describe_binary("bitwise_and", "&", "The bits that `x` and `y` both have.", poison=keep_poison),
    _describe_binary("bitwise_or", "|", "The bits that `x` or `y` has.", poison=keep_poison),
    _describe_binary("bitwise_xor", "^", "The bits that one of `x` and `y` has."),
    _describe_binary("bitwise_lshift", "<<", "`x` with its bits shifted to the left by `y` places."),
    _describe_binary("bitwise_rshift", ">>", "`x` with its bits shifted to the right by `y` places."),
    _describe_comparison("greater", ">"),
    _describe_comparison("greater_equal", ">="),
    _describe_comparison("less", "<"),
    _describe_comparison("less_equal", "<="),
    _describe_comparison("equal", "=="),
    _describe_comparison("not_equal", "!="),
    Operation("divmod", _TWO, "The pair of `x // y` and `x % y`.", "none", _compute_divmod, keep_type, keep_poison),
    Operation("cdiv", _TWO, "The quotients of `x / y`, rounded up.", "none", _compute_cdiv, partial(_type_binary, "//"),
              combine_operands),
    Operation("truediv", _ROUNDED, "The quotients `x / y`, as fractions.", "none",
              partial(_compute_fraction, "truediv"), partial(_type_binary, "/"), combine_operands),
    Operation("atan2", "x1, x2, /", "The angles of the points (`x2`, `x1`), in radians.", "none",
              partial(_compute_fraction, "atan2"), partial(_type_binary, "atan2"), combine_operands),
    Operation("negative", "x, /", "The values `-x`.", "none", _compute_negative, keep_type, combine_operands),
    Operation("bitwise_not", "x, /", "`x` with each bit inverted.", "none", _compute_bitwise_not, keep_type,
              combine_operands),
    Operation("abs", "x, /", "The absolute values.", "none", _compute_abs, _type_unary, combine_operands),
    Operation("isnan", "x, /", "Whether an element is not a number.", "none", _compute_isnan, _type_unary,
              combine_operands),
    Operation("where", "cond, x, y, /", "The elements of `x` where `cond` holds, and of `y` elsewhere.", "none",
              _compute_where, _type_where, keep_poison),
    _describe_fraction("exp", "e to the power of `x`.", "x, /, *, rounding_mode=None"),
    _describe_fraction("exp2", "2 to the power of `x`.", "x, /, *, flush_to_zero=False"),
    _describe_fraction("log", "The natural logarithms."),
    _describe_fraction("log2", "The logarithms to base 2."),
    _describe_fraction("sqrt", "The square roots.", "x, /, *, rounding_mode=None, flush_to_zero=False"),
    _describe_fraction("rsqrt", "1 divided by the square roots.", "x, /, *, flush_to_zero=False"),
    _describe_fraction("sin", "The sines of angles in radians."),
    _describe_fraction("cos", "The cosines of angles in radians."),
    _describe_fraction("tan", "The tangents of angles in radians."),
    _describe_fraction("sinh", "The hyperbolic sines."),
    _describe_fraction("cosh", "The hyperbolic cosines."),
    _describe_fraction("tanh", "The hyperbolic tangents.", "x, /, *, rounding_mode=None"),
    _describe_fraction("floor", "The numbers rounded down to whole numbers."),
    _describe_fraction("ceil", "The numbers rounded up to whole numbers."),
)
