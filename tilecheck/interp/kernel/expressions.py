"""Evaluation of expressions, one handler a kind of node."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, Final

from msgspec.structs import replace

from tilecheck.dtypes import Weak
from tilecheck.interp.kernel.arguments import Arguments
from tilecheck.interp.kernel.assigned import assigned_names, bound_in
from tilecheck.interp.kernel.attributes import attribute
from tilecheck.interp.kernel.calls import call, defaults_of
from tilecheck.interp.kernel.changes import forget_changed
from tilecheck.interp.kernel.coerce import arrays_in, expand, to_bool
from tilecheck.interp.kernel.device.note import is_at_run_time, refuse
from tilecheck.interp.kernel.device.paths import describe_difference
from tilecheck.interp.kernel.device.static_calls import check_static_calls
from tilecheck.interp.kernel.device.syntax import STATIC_FUNCTIONS
from tilecheck.interp.kernel.device.values import check_starred, check_static_assertion, check_truth, check_unary
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join
from tilecheck.interp.kernel.locks import hold
from tilecheck.interp.kernel.names import lookup
from tilecheck.interp.kernel.operators import binary, compare, invert, negate_value
from tilecheck.interp.kernel.path_simplify import decide_condition
from tilecheck.interp.kernel.poison.propagation import elementwise, observe, shadow_of
from tilecheck.interp.kernel.subscripts import subscript
from tilecheck.interp.kernel.tile_types.operators import of_unary
from tilecheck.interp.kernel.values import Bool, Const, Dict, Int, LambdaValue, Range, TileRef, Tuple, Unknown, Value
from tilecheck.symbolic import FALSE, TRUE, Array, conj, const, counter, lt, negate
from tilecheck.syntax.tree import (
    Attribute,
    BinOp,
    BoolOp,
    Call,
    Compare,
    Comprehension,
    Constant,
    DictExpr,
    Expr,
    IfExp,
    Lambda,
    Name,
    Sequence,
    SliceExpr,
    Starred,
    Subscript,
    UnaryOp,
)
from tilecheck.syntax.tree import Unknown as UnknownExpr


def _constant(m: Machine, e: Constant) -> Value:
    if isinstance(e.value, bool):
        return Bool(TRUE if e.value else FALSE, dtype=Weak.BOOL)
    if isinstance(e.value, int):
        return Int(const(e.value), dtype=Weak.INT)
    return Const(e.value)


def _name(m: Machine, e: Name) -> Value:
    return lookup(m, e.id, e.span)


def _attribute(m: Machine, e: Attribute) -> Value:
    return attribute(m, m.eval(e.value), e.attr, e.span)


def arguments(m: Machine, e: Call) -> Arguments:
    positional: list[Value] = []
    keywords: dict[str, Value] = {}
    complete = True
    for a in e.args:
        if isinstance(a, Starred):
            inner = m.eval(a.value)
            items = expand(m, inner)
            if items is None:
                check_starred(m, inner, a.span, call=True)
                complete = False
                positional.append(Unknown("starred argument", arrays_in(m, inner)))
            else:
                positional.extend(items)
        else:
            positional.append(m.eval(a))
    for k in e.keywords:
        value = m.eval(k.value)
        if k.name is not None:
            keywords[k.name] = value
        elif isinstance(value, Dict) and all(isinstance(key, Const) for key, _ in value.items):
            keywords.update({str(key.value): v for key, v in value.items if isinstance(key, Const)})
        else:
            complete = False
            positional.append(Unknown("** argument", arrays_in(m, value)))
    return Arguments(tuple(positional), keywords, complete, e.span)


def _call(m: Machine, e: Call) -> Value:
    func = m.eval(e.func)
    if isinstance(func, TileRef) and func.name in STATIC_FUNCTIONS:
        if m.noting and not m.doubts:
            check_static_calls(m, func.name, e.args)
        changes = m.objects_changed
        with m.doubt_compilation(), m.execute_python():
            given = arguments(m, e)
        given = replace(given, positional=tuple(forget_changed(m, value, changes) for value in given.positional))
        if func.name == "static_assert":
            check_static_assertion(m, given.positional, e.span)
        with m.doubt_compilation():
            return call(m, func, given)
    return call(m, func, arguments(m, e))


def _subscript(m: Machine, e: Subscript) -> Value:
    return subscript(m, m.eval(e.value), e.items, e.span)


def _binary(m: Machine, e: BinOp) -> Value:
    return binary(m, e.op, m.eval(e.left), m.eval(e.right), e.span)


def _unary(m: Machine, e: UnaryOp) -> Value:
    value = m.eval(e.operand)
    if e.op in ("not", "+"):
        check_unary(m, e.op, value, e.span)
    if e.op == "not":
        inner = to_bool(m, value, e.span)
        return of_unary(m, "not", value, e.span, Bool(negate(inner.cond), inner.shape, inner.shadow))
    if e.op == "-":
        return negate_value(m, value, e.span)
    return invert(m, value, e.span) if e.op == "~" else value


def _boolean(m: Machine, e: BoolOp) -> Value:
    """Left to right; what stands to the right is reached only when the left did not decide."""
    before = m.path
    result = m.eval(e.values[0])
    check_truth(m, result, e.values[0].span)
    for operand in e.values[1:]:
        test = to_bool(m, result, e.span)
        go_on = test.cond if e.op == "and" else negate(test.cond)
        if go_on.op == "false":
            break
        m.assume(go_on)
        right = m.eval(operand)
        if isinstance(result, Bool) or isinstance(right, Bool):
            other = to_bool(m, right, e.span)
            joined = conj(test.cond, other.cond) if e.op == "and" else negate(
                conj(negate(test.cond), negate(other.cond)))
            shape = test.shape if test.shape == other.shape else None
            result = elementwise(m, Bool(joined, shape), test, other)
        else:
            observe(m, test.shadow, m.path, "branch", "", e.span)
            result = join(m, go_on, right, result, e.span)
    m.path = before
    return result


def _compare(m: Machine, e: Compare) -> Value:
    left = m.eval(e.left)
    result: Bool | None = None
    for op, operand in zip(e.ops, e.rights, strict=True):
        right = m.eval(operand)
        here = compare(m, op, left, right, e.span)
        if result is None:
            result = here
        else:
            both = Bool(conj(result.cond, here.cond), here.shape if result.shape == here.shape else None)
            result = Bool(both.cond, both.shape, shadow_of(elementwise(m, both, result, here)))
        left = right
    assert result is not None
    return result


def _conditional(m: Machine, e: IfExp) -> Value:
    tested = m.eval(e.test)
    check_truth(m, tested, e.test.span)
    test = to_bool(m, tested, e.span)
    observe(m, test.shadow, m.path, "branch", "", e.span)
    test = Bool(decide_condition(test.cond, m.path), test.shape)
    if test.cond.op == "true":
        return m.eval(e.then)
    if test.cond.op == "false":
        return m.eval(e.other)
    before, held = m.path, m.held
    m.assume(test.cond)
    hold(m, test.cond)
    then = m.eval(e.then)
    m.path, m.held = before, held
    m.assume(negate(test.cond))
    other = m.eval(e.other)
    m.path, m.held = before, held
    if m.noting and is_at_run_time(m, test.cond):
        kinds = describe_difference(m, "", then, other, e.span)
        if kinds is not None and e is m.assigned:
            m.differing = kinds
        elif kinds is not None:
            refuse(m, "TC606", "expression", e.span, *kinds)
    return join(m, test.cond, then, other, e.span)


def _sequence(m: Machine, e: Sequence) -> Value:
    items: list[Value] = []
    for item in e.items:
        if isinstance(item, Starred):
            inner = m.eval(item.value)
            known = expand(m, inner)
            if known is None:
                check_starred(m, inner, item.span, call=False)
                return Unknown("starred item", arrays_in(m, inner))
            items.extend(known)
        else:
            items.append(m.eval(item))
    return Tuple(tuple(items))


def _dict(m: Machine, e: DictExpr) -> Value:
    items: list[tuple[Value, Value]] = []
    for key, value in zip(e.keys, e.values, strict=True):
        v = m.eval(value)
        if key is not None:
            items.append((m.eval(key), v))
        elif isinstance(v, Dict):
            items.extend(v.items)
        else:
            return Unknown("dict", arrays_in(m, v))
    return Dict(tuple(items))


def _lambda(m: Machine, e: Lambda) -> Value:
    return LambdaValue(e.params, e.body, e.span, m.top, defaults_of(m, e.params))


def _comprehension(m: Machine, e: Comprehension) -> Value:
    from tilecheck.interp.kernel.statements import bind

    source = m.eval(e.iterable)
    items = expand(m, source)
    m.top.comprehended |= assigned_names((e.target,))
    saved, unroll = dict(m.top.env), m.unroll
    try:
        if items is None:
            return _open_comprehension(m, e, source)
        out: list[Value] = []
        for position, item in enumerate(items):
            m.unroll = (*unroll, position)
            bind(m, e.target, item, e.span)
            keep = conj(*(to_bool(m, m.eval(c), e.span).cond for c in e.conditions))
            if keep.op == "true":
                out.append(m.eval(e.element))
            elif keep.op != "false":
                return Unknown("comprehension", arrays_in(m, source))
        return Tuple(tuple(out))
    finally:
        m.top.env = saved
        m.unroll = unroll
        # an assignment expression binds a name of the function
        for name in bound_in((e.element, *e.conditions)):
            m.top.env[name] = Unknown("assignment expression", arrays_in(m, source))


def _open_comprehension(m: Machine, e: Comprehension, source: Value) -> Value:
    """One evaluation of the element stands for all of them."""
    with m.doubt_compilation():
        m.omitted += 1  # or of none
        value = _item_of(m, e, source)
        m.omitted -= 1
    return value


def _item_of(m: Machine, e: Comprehension, source: Value) -> Value:
    from tilecheck.interp.kernel.statements import bind

    if isinstance(source, Range):
        k = counter(m.name("item", e.span))
        m.note_made(k)
        target = Int(source.start + k * source.step)
        before = m.path
        m.assume(lt(target.term, source.stop))
        bind(m, e.target, target, e.span)
        element = m.eval(e.element)
        m.path = before
    else:
        bind(m, e.target, Unknown("item", arrays_in(m, source)), e.span)
        element = m.eval(e.element)
    return Unknown("comprehension", arrays_in(m, source) | arrays_in(m, element))


def _evaluate_starred(m: Machine, e: Starred) -> Value:
    return m.eval(e.value)


def _slice(m: Machine, e: SliceExpr) -> Value:
    return Unknown("slice")


def _unknown(m: Machine, e: UnknownExpr) -> Value:
    arrays: frozenset[Array] = frozenset()
    if e.what in ("bytes", "complex number"):
        refuse(m, "TC605", "constant value", e.span, "bytes" if e.what == "bytes" else "a complex number")
    for child in e.children:
        # the variables of a comprehension with several loops are not bound
        with m.doubt_compilation() if e.what in ("comprehension", "generator") else nullcontext():
            value = m.eval(child)
        arrays |= arrays_in(m, value)
        if e.what == "yield":
            m.top.yielded = value
    for name in e.assigns:
        m.top.env[name] = Unknown(e.what, arrays)
    return Unknown(e.what, arrays)


EXPRESSIONS: Final[dict[type[Expr], Callable[[Machine, Any], Value]]] = {
    Constant: _constant,
    Name: _name,
    Attribute: _attribute,
    Call: _call,
    Subscript: _subscript,
    BinOp: _binary,
    UnaryOp: _unary,
    BoolOp: _boolean,
    Compare: _compare,
    IfExp: _conditional,
    Sequence: _sequence,
    DictExpr: _dict,
    Lambda: _lambda,
    Comprehension: _comprehension,
    Starred: _evaluate_starred,
    SliceExpr: _slice,
    UnknownExpr: _unknown,
}
