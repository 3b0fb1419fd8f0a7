"""Code that rounds up to a power of two: a loop that doubles a number until it reaches another, or bits that spread."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from tilecheck.interp.host.state import State
from tilecheck.interp.host.values import Int
from tilecheck.symbolic import Term, app, const, maximum
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame

__all__ = ["recognize_doubling", "smears_bits"]


def recognize_doubling(ev: Evaluator, stmt: tree.While, frame: Frame, state: State) -> tuple[str, Term] | None:
    """The variable that a loop doubles while it is below a limit, and its value afterwards.

    Side conditions: the body is the doubling alone and the variable starts as an integer s >= 1, a power of two; then
    it ends as max(s, next_pow2(limit)). The limit is read once, as nothing in the loop changes it.
    """
    if len(stmt.body) != 1 or stmt.orelse:
        return None
    found = _below(stmt.test)
    if found is None or not _doubles(stmt.body[0], found[0]):
        return None
    name, limit = found
    if not _stands(limit, name):
        return None
    value = ev.variable(name, frame, state)
    before = value.term if isinstance(value, Int) and value.whole is not False else None
    start = None if before is None else before.constant
    end = ev.number(ev.eval(limit, frame, state))
    if start is None or start < 1 or start & (start - 1) or end is None:
        return None
    rounded = app("next_pow2", end)
    return name, rounded if start == 1 else maximum(const(start), rounded)


def _below(test: tree.Expr) -> tuple[str, tree.Expr] | None:
    """Variable and limit of `p < limit` or `limit > p`."""
    if not isinstance(test, tree.Compare) or len(test.ops) != 1:
        return None
    sides = {"<": (test.left, test.rights[0]), ">": (test.rights[0], test.left)}.get(test.ops[0])
    if sides is None or not isinstance(sides[0], tree.Name):
        return None
    return sides[0].id, sides[1]


_TWICE: Final[Mapping[str, Callable[[tree.Expr, str], bool]]] = {
    "*": lambda e, name: _is(e, 2),
    "<<": lambda e, name: _is(e, 1),
    "+": lambda e, name: isinstance(e, tree.Name) and e.id == name,
}


def _doubles(stmt: tree.Stmt, name: str) -> bool:
    if isinstance(stmt, tree.AugAssign):
        target, op, right = stmt.target, stmt.op.removesuffix("="), stmt.value
    elif isinstance(stmt, tree.Assign) and len(stmt.targets) == 1 and isinstance(stmt.value, tree.BinOp):
        target, op, left, right = stmt.targets[0], stmt.value.op, stmt.value.left, stmt.value.right
        if op == "*" and _is(left, 2):
            left, right = right, left
        if not (isinstance(left, tree.Name) and left.id == name):
            return False
    else:
        return False
    return isinstance(target, tree.Name) and target.id == name and op in _TWICE and _TWICE[op](right, name)


def _is(expr: tree.Expr, value: int) -> bool:
    return isinstance(expr, tree.Constant) and type(expr.value) is int and expr.value == value


def _stands(limit: tree.Expr, name: str) -> bool:
    """Whether the doubling does not change the limit: it contains only numbers and other names."""
    if isinstance(limit, tree.BinOp):
        return _stands(limit.left, name) and _stands(limit.right, name)
    if isinstance(limit, tree.Attribute):
        return _stands(limit.value, name)
    if isinstance(limit, tree.Subscript):
        return _stands(limit.value, name) and all(_stands(e, name) for e in limit.items)
    return isinstance(limit, tree.Constant) or (isinstance(limit, tree.Name) and limit.id != name)


_SHIFTS: Final = (1, 2, 4, 8, 16)


def smears_bits(definition: tree.FuncDef) -> bool:
    """Whether the body of a helper is `n -= 1`, then `n |= n >> s` for s = 1, 2, 4, 8, 16 and perhaps more, then
    `n + 1`. For 1 <= n <= 2**32 that rounds n up to a power of two."""
    if len(definition.params) != 1 or definition.params[0].kind == "*" or definition.decorators:
        return False
    name = definition.params[0].name
    body = [stmt for stmt in definition.body
            if not (isinstance(stmt, tree.ExprStmt) and isinstance(stmt.value, tree.Constant))]
    end = body.pop() if body else None
    last = end.value if isinstance(end, tree.Return) else None
    if isinstance(last, tree.Name):
        last = _find_update(body.pop(), name, "+") if body and last.id == name else None
    else:
        last = last.right if isinstance(last, tree.BinOp) and last.op == "+" and _names(last.left, name) else None
    if last is None or not _is(last, 1) or not body:
        return False
    first = _find_update(body[0], name, "-")
    spread = [_find_shift(_find_update(stmt, name, "|"), name) for stmt in body[1:]]
    return first is not None and _is(first, 1) and tuple(spread[:5]) == _SHIFTS and spread[5:] in ([], [32], [32, 64])


def _find_update(stmt: tree.Stmt, name: str, op: str) -> tree.Expr | None:
    """The right side of `name op= ...`."""
    found = isinstance(stmt, tree.AugAssign) and _names(stmt.target, name) and stmt.op.removesuffix("=") == op
    return stmt.value if found and isinstance(stmt, tree.AugAssign) else None


def _find_shift(expr: tree.Expr | None, name: str) -> object:
    """The number of places in `name >> places`."""
    if not isinstance(expr, tree.BinOp) or expr.op != ">>" or not _names(expr.left, name):
        return None
    return expr.right.value if isinstance(expr.right, tree.Constant) else None


def _names(expr: tree.Expr, name: str) -> bool:
    return isinstance(expr, tree.Name) and expr.id == name
