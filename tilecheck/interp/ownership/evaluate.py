"""Expressions of host code on a path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.ownership import attributes, calls, cuda
from tilecheck.interp.ownership.decisions import decide
from tilecheck.interp.ownership.handles import term_of, view_item
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.names import assign, literal, lookup
from tilecheck.interp.ownership.objects import (
    Array,
    Bound,
    Handle,
    Listing,
    Literal_,
    Number,
    Routine,
    Row,
    Scope,
    Unknown,
    Value,
)
from tilecheck.interp.ownership.operations import await_operation
from tilecheck.interp.ownership.region import Index
from tilecheck.symbolic import Term, const, floordiv, mod

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["evaluate"]

_MOST: Final = 8
"""Items of a sequence that a comprehension or loop goes through one by one."""


def evaluate(m: Machine, node: ast.expr) -> Value:
    """The value of an expression; what it does is done."""
    return _EXPRESSIONS.get(type(node), _evaluate_parts)(m, node)


def _all(m: Machine, nodes: list[ast.expr]) -> list[Value]:
    """Values of expressions in order, each alive while the next is evaluated."""
    found: list[Value] = []
    for node in nodes:
        with m.hold_values(found):
            found.append(evaluate(m, node))
    return found


def _evaluate_parts(m: Machine, node: ast.expr) -> Value:
    """An expression that is not modelled: its parts are evaluated."""
    escape(m, _all(m, [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]))
    return m.unknown("value")


def _sequence(m: Machine, node: Any) -> Value:
    items: list[Value] = []
    open_ = False
    for element in node.elts:
        with m.hold_values(items):
            value = evaluate(m, element.value if isinstance(element, ast.Starred) else element)
        if not isinstance(element, ast.Starred):
            items.append(value)
        elif isinstance(value, Row) or (isinstance(value, Listing) and value.keys is None):
            items += value.items
            open_ = open_ or (isinstance(value, Listing) and value.open)
        else:
            open_ = True
    return Row(tuple(items)) if isinstance(node, ast.Tuple) and not open_ else Listing(items, None, open_)


def _dict(m: Machine, node: ast.Dict) -> Value:
    keys: list[Value] = []
    items: list[Value] = []
    with m.hold_values(()):
        for key, value in zip(node.keys, node.values, strict=True):
            keys.append(m.unknown("key") if key is None else evaluate(m, key))
            m.held.append(keys[-1])
            items.append(evaluate(m, value))
            m.held.append(items[-1])
    return Listing(items, keys, None in node.keys)


# --- names, attributes, items ----------------------------------------------------------------------------------------

def _attribute(m: Machine, node: ast.Attribute) -> Value:
    return attributes.read(m, evaluate(m, node.value), node)


def _index(m: Machine, node: ast.expr) -> Index:
    if isinstance(node, ast.Slice):
        bounds = [None if e is None else _constant(m, e) for e in (node.lower, node.upper, node.step)]
        unknown = any(e is not None and b is None for e, b in zip((node.lower, node.upper, node.step), bounds,
                                                                   strict=True))
        return None if unknown else (bounds[0], bounds[1], bounds[2])
    return _constant(m, node)


def _constant(m: Machine, node: ast.expr) -> int | None:
    term = term_of(evaluate(m, node))
    return None if term is None else term.constant


def _indices(m: Machine, node: ast.expr) -> list[Index] | None:
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    if any(isinstance(p, ast.Constant) and p.value is Ellipsis for p in parts):
        return [(None, None, None)] if len(parts) == 1 else None
    found = [_index(m, p) for p in parts]
    return None if None in found else found


def _subscript(m: Machine, node: ast.Subscript) -> Value:
    owner = evaluate(m, node.value)
    with m.hold_values((owner,)):
        if isinstance(owner, Bound) and owner.name == "view" and isinstance(owner.owner, Handle):
            return view_item(m, owner.owner, _indices(m, node.slice), None, node, owner.text)
        if isinstance(owner, Array):
            _indices(m, node.slice)
            return owner
        if isinstance(node.slice, ast.Slice):
            return _part(m, owner, _index(m, node.slice))
        key = evaluate(m, node.slice)
        return attributes.item(m, owner, key)


def _part(m: Machine, owner: Value, index: Index) -> Value:
    if isinstance(owner, Row | Listing) and isinstance(index, tuple) and not (
            isinstance(owner, Listing) and (owner.open or owner.keys is not None)):
        picked = list(owner.items)[slice(*index)]
        return Row(tuple(picked)) if isinstance(owner, Row) else Listing(picked)
    if isinstance(owner, Unknown):
        return cuda.view_of(m, owner)
    escape(m, (owner,))
    return m.unknown("part")


# --- operators -------------------------------------------------------------------------------------------------------

def _fold(a: Term, b: Term, compute: Callable[[int, int], int | None]) -> Term | None:
    if a.constant is None or b.constant is None:
        return None
    found = compute(a.constant, b.constant)
    return None if found is None else const(found)


def _power(x: int, y: int) -> int | None:
    return int(x**y) if 0 <= y <= 62 and abs(x) <= 1 << 16 else None


def _shifted_left(x: int, y: int) -> int | None:
    return x << y if 0 <= y <= 62 else None


def _shifted_right(x: int, y: int) -> int | None:
    return x >> y if 0 <= y <= 62 else None


_ARITHMETIC: Final[Mapping[type[ast.operator], Callable[[Term, Term], Term | None]]] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: None if b.constant == 0 else floordiv(a, b),
    ast.Mod: lambda a, b: None if b.constant == 0 else mod(a, b),
    ast.Pow: lambda a, b: _fold(a, b, _power), ast.LShift: lambda a, b: _fold(a, b, _shifted_left),
    ast.RShift: lambda a, b: _fold(a, b, _shifted_right),
}


def _binary(m: Machine, node: ast.BinOp) -> Value:
    left, right = _all(m, [node.left, node.right])
    if isinstance(left, Row) and isinstance(right, Row) and isinstance(node.op, ast.Add):
        return Row((*left.items, *right.items))
    if isinstance(left, Listing) and isinstance(right, Listing) and isinstance(node.op, ast.Add):
        return Listing([*left.items, *right.items], None, left.open or right.open)
    if isinstance(left, Listing | Row) and isinstance(node.op, ast.Mult):
        times = term_of(right)
        if times is not None and times.constant is not None and 0 <= times.constant * len(left.items) <= _MOST:
            items = list(left.items) * times.constant
            return Row(tuple(items)) if isinstance(left, Row) else Listing(items, None, left.open)
    cuda.touch_operands(m, (left, right), node)
    compute = _ARITHMETIC.get(type(node.op))
    a, b = term_of(left), term_of(right)
    term = None if compute is None or a is None or b is None else compute(a, b)
    if term is not None:
        return Number(term)
    escape(m, [v for v in (left, right) if isinstance(v, Listing | Row)])
    return cuda.result_of(m, (left, right))


def _unary(m: Machine, node: ast.UnaryOp) -> Value:
    if isinstance(node.op, ast.Not):
        return Literal_(not decide(m, node.operand, evaluate))
    value = evaluate(m, node.operand)
    term = term_of(value)
    if term is None or isinstance(node.op, ast.Invert):
        return m.unknown("value")
    return Number(-term if isinstance(node.op, ast.USub) else term)


def _boolean(m: Machine, node: ast.BoolOp) -> Value:
    """`a or b` is the value that decides it."""
    stop = isinstance(node.op, ast.Or)
    for operand in node.values[:-1]:
        value = evaluate(m, operand)
        with m.hold_values((value,)):
            if decide(m, operand, evaluate, value) is stop:
                return value
    return evaluate(m, node.values[-1])


def _compare(m: Machine, node: ast.Compare) -> Value:
    _all(m, [node.left, *node.comparators])
    return m.unknown("comparison")


def _if(m: Machine, node: ast.IfExp) -> Value:
    return evaluate(m, node.body if decide(m, node.test, evaluate) else node.orelse)


# --- the rest --------------------------------------------------------------------------------------------------------

def _lambda(m: Machine, node: ast.Lambda) -> Value:
    return Routine(m.scope.module, f"{m.scope.qualname}.<lambda>", node, m.scope)


def _walrus(m: Machine, node: ast.NamedExpr) -> Value:
    value = evaluate(m, node.value)
    assign(m, node.target.id, value)
    return value


def _await(m: Machine, node: ast.Await) -> Value:
    value = evaluate(m, node.value)
    with m.hold_values((value,)):
        return await_value(m, value, node)


def await_value(m: Machine, value: Value, node: ast.expr) -> Value:
    """The result of `await` for a value."""
    found = await_operation(m, value, m.span(node), calls.apply)
    if found is not None:
        return found
    return calls.await_value(m, value, lambda inner: await_value(m, inner, node))


def _yield(m: Machine, node: ast.Yield | ast.YieldFrom) -> Value:
    if node.value is not None:
        escape(m, (evaluate(m, node.value),))
    return m.unknown("sent")


def _comprehension(m: Machine, node: Any) -> Value:
    out: list[Value] = []
    scope = Scope(m.scope.module, m.scope.qualname, m.scope, versions=dict(m.scope.versions))
    whole = _run_comprehension(m, node, 0, scope, out)
    return Listing(out, None, not whole)


def _run_comprehension(m: Machine, node: Any, depth: int, scope: Scope, out: list[Value]) -> bool:
    """Whether all that a comprehension gives was seen."""
    from tilecheck.interp.ownership.statements import bind_target, items_of

    loop = node.generators[depth]
    with m.enter_scope(scope if depth else m.scope):
        source = evaluate(m, loop.iter)
    items, whole = items_of(m, source, loop.iter)
    with m.hold_values((source, *items)), m.enter_scope(scope):
        for item in items:
            bind_target(m, loop.target, item)
            if not all(decide(m, test, evaluate) for test in loop.ifs):
                continue
            if depth + 1 < len(node.generators):
                whole = _run_comprehension(m, node, depth + 1, scope, out) and whole
                continue
            with m.hold_values(out):
                if isinstance(node, ast.DictComp):
                    evaluate(m, node.key)
                    out.append(evaluate(m, node.value))
                else:
                    out.append(evaluate(m, node.elt))
    return whole and not loop.is_async


def _join_string(m: Machine, node: ast.JoinedStr) -> Value:
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            evaluate(m, part.value)
    return m.unknown("text")


_EXPRESSIONS: Final[Mapping[type[ast.expr], Callable[[Machine, Any], Value]]] = {
    ast.Constant: lambda m, n: literal(n.value), ast.Name: lambda m, n: lookup(m, n.id), ast.Attribute: _attribute,
    ast.Call: calls.call, ast.Subscript: _subscript, ast.Tuple: _sequence, ast.List: _sequence, ast.Set: _sequence,
    ast.Dict: _dict, ast.BinOp: _binary, ast.UnaryOp: _unary, ast.BoolOp: _boolean, ast.Compare: _compare,
    ast.IfExp: _if, ast.Lambda: _lambda, ast.NamedExpr: _walrus, ast.Await: _await, ast.Yield: _yield,
    ast.YieldFrom: _yield, ast.ListComp: _comprehension, ast.SetComp: _comprehension, ast.DictComp: _comprehension,
    ast.GeneratorExp: _comprehension, ast.JoinedStr: _join_string,
    ast.Starred: lambda m, n: evaluate(m, n.value),
}
