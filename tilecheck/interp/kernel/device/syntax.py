"""Statements and expressions for which the device language has no counterpart.

The compiler translates each function whole, code that is never reached included. Nested functions are translated
with the function around them. Arguments of `static_eval`, `static_assert`, `static_iter` and `static_exception` are
Python, which the compiler executes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.interp.kernel.assigned import assigned_names, local_names
from tilecheck.interp.kernel.device.refusal import Refusal, RefusalCode
from tilecheck.syntax.tree import (
    AssertStmt,
    Assign,
    Attribute,
    AugAssign,
    BinOp,
    BoolOp,
    Break,
    Call,
    ClassDef,
    Compare,
    Comprehension,
    Continue,
    DictExpr,
    Expr,
    ExprStmt,
    For,
    FuncDef,
    If,
    IfExp,
    ImportStmt,
    Lambda,
    Name,
    Param,
    Raise,
    Return,
    Sequence,
    SliceExpr,
    Span,
    Starred,
    Stmt,
    Subscript,
    Try,
    UnaryOp,
    UnknownStmt,
    While,
    With,
)
from tilecheck.syntax.tree import Unknown as UnknownExpr

__all__ = ["STATIC_FUNCTIONS", "find_refused_syntax"]

STATIC_FUNCTIONS: Final = frozenset({"static_eval", "static_assert", "static_iter", "static_exception"})
"""Operations whose arguments are Python that the compiler executes."""

Found: TypeAlias = Iterator[Refusal]
NameOf: TypeAlias = Callable[[Expr], str | None]
"""The name in cuda.tile, or `builtins.NAME`, of the object that an expression denotes for certain."""


class _Scope(Struct, frozen=True):
    """
    name_of    of expressions whose names no enclosing function binds
    local      the names that the functions around the place bind
    generator  whether the function is one that `contextmanager` decorates
    static     whether the innermost loop runs over `static_iter`
    """

    name_of: NameOf
    local: frozenset[str]
    generator: bool = False
    static: bool = False

    def denotes(self, node: Expr) -> str | None:
        root = node
        while isinstance(root, Attribute):
            root = root.value
        return None if not isinstance(root, Name) or root.id in self.local else self.name_of(node)


def find_refused_syntax(definition: FuncDef, name_of: NameOf, kernel: bool, generator: bool = False) -> Found:
    """Refused constructs of a kernel, or of a function that one calls."""
    if kernel:
        for p in definition.params:
            if p.kind in ("*", "**"):
                yield _refuse("variadic", p.span, f"{p.kind}{p.name}")
    yield from _block(definition.body, _Scope(name_of, local_names(definition), generator))


def _refuse(how: str, span: Span, *words: str, code: RefusalCode = "TC602") -> Refusal:
    return Refusal(code, how, words, span)


# --- statements ------------------------------------------------------------------------------------------------------

def _block(body: tuple[Stmt, ...], scope: _Scope) -> Found:
    for statement in body:
        handler = _STATEMENTS.get(type(statement))
        if handler is not None:
            yield from handler(statement, scope)


def _assign(s: Assign, scope: _Scope) -> Found:
    yield from _expression(s.value, scope)
    for target in s.targets:
        yield from _target(target, scope)


def _check_augmented(s: AugAssign, scope: _Scope) -> Found:
    yield from _expression(s.value, scope)
    if isinstance(s.target, Subscript):
        yield from _expression(s.target, scope)
    elif not isinstance(s.target, Name):
        yield from _target(s.target, scope)


def _target(target: Expr, scope: _Scope) -> Found:
    if isinstance(target, Sequence):
        for item in target.items:
            yield from _target(item, scope)
    elif isinstance(target, Subscript):
        yield from _expression(target, scope)
    elif isinstance(target, Starred):
        yield _refuse("starred target", target.span)
    elif not isinstance(target, Name):
        yield _refuse("attribute target", target.span)


def _for(s: For, scope: _Scope) -> Found:
    if s.orelse:
        yield _refuse("loop else", s.orelse[0].span, "for")
    iterated = _static_argument(s.iterable, "static_iter", scope)
    if iterated is None:
        yield from _expression(s.iterable, scope)
    yield from _target(s.target, scope)
    yield from _block(s.body, replace(scope, static=iterated is not None))


def _while(s: While, scope: _Scope) -> Found:
    if s.orelse:
        yield _refuse("loop else", s.orelse[0].span, "while")
    yield from _expression(s.test, scope)
    yield from _block(s.body, replace(scope, static=False))


def _static_argument(node: Expr, name: str, scope: _Scope) -> Expr | None:
    """The argument of a call of an operation that takes Python."""
    if isinstance(node, Call) and scope.denotes(node.func) == name and len(node.args) == 1 and not node.keywords:
        return node.args[0]
    return None


def _if(s: If, scope: _Scope) -> Found:
    yield from _expression(s.test, scope)
    yield from _block(s.body, scope)
    yield from _block(s.orelse, scope)


def _with(s: With, scope: _Scope) -> Found:
    for context, target in s.items:
        yield from _expression(context, scope)
        if target is not None:
            yield from _target(target, scope)
    yield from _block(s.body, scope)


def _leave(s: Break | Continue | Return, scope: _Scope) -> Found:
    if scope.static:
        yield _refuse("static jump", s.span, type(s).__name__.lower())
    elif isinstance(s, Return):
        if scope.generator:
            yield _refuse("generator return", s.span)
        elif s.value is not None:
            yield from _expression(s.value, scope)


def _raise(s: Raise, scope: _Scope) -> Found:
    if s.value is None or _static_argument(s.value, "static_exception", scope) is None:
        yield _refuse("raise", s.span)


def _function(s: FuncDef, scope: _Scope) -> Found:
    if s.is_async:
        yield _refuse("async", s.span)
    elif s.decorators:
        yield _refuse("nested decorator", s.span)
    else:
        yield from _defaults(s.params, scope)
        inner = _Scope(scope.name_of, scope.local | local_names(s))
        yield from _block(s.body, inner)


def _defaults(params: tuple[Param, ...], scope: _Scope) -> Found:
    for p in params:
        if p.default is not None:
            yield from _expression(p.default, scope)


def _refused_statement(how: str, *words: str) -> Callable[[Any, _Scope], Found]:
    def refuse(s: Stmt, scope: _Scope) -> Found:
        yield _refuse(how, s.span, *words)

    return refuse


def _unknown_statement(s: UnknownStmt, scope: _Scope) -> Found:
    yield _refuse(_UNKNOWN_STATEMENTS.get(s.what, "statement"), s.span, s.what)


_UNKNOWN_STATEMENTS: Final = MappingProxyType({
    "global": "scope", "nonlocal": "scope", "del": "del", "match": "match", "async for": "async", "async with": "async",
    "try star": "try",
})


_STATEMENTS: Final[Mapping[type, Callable[[Any, _Scope], Found]]] = MappingProxyType({
    Assign: _assign,
    AugAssign: _check_augmented,
    ExprStmt: lambda s, scope: _expression(s.value, scope),
    For: _for,
    While: _while,
    If: _if,
    With: _with,
    Return: _leave,
    Break: _leave,
    Continue: _leave,
    Raise: _raise,
    FuncDef: _function,
    AssertStmt: _refused_statement("assert"),
    ClassDef: _refused_statement("class"),
    ImportStmt: _refused_statement("import"),
    Try: _refused_statement("try"),
    UnknownStmt: _unknown_statement,
})


# --- expressions -----------------------------------------------------------------------------------------------------

def _expression(node: Expr, scope: _Scope) -> Found:
    handler = _EXPRESSIONS.get(type(node))
    if handler is not None:
        yield from handler(node, scope)


def _call(node: Call, scope: _Scope) -> Found:
    name = scope.denotes(node.func)
    if name in STATIC_FUNCTIONS:
        yield from _static_call(node, name)
        return
    if name == "builtins.tuple" and len(node.args) == 1 and not node.keywords and isinstance(
            node.args[0], (Comprehension, UnknownExpr)) and _is_generator(node.args[0]):
        yield from _tuple_comprehension(node.args[0], scope)
        return
    yield from _expression(node.func, scope)
    for argument in node.args:
        yield from _item(argument, scope)
    for keyword in node.keywords:
        yield from _expression(keyword.value, scope)


def _static_call(node: Call, name: str) -> Found:
    counts = (1, 2) if name == "static_assert" else (1,)
    if len(node.args) not in counts or node.keywords:
        yield _refuse("static arguments", node.span, name)
    elif name in ("static_iter", "static_exception"):
        yield _refuse(name, node.span)


def _is_generator(node: Comprehension | UnknownExpr) -> bool:
    return node.kind == "generator" if isinstance(node, Comprehension) else node.what == "generator"


def _tuple_comprehension(node: Comprehension | UnknownExpr, scope: _Scope) -> Found:
    if isinstance(node, UnknownExpr):  # of several loops
        return
    if _static_argument(node.iterable, "static_iter", scope) is None:
        yield _refuse("generator", node.iterable.span)
        return
    inner = replace(scope, local=scope.local | assigned_names((node.target,)))
    for part in (*node.conditions, node.element):
        yield from _expression(part, inner)


def _item(node: Expr, scope: _Scope) -> Found:
    yield from _expression(node.value if isinstance(node, Starred) else node, scope)


def _items(node: Sequence, scope: _Scope) -> Found:
    if node.kind != "tuple":
        yield _refuse(node.kind, node.span)
        return
    for item in node.items:
        yield from _item(item, scope)


def _lambda(node: Lambda, scope: _Scope) -> Found:
    yield from _defaults(node.params, scope)
    yield from _expression(node.body, _Scope(scope.name_of, scope.local | local_names(node)))


def _parts(*names: str) -> Callable[[Any, _Scope], Found]:
    """Handles a node by its parts."""
    def handle(node: Expr, scope: _Scope) -> Found:
        for name in names:
            part = getattr(node, name)
            for child in part if isinstance(part, tuple) else (part,):
                if child is not None:
                    yield from _item(child, scope)

    return handle


def _comprehension(node: Comprehension, scope: _Scope) -> Found:
    yield _refuse("comprehension", node.span)


def _unknown(node: UnknownExpr, scope: _Scope) -> Found:
    how = _UNKNOWN_EXPRESSIONS.get(node.what)
    if how is not None and not (how == "yield" and scope.generator):
        yield _refuse(how, node.span)
    else:
        for child in node.children:
            yield from _item(child, scope)


_UNKNOWN_EXPRESSIONS: Final = MappingProxyType({
    "assignment expression": "walrus", "yield": "yield", "await": "async", "comprehension": "comprehension",
    "generator": "comprehension", "formatted string with a conversion": "format conversion",
    "formatted string with a computed format": "format spec",
})
"""Others are translated: formatted strings; bytes and complex numbers, which are refused where they are used."""

_EXPRESSIONS: Final[Mapping[type, Callable[[Any, _Scope], Found]]] = MappingProxyType({
    Call: _call,
    Attribute: _parts("value"),
    Subscript: _parts("value", "items"),
    SliceExpr: _parts("lower", "upper", "step"),
    BinOp: _parts("left", "right"),
    UnaryOp: _parts("operand"),
    BoolOp: _parts("values"),
    Compare: _parts("left", "rights"),
    IfExp: _parts("test", "then", "other"),
    Sequence: _items,
    DictExpr: lambda node, scope: iter((_refuse("dict", node.span),)),
    Comprehension: _comprehension,
    Lambda: _lambda,
    UnknownExpr: _unknown,
})
