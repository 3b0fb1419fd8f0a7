"""Expressions as the compiler translates them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tilecheck.dtypes import BOOL, Weak
from tilecheck.interp.kernel.coerce import expand, to_bool
from tilecheck.interp.kernel.device.kinds import kind_of
from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.device.paths import place_of
from tilecheck.interp.kernel.device.values import check_truth
from tilecheck.interp.kernel.expressions import EXPRESSIONS
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.operators import compare
from tilecheck.interp.kernel.translation.values import Differing, Stage, mark_run_time, meet, stage_of
from tilecheck.interp.kernel.values import Bool, Unknown, Value
from tilecheck.symbolic import FALSE, TRUE, counter, gt
from tilecheck.syntax.tree import BoolOp, Compare, Expr, IfExp, Name, Span

__all__ = ["TRANSLATED_EXPRESSIONS", "evaluate_truth"]


def evaluate_truth(m: Machine, node: Expr) -> Bool:
    """A condition: a constant, a number that is known at run time, or an unknown one."""
    value = m.eval(node)
    check_truth(m, value, node.span)
    return truth_of(m, value, node.span)


def truth_of(m: Machine, value: Value, span: Span) -> Bool:
    stage = stage_of(m, value)
    found = to_bool(m, value, span)
    if kind_of(m, value) in _TRUE:
        return Bool(TRUE, dtype=Weak.BOOL)
    if stage is Stage.CONSTANT and found.cond.op in ("true", "false"):
        return Bool(found.cond, dtype=Weak.BOOL)
    if stage is Stage.RUN_TIME:
        return _run_time(m, span)
    return Bool(m.fresh_truth("unknown", span).cond)


_TRUE: Final = frozenset({"a function", "a class", "a module", "an element type"})
"""Values that are true for the compiler."""


def _run_time(m: Machine, span: Span) -> Bool:
    return Bool(gt(counter(m.name("truth", span)), 0), dtype=BOOL)


def _boolean(m: Machine, e: BoolOp) -> Value:
    result = evaluate_truth(m, e.values[0])
    for node in e.values[1:]:
        stage = stage_of(m, result)
        if stage is Stage.CONSTANT:
            if (result.cond.op == "true") != (e.op == "and"):
                return result
            result = evaluate_truth(m, node)
        elif stage is Stage.RUN_TIME:
            evaluate_truth(m, node)
            result = _run_time(m, e.span)
        else:
            with m.doubt_compilation():
                evaluate_truth(m, node)
            result = Bool(m.fresh_truth("unknown", e.span).cond)
    return result


def _compare(m: Machine, e: Compare) -> Value:
    left, result = m.eval(e.left), None
    for op, node in zip(e.ops, e.rights, strict=True):
        stage = Stage.CONSTANT if result is None else stage_of(m, result)
        if result is not None and stage is Stage.CONSTANT and result.cond.op == "false":
            return result
        if stage is Stage.UNKNOWN:
            with m.doubt_compilation():
                compare(m, op, left, m.eval(node), e.span)
            return Bool(m.fresh_truth("unknown", e.span).cond)
        right = m.eval(node)
        here = _compare_two(m, op, left, right, e.span)
        result = here if stage is Stage.CONSTANT else _run_time(m, e.span)
        left = right
    assert result is not None
    return result


_ALWAYS_CONSTANT: Final = frozenset({"an element type", "a string", "a member"})


def _compare_two(m: Machine, op: str, left: Value, right: Value, span: Span) -> Bool:
    items = expand(m, right) if op in ("in", "not in") else None
    if items is not None:
        return _test_membership(m, op, left, items, span)
    result = compare(m, op, left, right, span)
    first, second = kind_of(m, left), kind_of(m, right)
    if first is None or second is None:
        return result
    if op in ("is", "is not"):
        same = first == second == "`None`"
        return Bool(TRUE if same == (op == "is") else FALSE, dtype=Weak.BOOL)
    if {first, second} <= _ALWAYS_CONSTANT and result.cond.op in ("true", "false"):
        return Bool(result.cond, dtype=Weak.BOOL)
    marked = mark_run_time(m, result, (left, right), span)
    return marked if isinstance(marked, Bool) else result


def _test_membership(m: Machine, op: str, left: Value, items: tuple[Value, ...], span: Span) -> Bool:
    """Compares with each item, up to one that is certainly equal."""
    found: list[Stage] = []
    for item in items:
        here = _compare_two(m, "==", left, item, span)
        stage = stage_of(m, here)
        if stage is Stage.CONSTANT and here.cond.op == "true":
            return Bool(TRUE if op == "in" else FALSE, dtype=Weak.BOOL)
        found.append(stage)
    if Stage.UNKNOWN in found:
        return Bool(m.fresh_truth("unknown", span).cond)
    return _run_time(m, span) if Stage.RUN_TIME in found else Bool(FALSE if op == "in" else TRUE, dtype=Weak.BOOL)


def _conditional(m: Machine, e: IfExp) -> Value:
    test = evaluate_truth(m, e.test)
    stage = stage_of(m, test)
    if stage is Stage.CONSTANT:
        return m.eval(e.then if test.cond.op == "true" else e.other)
    if stage is Stage.UNKNOWN:
        with m.doubt_compilation():
            then, other = m.eval(e.then), m.eval(e.other)
        return Unknown("one of two values")
    then, other = m.eval(e.then), m.eval(e.other)
    met = meet(m, then, other, e.span)
    if not isinstance(met, Differing):
        return met
    place = place_of(m.top.env, e.other.id) if isinstance(e.other, Name) else None
    if e is m.assigned:
        m.differing = met.words
    else:
        refuse(m, "TC606", "expression", place or e.other.span, *met.words)
    return Unknown("of two kinds")


def _on_device(handler: Callable[[Machine, Any], Value], ordinary: Callable[[Machine, Any], Value]) -> (
        Callable[[Machine, Any], Value]):
    """Host code is executed by Python."""
    def evaluate(m: Machine, e: Expr) -> Value:
        return (ordinary if m.host else handler)(m, e)

    return evaluate


_HANDLERS: Final[Mapping[type[Expr], Callable[[Machine, Any], Value]]] = {
    BoolOp: _boolean, Compare: _compare, IfExp: _conditional,
}
TRANSLATED_EXPRESSIONS: Final[Mapping[type[Expr], Callable[[Machine, Any], Value]]] = {
    **EXPRESSIONS, **{kind: _on_device(handler, EXPRESSIONS[kind]) for kind, handler in _HANDLERS.items()}}
