"""Subscription: items of tuples and shapes, elements of list parameters, new axes of tiles."""

from __future__ import annotations

from collections.abc import Callable

from tilecheck.dtypes import SOME_INTEGER
from tilecheck.interp.kernel.coerce import (
    arrays_in,
    constant_int,
    expand,
    extent_of,
    extent_type,
    rank_of,
    show,
    to_term,
)
from tilecheck.interp.kernel.device.values import check_index, check_subscript
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.shapes import relabel
from tilecheck.interp.kernel.tile_types.operators import of_subscript
from tilecheck.interp.kernel.values import (
    ArrayRef,
    Bool,
    Choice,
    Const,
    Data,
    Dict,
    Extents,
    Int,
    Named,
    ParamRef,
    Range,
    StaticIter,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import ANY, ONE, ArrayElement, ArrayParam, Atom, Lane, Term, build_opaque, const, eq, ite, lane
from tilecheck.syntax.tree import Constant, Expr, SliceExpr, Span


def subscript(m: Machine, value: Value, items: tuple[Expr, ...], span: Span) -> Value:
    handler = HANDLERS.get(type(value))
    check_subscript(m, value, items, span)
    if handler is None:
        return Unknown("subscript", arrays_in(m, value))
    return handler(m, value, items, span)


def _tuple(m: Machine, value: Value, items: tuple[Expr, ...], span: Span) -> Value:
    parts = expand(m, value)
    if parts is None:
        return Unknown("item", arrays_in(m, value))
    if len(items) != 1:
        check_index(m, len(parts), Tuple(()), span)
        return Unknown("item", arrays_in(m, value))
    if isinstance(items[0], SliceExpr):
        return _tuple_slice(m, parts, items[0])
    index = m.eval(items[0])
    check_index(m, len(parts), index, span)
    return pick(m, parts, index, span)


def pick(m: Machine, parts: tuple[Value, ...], index: Value, span: Span) -> Value:
    place = constant_int(index)
    if place is not None:
        return parts[place] if -len(parts) <= place < len(parts) else Unknown("item out of range")
    if not parts:
        return Unknown("item of an empty tuple")
    where = to_term(m, index, span)
    result = parts[-1]
    for k in range(len(parts) - 2, -1, -1):
        result = join(m, eq(where, const(k)), parts[k], result, span)
    return result


def _tuple_slice(m: Machine, parts: tuple[Value, ...], s: SliceExpr) -> Value:
    bounds: list[int | None] = []
    for e in (s.lower, s.upper, s.step):
        bound = None if e is None else constant_int(m.eval(e))
        if e is not None and bound is None:
            return Unknown("slice", frozenset().union(*(arrays_in(m, p) for p in parts)))
        bounds.append(bound)
    if bounds[2] == 0:
        return Unknown("slice")
    return Tuple(parts[slice(*bounds)])


def _extents(m: Machine, value: Extents, items: tuple[Expr, ...], span: Span) -> Value:
    rank = rank_of(m, value.array)
    if len(items) == 1 and isinstance(items[0], SliceExpr):
        parts = expand(m, value)
        return Unknown("part of a shape") if parts is None else _tuple_slice(m, parts, items[0])
    if len(items) != 1:
        return Unknown("part of a shape")
    index = m.eval(items[0])
    check_index(m, rank, index, span)
    axis = constant_int(index)
    if axis is not None:
        return Int(extent_of(m, value.array, axis, value.what), dtype=extent_type(m, value.array))
    where = to_term(m, index, span)
    if rank:
        term: Term = extent_of(m, value.array, rank - 1, value.what)
        for d in range(rank - 2, -1, -1):
            term = ite(eq(where, const(d)), extent_of(m, value.array, d, value.what), term)
        return Int(term, dtype=extent_type(m, value.array))
    return Int(build_opaque(m.name("extent", span), uniform=not where.varying), dtype=SOME_INTEGER)


def _param(m: Machine, value: ParamRef, items: tuple[Expr, ...], span: Span) -> Value:
    """An element of a list (or tuple) parameter."""
    if len(items) != 1 or isinstance(items[0], SliceExpr):
        return Unknown("part of a parameter", arrays_in(m, value))
    if value.outer:
        index = show(m.eval(items[0]))
        return Named(f"{value.root}[{index}]") if index is not None else Unknown("part of a parameter")
    return element(m, value, m.eval(items[0]), span)


def element(m: Machine, value: ParamRef, index: Value, span: Span) -> Value:
    if not isinstance(value.root, ArrayParam):
        return Unknown("element of an element", arrays_in(m, value))
    base = value.root.root
    place = constant_int(index)
    if place is not None and place >= 0 and base not in m.knowledge.mixed:
        return ParamRef(ArrayElement(base, place))
    if place is None:
        m.mixed.add(base)
    return ParamRef(ArrayElement(base, ANY), to_term(m, index, span))


def _tile(m: Machine, value: Int | Bool | Data, items: tuple[Expr, ...], span: Span) -> Value:
    """`tile[:, None]`: new axes of extent one."""
    if value.shape is None:
        return Data(None, None, blur(value.shadow))
    of_subscript(m, value, sum(isinstance(i, SliceExpr) for i in items), span)
    extents: list[Term] = []
    source = 0
    rank = len(value.shape)
    places: list[int] = []
    for item in items:
        if isinstance(item, Constant) and item.value is None:
            extents.append(ONE)
        elif isinstance(item, Constant) and item.value is Ellipsis:
            count = rank - sum(1 for i in items if isinstance(i, SliceExpr))
            for _ in range(max(0, count)):
                if source < rank:
                    places.append(len(extents))
                    extents.append(value.shape[source])
                    source += 1
        elif isinstance(item, SliceExpr) and item.lower is None and item.upper is None and source < rank:
            places.append(len(extents))
            extents.append(value.shape[source])
            source += 1
        else:
            return Unknown("subscript of a tile", arrays_in(m, value))
    while source < rank:
        places.append(len(extents))
        extents.append(value.shape[source])
        source += 1
    total = len(extents)
    move: dict[Atom, Term] = {}
    for k, place in enumerate(places):
        if value.shape[k] != ONE:
            move[Lane(rank - 1 - k, value.shape[k])] = lane(total - 1 - place, value.shape[k])
    return relabel(value, tuple(extents), move)


def _dict(m: Machine, value: Dict, items: tuple[Expr, ...], span: Span) -> Value:
    key = m.eval(items[0]) if len(items) == 1 else Unknown("key")
    for k, v in value.items:
        if k == key and isinstance(k, (Const, Int, Bool, TileRef)):
            return v
    return Unknown("item", arrays_in(m, value))


def _choice(m: Machine, value: Choice, items: tuple[Expr, ...], span: Span) -> Value:
    return join(m, value.cond, subscript(m, value.then, items, span), subscript(m, value.other, items, span), span)


HANDLERS: dict[type, Callable[..., Value]] = {
    Tuple: _tuple,
    Range: _tuple,
    StaticIter: _tuple,
    Extents: _extents,
    ParamRef: _param,
    Int: _tile,
    Bool: _tile,
    Data: _tile,
    Dict: _dict,
    Choice: _choice,
    TileRef: lambda m, v, items, span: v,
    Unknown: lambda m, v, items, span: Unknown("item", v.arrays),
    ArrayRef: lambda m, v, items, span: Unknown("item of an array", arrays_in(m, v)),
}
