"""The dialect as part of the language: what attributes, calls, items and loops mean on its values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from tilecheck.kernel import attributes, calls, carried, coerce, loops, statements, subscripts
from tilecheck.kernel.calls import Arguments, unknown_call
from tilecheck.kernel.dialect import accumulators, borrowed, mutable
from tilecheck.kernel.dialect.minting import blame, nested_cell, walk
from tilecheck.kernel.dialect.values import (
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
from tilecheck.kernel.machine import Machine
from tilecheck.kernel.shadows import lose_all
from tilecheck.kernel.tree import Expr, SliceExpr, Span, Subscript
from tilecheck.kernel.values import ArrayRef, Choice, Int, Tuple, Unknown, Value, View, array
from tilecheck.proof.terms import Substitution

__all__: list[str] = []


# --- attributes ------------------------------------------------------------------------------------------------------

def _mutable_attribute(m: Machine, z: Mutable, name: str, span: Span) -> Value:
    if name == "tile":
        return Tuple(tuple(Int(e) for e in z.parameter.tile))
    return array(View(z.name)) if name == "array" else OwnedMethod(z, name)


def _lent_attribute(m: Machine, x: Borrowed | Shared, name: str, span: Span) -> Value:
    return array(View(x.name)) if name == "array" else OwnedMethod(x, name)


def _part_attribute(m: Machine, part: Part, name: str, span: Span) -> Value:
    return Tuple(tuple(Int(e) for e in part.tile)) if name == "tile" else OwnedMethod(part, name)


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
    handler = _OWNERS.get(type(method.owner))
    return _unknown(m, method, args) if handler is None else handler(m, method, args)


def _unknown(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    return unknown_call(m, f"method {method.name}", method.owner, args)


def _of_mutable(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    operation = mutable.METHODS.get(method.name)
    assert isinstance(method.owner, Mutable)
    known = operation is not None and args.complete
    return operation(m, method.owner, args) if known and operation is not None else _unknown(m, method, args)


def _of_borrowed(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    assert isinstance(method.owner, Borrowed)
    if method.name in borrowed.WRITES:
        borrowed.refuse(m, method.owner, method.name, args.span)
        lose_all(m, "a store that is refused", *args.values())
        return Unknown(f"result of {method.name}")
    operation = borrowed.REF_METHODS.get(method.name)
    known = operation is not None and args.complete
    return operation(m, method.owner, args) if known and operation is not None else _unknown(m, method, args)


def _of_part(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    assert isinstance(method.owner, Part)
    if method.name in borrowed.WRITES:
        borrowed.refuse(m, method.owner.array, method.name, args.span)
        return Unknown(f"result of {method.name}")
    operation = borrowed.PART_METHODS.get(method.name)
    known = operation is not None and args.complete
    return operation(m, method.owner, args) if known and operation is not None else _unknown(m, method, args)


def _of_shared(m: Machine, method: OwnedMethod, args: Arguments) -> Value:
    assert isinstance(method.owner, Shared)
    if method.name in accumulators.PLAIN:
        blame(m, "TC107", args.span, method.owner.name, "plain", method.name)
        return Unknown(f"result of {method.name}")
    operation = accumulators.METHODS.get(method.name)
    known = operation is not None and args.complete
    return operation(m, method.owner, args) if known and operation is not None else _unknown(m, method, args)


_OWNERS: Final[dict[type, Callable[[Machine, OwnedMethod, Arguments], Value]]] = {
    Mutable: _of_mutable, Borrowed: _of_borrowed, Part: _of_part, Shared: _of_shared,
}


# --- items -----------------------------------------------------------------------------------------------------------

def _index(m: Machine, items: tuple[Expr, ...]) -> Value:
    """What stands in the brackets, as one value."""
    values = tuple(Unknown("slice") if isinstance(e, SliceExpr) else m.eval(e) for e in items)
    return values[0] if len(values) == 1 else Tuple(values)


def _mutable_item(m: Machine, z: Mutable, items: tuple[Expr, ...], span: Span) -> Value:
    return mutable.fetch(m, z, _index(m, items), span)


def _part_item(m: Machine, part: Part, items: tuple[Expr, ...], span: Span) -> Value:
    return borrowed.item(m, part, _index(m, items), span)


def _set_mutable(m: Machine, z: Mutable, target: Subscript, value: Value, span: Span) -> None:
    mutable.put(m, z, _index(m, target.items), value, target.span)


def _set_lent(m: Machine, owner: Borrowed | Part, target: Subscript, value: Value, span: Span) -> None:
    x = owner.array if isinstance(owner, Part) else owner
    blame(m, "TC104", target.span, x.name, "item")


def _set_shared(m: Machine, s: Shared, target: Subscript, value: Value, span: Span) -> None:
    blame(m, "TC107", target.span, s.name, "plain", "[...] =")


def _set_either(m: Machine, value: Choice, target: Subscript, stored: Value, span: Span) -> bool:
    """Whether what is stored to is one of several outputs."""
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

def _holder(name: Callable[[Any], str]) -> Callable[[Machine, Any, int], frozenset[str]]:
    return lambda m, value, depth: frozenset([name(value)])


def _as_array(m: Machine, value: Mutable | Borrowed | Shared) -> ArrayRef:
    return array(View(value.name))


def _grain_moved(grain: Grain, s: Substitution) -> Grain:
    return replace(grain, tile=tuple(s.term(e) for e in grain.tile))


def _moved(value: Cell, s: Substitution) -> Value:
    grains = tuple(_grain_moved(g, s) for g in value.grains)
    coordinates = tuple(s.term(c) for c in value.coordinates)
    return replace(value, grains=grains, coordinates=coordinates, inside=s.cond(value.inside))


def _part_moved(value: Part, s: Substitution) -> Value:
    return Part(value.array, tuple(s.term(e) for e in value.tile))


def _pieces_moved(value: Pieces, s: Substitution) -> Value:
    return Pieces(value.owner, _grain_moved(value.grain, s))


attributes.HANDLERS.update({
    Mutable: _mutable_attribute, Borrowed: _lent_attribute, Shared: _lent_attribute, Part: _part_attribute,
    Choice: _choice_attribute,
})
calls.CALLS[OwnedMethod] = _call
subscripts.HANDLERS.update({Mutable: _mutable_item, Part: _part_item})
statements.SET_ITEM.update({
    Mutable: _set_mutable, Borrowed: _set_lent, Part: _set_lent, Shared: _set_shared, Choice: _set_either})
loops.NEXT.update({Cells: _next_cell, Pieces: _next_piece})
coerce.HELD.update({
    Mutable: _holder(lambda v: str(v.name)), Borrowed: _holder(lambda v: str(v.name)),
    Shared: _holder(lambda v: str(v.name)), Part: _holder(lambda v: str(v.array.name)),
    Pieces: _holder(lambda v: str(v.owner.name)), OwnedMethod: lambda m, v, depth: coerce.arrays_in(m, v.owner, depth),
})
coerce.AS_ARRAY.update({Mutable: _as_array, Borrowed: _as_array, Shared: _as_array})
carried.SUBSTITUTED.update({Cell: _moved, Part: _part_moved, Pieces: _pieces_moved})
