"""The outcome of a test: known from the values, or a choice that is equal for equal tests."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.ownership.handles import term_of
from tilecheck.interp.ownership.objects import (
    Array,
    External,
    Flight,
    Graph,
    Handle,
    Instance,
    Kernel,
    Listing,
    Literal_,
    Number,
    Operation,
    Routine,
    Row,
    Scope,
    Value,
)
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["decide", "key_of_test"]

Evaluate = Callable[["Machine", ast.expr], Value]

_OBJECTS: Final = (Handle, Operation, Flight, Graph, Instance, Routine, Kernel, Array)


def decide(m: Machine, test: ast.expr, evaluate: Evaluate, value: Value | None = None, usual: int = 0) -> bool:
    """Whether a test holds on this path. `value`: of the test, where it was evaluated; `usual`: 0 to take it to hold
    where nothing is known."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return not decide(m, test.operand, evaluate, None, 1 - usual)
    if isinstance(test, ast.BoolOp) and value is None:
        every = isinstance(test.op, ast.And)
        for part in test.values:
            if decide(m, part, evaluate, None, usual) is not every:
                return not every
        return every
    if isinstance(test, ast.Compare) and value is None:
        known = _compare(m, test, evaluate)
        return _choose(m, test, usual) if known is None else known
    found = evaluate(m, test) if value is None else value
    known = _truth(found)
    return _choose(m, test, usual) if known is None else known


def _choose(m: Machine, test: ast.expr, usual: int) -> bool:
    return m.path.choose(2, usual, key_of_test(m, test)) == 0


def key_of_test(m: Machine, node: ast.expr) -> tuple[object, ...] | None:
    """A key that is equal for equal tests; None for a test whose outcome may change from one evaluation to the next."""
    steady = _spell_stable(node)
    return None if steady is None else (steady[0], *(_version(m, n) for n in steady[1]))


@lru_cache(maxsize=1024)
def _spell_stable(node: ast.expr) -> tuple[str, list[str]] | None:
    """The text of a test and its names, if its outcome depends only on the bindings of these names."""
    nodes = walk(node)
    if any(isinstance(n, _CHANGING) and not _is_stable(n) for n in nodes):
        return None
    return ast.unparse(node), sorted({n.id for n in nodes if isinstance(n, ast.Name)})


_CHANGING: Final = (ast.Call, ast.Await, ast.Attribute, ast.Subscript)


def _is_stable(node: ast.AST) -> bool:
    """`len(x)`, `isinstance(x, T)`, `self.flag`: the same as long as the names in it are bound alike."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in ("len", "isinstance", "range", "bool")
    return isinstance(node, ast.Attribute)


def _version(m: Machine, name: str) -> tuple[int, int]:
    at: Scope | None = m.scope
    while at is not None:
        if name in at.variables:
            return id(at), at.versions.get(name, 0)
        at = at.outer
    return 0, 0


def _truth(value: Value) -> bool | None:
    if isinstance(value, Literal_):
        return bool(value.value)
    if isinstance(value, Number):
        return None if value.term.constant is None else value.term.constant != 0
    if isinstance(value, Row):
        return bool(value.items)
    if isinstance(value, Listing):
        return True if value.items else None if value.open else False
    return True if isinstance(value, Operation | Flight | Graph | Routine | Kernel) else None


_ORDER: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], bool]]] = {
    ast.Eq: lambda a, b: a == b, ast.NotEq: lambda a, b: a != b, ast.Lt: lambda a, b: a < b,
    ast.LtE: lambda a, b: a <= b, ast.Gt: lambda a, b: a > b, ast.GtE: lambda a, b: a >= b}


def _compare(m: Machine, test: ast.Compare, evaluate: Evaluate) -> bool | None:
    left = evaluate(m, test.left)
    with m.hold_values((left,)):
        rights = [evaluate(m, right) for right in test.comparators]
    if len(rights) != 1:
        return None
    op, right = type(test.ops[0]), rights[0]
    if op in (ast.Is, ast.IsNot):
        same = _is_same_object(left, right)
        return None if same is None else same is (op is ast.Is)
    a, b = term_of(left), term_of(right)
    if a is not None and b is not None and op in _ORDER:
        gap = (a - b).constant
        return None if gap is None else _ORDER[op](gap, 0)
    if isinstance(left, Literal_) and isinstance(right, Literal_) and op in (ast.Eq, ast.NotEq):
        return (left.value == right.value) is (op is ast.Eq)
    if isinstance(left, External) and isinstance(right, External) and op in (ast.Eq, ast.NotEq):
        return True if (left.path == right.path) is (op is ast.Eq) else None
    return None


def _is_same_object(left: Value, right: Value) -> bool | None:
    """Whether two values are one object, where that is certain."""
    if isinstance(left, Literal_) and isinstance(right, Literal_):
        return left.value is right.value
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Literal_) and one.value is None and isinstance(other, (*_OBJECTS, Row, Listing, Number)):
            return False
    if isinstance(left, _OBJECTS) and isinstance(right, _OBJECTS):
        return left is right
    return None
