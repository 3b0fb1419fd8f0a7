"""Reading a value as an integer, a truth value, an array or a sequence."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec.structs import replace

from tilecheck.dtypes import I32, I64, SOME_INTEGER, UNKNOWN, ElementOf, ElementType
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.overflow import fit_unrecorded, wrap_constant
from tilecheck.interp.kernel.poison.propagation import lose, observe, shadow_of
from tilecheck.interp.kernel.undeclared import compare_terms, is_followed_as_integer, note_use
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Bool,
    Choice,
    Class,
    Const,
    Data,
    Dict,
    Extents,
    External,
    Function,
    Instance,
    Int,
    LambdaValue,
    Method,
    Named,
    ParamRef,
    Partial,
    Range,
    Shape,
    StaticIter,
    TileRef,
    Tuple,
    Unknown,
    Value,
    View,
    array,
)
from tilecheck.symbolic import (
    FALSE,
    ONE,
    TRUE,
    ZERO,
    Array,
    ArrayParam,
    Cond,
    Extent,
    Item,
    Opaque,
    Scalar,
    Source,
    Stride,
    Term,
    app,
    bool_opaque,
    build_opaque,
    conj,
    const,
    disj,
    ite,
    ne,
    negate,
    of,
)
from tilecheck.syntax.tree import Span

ToInt: TypeAlias = "Callable[[Machine, Value, Span], Int]"


def scalar_of(m: Machine, value: ParamRef) -> Term:
    root = value.root
    m.used_as(root.root, "scalar")
    if value.member is not None:
        return app(Item(root), value.member)
    number = Scalar(root.text) if isinstance(root, ArrayParam) else Item(root)
    m.undeclared.add(number)
    return of(number)


def _int_from_bool(m: Machine, value: Bool, span: Span) -> Int:
    return Int(ite(value.cond, ONE, ZERO), value.shape)


def _int_from_data(m: Machine, value: Data, span: Span) -> Int:
    if value.term is not None:
        return Int(app("int", value.term), value.shape)
    return m.fresh_int("data", span, value.shape, Source.DATA)


def _int_from_const(m: Machine, value: Const, span: Span) -> Int:
    if isinstance(value.value, (int, float)) and value.value == value.value // 1:
        return Int(const(int(value.value)))
    return m.fresh_int("value", span)


def _int_from_choice(m: Machine, value: Choice, span: Span) -> Int:
    a, b = to_int(m, value.then, span), to_int(m, value.other, span)
    return Int(ite(value.cond, a.term, b.term), a.shape if a.shape == b.shape else None)


def _bool_from_choice(m: Machine, value: Choice, span: Span) -> Bool:
    a, b = to_bool(m, value.then, span), to_bool(m, value.other, span)
    cond = disj(conj(value.cond, a.cond), conj(negate(value.cond), b.cond))
    return Bool(cond, a.shape if a.shape == b.shape else None)


_INT: dict[type, Callable[..., Int]] = {
    Int: lambda m, v, span: v,
    Bool: _int_from_bool,
    Data: _int_from_data,
    Const: _int_from_const,
    ParamRef: lambda m, v, span: Int(scalar_of(m, v)),
    Choice: _int_from_choice,
    Named: lambda m, v, span: Int(build_opaque(v.text, uniform=True)),
}


def to_int(m: Machine, value: Value, span: Span) -> Int:
    handler = _INT.get(type(value))
    if handler is None:
        return m.fresh_int("unknown", span)
    out = handler(m, value, span)
    shadow = shadow_of(value)
    return replace(out, shadow=shadow) if shadow and out is not value else out


def to_term(m: Machine, value: Value, span: Span) -> Term:
    """The value as an integer that addresses memory, bounds a loop or gives a shape."""
    number = wrap_constant(m, to_int(m, value, span))
    observe(m, number.shadow, m.path, "index", "", span)
    m.integer_use(number.term)
    return number.term


def _bool_from_data(m: Machine, value: Data, span: Span) -> Bool:
    atom = None if value.term is None else app("truth", value.term).single
    if atom is not None:
        return Bool(bool_opaque(atom), value.shape)
    return m.fresh_truth("data", span, value.shape, Source.DATA)


def _bool_from_param(m: Machine, value: ParamRef, span: Span) -> Bool:
    return _bool_from_int(m, Int(scalar_of(m, value)), span)


def _bool_from_int(m: Machine, value: Int, span: Span) -> Bool:
    note_use(m, "!=", value.term)
    if not is_followed_as_integer(m, value.term):
        return _bool_from_data(m, Data(value.shape, value.term), span)
    return Bool(compare_terms(m, "!=", fit_unrecorded(m, value), ZERO), value.shape)


_BOOL: dict[type, Callable[..., Bool]] = {
    Bool: lambda m, v, span: v,
    Int: _bool_from_int,
    Data: _bool_from_data,
    Const: lambda m, v, span: Bool(TRUE if v.value else FALSE),
    ParamRef: _bool_from_param,
    Choice: _bool_from_choice,
    Named: lambda m, v, span: Bool(ne(build_opaque(v.text, uniform=True), 0)),
    Tuple: lambda m, v, span: Bool(TRUE if v.items else FALSE),
    Dict: lambda m, v, span: Bool(TRUE if v.items else FALSE),
    Function: lambda m, v, span: Bool(TRUE),
    Class: lambda m, v, span: Bool(TRUE),
}


def to_bool(m: Machine, value: Value, span: Span) -> Bool:
    handler = _BOOL.get(type(value))
    out = handler(m, value, span) if handler is not None else m.fresh_truth("unknown", span)
    shadow = shadow_of(value)
    return replace(out, shadow=shadow) if shadow and out is not value else out


def param_array(m: Machine, value: ParamRef) -> ArrayRef:
    m.used_as(value.root.root, "array" if isinstance(value.root, ArrayParam) else "list")
    return array(View(value.root, value.member))


def to_array(m: Machine, value: Value) -> ArrayRef | None:
    if isinstance(value, ArrayRef):
        return value
    if isinstance(value, ParamRef):
        return param_array(m, value)
    if isinstance(value, Choice):
        return _array_from_choice(m, value)
    handler = AS_ARRAY.get(type(value))
    return None if handler is None else handler(m, value)


AS_ARRAY: dict[type, Callable[..., ArrayRef]] = {}
"""Other values that stand for an array."""


def _array_from_choice(m: Machine, value: Choice) -> ArrayRef | None:
    """Returns both arrays. An alternative that is not an array is dropped, because the program uses an array there."""
    a, b = to_array(m, value.then), to_array(m, value.other)
    if a is None or b is None:
        only = a if a is not None else b
        holder = value.other if a is not None else value.then
        return only if isinstance(holder, Const) else None
    return either_array(value.cond, a, b)


def either_array(cond: Cond, a: ArrayRef, b: ArrayRef) -> ArrayRef:
    merged: dict[View, Cond] = {}
    for way, ref in ((cond, a), (negate(cond), b)):
        for here, view in ref.options:
            merged[view] = disj(merged.get(view, FALSE), conj(way, here))
    return ArrayRef(tuple((c, v) for v, c in merged.items() if c.op != "false"))


def roots(ref: ArrayRef) -> frozenset[Array]:
    return frozenset(view.root for _, view in ref.options)


def arrays_in(m: Machine, value: Value, depth: int = 0) -> frozenset[Array]:
    """Every array that a value may hold. A parameter whose kind is not known counts when something else says that it
    is an array."""
    handler = HELD.get(type(value))
    return frozenset() if handler is None or depth > 6 else handler(m, value, depth + 1)


def _union(m: Machine, values: tuple[Value, ...], depth: int) -> frozenset[Array]:
    return frozenset().union(*(arrays_in(m, v, depth) for v in values))


def _closure_arrays(m: Machine, value: Function | LambdaValue, depth: int) -> frozenset[Array]:
    """Everything that the functions around it hold."""
    out = _union(m, tuple(value.defaults.values()), depth)
    frame = value.closure
    while frame is not None:
        out |= _union(m, tuple(v for v in frame.env.values() if not isinstance(v, (Function, LambdaValue))), depth)
        frame = frame.parent
    return out


def _list_poisoned_arrays(m: Machine, value: Int | Bool | Data, depth: int) -> frozenset[Array]:
    """A tile holds no array. Who asks what a value holds is about to forget the value: so its undefined lanes are no
    longer followed."""
    lose(m, value.shadow, "a value that is not followed")
    return frozenset()


HELD: dict[type, Callable[..., frozenset[Array]]] = {
    ArrayRef: lambda m, v, depth: roots(v),
    ParamRef: lambda m, v, depth: frozenset() if v.outer else frozenset([v.root]),
    Tuple: lambda m, v, depth: _union(m, v.items, depth),
    Choice: lambda m, v, depth: _union(m, (v.then, v.other), depth),
    StaticIter: lambda m, v, depth: arrays_in(m, v.inner, depth),
    Instance: lambda m, v, depth: _union(m, tuple(v.fields.values()), depth),
    Partial: lambda m, v, depth: _union(m, (v.func, *v.args, *(x for _, x in v.keywords)), depth),
    Dict: lambda m, v, depth: _union(m, tuple(x for _, x in v.items), depth),
    Function: _closure_arrays,
    LambdaValue: _closure_arrays,
    Method: lambda m, v, depth: arrays_in(m, v.owner, depth),
    Extents: lambda m, v, depth: frozenset(),
    Unknown: lambda m, v, depth: v.arrays,
    Int: _list_poisoned_arrays,
    Bool: _list_poisoned_arrays,
    Data: _list_poisoned_arrays,
}


def extent(m: Machine, view: View, axis: int, what: str = "shape") -> Term:
    """`x.shape[axis]` (or strides) of a view."""
    if what == "shape":
        part = view.slice_of(axis)
        if part is not None:
            return part[1] - part[0]
    one = Extent(view.root, axis) if what == "shape" else Stride(view.root, axis)
    return of(one) if view.member is None else app(one, view.member)


def extent_of(m: Machine, ref: ArrayRef, axis: int, what: str = "shape") -> Term:
    """An extent of a reference: of whichever array it means."""
    term: Term | None = None
    for cond, view in reversed(ref.options):
        rank = m.knowledge.ranks.get(view.root)
        place = axis + rank if axis < 0 and rank is not None else axis
        here = extent(m, view, place, what)
        term = here if term is None else ite(cond, here, term)
    return term if term is not None else ZERO


def extent_type(m: Machine, ref: ArrayRef) -> ElementType:
    """The type of the extents of a reference, as far as it is certain."""
    if m.knowledge.variant is not None and not any(view.root in m.indexed for _, view in ref.options):
        return I32
    return I64 if all(m.indexed.get(view.root) for _, view in ref.options) else SOME_INTEGER


def rank_of(m: Machine, ref: ArrayRef) -> int | None:
    """The rank of a reference, where it has that in every variant of the kernel: code may ask for it to choose one."""
    found = {m.knowledge.ranks.get(view.root) if view.root in m.knowledge.ranked else None for _, view in ref.options}
    return found.pop() if len(found) == 1 else None


def expand(m: Machine, value: Value) -> tuple[Value, ...] | None:
    """The items of a sequence whose length is known."""
    if isinstance(value, Tuple):
        return value.items
    if isinstance(value, StaticIter):
        return expand(m, value.inner)
    if isinstance(value, Extents):
        rank = rank_of(m, value.array)
        if rank is None:
            return None
        kind = extent_type(m, value.array)
        return tuple(Int(extent_of(m, value.array, d, value.what), dtype=kind) for d in range(rank))
    if isinstance(value, Range):
        start, stop, step = value.start.constant, value.stop.constant, value.step.constant
        if start is not None and stop is not None and step and len(range(start, stop, step)) <= 64:
            return tuple(Int(const(i), dtype=UNKNOWN) for i in range(start, stop, step))
    return None


def shape_from(m: Machine, value: Value, span: Span) -> Shape | None:
    """A tile shape given as a tuple or one integer."""
    items = expand(m, value)
    if items is not None:
        return tuple(to_term(m, v, span) for v in items)
    if isinstance(value, (Int, ParamRef)):
        return (to_term(m, value, span),)
    return None


def uniform_truth(text: str) -> Cond:
    """Returns a uniform condition that is identified only by the text of its comparison."""
    return bool_opaque(Opaque(text, uniform=True))


def element_type_test(array: str, dtype: str) -> Cond:
    """The condition that an array has elements of a type, as a comparison of `array.dtype` gives it."""
    return uniform_truth(f"{ElementOf(array)} == {dtype}")


def constant_int(value: Value) -> int | None:
    if isinstance(value, Int):
        return value.term.constant
    if isinstance(value, Const) and isinstance(value.value, int):
        return value.value
    if isinstance(value, Bool):
        return 1 if value.cond is TRUE else 0 if value.cond is FALSE else None
    return None


_SHOW: dict[type, Callable[..., str | None]] = {
    Const: lambda v: repr(v.value),
    TileRef: lambda v: v.name,
    External: lambda v: v.name,
    Named: lambda v: v.text,
    ParamRef: lambda v: v.root.text if v.member is None else None,
    Function: lambda v: v.definition.name,
    Instance: lambda v: v.member,
}


def constant_ints(m: Machine, value: Value | None) -> tuple[int, ...] | None:
    """The integers of a tuple, or of one number; None where one of them is not a constant."""
    if value is None:
        return None
    items = expand(m, value)
    found = [constant_int(v) for v in (items if items is not None else (value,))]
    known = tuple(n for n in found if n is not None)
    return known if len(known) == len(found) else None


def axes_of(m: Machine, value: Value, rank: int) -> list[int] | None:
    """Axes of a tile, counted from 0; None where they are not known, or not of the tile."""
    found = constant_ints(m, value)
    return None if found is None or any(not -rank <= a < rank for a in found) else [a % rank for a in found]


def reduced_axes(m: Machine, value: Value | None, rank: int) -> list[int] | None:
    """The same for a reduction, which takes all axes where none is given."""
    return list(range(rank)) if value is None or value == NONE else axes_of(m, value, rank)


def show(value: Value) -> str | None:
    """A stable text for a value that only equality is asked of; None when two values may share a text."""
    handler = _SHOW.get(type(value))
    return None if handler is None else handler(value)
