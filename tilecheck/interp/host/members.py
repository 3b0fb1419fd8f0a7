"""Truth, attributes and items of host values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.host import arrays, operators
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.state import OPEN, State, item_name, map_options
from tilecheck.interp.host.values import (
    Choice,
    Class,
    External,
    Int,
    Items,
    Kernel,
    Log2,
    Member,
    Package,
    Plain,
    Ratio,
    Record,
    Ref,
    Shape,
    Step,
    Table,
    Tensor,
    Thing,
    Truth,
    Value,
)
from tilecheck.symbolic import FALSE, TRUE, Cond, Opaque, bool_opaque, conj, disj, ne

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator


def _truth_sized(ev: Evaluator, value: Value, state: State) -> Cond:
    known = ev.elements(value, state)
    if known is None:
        return ev.doubt("not empty")
    return TRUE if known else FALSE


def _truth_ref(ev: Evaluator, value: Ref, state: State) -> Cond:
    return ev.doubt("iterator") if value.lazy else _truth_sized(ev, value, state)


def _truth_number(ev: Evaluator, value: Value, state: State) -> Cond:
    term = ev.number(value)
    return ev.doubt("true") if term is None else ne(term, 0)


def _truth_thing(ev: Evaluator, value: Thing, state: State) -> Cond:
    return operators.is_not_zero(ev, value) if value.numeric else _truth_number(ev, value, state)


def _truth_choice(ev: Evaluator, value: Choice, state: State) -> Cond:
    return disj(*(conj(cond, ev.truth(option, state)) for cond, option in value.options))


TRUTH: Final[Mapping[type, Callable[[Evaluator, Any, State], Cond]]] = {
    Int: _truth_number, Truth: lambda ev, v, s: v.cond, Plain: lambda ev, v, s: TRUE if v.value else FALSE,
    Ratio: lambda ev, v, s: ne(v.num, 0), Log2: lambda ev, v, s: ev.doubt("log2"),
    Tensor: lambda ev, v, s: ev.doubt(v.name), Shape: _truth_sized, Items: _truth_sized, Ref: _truth_ref,
    External: lambda ev, v, s: bool_opaque(Opaque(v.path, uniform=True)),
    Thing: _truth_thing, Choice: _truth_choice, Table: lambda ev, v, s: ev.doubt("table"),
}


def _external_attribute(ev: Evaluator, owner: External, name: str, state: State) -> Value:
    return External(f"{owner.path}.{name}")


def _choice_attribute(ev: Evaluator, owner: Choice, name: str, state: State) -> Value:
    return map_options(owner, lambda option: ev.attribute(option, name, state))


def _number_attribute(ev: Evaluator, owner: Int, name: str, state: State) -> Value:
    """Of a number that stands for an array of one element, as far as is known."""
    return arrays.attribute(ev, ev.tensor(owner, state), name, state) if name in arrays.ATTRIBUTES else ev.unknown(name)


ATTRIBUTES: Final[Mapping[type, Callable[[Evaluator, Any, str, State], Value]]] = {
    Thing: lambda ev, o, n, s: ev.thing_attribute(o, n, s), Record: lambda ev, o, n, s: ev.record_attribute(o, n, s),
    Tensor: lambda ev, o, n, s: arrays.attribute(ev, o, n, s), External: _external_attribute,
    Package: lambda ev, o, n, s: ev.global_value(o.module, n), Class: lambda ev, o, n, s: ev.class_attribute(o, n, s),
    Kernel: lambda ev, o, n, s: o if n in ("_pyfunc", "pyfunc", "__wrapped__") else ev.unknown(n),
    Choice: _choice_attribute,
    Int: _number_attribute,
}


def _items_item(ev: Evaluator, owner: Items, index: Value, state: State) -> Value:
    term = ev.number(index)
    at = None if term is None else term.constant
    if owner.spliced:
        # the items before the first extents of unknown number, and those after the last, have their places
        if at is None or not -len(owner.items) <= at < len(owner.items) or Items(
                owner.items[:at + 1] if at >= 0 else owner.items[at:]).spliced:
            return ev.unknown("item")
        return owner.items[at]
    if at is not None and -len(owner.items) <= at < len(owner.items):
        return owner.items[at]
    return (
        ev.build_from_origin(ev.invent_name("item"), Member(ev.invent_name("items"), owner.items))
        if owner.items
        else ev.unknown("item")
    )


def _ref_item(ev: Evaluator, owner: Ref, index: Value, state: State) -> Value:
    contents = state.heap.get(owner.key, OPEN)
    if owner.kind == "list" and contents.bound == "exact":
        return _items_item(ev, Items(contents.items), index, state)
    if owner.kind == "dict" and index in contents.keys and contents.bound == "exact":
        return contents.items[contents.keys.index(index)]
    if contents.bound == "open" or not contents.items:
        return ev.unknown("item")
    return ev.build_from_origin(
        ev.invent_name("item"), Member(ev.invent_name(owner.key), tables.frozen(ev, contents.items, state))
    )


def _thing_item(ev: Evaluator, owner: Thing, index: Value, state: State) -> Value:
    term = ev.number(index) if isinstance(index, Int) else None
    at: Step | None = None if term is None else term.constant
    if isinstance(index, Plain) and isinstance(index.value, str):
        at = index.value
    if at is not None:
        return ev.part(owner, at, item_name(at), item_name(at), state)
    return ev.unknown(f"{owner.name}[...]")


def _tensor_item(ev: Evaluator, owner: Tensor, index: Value, state: State) -> Value:
    return arrays.subscript(ev, owner, (index,), state)


def _shape_item(ev: Evaluator, owner: Shape, index: Value, state: State) -> Value:
    return arrays.shape_item(ev, owner, index, state)


def _choice_item(ev: Evaluator, owner: Choice, index: Value, state: State) -> Value:
    return map_options(owner, lambda option: ev.item(option, index, state))


ITEMS: Final[Mapping[type, Callable[[Evaluator, Any, Value, State], Value]]] = {
    Items: _items_item, Ref: _ref_item, Thing: _thing_item, Tensor: _tensor_item, Shape: _shape_item,
    Table: lambda ev, o, i, s: tables.read(ev, o, i, s), Choice: _choice_item,
}
