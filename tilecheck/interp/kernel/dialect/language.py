"""The dialect as part of the language: what attributes, calls, items and loops mean on its values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from tilecheck.dtypes import Weak
from tilecheck.interp.kernel import attributes, calls, coerce, loops, statements, subscripts
from tilecheck.interp.kernel import induction as carried
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.calls import unknown_call
from tilecheck.interp.kernel.dialect import accumulators, borrowed, mutable
from tilecheck.interp.kernel.dialect.cells import blame, nested_cell, walk
from tilecheck.interp.kernel.dialect.decorated import is_kernel
from tilecheck.interp.kernel.dialect.methods import Method
from tilecheck.interp.kernel.dialect.values import (
    Borrowed,
    Cell,
    Cells,
    Grain,
    Mutable,
    OwnedMethod,
    Part,
    Pieces,
    Shared,
)
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.poison.propagation import lose_all
from tilecheck.interp.kernel.values import ArrayRef, Choice, Function, Int, Tuple, Unknown, Value, View, array
from tilecheck.symbolic import Array, Substitution, conj, negate
from tilecheck.syntax.tree import Expr, SliceExpr, Span, Subscript

__all__: list[str] = []


# --- attributes ------------------------------------------------------------------------------------------------------

def _mutable_attribute(m: Machine, z: Mutable, name: str, span: Span) -> Value:
    if name == "tile":
        return Tuple(tuple(Int(e, dtype=Weak.INT) for e in z.parameter.tile))
    return array(View(z.array)) if name == "array" else OwnedMethod(z, name)


def _get_borrowed_attribute(m: Machine, x: Borrowed | Shared, name: str, span: Span) -> Value:
    return array(View(x.array)) if name == "array" else OwnedMethod(x, name)


def _part_attribute(m: Machine, part: Part, name: str, span: Span) -> Value:
    return Tuple(tuple(Int(e, dtype=Weak.INT) for e in part.tile)) if name == "tile" else OwnedMethod(part, name)


_plain_choice = attributes.HANDLERS[Choice]


def _choice_attribute(m: Machine, value: Choice, name: str, span: Span) -> Value:
    """After a join of two outputs neither its tile nor its place is known when the kernel is compiled."""
    outputs = _outputs(value)
    if not outputs:
        return _plain_choice(m, value, name, span)
    blame(m, "TC105", span, outputs[0], "either", *outputs)
    return Unknown("either of several outputs", frozenset())


def _outputs(value: Value) -> tuple[str, ...]:
    if isinstance(value, Choice):
        return tuple(sorted({*_outputs(value.then), *_outputs(value.other)}))
    return (value.name,) if isinstance(value, Mutable) else ()


# --- calls -----------------------------------------------------------------------------------------------------------

def _call(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    owner = method.owner
    refused = _REFUSED.get(type(owner))
    if refused is not None and refused(m, owner, method.name, args):
        lose_all(m, "an access that is refused", *args.values())
        return Unknown(f"result of {method.name}")
    known = _METHODS[type(owner)].get(method.name)
    if known is None or not known.fits(args):
        how = "" if known is None else " with other arguments than it takes"
        return unknown_call(m, f"method {method.name}{how}", owner, args)
    return known.run(m, owner, args)


def _write_borrowed(m: Machine, owner: Borrowed | Part, name: str, args: Arguments) -> bool:
    x = owner.array if isinstance(owner, Part) else owner
    if name in borrowed.WRITES:
        blame(m, "TC104", args.span, x.name, "method", name)
    return name in borrowed.WRITES


def _plain_access(m: Machine, owner: Shared, name: str, args: Arguments) -> bool:
    if name in accumulators.PLAIN:
        blame(m, "TC107", args.span, owner.name, "plain", name)
    return name in accumulators.PLAIN


_plain_function = calls.CALLS[Function]


def _function(m: Machine, func: Function, args: Arguments) -> Value:
    """A kernel is launched and not called: on the device there is nothing to call."""
    if not (m.holdings.roles and is_kernel(m.project, func.module, func.definition)):
        return _plain_function(m, func, args)
    arrays = coerce.arrays_in(m, func).union(*(coerce.arrays_in(m, v) for v in args.values()))
    name = func.definition.name
    m.gap(f"call of `{name}` (a kernel: only plain functions can be called)", arrays, args.span)
    return Unknown(f"result of {name}", frozenset())


_REFUSED: Final[Mapping[type, Callable[[Machine, Any, str, Arguments], bool]]] = {
    Borrowed: _write_borrowed, Part: _write_borrowed, Shared: _plain_access,
}
"""Predicates by type of value: whether the value must not have the method, which is then reported."""
_METHODS: Final[Mapping[type, Mapping[str, Method]]] = {
    Mutable: mutable.METHODS, Borrowed: borrowed.REF_METHODS, Part: borrowed.PART_METHODS, Shared: accumulators.METHODS,
}


# --- items -----------------------------------------------------------------------------------------------------------

def _index(m: Machine, items: tuple[Expr, ...]) -> Value:
    """Evaluates the index in the brackets as one value."""
    values = tuple(Unknown("slice") if isinstance(e, SliceExpr) else m.eval(e) for e in items)
    return values[0] if len(values) == 1 else Tuple(values)


def _mutable_item(m: Machine, z: Mutable, items: tuple[Expr, ...], span: Span) -> Value:
    return mutable.fetch(m, z, _index(m, items), span)


def _part_item(m: Machine, part: Part, items: tuple[Expr, ...], span: Span) -> Value:
    return borrowed.item(m, part, _index(m, items), span)


def _get_borrowed_item(m: Machine, owner: Borrowed | Shared, items: tuple[Expr, ...], span: Span) -> Value:
    _index(m, items)
    m.gap(f"`{owner.name}[...]` (it has no items: {_INSTEAD[type(owner)].format(owner.name)})", (owner.array,), span)
    return Unknown("an item of a value without items", frozenset())


_INSTEAD: Final[Mapping[type, str]] = {
    Borrowed: "load a tile with `{0}.load(index, shape)`, an element with `{0}.at(i)`",
    Shared: "update it with `{0}.add(indices, update)`, read it in another launch",
}
_plain_choice_item = subscripts.HANDLERS[Choice]


def _choice_item(m: Machine, value: Choice, items: tuple[Expr, ...], span: Span) -> Value:
    """Of either of two partitions the tile is loaded that the condition says."""
    if not _touches_memory(value):
        return _plain_choice_item(m, value, items, span)
    index = _index(m, items)
    before = m.path
    m.path = conj(before, value.cond)
    then = _item_at(m, value.then, index, items, span)
    m.path = conj(before, negate(value.cond))
    other = _item_at(m, value.other, index, items, span)
    m.path = before
    return join(m, value.cond, then, other, span)


def _item_at(m: Machine, value: Value, index: Value, items: tuple[Expr, ...], span: Span) -> Value:
    known = _ITEMS.get(type(value))
    return subscripts.subscript(m, value, items, span) if known is None else known(m, value, index, span)


def _touches_memory(value: Value) -> bool:
    """Whether taking an item loads a tile, in one of the cases."""
    if isinstance(value, Choice):
        return _touches_memory(value.then) or _touches_memory(value.other)
    return type(value) in _ITEMS


_ITEMS: Final[Mapping[type, Callable[[Machine, Any, Value, Span], Value]]] = {
    Mutable: mutable.fetch, Part: borrowed.item,
}


def _set_mutable(m: Machine, z: Mutable, target: Subscript, value: Value, span: Span) -> None:
    mutable.put(m, z, _index(m, target.items), value, target.span)


def _set_borrowed_item(m: Machine, owner: Borrowed | Part, target: Subscript, value: Value, span: Span) -> None:
    x = owner.array if isinstance(owner, Part) else owner
    blame(m, "TC104", target.span, x.name, "item")


def _set_shared(m: Machine, s: Shared, target: Subscript, value: Value, span: Span) -> None:
    blame(m, "TC107", target.span, s.name, "plain", "[...] =")


def _set_either(m: Machine, value: Choice, target: Subscript, stored: Value, span: Span) -> bool:
    """Reports a store to one of several outputs; returns whether the target is such a choice."""
    outputs = _outputs(value)
    if outputs:
        blame(m, "TC105", target.span, outputs[0], "either", *outputs)
    return bool(outputs)


# --- loops -----------------------------------------------------------------------------------------------------------

def _next_cell(m: Machine, cells: Cells, span: Span) -> Value:
    return walk(m, cells, span)


def _next_piece(m: Machine, pieces: Pieces, span: Span) -> Value:
    return nested_cell(m, pieces, span)


# --- what values hold ------------------------------------------------------------------------------------------------

def _holder(array: Callable[[Any], Array]) -> Callable[[Machine, Any, int], frozenset[Array]]:
    return lambda m, value, depth: frozenset([array(value)])


def _as_array(m: Machine, value: Mutable | Borrowed | Shared) -> ArrayRef:
    return array(View(value.array))


def _grain_moved(grain: Grain, s: Substitution) -> Grain:
    return replace(grain, tile=tuple(s.term(e) for e in grain.tile))


def _substitute_cell(value: Cell, s: Substitution) -> Value:
    grains = tuple(_grain_moved(g, s) for g in value.grains)
    coordinates = tuple(s.term(c) for c in value.coordinates)
    return replace(value, grains=grains, coordinates=coordinates, inside=s.cond(value.inside))


def _part_moved(value: Part, s: Substitution) -> Value:
    return Part(value.array, tuple(s.term(e) for e in value.tile))


def _pieces_moved(value: Pieces, s: Substitution) -> Value:
    return Pieces(value.owner, _grain_moved(value.grain, s))


attributes.HANDLERS.update(
    {
        Mutable: _mutable_attribute,
        Borrowed: _get_borrowed_attribute,
        Shared: _get_borrowed_attribute,
        Part: _part_attribute,
        Choice: _choice_attribute,
    }
)
calls.CALLS.update({OwnedMethod: _call, Function: _function})
subscripts.HANDLERS.update(
    {
        Mutable: _mutable_item,
        Part: _part_item,
        Choice: _choice_item,
        Borrowed: _get_borrowed_item,
        Shared: _get_borrowed_item,
    }
)
statements.SET_ITEM.update(
    {
        Mutable: _set_mutable,
        Borrowed: _set_borrowed_item,
        Part: _set_borrowed_item,
        Shared: _set_shared,
        Choice: _set_either,
    }
)
loops.NEXT.update({Cells: _next_cell, Pieces: _next_piece})
coerce.HELD.update({
    Mutable: _holder(lambda v: v.array), Borrowed: _holder(lambda v: v.array), Shared: _holder(lambda v: v.array),
    Part: _holder(lambda v: v.array.array), Pieces: _holder(lambda v: v.owner.array),
    OwnedMethod: lambda m, v, depth: coerce.arrays_in(m, v.owner, depth),
})
coerce.AS_ARRAY.update({Mutable: _as_array, Borrowed: _as_array, Shared: _as_array})
carried.SUBSTITUTED.update({Cell: _substitute_cell, Part: _part_moved, Pieces: _pieces_moved})
