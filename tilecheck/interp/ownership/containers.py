"""Lists, tuples and mappings: what their methods and the builtins on them give."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.interp.ownership.handles import term_of
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.objects import Listing, Literal_, Number, Row, Value
from tilecheck.symbolic import const

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["BUILTINS", "method"]

Named = dict[str, Value]


def method(m: Machine, owner: Listing | Row, name: str, args: list[Value], named: Named, node: ast.Call,
           text: str) -> Value | None:
    """A method of a list or mapping; None for one that is not known."""
    handler = _METHODS.get(name)
    return None if handler is None or not isinstance(owner, Listing) else handler(m, owner, args)


def _append(m: Machine, owner: Listing, args: list[Value]) -> Value:
    if owner.escaped:
        escape(m, args)
    owner.items += args[:1]
    return Literal_(None)


def _extend(m: Machine, owner: Listing, args: list[Value]) -> Value:
    value = args[0] if args else None
    if isinstance(value, Row | Listing):
        owner.items += value.items
        owner.open = owner.open or (isinstance(value, Listing) and value.open)
    else:
        escape(m, args)
        owner.open = True
    return Literal_(None)


def _pop(m: Machine, owner: Listing, args: list[Value]) -> Value:
    term = term_of(args[0]) if args else const(-1)
    at = None if term is None else term.constant
    if owner.keys is not None or owner.open or at is None or not -len(owner.items) <= at < len(owner.items):
        escape(m, (owner,))
        return m.unknown("item")
    return owner.items.pop(at)


def _clear(m: Machine, owner: Listing, args: list[Value]) -> Value:
    owner.items.clear()
    owner.keys = None if owner.keys is None else []
    owner.open = False
    return Literal_(None)


def _popleft(m: Machine, owner: Listing, args: list[Value]) -> Value:
    return _pop(m, owner, [Number(const(0))])


def _values(m: Machine, owner: Listing, args: list[Value]) -> Value:
    return Listing(list(owner.items), None, owner.open)


def _pairs(m: Machine, owner: Listing, args: list[Value]) -> Value:
    rows: list[Value] = [Row((k, v)) for k, v in zip(owner.keys or (), owner.items, strict=False)]
    return Listing(rows, None, owner.open)


def _copy(m: Machine, owner: Listing, args: list[Value]) -> Value:
    return Listing(list(owner.items), None if owner.keys is None else list(owner.keys), owner.open)


_METHODS: Final[Mapping[str, Callable[[Machine, Listing, list[Value]], Value]]] = {
    "append": _append, "add": _append, "extend": _extend, "pop": _pop, "clear": _clear, "values": _values,
    "items": _pairs, "copy": _copy, "popleft": _popleft}


# --- builtins --------------------------------------------------------------------------------------------------------

def _build_list(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    value = args[0] if args else None
    if value is None:
        return Listing()
    if isinstance(value, Row | Listing):
        return Listing(list(value.items), None, isinstance(value, Listing) and value.open)
    return Listing([], None, True)


def _tuple(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    value = args[0] if args else Row(())
    closed = isinstance(value, Row) or (isinstance(value, Listing) and not value.open and value.keys is None)
    if closed and isinstance(value, Row | Listing):
        return Row(tuple(value.items))
    return _build_list(m, args, named, node)


def _reverse(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    value = args[0] if args else None
    if isinstance(value, Row | Listing):
        return Listing(list(reversed(value.items)), None, isinstance(value, Listing) and value.open)
    return m.unknown("reversed")


def _enumerate(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    value = args[0] if args else None
    if isinstance(value, Row | Listing):
        rows: list[Value] = [Row((Number(const(i)), v)) for i, v in enumerate(value.items)]
        return Listing(rows, None, isinstance(value, Listing) and value.open)
    return m.unknown("enumerate")


def _zip(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    known = [v for v in args if isinstance(v, Row | Listing)]
    if len(known) == len(args) and known:
        rows: list[Value] = [Row(tuple(group)) for group in zip(*(v.items for v in known), strict=False)]
        return Listing(rows, None, any(isinstance(v, Listing) and v.open for v in known))
    escape(m, args)
    return m.unknown("zip")


def _dict(m: Machine, args: list[Value], named: Named, node: ast.Call) -> Value:
    return Listing(list(named.values()), [Literal_(k) for k in named], bool(args))


BUILTINS: Final[Mapping[str, Callable[[Machine, list[Value], Named, ast.Call], Value]]] = {
    "list": _build_list, "set": _build_list, "sorted": _build_list, "tuple": _tuple, "reversed": _reverse,
    "enumerate": _enumerate, "zip": _zip, "iter": _build_list, "dict": _dict}
