"""Host expressions, one handler for each kind of node."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, Literal

from msgspec.structs import replace

from tilecheck.interp.host import arrays, calls, loops, operators
from tilecheck.interp.host.assignment import assign
from tilecheck.interp.host.effects import find_mentioned_names, has_effects
from tilecheck.interp.host.state import LONGEST, OPEN, Contents, State, join_values, narrow_choice, store_key
from tilecheck.interp.host.statements import merge
from tilecheck.interp.host.syntax import FLATTENED
from tilecheck.interp.host.values import (
    NONE,
    Choice,
    Closure,
    Int,
    Items,
    Place,
    Plain,
    Ref,
    Rest,
    Shape,
    Tensor,
    Truth,
    Value,
    join_sources,
    read_sources,
)
from tilecheck.symbolic import FALSE, TRUE, Cond, conj, const, disj, negate
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame

UNROLL: Final = 24


def _name(ev: Evaluator, expr: tree.Name, frame: Frame, state: State) -> Value:
    value = ev.variable(expr.id, frame, state)
    if isinstance(value, Choice):
        return narrow_choice(value, state)
    return ev.global_value(frame.module, expr.id) if value is None else value


def literal(value: object) -> Value:
    if isinstance(value, bool):
        return Truth(TRUE if value else FALSE)
    return Int(const(value)) if isinstance(value, int) else Plain(value)


def _constant(ev: Evaluator, expr: tree.Constant, frame: Frame, state: State) -> Value:
    return literal(expr.value)


def _attribute(ev: Evaluator, expr: tree.Attribute, frame: Frame, state: State) -> Value:
    return ev.attribute(ev.eval(expr.value, frame, state), expr.attr, state)


def _subscript(ev: Evaluator, expr: tree.Subscript, frame: Frame, state: State) -> Value:
    owner = ev.eval(expr.value, frame, state)
    sliced = any(isinstance(i, tree.SliceExpr) for i in expr.items)
    if len(expr.items) == 1 and isinstance(expr.items[0], tree.SliceExpr):
        bounds = _bounds(ev, expr.items[0], frame, state)
        known = arrays.slice_value(ev, owner, bounds, state)
        if known is not None:
            return known
    if sliced or (len(expr.items) > 1 and isinstance(owner, Tensor)):
        parts = tuple(
            _bounds(ev, i, frame, state) if isinstance(i, tree.SliceExpr) else ev.eval(i, frame, state)
            for i in expr.items)
        return arrays.subscript(ev, owner, parts, state)
    index = [ev.eval(i, frame, state) for i in expr.items]
    return ev.item(owner, index[0] if len(index) == 1 else Items(tuple(index)), state)


def _bounds(ev: Evaluator, expr: tree.SliceExpr, frame: Frame, state: State) -> arrays.Bounds:
    lower, upper, step = (
        None if part is None else ev.number(ev.eval(part, frame, state)) or ev.integer(ev.unknown("bound"))
        for part in (expr.lower, expr.upper, expr.step))
    return arrays.Bounds(lower, upper, step)


def _binop(ev: Evaluator, expr: tree.BinOp, frame: Frame, state: State) -> Value:
    left = ev.eval(expr.left, frame, state)
    return operators.binary(ev, expr.op, left, ev.eval(expr.right, frame, state), state)


def _unary(ev: Evaluator, expr: tree.UnaryOp, frame: Frame, state: State) -> Value:
    if expr.op == "not":
        return Truth(negate(ev.cond(expr.operand, frame, state)))
    inner = expr.operand
    if expr.op == "-" and isinstance(inner, tree.BinOp) and inner.op == "//":
        left = inner.left
        if isinstance(left, tree.UnaryOp) and left.op == "-":
            # -(-a // b) rounds up
            num, den = ev.eval(left.operand, frame, state), ev.eval(inner.right, frame, state)
            return operators.round_up(ev, num, den)
        if isinstance(inner.right, tree.UnaryOp) and inner.right.op == "-":
            # so does -(a // -b)
            return operators.round_up(ev, ev.eval(left, frame, state), ev.eval(inner.right.operand, frame, state))
    return operators.unary(ev, expr.op, ev.eval(inner, frame, state))


def _boolop(ev: Evaluator, expr: tree.BoolOp, frame: Frame, state: State) -> Value:
    value = ev.eval(expr.values[0], frame, state)
    for operand in expr.values[1:]:
        test = ev.truth(value, state)
        known = state.decide(test)
        if known is not None:
            if known == (expr.op == "or"):
                return value
            value = ev.eval(operand, frame, state)
            continue
        other = _evaluate_under(ev, operand, test if expr.op == "and" else negate(test), frame, state)
        if isinstance(value, Truth) or isinstance(other, Truth):
            rest = ev.truth(other, state)
            value = Truth(conj(test, rest) if expr.op == "and" else disj(test, rest))
        else:
            value = join_values(test, other, value) if expr.op == "and" else join_values(test, value, other)
    return value


def _evaluate_under(ev: Evaluator, expr: tree.Expr, test: Cond, frame: Frame, state: State) -> Value:
    """The value of an expression that is evaluated where the condition holds only, and what that leaves behind."""
    if not has_effects(expr):
        return ev.eval(expr, frame, state)
    made, other = state.branch(test), state.branch(negate(test))
    value = ev.eval(expr, frame, made)
    merge(test, made, other, state)
    return value


def _compare(ev: Evaluator, expr: tree.Compare, frame: Frame, state: State) -> Value:
    left = ev.eval(expr.left, frame, state)
    conds: list[Cond] = []
    for op, node in zip(expr.ops, expr.rights, strict=True):
        # of `a < b < c`, the last is evaluated where the first holds only
        if op in ("in", "not in") and isinstance(node, tree.Sequence):
            node = replace(node, kind="tuple")  # whether something is in it does not depend on the order
        right = _evaluate_under(ev, node, conj(*conds), frame, state) if conds else ev.eval(node, frame, state)
        conds.append(operators.compare(ev, op, left, right, state))
        left = right
    return Truth(conj(*conds))


def _ifexp(ev: Evaluator, expr: tree.IfExp, frame: Frame, state: State) -> Value:
    test = ev.cond(expr.test, frame, state)
    known = state.decide(test)
    if known is not None:
        return ev.eval(expr.then if known else expr.other, frame, state)
    then, other = state.branch(test), state.branch(negate(test))
    a, b = ev.eval(expr.then, frame, then), ev.eval(expr.other, frame, other)
    dead = then.dead, other.dead
    merge(test, then, other, state)
    if True in dead:
        return b if dead == (True, False) else a
    joined = join_values(test, a, b)
    return (arrays.copied_or_not(ev, a, b, state) if isinstance(joined, Choice) else None) or joined


def _sequence(ev: Evaluator, expr: tree.Sequence, frame: Frame, state: State) -> Value:
    items: list[Value] = []
    places: list[Place | None] = []
    for node in expr.items:
        if isinstance(node, tree.Starred):
            value = ev.eval(node.value, frame, state)
            known = ev.elements(value, state)
            if known is None and isinstance(value, Shape):
                items.append(Rest(value))
                places.append(None)
                continue
            if known is None:
                return ev.unknown(expr.kind, numeric=False) if expr.kind == "tuple" else ev.new_list((), state, OPEN)
            items += known
            places += [None] * len(known)
        else:
            items.append(state.hold(ev.eval(node, frame, state)))
            places.append(ev.place(node, frame))
    if expr.kind == "tuple":
        return Items(tuple(items), tuple(places))
    if any(isinstance(item, Rest) for item in items):
        return ev.new_list((), state, OPEN)
    if expr.kind == "set":
        # some may be equal, there is no order, and no set is equal to a list
        return ev.new_list((), state, Contents(tuple(items), (), "some"))
    return ev.new_list(tuple(items), state)


def _dict(ev: Evaluator, expr: tree.DictExpr, frame: Frame, state: State) -> Value:
    found = Contents()
    for key, node in zip(expr.keys, expr.values, strict=True):
        value = state.hold(ev.eval(node, frame, state))
        if key is not None:
            found = store_key(found, ev.eval(key, frame, state), value)
            continue
        inner = state.heap.get(value.key, OPEN) if isinstance(value, Ref) else OPEN
        for k, v in zip(inner.keys, inner.items, strict=True):
            found = store_key(found, k, v)
        found = found if inner.bound == "exact" else replace(found, bound="open")
    name = ev.invent_name("dict")
    state.heap[name] = found
    return Ref("dict", name)


def _comprehension(ev: Evaluator, expr: tree.Comprehension, frame: Frame, state: State) -> Value:
    iterable = ev.eval(expr.iterable, frame, state)
    source = ev.contents(iterable, state)
    if source.bound == "open" or len(source.items) > UNROLL * 8:
        source = Contents((ev.unknown("item"),), (), "open")
    changing = has_effects((expr.element, *expr.conditions))
    before = state.copy() if changing else state
    out, bound, sure = _elements(ev, expr, source, frame, state)
    if changing and loops.have_changed(read_sources(iterable), before, state):
        source, sure = Contents((ev.unknown("item"),), (), "open"), False
    if changing and not (sure and source.bound == "exact" and expr.kind != "generator"):
        # any number of times, also zero; each run starts from the state that the earlier runs leave
        after = state.copy()
        state.take(before.copy())
        loops.disturb(ev, before, [after], state, frame, ())
        once = state.branch(ev.doubt("iteration"))
        out, bound, _ = _elements(ev, expr, source, frame, once)
        loops.disturb(ev, before, [once], state, frame, ())
        state.heap = {**{k: v for k, v in once.heap.items() if k not in before.heap}, **state.heap}
    if expr.kind == "dict":
        return ev.unknown("dict", numeric=False)
    if expr.kind == "set" and bound == "exact":
        bound = "some"
    found = Contents(tuple(out), (), bound)
    if expr.kind != "generator":
        return ev.new_list((), state, found)
    names = find_mentioned_names((expr.element, *expr.conditions))
    seen = [ev.variable(name, frame, state) for name in sorted(names)]
    reads = None if changing else join_sources([
        read_sources(iterable), *(read_sources(value) for value in seen if value is not None)])
    return ev.new_iterator(found, state, reads, names - find_mentioned_names(expr.target))


def _elements(
    ev: Evaluator, expr: tree.Comprehension, source: Contents, frame: Frame, state: State,
) -> tuple[list[Value], Literal["exact", "some", "open"], bool]:
    """The elements of a comprehension, and whether it is known of each item whether it has one."""
    bound, sure = source.bound, True
    inner = ev.frame(frame.module, frame.qualname, frame.definition, frame.number)
    inner.inside = True
    state.enter(inner.number)
    out: list[Value] = []
    for item in source.items:
        assign(ev, expr.target, item, inner, state)
        tests = [state.decide(ev.cond(c, inner, state)) for c in expr.conditions]
        if any(test is False for test in tests):
            continue
        if any(test is None for test in tests):
            bound, sure = "some" if bound == "exact" else bound, False
        element = ev.eval(expr.element, inner, state)
        if expr.kind != FLATTENED:
            out.append(element)
            continue
        more = ev.contents(element, state)
        bound = bound if more.bound == "exact" else more.bound if bound == "exact" else bound
        out += more.items
        ev.fuel -= 1  # loops in loops multiply
        if len(out) > LONGEST or ev.fuel <= 0:
            out, bound = [], "open"
            break
    state.leave(inner.number)
    return out, bound, sure


def _lambda(ev: Evaluator, expr: tree.Lambda, frame: Frame, state: State) -> Value:
    defaults = tuple((p.name, ev.eval(p.default, frame, state)) for p in expr.params if p.default is not None)
    return Closure(expr, expr.span, frame.number, frame.module, f"{frame.qualname}.<lambda>", defaults=defaults)


def _evaluate_starred(ev: Evaluator, expr: tree.Starred, frame: Frame, state: State) -> Value:
    return ev.eval(expr.value, frame, state)


def _slice(ev: Evaluator, expr: tree.SliceExpr, frame: Frame, state: State) -> Value:
    return Plain("slice")


def _unknown(ev: Evaluator, expr: tree.Unknown, frame: Frame, state: State) -> Value:
    values = [ev.eval(child, frame, state) for child in expr.children]
    if expr.what == "assignment expression" and len(values) == len(expr.assigns) == 1:
        at = frame
        while at.inside and at.outer is not None:
            at = ev.frames[at.outer]
        ev.bind(expr.assigns[0], values[0], at, state)
        return values[0]
    for name in expr.assigns:
        ev.bind(name, ev.unknown(name), frame, state)
    if frame.yields is not None and state.path:
        frame.partial = True
    if expr.what == "yield" and frame.yields is not None:
        frame.yields.append(values[0] if len(values) == 1 else NONE)
    elif expr.what == "yield from" and frame.yields is not None:
        more = ev.contents(values[0], state)
        frame.partial = frame.partial or more.bound != "exact"
        frame.yields += more.items if more.bound != "open" else (ev.unknown("yielded"),)
    return ev.unknown(expr.what.replace(" ", "_"))


EXPRESSIONS: Final[Mapping[type, Callable[[Evaluator, Any, Frame, State], Value]]] = {
    tree.Name: _name, tree.Constant: _constant, tree.Attribute: _attribute, tree.Subscript: _subscript,
    tree.SliceExpr: _slice, tree.BinOp: _binop, tree.UnaryOp: _unary, tree.BoolOp: _boolop, tree.Compare: _compare,
    tree.IfExp: _ifexp, tree.Sequence: _sequence, tree.DictExpr: _dict, tree.Comprehension: _comprehension,
    tree.Lambda: _lambda, tree.Starred: _evaluate_starred, tree.Unknown: _unknown, tree.Call: calls.call,
}
