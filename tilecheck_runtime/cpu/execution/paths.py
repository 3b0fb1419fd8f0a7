"""Constants on the paths that an execution does not take.

After a branch on a value that the compiler does not know, a variable is a constant if it has the same constant on both
paths. One path was executed. This module evaluates the other one as far as constants go: it calls nothing that has an
effect, and a construct that it does not model is unknown.
"""

from __future__ import annotations

import ast
import builtins
import dataclasses
import functools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from types import FrameType, ModuleType
from typing import Any, Final

from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.operations import elementwise
from tilecheck_runtime.cpu.operations.builtins import DEVICE_BUILTINS
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.tile import Tile

__all__ = ["UNKNOWN", "Branch", "Loop", "evaluate", "is_constant", "meet_constants"]


class _Unknown:
    """A value that is not known to be a constant."""


UNKNOWN: Final = _Unknown()
_STEPS: Final = 64
"""The most iterations of an unrolled loop that are followed."""
Environment = dict[str, Any]

_BINARY: Final[Mapping[type[ast.operator], Callable[[Any, Any], Any]]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.Pow: operator.pow, ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift, ast.RShift: operator.rshift}
_COMPARED: Final[Mapping[type[ast.cmpop], Callable[[Any, Any], Any]]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
    ast.In: lambda value, items: _contains(items, value),
    ast.NotIn: lambda value, items: _negate(_contains(items, value))}
_UNARY: Final[Mapping[type[ast.unaryop], Callable[[Any], Any]]] = {
    ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: lambda value: not value}
_PURE: Final = frozenset(id(f) for f in (
    *(DEVICE_BUILTINS[name] for name in ("min", "max", "int", "float", "bool", "len", "range")), abs, divmod,
    builtins.range, *elementwise.NAMES.values()))
"""Functions without effects."""


_TAKES_PARTS: Final = frozenset({
    operator.getitem, _COMPARED[ast.In], _COMPARED[ast.NotIn], len, DEVICE_BUILTINS["len"]})
"""Functions that take a tuple of which not all items are known."""


def _contains(items: Any, value: Any) -> Any:
    """Whether a tuple has a value; UNKNOWN if the items that are known do not decide it."""
    if type(items) is not tuple:
        return value in items
    if any(item is not UNKNOWN and value == item for item in items):
        return True
    return UNKNOWN if _is_partly_unknown(items) else False


def _negate(condition: Any) -> Any:
    return UNKNOWN if condition is UNKNOWN else not condition


def _is_partly_unknown(value: Any) -> bool:
    return value is UNKNOWN or (type(value) is tuple and any(map(_is_partly_unknown, value)))


def is_constant(value: Any) -> bool:
    """Whether a value is a number, or a scalar, that the compiler knows."""
    return type(value) in (int, float, bool) or (type(value) is Tile and value.constant)


def meet_constants(a: Any, b: Any) -> Any:
    """The constant that two constants are where paths meet, with a type if one has a type; UNKNOWN if they differ."""
    if not (is_constant(a) and is_constant(b)):
        return UNKNOWN
    first, second = astile_like(a), astile_like(b)
    if first.dtype is not second.dtype or first.data != second.data:
        return UNKNOWN
    return a if type(a) is not Tile and type(b) is not Tile else Tile(first.data, first.dtype, None, True)


@dataclasses.dataclass(frozen=True)
class Branch:
    """The two paths of an `if` statement.

    stored  the variables that they assign
    prefix  begins the names of the variables that hold the values from before
    """

    paths: tuple[Sequence[ast.stmt], Sequence[ast.stmt]]
    stored: Sequence[str]
    prefix: str

    def meet(self, name: str, value: Any, taken: bool, frame: FrameType) -> Any:
        """The constant that a variable is after both paths, with its value on the one that was taken; or UNKNOWN."""
        after = _Lookup(frame).run(self.paths[1 if taken else 0], _values_before(self, frame))
        return value if after is None else meet_constants(value, after.get(name, UNKNOWN))


@dataclasses.dataclass(frozen=True)
class Loop:
    """The body of a loop that may run any number of times. The fields are those of a branch."""

    body: Sequence[ast.stmt]
    stored: Sequence[str]
    prefix: str

    def meet(self, name: str, value: Any, frame: FrameType) -> Any:
        """The constant that a variable is before the loop, after each iteration and where it is left; or UNKNOWN."""
        lookup = _Lookup(frame)
        after = lookup.run(self.body, dict.fromkeys(self.stored, UNKNOWN))
        ends = [_values_before(self, frame), *lookup.jumps, *([] if after is None else [after])]
        return functools.reduce(meet_constants, (end.get(name, UNKNOWN) for end in ends), value)


def _values_before(region: Branch | Loop, frame: FrameType) -> Environment:
    known = frame.f_locals
    return {name: known.get(region.prefix + name, UNKNOWN) for name in region.stored}


def evaluate(expression: ast.expr, frame: FrameType) -> Any:
    """The constant that an expression has in a frame, or UNKNOWN."""
    return _Lookup(frame).value(expression, {})


class _Lookup:
    """Evaluates in the scope of a frame.

    jumps  the variables at each statement that leaves the iteration, the loop or the function
    """

    def __init__(self, frame: FrameType) -> None:
        self._locals, self._globals = frame.f_locals, frame.f_globals
        self._builtins: Mapping[str, Any] = frame.f_builtins
        self.jumps: list[Environment] = []

    # expressions

    def value(self, node: ast.expr, known: Environment) -> Any:
        """The constant that an expression has, or UNKNOWN."""
        try:
            found = self._evaluate(node, known)
        except Exception:  # the compiler refuses it, or it is not on this path
            return UNKNOWN
        return UNKNOWN if type(found) is Tile and not found.constant else found

    def _evaluate(self, node: ast.expr, known: Environment) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                spaces: tuple[Mapping[str, Any], ...] = (known, self._locals, self._globals, self._builtins)
                return next((space[name] for space in spaces if name in space), UNKNOWN)
            case ast.Tuple(elts=items):
                return tuple(self.value(item, known) for item in items)
            case ast.BinOp(left=left, op=op, right=right):
                return self._apply(_BINARY.get(type(op)), (left, right), known)
            case ast.UnaryOp(op=op, operand=inner):
                return self._apply(_UNARY[type(op)], (inner,), known)
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._apply(_COMPARED[type(op)], (left, right), known)
            case ast.BoolOp(op=op, values=values):
                return self._decide(values, isinstance(op, ast.Or), known)
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._choose(test, body, orelse, known)
            case ast.Subscript(value=value, slice=index):
                items = self.value(value, known)
                return self._apply(operator.getitem, (value, index), known) if type(items) is tuple else UNKNOWN
            case ast.Attribute(value=value, attr=name):
                return self._member(self.value(value, known), name)
            case ast.Call(func=function, args=arguments, keywords=[]):
                called = self.value(function, known)
                return self._apply(called if id(called) in _PURE or type(called) is DType else None, arguments, known)
        return UNKNOWN

    def _apply(self, function: Callable[..., Any] | None, nodes: Iterable[ast.expr], known: Environment) -> Any:
        values = [self.value(node, known) for node in nodes]
        lacks = (lambda value: value is UNKNOWN) if function in _TAKES_PARTS else _is_partly_unknown
        if function is None or any(map(lacks, values)):
            return UNKNOWN
        return function(*values)

    def _member(self, value: Any, name: str) -> Any:
        if isinstance(value, (ModuleType, type, Enum)) or dataclasses.is_dataclass(value):
            return getattr(value, name)
        if name in ("dtype", "shape", "ndim") and (type(value) is Tile or type(value) in (int, float, bool)):
            return getattr(astile_like(value), name)
        return UNKNOWN

    def _decide(self, nodes: Iterable[ast.expr], decisive: bool, known: Environment) -> Any:
        for node in nodes:
            value = self.value(node, known)
            if value is UNKNOWN:
                return UNKNOWN
            if bool(value) is decisive:
                return decisive
        return not decisive

    def _choose(self, test: ast.expr, body: ast.expr, orelse: ast.expr, known: Environment) -> Any:
        chosen = self.value(test, known)
        if chosen is not UNKNOWN:
            return self.value(body if chosen else orelse, known)
        return meet_constants(self.value(body, known), self.value(orelse, known))

    # statements

    def run(self, body: Sequence[ast.stmt], known: Environment) -> Environment | None:
        """The variables after statements; None if control does not reach their end."""
        after: Environment | None = known
        for statement in body:
            if after is None:
                return None
            after = self._run_one(statement, after)
        return after

    def _run_one(self, statement: ast.stmt, known: Environment) -> Environment | None:
        match statement:
            case ast.Return() | ast.Break() | ast.Continue():
                self.jumps.append(known)
                return None
            case ast.Raise():
                return None
            case ast.Assign(targets=targets, value=value):
                found = self.value(value, known)
                return functools.reduce(lambda after, target: self._bind(target, found, after), targets, known)
            case ast.AnnAssign(target=ast.Name() as target, value=ast.expr() as value):
                return self._bind(target, self.value(value, known), known)
            case ast.AugAssign(target=ast.Name(id=name) as target, op=op, value=value):
                return {**known, name: self.value(ast.BinOp(ast.Name(target.id, ast.Load()), op, value), known)}
            case ast.If(test=test, body=body, orelse=orelse):
                return self._branch(test, body, orelse, known)
            case ast.For(target=target, iter=ast.Call(func=called, args=[inner]), body=body) if _is_static(called):
                return self._unroll(target, inner, body, known)
            case ast.With(body=body):
                return self.run(body, {**known, **self._lose([i.optional_vars for i in statement.items])})
            case ast.For() | ast.While():
                return self._loop(statement, known)
            case ast.FunctionDef(name=name):
                return {**known, name: UNKNOWN}
        return {**known, **self._lose([statement])}

    def _bind(self, target: ast.expr, value: Any, known: Environment) -> Environment:
        match target:
            case ast.Name(id=name):
                return {**known, name: value}
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                whole = type(value) is tuple and len(value) == len(targets)
                after = known
                for place, inner in enumerate(targets):
                    after = self._bind(inner, value[place] if whole else UNKNOWN, after)
                return after
        return known

    def _lose(self, nodes: Iterable[ast.AST | None]) -> Environment:
        """The variables that nodes assign, as unknown."""
        return {n.id: UNKNOWN for node in nodes if node is not None for n in ast.walk(node)
                if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}

    def _branch(self, test: ast.expr, body: Sequence[ast.stmt], orelse: Sequence[ast.stmt],
                known: Environment) -> Environment | None:
        chosen = self.value(test, known)
        if chosen is not UNKNOWN:
            return self.run(body if chosen else orelse, known)
        return _merge(self.run(body, known), self.run(orelse, known))

    def _unroll(self, target: ast.expr, iterated: ast.expr, body: Sequence[ast.stmt],
                known: Environment) -> Environment | None:
        items = self.value(iterated, known)
        if hasattr(items, "as_range"):
            items = items.as_range()
        if not isinstance(items, (tuple, range)) or len(items) > _STEPS:
            return {**known, **self._lose([target, *body])}
        after: Environment | None = known
        for item in items:
            after = None if after is None else self.run(body, self._bind(target, item, after))
        return after

    def _loop(self, loop: ast.For | ast.While, known: Environment) -> Environment | None:
        lost = self._lose([loop])
        jumps = any(isinstance(n, (ast.Break, ast.Continue, ast.Return)) for s in loop.body for n in ast.walk(s))
        if isinstance(loop, ast.While) or jumps:
            return {**known, **lost}
        return _merge(known, self.run(loop.body, {**known, **lost}))


def _is_static(called: ast.expr) -> bool:
    return (called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")) == "static_iter"


def _merge(first: Environment | None, second: Environment | None) -> Environment | None:
    """The variables where two paths meet."""
    if first is None or second is None:
        return second if first is None else first
    return {name: meet_constants(first.get(name, UNKNOWN), second.get(name, UNKNOWN)) for name in {**first, **second}}
