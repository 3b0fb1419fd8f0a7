"""Numbers as elements of another type, and division that rounds up."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from tilecheck.dtypes import BOOL, DTYPES, I8, I16, I32, U8, U16, U32, UNSIGNED, DType, holds, is_fraction
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.coerce import constant_int, scalar_of, to_bool, to_int
from tilecheck.interp.kernel.induction import never_negative
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.lint_facts import Narrowing
from tilecheck.interp.kernel.operators import data_function, is_float, note_divided, shape_of
from tilecheck.interp.kernel.overflow import bits_of, computed_in, fit_unrecorded, fit_value, wrap_constant
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.undeclared import is_converted_as_integer, is_followed_as_integer, note_division
from tilecheck.interp.kernel.values import Bool, Choice, Const, Data, Int, ParamRef, TileRef, Unknown, Value
from tilecheck.solver.overflow import bound_below, numbers
from tilecheck.symbolic import Term, app, cdiv, const, floordiv, maximum, mod


def rounded_up(m: Machine, number: Term, size: Term) -> Term:
    """`ceil(number / size)`, in the form that is right for `size >= 1` where the launch passes sizes."""
    low = bound_below(size)
    if low is not None and low >= 0:
        m.sized |= numbers(size)
        return cdiv(number, size)
    return -floordiv(-number, size)


def cdiv_values(m: Machine, a: Value, b: Value, args: Arguments) -> Value:
    if isinstance(a, Choice) or isinstance(b, Choice) or is_float(a) or is_float(b):
        return m.fresh_int("cdiv", args.span, broadcast(shape_of(a), shape_of(b)))
    x, y = to_int(m, a, args.span), to_int(m, b, args.span)
    if not (is_followed_as_integer(m, x.term) and is_followed_as_integer(m, y.term)):
        return m.fresh_int("cdiv", args.span)
    m.integer_data(y.term)
    note_division(m, x.term, y.term)
    number, size = fit_value(m, x), fit_value(m, y)
    result = rounded_up(m, number, size)
    computed_in(m, result, max(bits_of(x.dtype), bits_of(y.dtype)))
    if bits_of(x.dtype) <= 32:
        note_divided(m, result, number)
    return m.limit(Int(result, broadcast(x.shape, y.shape)), args.span)


def take_absolute(m: Machine, value: Value, args: Arguments) -> Value:
    if isinstance(value, Const) and isinstance(value.value, float):
        return Const(abs(value.value))
    if is_float(value):
        return data_function(m, "fabs", (value,))
    inner = to_int(m, value, args.span)
    number = fit_value(m, inner)
    return Int(maximum(number, -number), inner.shape)


def named_type(value: Value | None) -> DType | None:
    """The element type that a value is, such as `ct.float32`."""
    return DTYPES.get(value.name) if isinstance(value, TileRef) else None


def convert(m: Machine, value: Value, dtype: Value, args: Arguments) -> Value:
    target = named_type(dtype)
    if isinstance(value, Unknown):
        return Data(None)
    if is_fraction(target):
        return data_function(m, "float", (value,)) if not isinstance(value, Data) else value
    if target is BOOL:
        return to_bool(m, value, args.span)
    if target is not None:
        return narrow_value(m, target, value, args)
    if isinstance(value, ParamRef):
        return Int(scalar_of(m, value))
    return value if isinstance(value, (Int, Data)) else Data(shape_of(value))


WRAPPING: Final = (I8, I16, U8, U16, U32)
"""Integer types that do not hold every index. Contracts bound the sizes of the others."""


def narrow_value(m: Machine, target: DType | None, value: Value, args: Arguments) -> Int:
    """The value as an element of an integer type, modulo its range. `target` is None if it is not known."""
    number = constant_int(value)
    if number is not None and target is not None and target.bits >= 32 and not holds(target, number):
        return wrap_constant(m, Int(const(number), shape_of(value), dtype=target))
    if isinstance(value, (Int, ParamRef)):
        t = to_int(m, value, args.span).term
        if not is_converted_as_integer(m, t):
            m.mark_inexact()
            return Int(app("int", t), shape_of(value))
    if target is None or target not in WRAPPING or isinstance(value, Bool):
        whole = to_int(m, value, args.span)
        if target is I32 and not m.doubled.isdisjoint(numbers(whole.term)):
            m.products.add(whole.term)
        if bits_of(whole.dtype) < bits_of(target):
            whole = replace(whole, term=fit_unrecorded(m, whole))
        if m.noting:
            m.notes.note_conversion(target, whole.term, m.path, args.span)
        return whole
    if isinstance(value, Data):
        return m.fresh_int(target.name, args.span, value.shape)
    inner, bits = to_int(m, value, args.span), target.bits
    if bits_of(inner.dtype) < bits:
        inner = replace(inner, term=fit_unrecorded(m, inner))
    if bits == 32 and never_negative(inner.term):
        return inner
    half = const(0 if target in UNSIGNED else 2 ** (bits - 1))
    result = m.limit(Int(mod(inner.term + half, const(2**bits)) - half, inner.shape), args.span)
    if m.noting:
        m.notes.narrowings[Narrowing(target, inner.term, result.term, m.path, args.span)] = None
    return result
