"""Python builtins, `math`, and the few library functions that stand for conversions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tilecheck.dtypes import I32, SOME_INTEGER, DType, ElementType, Weak, holds, promote
from tilecheck.interp.kernel.arguments import MISSING, Arguments
from tilecheck.interp.kernel.calls import call, unknown_call
from tilecheck.interp.kernel.coerce import constant_int, expand, rank_of, show, to_bool, to_int, to_term
from tilecheck.interp.kernel.conversions import cdiv_values, take_absolute
from tilecheck.interp.kernel.device.values import check_range
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operators import binary, data_function, evaluate_extreme, is_float
from tilecheck.interp.kernel.overflow import fit_unrecorded, not_below
from tilecheck.interp.kernel.tile_types.typing import operand
from tilecheck.interp.kernel.values import (
    NONE,
    Bool,
    Choice,
    Const,
    Data,
    Dict,
    Extents,
    Int,
    ParamRef,
    Partial,
    Range,
    Tuple,
    Unknown,
    Value,
    with_term,
)
from tilecheck.symbolic import ONE, ZERO, ArrayParam, Length, Rank, app, const, of

_SCALARS = (Int, Bool, ParamRef, Choice)


def _range(m: Machine, args: Arguments) -> Value:
    values = args.positional
    if args.complete:
        check_range(m, values, args.span)
    if args.keywords or not 1 <= len(values) <= 3 or not args.complete:
        return Unknown("range", frozenset())
    start, stop, step = values if len(values) == 3 else (
        *(values if len(values) == 2 else (_NUMBERS[0], *values)), _NUMBERS[1])
    by = fit_unrecorded(m, _addressing(m, step, args))
    first, last = fit_unrecorded(m, _addressing(m, start, args)), _addressing(m, stop, args)
    down = by.constant is not None and by.constant < 0
    made = Range(first, fit_unrecorded(m, last) if down else not_below(m, last), by)
    if m.knowledge.variant is not None:
        m.range_types[made] = _type_of_counter(values)
    return made


def _type_of_counter(values: tuple[Value, ...]) -> ElementType:
    """The type of the counter of a range with these bounds."""
    found = [operand(v) for v in values]
    if all(isinstance(o.dtype, Weak) for o in found):
        return I32 if all(o.value is not None and holds(I32, o.value) for o in found) else SOME_INTEGER
    result: ElementType | None = found[0].dtype
    for o in found[1:]:
        result = promote(result, o.dtype)
    return result if isinstance(result, DType) else SOME_INTEGER


_NUMBERS: Final = (Int(ZERO, dtype=Weak.INT), Int(ONE, dtype=Weak.INT))


def _addressing(m: Machine, value: Value, args: Arguments) -> Int:
    """A value that bounds a loop."""
    number = to_int(m, value, args.span)
    return with_term(number, to_term(m, number, args.span))


def _evaluate_extreme(which: str, m: Machine, args: Arguments) -> Value:
    values = args.positional
    if len(values) == 1:
        values = expand(m, values[0]) or ()
    if not values or args.keywords or not args.complete:
        return unknown_call(m, which, NONE, args)
    return evaluate_extreme(m, which, values, args.span)


def _abs(m: Machine, args: Arguments) -> Value:
    return take_absolute(m, args.positional[0], args) if args.positional else Unknown("abs")


def _len(m: Machine, args: Arguments) -> Value:
    value = args.positional[0] if args.positional else Unknown("len")
    items = expand(m, value)
    if items is not None:
        return Int(const(len(items)))
    if isinstance(value, ParamRef) and isinstance(value.root, ArrayParam) and not value.outer:
        m.used_as(value.root.root, "list")
        return Int(of(Length(value.root)))
    if isinstance(value, Dict):
        return Int(const(len(value.items)))
    if isinstance(value, Extents):
        rank = rank_of(m, value.array)
        if rank is not None:
            return Int(const(rank))
        if len(value.array.options) == 1:
            return Int(of(Rank(value.array.options[0][1].root)))
    return m.fresh_int("len", args.span)


def _int(m: Machine, args: Arguments) -> Value:
    if not args.positional:
        return Int(ZERO)
    value = args.positional[0]
    if isinstance(value, Const) and isinstance(value.value, float) and math.isfinite(value.value):
        return Int(const(int(value.value)))
    return to_int(m, value, args.span)


def _float(m: Machine, args: Arguments) -> Value:
    value = args.positional[0] if args.positional else Const(0.0)
    if isinstance(value, Const) and isinstance(value.value, str):
        try:
            return Const(float(value.value))
        except ValueError:
            return Data(())
    number = constant_int(value)
    if number is not None:
        return Const(float(number))
    return value if is_float(value) else data_function(m, "float", (value,))


def _bool(m: Machine, args: Arguments) -> Value:
    return to_bool(m, args.positional[0] if args.positional else Int(ZERO), args.span)


def _divmod(m: Machine, args: Arguments) -> Value:
    if len(args.positional) != 2:
        return unknown_call(m, "divmod", NONE, args)
    a, b = args.positional
    return Tuple((binary(m, "//", a, b, args.span), binary(m, "%", a, b, args.span)))


def _pow(m: Machine, args: Arguments) -> Value:
    if len(args.positional) != 2:
        return unknown_call(m, "pow", NONE, args)
    return binary(m, "**", args.positional[0], args.positional[1], args.span)


def _tuple(m: Machine, args: Arguments) -> Value:
    if not args.positional:
        return Tuple(())
    value = args.positional[0]
    items = expand(m, value)
    return value if items is None else Tuple(items)


def _sum(m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[0]) if args.positional else None
    if items is None:
        return unknown_call(m, "sum", NONE, args)
    total: Value = args.positional[1] if len(args.positional) > 1 else Int(ZERO)
    for v in items:
        total = binary(m, "+", total, v, args.span)
    return total


def _enumerate(m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[0]) if args.positional else None
    if items is None:
        return unknown_call(m, "enumerate", NONE, args)
    return Tuple(tuple(Tuple((Int(const(k)), v)) for k, v in enumerate(items)))


def _zip(m: Machine, args: Arguments) -> Value:
    sequences = [expand(m, v) for v in args.positional]
    known = [s for s in sequences if s is not None]
    if len(known) != len(sequences):
        return unknown_call(m, "zip", NONE, args)
    return Tuple(tuple(Tuple(items) for items in zip(*known, strict=False)))


def _reverse(m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[0]) if args.positional else None
    return unknown_call(m, "reversed", NONE, args) if items is None else Tuple(tuple(reversed(items)))


def _all(every: bool, m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[0]) if args.positional else None
    if items is None:
        return m.fresh_truth("unknown", args.span)
    result: Value = Bool(to_bool(m, Int(ONE if every else ZERO), args.span).cond)
    for v in items:
        result = binary(m, "&" if every else "|", result, to_bool(m, v, args.span), args.span)
    return result


def _ignore(m: Machine, args: Arguments) -> Value:
    return NONE


def _question(name: str, m: Machine, args: Arguments) -> Value:
    """Evaluates a query about types. Its result is uniform if the queried value is uniform."""
    texts = [show(v) for v in args.positional]
    if any(t is None for t in texts):
        return m.fresh_truth("unknown", args.span)
    from tilecheck.interp.kernel.coerce import uniform_truth

    return Bool(uniform_truth(f"{name}({', '.join(t for t in texts if t is not None)})"))


def _getattr(m: Machine, args: Arguments) -> Value:
    from tilecheck.interp.kernel.attributes import attribute

    if len(args.positional) >= 2 and isinstance(args.positional[1], Const):
        return attribute(m, args.positional[0], str(args.positional[1].value), args.span)
    return unknown_call(m, "getattr", NONE, args)


BUILTINS: Final[Mapping[str, Callable[[Machine, Arguments], Value]]] = {
    "range": _range,
    "min": partial(_evaluate_extreme, "min"),
    "max": partial(_evaluate_extreme, "max"),
    "abs": _abs,
    "len": _len,
    "int": _int,
    "float": _float,
    "bool": _bool,
    "divmod": _divmod,
    "pow": _pow,
    "tuple": _tuple,
    "list": _tuple,
    "sum": _sum,
    "enumerate": _enumerate,
    "zip": _zip,
    "reversed": _reverse,
    "all": partial(_all, True),
    "any": partial(_all, False),
    "print": _ignore,
    "isinstance": partial(_question, "isinstance"),
    "hasattr": partial(_question, "hasattr"),
    "callable": partial(_question, "callable"),
    "getattr": _getattr,
    "str": lambda m, args: Unknown("text"),
    "repr": lambda m, args: Unknown("text"),
    "type": lambda m, args: Unknown("type"),
}


# --- math and libraries ----------------------------------------------------------------------------------------------

def _math(name: str, function: Callable[..., float | int], m: Machine, args: Arguments) -> Value:
    numbers: list[float | int] = []
    for v in args.positional:
        if isinstance(v, Const) and isinstance(v.value, (int, float)):
            numbers.append(v.value)
        else:
            n = constant_int(v)
            if n is None:
                return _unknown_math(m, name, args)
            numbers.append(n)
    try:
        result = function(*numbers)
    except (ValueError, ArithmeticError, TypeError):
        return _unknown_math(m, name, args)
    return Int(const(result)) if isinstance(result, int) else Const(float(result))


def _unknown_math(m: Machine, name: str, args: Arguments) -> Value:
    if name in ("ceil", "floor", "trunc", "isqrt"):
        return m.fresh_int(name, args.span)
    if name in ("gcd", "lcm"):
        return Int(app(name, *(to_int(m, v, args.span).term for v in args.positional)))
    return data_function(m, name, args.positional)


_MATH = (
    "log", "log2", "log10", "sqrt", "exp", "exp2", "pow", "sin", "cos", "tan", "tanh", "erf", "ceil", "floor", "trunc",
    "gcd", "lcm", "isqrt", "log1p", "fabs",
)


def _prod(m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[0]) if args.positional else None
    if items is None:
        return unknown_call(m, "math.prod", NONE, args)
    total: Value = Int(ONE)
    for v in items:
        total = binary(m, "*", total, v, args.span)
    return total


def _partial(m: Machine, args: Arguments) -> Value:
    if not args.positional or not args.complete:
        return unknown_call(m, "functools.partial", NONE, args)
    return Partial(args.positional[0], args.positional[1:], tuple(args.keywords.items()))


def _reduce(m: Machine, args: Arguments) -> Value:
    items = expand(m, args.positional[1]) if len(args.positional) > 1 else None
    if items is None:
        return unknown_call(m, "functools.reduce", NONE, args)
    rest = list(items)
    total = args.positional[2] if len(args.positional) > 2 else rest.pop(0) if rest else Unknown("empty reduction")
    for v in rest:
        total = call(m, args.positional[0], Arguments((total, v), {}, True, args.span))
    return total


def _return_first(m: Machine, args: Arguments) -> Value:
    return args.positional[0] if args.positional else MISSING


def _library_cdiv(m: Machine, args: Arguments) -> Value:
    if len(args.positional) != 2:
        return unknown_call(m, "cdiv", NONE, args)
    return cdiv_values(m, args.positional[0], args.positional[1], args)


def _as_tile(name: str, m: Machine, args: Arguments) -> Value:
    operation = m.operations.tile[name]
    return Unknown(name) if operation.value is None else operation.value(m, args)


LIBRARY: Final[Mapping[str, Callable[[Machine, Arguments], Value]]] = {
    **{f"math.{name}": partial(_math, name, getattr(math, name)) for name in _MATH if hasattr(math, name)},
    "math.prod": _prod, "functools.partial": _partial, "functools.reduce": _reduce,
    "triton.cdiv": _library_cdiv,
    "operator.add": partial(_as_tile, "add"), "operator.mul": partial(_as_tile, "mul"),
    **{f"{library}.{kind}{bits}": _return_first for library in ("numpy", "torch") for kind in ("int", "uint")
       for bits in (8, 16, 32, 64)},
}
