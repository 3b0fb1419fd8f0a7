"""Operators on abstract values: arithmetic, comparison, boolean algebra and selection."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Final

from msgspec.structs import replace

from tilecheck.dtypes import SOME_NUMBER, Weak
from tilecheck.interp.kernel.coerce import arrays_in, constant_int, expand, scalar_of, show, to_int, uniform_truth
from tilecheck.interp.kernel.device.values import check_comparison, check_operands, check_unary
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import choose, join
from tilecheck.interp.kernel.overflow import (
    bits_of,
    computed_in,
    fit_unrecorded,
    fit_value,
    widen_operands,
    wrap_constant,
)
from tilecheck.interp.kernel.poison.propagation import elementwise, lose_all, masks, product, select_lanes, spread
from tilecheck.interp.kernel.shapes import broadcast
from tilecheck.interp.kernel.tile_types.operators import of_unary, type_combination
from tilecheck.interp.kernel.translation.values import mark_run_time
from tilecheck.interp.kernel.undeclared import (
    compare_terms,
    is_followed_as_integer,
    note_division,
    note_use,
    undecided_numbers,
)
from tilecheck.interp.kernel.values import (
    Bool,
    Choice,
    Const,
    Data,
    Instance,
    Int,
    Named,
    ParamRef,
    Shape,
    TileRef,
    Tuple,
    Unknown,
    Value,
    with_term,
)
from tilecheck.symbolic import (
    FALSE,
    ONE,
    TRUE,
    App,
    Cond,
    FloorDiv,
    Mod,
    Source,
    Symbol,
    Term,
    app,
    atoms_of,
    bool_opaque,
    build_opaque,
    conj,
    const,
    disj,
    floordiv,
    ite,
    maximum,
    minimum,
    mod,
    negate,
)
from tilecheck.syntax.tree import Span

_ORDINARY = (Int, Bool, Data, Const, ParamRef)


def shape_of(value: Value) -> Shape | None:
    """The tile shape of a value; () for scalars."""
    if isinstance(value, (Int, Bool, Data)):
        return value.shape
    if isinstance(value, Choice):
        first, second = shape_of(value.then), shape_of(value.other)
        return first if first == second else None
    return None if isinstance(value, Unknown) else ()


def is_float(value: Value) -> bool:
    return isinstance(value, Data) or (isinstance(value, Const) and isinstance(value.value, float))


def data_term(m: Machine, value: Value) -> Term | None:
    """A term that names the value, for comparisons and functions of it."""
    if isinstance(value, Data):
        return value.term
    if isinstance(value, Int):
        return value.term
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return build_opaque(repr(float(value.value)), uniform=True)
    if isinstance(value, ParamRef):
        return scalar_of(m, value)
    return None


def data_function(m: Machine, name: str, values: tuple[Value, ...], shape: Shape | None = None) -> Data:
    """A float result: named when all operands are the same in all blocks, else followed no further."""
    extents = shape if shape is not None else broadcast(*(shape_of(v) for v in values))
    terms = [data_term(m, v) for v in values]
    named = [t for t in terms if t is not None and not t.varying]
    if len(named) != len(terms) or sum(len(t.key) for t in named) > 400:
        return Data(extents)
    return Data(extents, app(name, *named))


def _power(a: Term, b: Term) -> Term:
    exponent = b.constant
    if exponent is not None and 0 <= exponent <= 4 and a.constant is None:
        out = ONE
        for _ in range(exponent):
            out = out * a
        return out
    return _drop_powers(app("pow", a, b))


def _shift_left(a: Term, b: Term) -> Term:
    return _drop_powers(app("shl", a, b))


def _drop_powers(result: Term) -> Term:
    """Returns a number that grows by a power as its wrapped 32-bit value."""
    return app("int32", result) if isinstance(result.single, App) and result.varying else result


_INTEGER: dict[str, Callable[[Term, Term], Term]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": floordiv,
    "%": mod,
    "**": _power,
    "<<": _shift_left,
    ">>": lambda a, b: app("shr", a, b),
    "&": lambda a, b: app("and", a, b),
    "|": lambda a, b: app("or", a, b),
    "^": lambda a, b: app("xor", a, b),
    "min": minimum,
    "max": maximum,
}

_LOGIC: dict[str, Callable[[Cond, Cond], Cond]] = {
    "&": conj,
    "|": disj,
    "^": lambda a, b: disj(conj(a, negate(b)), conj(negate(a), b)),
}

_FLOAT: dict[str, Callable[[float, float], object]] = {  # an integer of integers, complex of a negative one's power
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "min": min, "max": max,
}


def _plain_number(value: Value) -> int | float | None:
    if isinstance(value, Const) and isinstance(value.value, (int, float)):
        return value.value
    return constant_int(value)


def binary(m: Machine, op: str, left: Value, right: Value, span: Span) -> Value:
    if m.noting:
        check_operands(m, op, left, right, span)
    result = _binary(m, op, left, right, span)
    if not (isinstance(left, Choice) or isinstance(right, Choice)):
        result = type_combination(m, op, left, right, span, result)
        result = wrap_constant(m, result) if isinstance(result, Int) else result
    if isinstance(left, Choice) or isinstance(right, Choice):
        return result
    if m.knowledge.variant is not None:
        return mark_run_time(m, result, (left, right), span)
    if isinstance(left, Bool) and isinstance(right, Bool) and op in _LOGIC:
        return masks(m, op, left, right, result)
    if op == "@":
        return spread(m, result, product(m, left, right, span, "matmul"))
    return elementwise(m, result, left, right)


def _binary(m: Machine, op: str, left: Value, right: Value, span: Span) -> Value:
    if isinstance(left, Choice):
        with m.doubt_compilation():
            then, other = binary(m, op, left.then, right, span), binary(m, op, left.other, right, span)
        return join(m, left.cond, then, other, span)
    if isinstance(right, Choice):
        with m.doubt_compilation():
            then, other = binary(m, op, left, right.then, span), binary(m, op, left, right.other, span)
        return join(m, right.cond, then, other, span)
    if isinstance(left, Bool) and isinstance(right, Bool) and op in _LOGIC:
        shape = broadcast(left.shape, right.shape)
        return Bool(_LOGIC[op](left.cond, right.cond), shape)
    if not (isinstance(left, _ORDINARY) and isinstance(right, _ORDINARY)):
        return _other_binary(m, op, left, right, span)
    if op == "@":
        return Data(_matmul(shape_of(left), shape_of(right)))
    if is_float(left) or is_float(right) or op == "/":
        return _float_binary(m, op, left, right)
    if isinstance(left, Const) and isinstance(right, Const):
        return Unknown("operation on strings")
    a, b = to_int(m, left, span), to_int(m, right, span)
    if not (is_followed_as_integer(m, a.term) and is_followed_as_integer(m, b.term)):
        return _float_binary(m, op, left, right)
    if op in ("%", "//"):
        m.integer_data(b.term)
        note_division(m, a.term, b.term)
    x, y = widen_operands(m, a, b)
    if op not in _MODULAR:
        x, y = fit_value(m, with_term(a, x)), fit_value(m, with_term(b, y))
    result = _INTEGER[op](x, y)
    if op not in _MODULAR:
        computed_in(m, result, max(bits_of(a.dtype), bits_of(b.dtype)))
    if op in _DIVIDING and bits_of(a.dtype) <= 32:
        note_divided(m, result, x)
    if op in _CHOOSING:
        note_dropped(m, result, *(t for v, t in ((a, x), (b, y)) if bits_of(v.dtype) <= 32))
    return m.limit(Int(result, broadcast(a.shape, b.shape)), span)


_MODULAR: Final = frozenset({"+", "-", "*", "<<", "**"})
"""Operators that numbers which wrapped may go through."""
_DIVIDING: Final = frozenset({"//", "%", ">>", "&"})
"""Operators whose result may be small where the left operand is large."""
_CHOOSING: Final = frozenset({"&", "min", "max"})


def note_dropped(m: Machine, result: Term, *operands: Term) -> None:
    """Keep what is not in the result: had it wrapped, another operand would have been chosen."""
    if result in operands or result.constant is not None:
        m.products.update(t for t in operands if t != result)


def note_divided(m: Machine, result: Term, number: Term) -> None:
    """Notes a quotient that was simplified away. The kernel still computes it, and it may wrap."""
    shown = any(isinstance(x, (FloorDiv, Mod)) and x.num == number for x in atoms_of(result))
    if not shown:
        m.products.add(number)


def _float_binary(m: Machine, op: str, left: Value, right: Value) -> Value:
    a, b = _plain_number(left), _plain_number(right)
    if a is not None and b is not None and op in _FLOAT:
        try:
            result = _FLOAT[op](a, b)
        except (ArithmeticError, ValueError):
            return Data(())
        return Const(float(result)) if isinstance(result, (int, float)) else Data(())
    return data_function(m, f"f{op}", (left, right))


def _matmul(a: Shape | None, b: Shape | None) -> Shape | None:
    if a is None or b is None or not a or not b:
        return None
    if len(a) == 1 and len(b) == 1:
        return ()
    if len(a) == 1:
        return (*b[:-2], b[-1])
    if len(b) == 1:
        return a[:-1]
    batch = broadcast(a[:-2], b[:-2])
    return None if batch is None else (*batch, a[-2], b[-1])


matmul_shape = _matmul

_LONGEST = 1024
"""A tuple that grows beyond this is not followed: `t = t + t` doubles it each time."""


def _other_binary(m: Machine, op: str, left: Value, right: Value, span: Span) -> Value:
    first, second = expand(m, left), expand(m, right)
    if op == "+" and first is not None and second is not None and len(first) + len(second) <= _LONGEST:
        return Tuple(first + second)
    count = constant_int(right)
    if op == "*" and first is not None and count is not None and 0 <= count * len(first) <= 64:
        return Tuple(first * count)
    return Unknown("operator", arrays_in(m, left) | arrays_in(m, right))


# --- comparison ------------------------------------------------------------------------------------------------------

_FLIPPED = {">": "<", ">=": "<="}
_STATIC: dict[str, Callable[[float, float], bool]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}


def compare(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    if m.noting:
        check_comparison(m, op, left, right, span)
    result = _compare(m, op, left, right, span)
    if isinstance(left, Choice) or isinstance(right, Choice):
        return replace(result, dtype=None)
    if op in _STATIC:
        typed = type_combination(m, op, left, right, span, result)
        assert isinstance(typed, Bool)
        result = typed
    out = elementwise(m, result, left, right)
    assert isinstance(out, Bool)
    return out


def _compare(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    if isinstance(left, Choice):
        with m.doubt_compilation():
            return choose(left.cond, compare(m, op, left.then, right, span), compare(m, op, left.other, right, span))
    if isinstance(right, Choice):
        with m.doubt_compilation():
            return choose(right.cond, compare(m, op, left, right.then, span), compare(m, op, left, right.other, span))
    if op in ("is", "is not"):
        return _identity(m, op, left, right, span)
    if op in ("in", "not in"):
        return _membership(m, op, left, right, span)
    if isinstance(left, _ORDINARY) and isinstance(right, _ORDINARY) and not (_text(left) or _text(right)):
        return _numeric(m, op, left, right, span)
    if op in ("==", "!="):
        return _equality(m, op, left, right, span)
    return m.fresh_truth("comparison", span)


def _text(value: Value) -> bool:
    return isinstance(value, Const) and not isinstance(value.value, (int, float))


def _may_be_fraction(m: Machine, op: str, left: Value, right: Value, span: Span) -> bool:
    """Whether a comparison has to be that of fractions, between whose integers there are more numbers."""
    difference = to_int(m, left, span).term - to_int(m, right, span).term
    note_use(m, op, difference)
    return not is_followed_as_integer(m, difference)


def _numeric(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    shape = broadcast(shape_of(left), shape_of(right))
    left, right = (wrap_constant(m, v) if isinstance(v, Int) else v for v in (left, right))
    x, y = _plain_number(left), _plain_number(right)
    if x is not None and y is not None:
        return Bool(TRUE if _STATIC[op](x, y) else FALSE, shape)
    if isinstance(left, Bool) and isinstance(right, Bool) and op in ("==", "!="):
        same = disj(conj(left.cond, right.cond), conj(negate(left.cond), negate(right.cond)))
        return Bool(same if op == "==" else negate(same), shape)
    if not (is_float(left) or is_float(right) or _may_be_fraction(m, op, left, right, span)):
        # decided for numbers that fit, and the other way round for one that wrapped
        a, b = fit_unrecorded(m, to_int(m, left, span)), fit_unrecorded(m, to_int(m, right, span))
        return Bool(compare_terms(m, op, a, b), shape)
    s, t = data_term(m, left), data_term(m, right)
    if s is None or t is None:
        return m.fresh_truth("data", span, shape, Source.DATA)
    if op in _FLIPPED:
        op, s, t = _FLIPPED[op], t, s
    positive = op != "!="
    if op in ("==", "!="):
        op = "=="
        s, t = sorted((s, t), key=lambda x: x.key)
    atom = app(f"f{op}", s, t).single
    assert atom is not None
    return Bool(bool_opaque(atom, positive), shape)


def _identity(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    if _is_none(left):
        left, right = right, left
    if _is_none(right):
        if _is_none(left):
            same = TRUE
        elif isinstance(left, ParamRef) and left.member is None:
            same = uniform_truth(f"{left.root} is None")
        elif isinstance(left, (Unknown, ParamRef)):
            same = m.fresh_truth("is None", span).cond
        else:
            same = FALSE
        return Bool(same if op == "is" else negate(same))
    return compare(m, "==" if op == "is" else "!=", left, right, span)


def _is_none(value: Value) -> bool:
    return isinstance(value, Const) and value.value is None


def _equality(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    items, others = expand(m, left), expand(m, right)
    if items is not None and others is not None:
        if len(items) != len(others):
            same = FALSE
        else:
            same = conj(*(compare(m, "==", a, b, span).cond for a, b in zip(items, others, strict=True)))
        return Bool(same if op == "==" else negate(same))
    a, b = show(left), show(right)
    if a is None or b is None:
        return m.fresh_truth("comparison", span)
    if a == b and type(left) is type(right):
        same = TRUE
    elif type(left) is type(right) and isinstance(left, (Const, TileRef, Instance)):
        same = FALSE
    else:
        # the constant goes last, so that both spellings read the same
        first, second = (a, b) if isinstance(left, (Named, ParamRef)) else (b, a)
        if isinstance(left, (Named, ParamRef)) and isinstance(right, (Named, ParamRef)):
            first, second = sorted((a, b))
        same = uniform_truth(f"{first} == {second}")
    return Bool(same if op == "==" else negate(same))


def _membership(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    items = expand(m, right)
    if items is None:
        return m.fresh_truth("membership", span)
    found = disj(*(compare(m, "==", left, item, span).cond for item in items))
    return Bool(found if op == "in" else negate(found))


# --- selection -------------------------------------------------------------------------------------------------------

def negate_value(m: Machine, value: Value, span: Span) -> Value:
    check_unary(m, "-", value, span)
    result = of_unary(m, "-", value, span, _negate(m, value, span))
    return wrap_constant(m, result) if isinstance(result, Int) else result


def invert(m: Machine, value: Value, span: Span) -> Value:
    check_unary(m, "~", value, span)
    result = of_unary(m, "~", value, span, _invert(m, value, span))
    return wrap_constant(m, result) if isinstance(result, Int) else result


def _negate(m: Machine, value: Value, span: Span) -> Value:
    if isinstance(value, Const) and isinstance(value.value, float):
        return Const(-value.value)
    if isinstance(value, Data):
        return elementwise(m, data_function(m, "f-", (value,)), value)
    if isinstance(value, (Int, Bool, ParamRef)):
        inner = to_int(m, value, span)
        return Int(-inner.term, inner.shape, inner.shadow)
    lose_all(m, "negation", value)
    return Unknown("negation")


def _invert(m: Machine, value: Value, span: Span) -> Value:
    if isinstance(value, Bool):
        return Bool(negate(value.cond), value.shape, value.shadow)
    if isinstance(value, (Int, ParamRef)):
        inner = to_int(m, value, span)
        if _may_be_truth(m, inner):
            m.mark_inexact()
            return Int(app("invert", inner.term), inner.shape, inner.shadow)
        return Int(-inner.term - 1, inner.shape, inner.shadow)
    lose_all(m, "inversion", value)
    return Unknown("inversion")


def _may_be_truth(m: Machine, value: Int) -> bool:
    """Whether a number of the launch may be a truth value, whose inverse is the other one."""
    number = value.term.single
    if not isinstance(number, Symbol):
        return False
    undecided = number in undecided_numbers(m, value.term)
    if undecided:
        m.fractional.add(number)
    return undecided or value.dtype in (SOME_NUMBER, Weak.BOOL)


def select(m: Machine, cond: Bool, then: Value, other: Value, span: Span) -> Value:
    """`where(cond, then, other)` on tiles."""
    return select_lanes(m, cond, then, other, _select(m, cond, then, other, span))


def _select(m: Machine, cond: Bool, then: Value, other: Value, span: Span) -> Value:
    shape = broadcast(cond.shape, shape_of(then), shape_of(other))
    if isinstance(then, Bool) and isinstance(other, Bool):
        return Bool(disj(conj(cond.cond, then.cond), conj(negate(cond.cond), other.cond)), shape)
    if is_float(then) or is_float(other):
        return Data(shape)
    numbers = (Int, Bool, ParamRef, Const)
    if isinstance(then, numbers) and isinstance(other, numbers):
        a, b = to_int(m, then, span), to_int(m, other, span)
        return m.limit(Int(ite(cond.cond, *widen_operands(m, a, b)), shape), span)
    return Data(shape)


def evaluate_extreme(m: Machine, which: str, values: tuple[Value, ...], span: Span) -> Value:
    result = values[0]
    for v in values[1:]:
        result = binary(m, which, result, v, span)
    return result


def constant_value(value: int) -> Int:
    return Int(const(value))
