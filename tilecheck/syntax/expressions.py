"""Expressions of the interpreter's own syntax tree to those of the kernel tree, by a table of node types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from tilecheck.syntax.spans import Places
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
    Keyword,
    Lambda,
    Name,
    Param,
    Sequence,
    SliceExpr,
    Starred,
    Subscript,
    UnaryOp,
    Unknown,
)
from tilecheck.syntax.walk import children

__all__ = ["OPERATORS", "lower_expr", "lower_params", "names_bound", "sub_expressions"]


def lower_expr(at: Places, node: ast.expr) -> Expr:
    """Lower one expression; a node without a counterpart becomes `Unknown` with its sub-expressions as children."""
    handler = _EXPRESSIONS.get(type(node))
    return handler(at, node) if handler is not None else _unknown(at, node)


def sub_expressions(at: Places, node: ast.AST) -> tuple[Expr, ...]:
    """The outermost expressions below a node, lowered, in source order."""
    return tuple(_sub_expressions(at, node))


def _sub_expressions(at: Places, node: ast.AST) -> Iterator[Expr]:
    for child in children(node):
        if isinstance(child, ast.expr):
            yield lower_expr(at, child)
        else:
            yield from _sub_expressions(at, child)
    if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
        yield Name(node.name, at.span(node))


def names_bound(node: ast.AST) -> tuple[str, ...]:
    """The names that an assignment target, or a pattern, binds."""
    return tuple(dict.fromkeys(_names_bound(node)))


def _names_bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name():
            yield node.id
        case ast.Attribute() | ast.Subscript() | ast.MatchValue() | ast.MatchSingleton():
            return  # no name is bound; what is mutated is among the children
        case ast.MatchClass():
            for part in (*node.patterns, *node.kwd_patterns):
                yield from _names_bound(part)
        case ast.MatchMapping():
            for part in node.patterns:
                yield from _names_bound(part)
            if node.rest is not None:
                yield node.rest
        case _:
            for child in children(node):
                yield from _names_bound(child)
            if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
                yield node.name


def _name(at: Places, node: ast.Name) -> Expr:
    return Name(node.id, at.span(node))


def _constant(at: Places, node: ast.Constant) -> Expr:
    what = _NO_COUNTERPART.get(type(node.value))
    return Constant(node.value, at.span(node)) if what is None else Unknown(what, (), at.span(node))


_NO_COUNTERPART: Final[dict[type[object], str]] = {bytes: "bytes", complex: "complex number"}


def _formatted(at: Places, node: ast.JoinedStr) -> Expr:
    return Unknown("formatted string", tuple(_inserted(at.inside(node), node)), at.span(node))


def _inserted(at: Places, node: ast.JoinedStr) -> Iterator[Expr]:
    """What a formatted string shows, and what its formats are made of."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield lower_expr(at, part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from _inserted(at, part.format_spec)


def _attribute(at: Places, node: ast.Attribute) -> Expr:
    return Attribute(lower_expr(at, node.value), node.attr, at.span(node))


def _call(at: Places, node: ast.Call) -> Expr:
    args = tuple([lower_expr(at, arg) for arg in node.args])
    keywords = tuple([Keyword(keyword.arg, lower_expr(at, keyword.value)) for keyword in node.keywords])
    return Call(lower_expr(at, node.func), args, keywords, at.span(node))


def _optional(at: Places, node: ast.expr | None) -> Expr | None:
    return None if node is None else lower_expr(at, node)


def _slice(at: Places, node: ast.Slice) -> Expr:
    return SliceExpr(_optional(at, node.lower), _optional(at, node.upper), _optional(at, node.step), at.span(node))


def _subscript(at: Places, node: ast.Subscript) -> Expr:
    # `x[(i, j)]` is `x[i, j]`; a tuple of one item stays a tuple, which is not the same as the item
    index = node.slice
    items = _each(at, index.elts if isinstance(index, ast.Tuple) else (index,))
    if isinstance(index, ast.Tuple) and len(items) < 2:
        items = (Sequence("tuple", items, at.span(index) if at.closed(index) else items[0].span),)
    return Subscript(lower_expr(at, node.value), items, at.span(node))


OPERATORS: Final[dict[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
}
_UNARY: Final[dict[type[ast.AST], str]] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARISON: Final[dict[type[ast.AST], str]] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}


def _binary(at: Places, node: ast.BinOp) -> Expr:
    return BinOp(OPERATORS[type(node.op)], lower_expr(at, node.left), lower_expr(at, node.right), at.span(node))


def _unary(at: Places, node: ast.UnaryOp) -> Expr:
    return UnaryOp(_UNARY[type(node.op)], lower_expr(at, node.operand), at.span(node))


def _boolean(at: Places, node: ast.BoolOp) -> Expr:
    return BoolOp("and" if type(node.op) is ast.And else "or", _each(at, node.values), at.span(node))


def _compare(at: Places, node: ast.Compare) -> Expr:
    ops = tuple([_COMPARISON[type(op)] for op in node.ops])
    return Compare(lower_expr(at, node.left), ops, _each(at, node.comparators), at.span(node))


def _conditional(at: Places, node: ast.IfExp) -> Expr:
    return IfExp(lower_expr(at, node.test), lower_expr(at, node.body), lower_expr(at, node.orelse), at.span(node))


def _each(at: Places, nodes: Iterable[ast.expr]) -> tuple[Expr, ...]:
    return tuple([lower_expr(at, node) for node in nodes])


def _starred(at: Places, node: ast.Starred) -> Expr:
    return Starred(lower_expr(at, node.value), at.span(node))


def _sequence(kind: str) -> Callable[[Places, Any], Expr]:
    def lower(at: Places, node: ast.Tuple | ast.List | ast.Set) -> Expr:
        return Sequence(kind, _each(at, node.elts), at.span(node))

    return lower


def _dict(at: Places, node: ast.Dict) -> Expr:
    return DictExpr(tuple([_optional(at, key) for key in node.keys]), _each(at, node.values), at.span(node))


def _comprehension(kind: str) -> Callable[[Places, Any], Expr]:
    def lower(at: Places, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Expr:
        loop, span = node.generators[0], at.span(node)
        if len(node.generators) > 1 or loop.is_async or isinstance(node.elt, ast.Starred):
            return Unknown("comprehension", sub_expressions(at, node), span)
        return Comprehension(kind, lower_expr(at, node.elt), lower_expr(at, loop.target), lower_expr(at, loop.iter),
                             _each(at, loop.ifs), span)

    return lower


def _lambda(at: Places, node: ast.Lambda) -> Expr:
    return Lambda(lower_params(at, node.args), lower_expr(at, node.body), at.span(node))


def _walrus(at: Places, node: ast.NamedExpr) -> Expr:
    return Unknown("assignment expression", (lower_expr(at, node.value),), at.span(node), names_bound(node.target))


def _await(at: Places, node: ast.Await) -> Expr:
    return Unknown("await", (lower_expr(at, node.value),), at.span(node))


def _yield(at: Places, node: ast.Yield | ast.YieldFrom) -> Expr:
    return Unknown("yield", sub_expressions(at, node), at.span(node))


def _unknown(at: Places, node: ast.expr) -> Expr:
    what = "comprehension" if isinstance(node, ast.DictComp) else "expression"
    return Unknown(what, sub_expressions(at, node), at.span(node))


def lower_params(at: Places, node: ast.arguments) -> tuple[Param, ...]:
    """The parameters of a function or lambda in order of declaration."""
    positional = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults))
    out = [_param(at, a, d, "positional") for a, d in zip(positional, [*defaults, *node.defaults], strict=True)]
    if node.vararg is not None:
        out.append(_param(at, node.vararg, None, "*"))
    out += [_param(at, a, d, "keyword") for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    if node.kwarg is not None:
        out.append(_param(at, node.kwarg, None, "**"))
    return tuple(out)


def _param(at: Places, node: ast.arg, default: ast.expr | None, kind: str) -> Param:
    return Param(node.arg, _optional(at, node.annotation), _optional(at, default), kind, at.parameter_span(node))


_EXPRESSIONS: Final[dict[type[ast.AST], Callable[[Places, Any], Expr]]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _formatted,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _conditional,
    ast.Tuple: _sequence("tuple"),
    ast.List: _sequence("list"),
    ast.Set: _sequence("set"),
    ast.Dict: _dict,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("generator"),
    ast.Starred: _starred,
    ast.Lambda: _lambda,
    ast.NamedExpr: _walrus,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
}
