"""Operators on host values."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tilecheck.interp.host.integral import combine
from tilecheck.interp.host.state import LONGEST, State, as_number, map_options
from tilecheck.interp.host.values import (
    Choice,
    Class,
    External,
    Function,
    Int,
    Items,
    Kernel,
    Log2,
    Plain,
    Ratio,
    Record,
    Ref,
    Rest,
    Shape,
    Table,
    Tensor,
    Thing,
    Truth,
    Value,
)
from tilecheck.symbolic import (
    FALSE,
    TRUE,
    Cond,
    Extent,
    Opaque,
    Term,
    app,
    array_from_text,
    bool_opaque,
    cdiv,
    conj,
    const,
    disj,
    eq,
    floordiv,
    ge,
    gt,
    le,
    lt,
    mod,
    ne,
    negate,
)
from tilecheck.symbolic.sizes import is_small

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator


def round_up(ev: Evaluator, num: Value, den: Value) -> Value:
    """`ceil(num / den)` for a divisor >= 1."""
    a, b = ev.number(num), ev.number(den)
    return ev.unknown("cdiv") if a is None or b is None or b.constant == 0 else combine(ev, cdiv(a, b), num, den)


def _power(base: Term, exponent: Term) -> Term | None:
    n = exponent.constant
    if n is None:
        return app("pow", base, exponent)
    if n < 0 or (n > 8 and base.constant is None):
        return None
    out = const(1)
    for _ in range(n if base.constant is None else 0):
        out = out * base
    return out if base.constant is None else app("pow", base, exponent)


def _shift_left(a: Term, b: Term) -> Term | None:
    n = b.constant
    return app("shl", a, b) if n is None or 0 <= n <= 64 else None


_NUMERIC: Final[Mapping[str, Callable[[Term, Term], Term | None]]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "//": lambda a, b: None if b.constant == 0 else floordiv(a, b),
    "%": lambda a, b: None if b.constant == 0 else mod(a, b),
    "**": _power,
    "<<": _shift_left,
    ">>": lambda a, b: app("shr", a, b) if b.constant is None or 0 <= b.constant <= 64 else None,
    "&": lambda a, b: app("and", a, b),
    "|": lambda a, b: app("or", a, b),
    "^": lambda a, b: app("xor", a, b),
}

_SCALARS: Final = (Int, Truth, Thing, Choice)


def _is_one(value: Value) -> bool:
    term = as_number(value)
    return term is not None and term.constant == 1


def binary(ev: Evaluator, op: str, left: Value, right: Value, state: State) -> Value:
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        name = ev.symbols.allocation(ev.invent_name("array"))
        return Tensor(name, name, name)
    power = (op == "<<" and _is_one(left)) or (op == "**" and left == Int(const(2)))
    if power and isinstance(right, Log2) and right.up:
        return Int(app("next_pow2", right.of))
    if op == "+" and isinstance(left, Items | Ref | Shape) and isinstance(right, Items | Ref | Shape):
        return _concatenation(ev, left, right, state)
    if op == "*" and isinstance(left, Items | Ref):
        return _repetition(ev, left, right, state)
    if op == "|" and isinstance(left, Ref) and isinstance(right, Ref):
        return ev.unknown("dict", numeric=False)
    if isinstance(left, Choice) and isinstance(right, Items):
        return map_options(left, lambda option: binary(ev, op, option, right, state))
    if not isinstance(left, _SCALARS) or not isinstance(right, _SCALARS):
        return ev.unknown("value", numeric=False)
    a, b = ev.number(left), ev.number(right)
    if a is None or b is None:
        return ev.unknown("value", numeric=False)
    if op == "/":
        return ev.unknown("value", numeric=False) if b.constant == 0 else Ratio(a, b)
    if op in ("&", "|") and isinstance(left, Truth) and isinstance(right, Truth):
        return Truth(conj(left.cond, right.cond) if op == "&" else disj(left.cond, right.cond))
    compute = _NUMERIC.get(op)
    term = None if compute is None else compute(a, b)
    if term is not None and not is_small(term):
        return ev.unknown("value")
    if op == "*" and term is not None and term.constant is None and 1 not in (a.constant, b.constant):
        ev.symbols.factors[term] = (a, b)
    # a power with a negative exponent is a fraction
    if term is None:
        return ev.unknown("value", numeric=False)
    return Int(term, False) if op == "**" and b.constant is None else combine(ev, term, left, right)


def _concatenation(ev: Evaluator, left: Value, right: Value, state: State) -> Value:
    a = left.items if isinstance(left, Items) else ev.elements(left, state)
    b = right.items if isinstance(right, Items) else ev.elements(right, state)
    if len(a or ()) + len(b or ()) > LONGEST:
        return ev.unknown("sequence", numeric=False)
    if isinstance(left, Ref):
        return ev.new_list((*(a or ()), *(b or ())), state) if a is not None and b is not None else ev.unknown(
            "list", numeric=False)
    parts_a = (Rest(left),) if a is None and isinstance(left, Shape) else a
    parts_b = (Rest(right),) if b is None and isinstance(right, Shape) else b
    if parts_a is None or parts_b is None:
        return ev.unknown("tuple", numeric=False)
    places = (left.places if isinstance(left, Items) else (None,) * len(parts_a)) + (
        right.places if isinstance(right, Items) else (None,) * len(parts_b))
    return Items((*parts_a, *parts_b), places)


def _repetition(ev: Evaluator, left: Value, right: Value, state: State) -> Value:
    items, term = ev.elements(left, state), ev.number(right)
    count = None if term is None else term.constant
    if items is None or count is None or not 0 <= count * len(items) <= 64:
        return ev.unknown("sequence", numeric=False)
    return Items(items * count) if isinstance(left, Items) else ev.new_list(items * count, state)


def unary(ev: Evaluator, op: str, operand: Value) -> Value:
    term = ev.number(operand) if isinstance(operand, _SCALARS) else None
    if term is None:
        if op == "-" and isinstance(operand, Ratio):
            return Ratio(-operand.num, operand.den)
        if op == "-" and isinstance(operand, Plain) and isinstance(operand.value, float):
            return Plain(-operand.value)
        return ev.unknown("value", numeric=False)
    return combine(ev, term if op == "+" else -term if op == "-" else -term - 1, operand)


# --- comparisons -----------------------------------------------------------------------------------------------------

_ORDER: Final[Mapping[str, Callable[[Term, Term], Cond]]] = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
_UNTOLD: Final = (Int, Thing, Items, Shape, Tensor, Record, Ref, Ratio, Log2, Table)
_DEFINITE: Final = (Int, Truth, Ratio, Log2, Tensor, Shape, Items, Ref, Record, Kernel, Function, Class, Table)


def stable(value: Value) -> str | None:
    """A text that is equal for equal values, for conditions on values that are not numbers."""
    if isinstance(value, Thing):
        return None if value.name == "?" else value.name
    if isinstance(value, External):
        return value.path
    if isinstance(value, Plain):
        return repr(value.value)
    if isinstance(value, Int):
        return value.term.key
    return None


def compare(ev: Evaluator, op: str, left: Value, right: Value, state: State) -> Cond:
    if isinstance(left, Choice):
        return disj(*(conj(cond, compare(ev, op, option, right, state)) for cond, option in left.options))
    if op in ("is not", "!=", "not in"):
        positive = {"is not": "is", "!=": "==", "not in": "in"}[op]
        if op != "!=" or as_number(left) is None or as_number(right) is None:
            return negate(compare(ev, positive, left, right, state))
    if op == "is":
        if isinstance(left, Ref) and isinstance(right, Ref):
            return TRUE if left == right else FALSE
        if isinstance(left, _UNTOLD) and isinstance(right, _UNTOLD):
            # what is equal need not be the same
            return _name_comparison(ev, "is", left, right)
        op = "=="
    if op == "in":
        return _membership(ev, left, right, state)
    if op == "==":
        return _equality(ev, left, right, state)
    if isinstance(left, _SCALARS) and isinstance(right, _SCALARS):
        a, b = ev.number(left), ev.number(right)
        if a is not None and b is not None:
            return _fraction(ev, op, left, right) or _ORDER[op](a, b)
    return _name_comparison(ev, op, left, right)


_MIRRORED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}


def _fraction(ev: Evaluator, op: str, left: Value, right: Value) -> Cond | None:
    """The comparison of a non-integer with an integer, as text; other comparisons are only recorded and give None."""
    if not isinstance(left, Thing):
        left, right, op = right, left, _MIRRORED[op]
    number = as_number(right)
    if not isinstance(left, Thing) or number is None or number.constant is None:
        return None
    if left.name in ev.symbols.fractions:
        return negate(_name_comparison(ev, "==", left, right)) if op == "!=" else _name_comparison(ev, op, left, right)
    if op in ("==", "!="):
        ev.symbols.points.setdefault(left.name, set()).add(number.constant)
    else:
        ev.symbols.cuts.setdefault(left.name, set()).add((number.constant, op in ("<=", ">")))
    return None


def is_not_zero(ev: Evaluator, value: Thing) -> Cond:
    """Whether a number is true."""
    return negate(_equality(ev, value, Int(const(0)), State()))


def _name_comparison(ev: Evaluator, op: str, left: Value, right: Value) -> Cond:
    a, b = stable(left), stable(right)
    if a is None or b is None:
        return ev.doubt("comparison")
    return bool_opaque(Opaque(f"{a} {op} {b}", uniform=True))


def _equality(ev: Evaluator, left: Value, right: Value, state: State) -> Cond:
    for value, other in ((left, right), (right, left)):
        if isinstance(value, Plain) and value.value is None and isinstance(other, _DEFINITE):
            return FALSE
    if isinstance(left, Plain) and isinstance(right, Plain):
        return TRUE if left.value == right.value else FALSE
    if isinstance(left, Plain) or isinstance(right, Plain):
        return _name_comparison(ev, "==", left, right)
    if {type(left), type(right)} in ({Ref, Items}, {Ref, Shape}):
        return FALSE  # no list is equal to a tuple, and no dict
    shapes = _shape_equality(ev, left, right, state)
    if shapes is not None:
        return shapes
    a, b = ev.elements(left, state), ev.elements(right, state)
    if a is not None and b is not None:
        if len(a) != len(b):
            return FALSE
        return conj(*(_equality(ev, x, y, state) for x, y in zip(a, b, strict=True)))
    for value, items in ((left, b), (right, a)):
        if isinstance(value, Shape) and items is not None:
            return _shape_is(ev, value, items, state)
    if isinstance(left, Kernel) and isinstance(right, Kernel):
        return TRUE if left == right else FALSE
    if (isinstance(left, Int | Truth) and isinstance(right, _SCALARS)) or (
            isinstance(right, Int | Truth) and isinstance(left, _SCALARS)):
        x, y = ev.number(left), ev.number(right)
        if x is not None and y is not None:
            return _fraction(ev, "==", left, right) or eq(x, y)
    if isinstance(left, Thing) and isinstance(right, Thing) and left.numeric and right.numeric:
        return eq(ev.integer(left), ev.integer(right))
    return _name_comparison(ev, "==", left, right)


def _shape_equality(ev: Evaluator, left: Value, right: Value, state: State) -> Cond | None:
    """Equal shapes have equal extents; an extent that an array does not have is an unused symbol."""
    if not isinstance(left, Shape) or not isinstance(right, Shape):
        return None
    if left.lower != right.lower or left.upper != right.upper:
        return ev.doubt("shapes")
    if state.ranks.get(left.name) is not None and state.ranks.get(right.name) is not None:
        return None
    same = bool_opaque(Opaque(f"{left.name}.shape == {right.name}.shape", uniform=True))
    if left.lower < 0:
        # counted from the right, and the end may be counted from the left
        axes = [*range(left.lower, 0)] if left.upper is None else []
    else:
        upper = 5 if left.upper is None else max(left.upper, left.lower)
        axes = [*range(left.lower, upper), *([-1] if left.upper is None else [])]
    return conj(same, *(
        eq(ev.extent(Extent(array_from_text(left.name), i)), ev.extent(Extent(array_from_text(right.name), i)))
        for i in axes))


def _shape_is(ev: Evaluator, shape: Shape, items: Sequence[Value], state: State) -> Cond:
    """`x.shape == (n, 128)` of an array of unknown rank: the rank is that of the tuple, the extents are its items."""
    count = len(items)
    if shape.lower < 0 or not (shape.upper is None or shape.upper - shape.lower == count):
        return ev.doubt("shapes")
    fits = bool_opaque(Opaque(f"len({shape.name}.shape[{shape.lower}:]) is {count}", uniform=True))
    places = [*enumerate(items, shape.lower), *([(-1, items[-1])] if shape.upper is None and count else [])]
    return conj(fits, *(
        _equality(ev, Int(ev.extent(Extent(array_from_text(shape.name), axis))), item, state) for axis, item in places))


def _membership(ev: Evaluator, left: Value, right: Value, state: State) -> Cond:
    items = ev.elements(right, state)
    if items is None or len(items) > 16:
        return ev.doubt("in")
    return disj(*(_equality(ev, left, item, state) for item in items))
