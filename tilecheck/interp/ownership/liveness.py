"""Reachable values, and values that escape from the interpreted functions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from weakref import WeakKeyDictionary

from tilecheck.interp.ownership.objects import (
    Array,
    Bound,
    Coroutine,
    Flight,
    Handle,
    Instance,
    Listing,
    Operation,
    Routine,
    Row,
    Scope,
    Unknown,
    Value,
)
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["escape", "find_all_reachable", "find_captured", "is_alive"]


def _listing(value: Listing) -> Iterable[Value]:
    return (*value.items, *(value.keys or ()))


def _operation(value: Operation) -> Iterable[Value]:
    yield from value.parts or ()
    if value.follow is not None:
        yield value.follow
    if value.ended is None:
        yield from (argument.handle for argument in value.arguments)


def _flight(value: Flight) -> Iterable[Value]:
    if value.taken is None:
        yield from (argument.handle for argument in value.operation.arguments)
    yield from value.parts
    if value.result is not None and value.taken is None:
        yield value.result


def _handle(value: Handle) -> Iterable[Value]:
    return () if value.parent is None else (value.parent,)


def _unknown(value: Unknown) -> Iterable[Value]:
    yield from value.attributes.values()
    if value.handle is not None:
        yield value.handle
    if value.array is not None:
        yield value.array


def _coroutine(value: Coroutine) -> Iterable[Value]:
    return (*value.args, *value.named.values(), *value.together, *(() if value.routine is None else (value.routine,)))


def _routine(value: Routine) -> Iterable[Value]:
    found = find_captured(value)
    return found if value.owner is None else (*found, value.owner)


_INSIDE: Final[Mapping[type, Callable[[Any], Iterable[Value]]]] = {
    Row: lambda v: v.items, Listing: _listing, Operation: _operation, Flight: _flight, Handle: _handle,
    Bound: lambda v: (v.owner,), Instance: lambda v: v.attributes.values(), Unknown: _unknown, Coroutine: _coroutine,
    Routine: _routine,
}

_FREE: Final[WeakKeyDictionary[ast.AST, frozenset[str]]] = WeakKeyDictionary()


def find_captured(routine: Routine) -> tuple[Value, ...]:
    """The values that a function captures from its definition."""
    names = _FREE.get(routine.node)
    if names is None:
        names = _FREE[routine.node] = frozenset(n.id for n in walk(routine.node) if isinstance(n, ast.Name))
    found: list[Value] = []
    scope: Scope | None = routine.scope
    while scope is not None and scope.qualname != "<module>":
        found += [value for name, value in scope.variables.items() if name in names]
        scope = scope.outer
    return tuple(found)


def find_reachable(roots: Iterable[Value]) -> Iterator[Value]:
    """The values, and all that they lead to."""
    seen: set[int] = set()
    pending = list(roots)
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        inside = _INSIDE.get(type(value))
        if inside is not None:
            pending.extend(inside(value))


def _roots(m: Machine) -> Iterator[Value]:
    for scope in (*m.stack, *m.globals.values()):
        at: Scope | None = scope
        while at is not None:
            yield from at.variables.values()
            at = at.outer
    yield from m.held
    yield from m.given


def find_all_reachable(m: Machine) -> Iterator[Value]:
    """All that the program can still reach."""
    return find_reachable(_roots(m))


def is_alive(m: Machine, target: Value) -> bool:
    """Whether the program can still reach a value."""
    return any(value is target for value in find_reachable(_roots(m)))


def escape(m: Machine, values: Iterable[Value]) -> None:
    """The values go to code that is not seen: it may keep them, run them, drop them."""
    for value in list(find_reachable(values)):
        value.escaped = True
        if isinstance(value, Listing):
            value.open = True
        elif isinstance(value, Instance | Unknown):
            value.attributes.clear()
        elif isinstance(value, Array):
            value.memory.escaped = True
