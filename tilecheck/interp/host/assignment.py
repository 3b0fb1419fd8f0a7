"""Assignment to names, tuples, attributes and items."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.host import arrays
from tilecheck.interp.host import persistent_dicts as tables
from tilecheck.interp.host.state import OPEN, Contents, State, store_key
from tilecheck.interp.host.values import (
    Choice,
    Class,
    Closure,
    Function,
    Int,
    Items,
    Plain,
    Record,
    Ref,
    Shape,
    Table,
    Tensor,
    Thing,
    Value,
)
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame


def assign(ev: Evaluator, target: tree.Expr, value: Value, frame: Frame, state: State) -> None:
    handler = _TARGETS.get(type(target))
    if handler is not None:
        handler(ev, target, value, frame, state)


def _name(ev: Evaluator, target: tree.Name, value: Value, frame: Frame, state: State) -> None:
    ev.bind(target.id, value, frame, state)


def _sequence(ev: Evaluator, target: tree.Sequence, value: Value, frame: Frame, state: State) -> None:
    for node, item in zip(target.items, unpack(ev, value, target.items, state), strict=True):
        assign(ev, node.value if isinstance(node, tree.Starred) else node, item, frame, state)


def _assign_starred(ev: Evaluator, target: tree.Starred, value: Value, frame: Frame, state: State) -> None:
    assign(ev, target.value, value, frame, state)


def unpack(ev: Evaluator, value: Value, targets: tuple[tree.Expr, ...], state: State) -> tuple[Value, ...]:
    """The items of a value for the targets of an assignment. One target may be starred."""
    star = next((i for i, t in enumerate(targets) if isinstance(t, tree.Starred)), None)
    count = len(targets)
    if star is None and isinstance(value, Shape) and value.lower == 0 and value.upper is None:
        # unpacking a shape shows the rank
        arrays.set_rank(ev, value.name, count, state)
    elif star is None and isinstance(value, Shape):
        part = _slice_of_shape(ev, value, count, state)
        if part is not None:
            return part
    known = ev.elements(value, state)
    if known is not None:
        if star is None and len(known) == count:
            return known
        if star is not None and len(known) >= count - 1:
            stop = len(known) - (count - 1 - star)
            return (*known[:star], Items(known[star:stop]), *known[stop:])
    if star is not None and isinstance(value, Shape) and value.lower == 0 and value.upper is None:
        after = count - 1 - star
        head = [arrays.shape_item(ev, value, ev_int(i), state) for i in range(star)]
        tail = [arrays.shape_item(ev, value, ev_int(i - after), state) for i in range(after)]
        return (*head, Shape(value.name, star, -after if after else None), *tail)
    if isinstance(value, Choice) and star is None:
        columns = [ev.item(value, ev_int(i), state) for i in range(count)]
        return tuple(columns)
    if isinstance(value, Thing) and star is None:
        return tuple(ev.item(value, ev_int(i), state) for i in range(count))
    return tuple(
        ev.unknown(t.id if isinstance(t, tree.Name) else "item", numeric=not isinstance(t, tree.Starred))
        for t in targets)


def _slice_of_shape(ev: Evaluator, value: Shape, count: int, state: State) -> tuple[Value, ...] | None:
    """`a, b = x.shape[-2:]`: the length of the slice is the number of targets, and the last extents are those
    counted from the right."""
    if value.name in state.ranks:
        return None
    if value.lower >= 0 and (value.upper is None or value.upper < 0):
        arrays.set_rank(ev, value.name, value.lower + count - (value.upper or 0), state)
        return None
    first = value.lower
    if (first < 0 and value.upper is None and count == -first) or (
            first >= 0 and value.upper is not None and count == value.upper - first):
        whole = Shape(value.name)
        return tuple(arrays.shape_item(ev, whole, ev_int(first + i), state) for i in range(count))
    return None


def ev_int(i: int) -> Value:
    from tilecheck.interp.host.values import Int
    from tilecheck.symbolic import const

    return Int(const(i))


def _attribute(ev: Evaluator, target: tree.Attribute, value: Value, frame: Frame, state: State) -> None:
    owner = ev.eval(target.value, frame, state)
    state.hold(value)
    # the same object may have another name: forget the known values of this attribute in all objects
    state.epochs[target.attr] = state.epochs.get(target.attr, 0) + 1
    for key in [key for key in state.attributes if key[1] == target.attr]:
        del state.attributes[key]
    if isinstance(owner, Thing) and target.attr in arrays.ATTRIBUTES and target.attr != "data":
        state.epochs[f"{owner.name}.{target.attr}"] = 1
    if isinstance(value, Closure | Function):
        ev.escape((value,), state)
    if ev.is_computed(target.attr):
        # a property or a descriptor may store another value, and more
        ev.escape((owner, value), state)
        return
    if isinstance(owner, Thing | Record):
        state.attributes[(owner.name if isinstance(owner, Thing) else owner.key, target.attr)] = value
    if (target.attr == "data" and isinstance(owner, Tensor | Thing)) or (
            target.attr in ("shape", "strides") and isinstance(owner, Tensor)):
        from tilecheck.interp.host.calls import forget

        forget(ev, owner, state)


def _subscript(ev: Evaluator, target: tree.Subscript, value: Value, frame: Frame, state: State) -> None:
    owner = ev.eval(target.value, frame, state)
    state.hold(value)
    if any(isinstance(i, tree.SliceExpr) for i in target.items):
        if isinstance(owner, Choice):
            ev.escape((owner,), state)
        change_items(owner, state)
        return
    index = [ev.eval(i, frame, state) for i in target.items]
    key = index[0] if len(index) == 1 else Items(tuple(index))
    if isinstance(owner, Choice | Thing) and (isinstance(owner, Choice) or owner.origin is not None):
        ev.escape((owner,), state)  # what it is one of changes
    stored = _STORES.get(type(owner))
    if stored is not None:
        stored(ev, owner, key, value, state)


def change_items(owner: Value, state: State) -> None:
    """Some items of the object changed, or went."""
    if isinstance(owner, Ref):
        unseen = state.heap.get(owner.key, OPEN).bound == "open"
        state.heap[owner.key] = OPEN
        if not unseen:
            return
    if type(owner) not in _NO_ITEMS:
        state.set_item(None, None, None)


def _store_unseen(ev: Evaluator, owner: Value, key: Value, value: Value, state: State) -> None:
    if isinstance(value, Closure | Function):
        ev.escape((value,), state)
    at = key.term.constant if isinstance(key, Int) else key.value if isinstance(key, Plain) else None
    state.set_item(owner.name if isinstance(owner, Thing) else None, at if isinstance(at, int | str) else None, value)


def _store_ref(ev: Evaluator, owner: Ref, key: Value, value: Value, state: State) -> None:
    here = state.heap.get(owner.key, OPEN)
    if here.bound == "open":
        # code that is not seen may have made it known under other names
        _store_unseen(ev, owner, key, value, state)
    if owner.kind == "dict":
        state.heap[owner.key] = store_key(here, key, value)
        return
    term = ev.number(key)
    at = None if term is None else term.constant
    if here.bound == "exact" and at is not None and -len(here.items) <= at < len(here.items):
        items = list(here.items)
        items[at] = value
        state.heap[owner.key] = Contents(tuple(items))
    else:
        state.heap[owner.key] = OPEN


def _store_class(ev: Evaluator, owner: Class, key: Value, value: Value, state: State) -> None:
    return


_STORES: Final[Mapping[type, Callable[[Evaluator, Any, Value, Value, State], None]]] = {
    Ref: _store_ref, Table: lambda ev, o, k, v, s: tables.store(ev, o, k, v, s), Class: _store_class,
    Thing: _store_unseen, Choice: _store_unseen,
}
_NO_ITEMS: Final = frozenset({Tensor, Shape, Items, Table, Class})
"""Kinds of values without items, or whose items other modules follow."""

_TARGETS: Final[Mapping[type, Callable[[Evaluator, Any, Value, Frame, State], None]]] = {
    tree.Name: _name, tree.Sequence: _sequence, tree.Starred: _assign_starred, tree.Attribute: _attribute,
    tree.Subscript: _subscript,
}
