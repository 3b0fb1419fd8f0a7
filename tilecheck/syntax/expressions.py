"""Lowers expressions of the interpreter's syntax tree to the kernel tree, by a table of node types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from tilecheck.syntax.spans import Locator
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


def lower_expr(at: Locator, node: ast.expr) -> Expr:
    """Lower one expression; a node without a counterpart becomes `Unknown` with its sub-expressions as children."""
    handler = _EXPRESSIONS.get(type(node))
    return handler(at, node) if handler is not None else _lower_unknown(at, node)


def sub_expressions(at: Locator, node: ast.AST) -> tuple[Expr, ...]:
    """The outermost expressions below a node, lowered, in source order."""
    return tuple(_walk_expressions(at, node))


def _walk_expressions(at: Locator, node: ast.AST) -> Iterator[Expr]:
    for child in children(node):
        if isinstance(child, ast.expr):
            yield lower_expr(at, child)
        else:
            yield from _walk_expressions(at, child)
    if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
        yield Name(node.name, at.span(node))


def names_bound(node: ast.AST) -> tuple[str, ...]:
    """The names that an assignment target or a pattern binds."""
    return tuple(dict.fromkeys(_walk_bound(node)))


def _walk_bound(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Name():
            yield node.id
        case ast.Attribute() | ast.Subscript() | ast.MatchValue() | ast.MatchSingleton():
            return  # these bind no name; the mutated object is among the children
        case ast.MatchClass():
            for part in (*node.patterns, *node.kwd_patterns):
                yield from _walk_bound(part)
        case ast.MatchMapping():
            for part in node.patterns:
                yield from _walk_bound(part)
            if node.rest is not None:
                yield node.rest
        case _:
            for child in children(node):
                yield from _walk_bound(child)
            if isinstance(node, ast.MatchAs | ast.MatchStar) and node.name is not None:
                yield node.name


def _lower_name(at: Locator, node: ast.Name) -> Expr:
    return Name(node.id, at.span(node))


def _lower_constant(at: Locator, node: ast.Constant) -> Expr:
    what = _NO_COUNTERPART.get(type(node.value))
    return Constant(node.value, at.span(node)) if what is None else Unknown(what, (), at.span(node))


_NO_COUNTERPART: Final[dict[type[object], str]] = {bytes: "bytes", complex: "complex number"}


def _lower_formatted_string(at: Locator, node: ast.JoinedStr) -> Expr:
    what = "formatted string"
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            if part.conversion != -1:
                what = "formatted string with a conversion"
            elif isinstance(part.format_spec, ast.JoinedStr) and not _is_literal(part.format_spec):
                what = "formatted string with a computed format"
    return Unknown(what, tuple(_walk_formatted_string(at.inside_string(node), node)), at.span(node))


def _is_literal(node: ast.JoinedStr) -> bool:
    return len(node.values) < 2 and all(isinstance(part, ast.Constant) for part in node.values)


def _walk_formatted_string(at: Locator, node: ast.JoinedStr) -> Iterator[Expr]:
    """The expressions in a formatted string and in its format specifications."""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            yield lower_expr(at, part.value)
            if isinstance(part.format_spec, ast.JoinedStr):
                yield from _walk_formatted_string(at, part.format_spec)


def _lower_attribute(at: Locator, node: ast.Attribute) -> Expr:
    return Attribute(lower_expr(at, node.value), node.attr, at.span(node))


def _lower_call(at: Locator, node: ast.Call) -> Expr:
    args = tuple([lower_expr(at, arg) for arg in node.args])
    keywords = tuple([Keyword(keyword.arg, lower_expr(at, keyword.value)) for keyword in node.keywords])
    return Call(lower_expr(at, node.func), args, keywords, at.span(node))


def _lower_optional(at: Locator, node: ast.expr | None) -> Expr | None:
    return None if node is None else lower_expr(at, node)


def _lower_slice(at: Locator, node: ast.Slice) -> Expr:
    lower, upper = _lower_optional(at, node.lower), _lower_optional(at, node.upper)
    return SliceExpr(lower, upper, _lower_optional(at, node.step), at.span(node))


def _lower_subscript(at: Locator, node: ast.Subscript) -> Expr:
    # `x[(i, j)]` is `x[i, j]`; a tuple of one item stays a tuple, because it differs from the item
    index = node.slice
    items = _lower_all(at, index.elts if isinstance(index, ast.Tuple) else (index,))
    if isinstance(index, ast.Tuple) and len(items) < 2:
        items = (Sequence("tuple", items, at.span(index) if at.is_parenthesised(index) else items[0].span),)
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


def _lower_binary(at: Locator, node: ast.BinOp) -> Expr:
    return BinOp(OPERATORS[type(node.op)], lower_expr(at, node.left), lower_expr(at, node.right), at.span(node))


def _lower_unary(at: Locator, node: ast.UnaryOp) -> Expr:
    return UnaryOp(_UNARY[type(node.op)], lower_expr(at, node.operand), at.span(node))


def _lower_boolean(at: Locator, node: ast.BoolOp) -> Expr:
    return BoolOp("and" if type(node.op) is ast.And else "or", _lower_all(at, node.values), at.span(node))


def _lower_compare(at: Locator, node: ast.Compare) -> Expr:
    ops = tuple([_COMPARISON[type(op)] for op in node.ops])
    return Compare(lower_expr(at, node.left), ops, _lower_all(at, node.comparators), at.span(node))


def _lower_conditional(at: Locator, node: ast.IfExp) -> Expr:
    return IfExp(lower_expr(at, node.test), lower_expr(at, node.body), lower_expr(at, node.orelse), at.span(node))


def _lower_all(at: Locator, nodes: Iterable[ast.expr]) -> tuple[Expr, ...]:
    return tuple([lower_expr(at, node) for node in nodes])


def _lower_starred(at: Locator, node: ast.Starred) -> Expr:
    return Starred(lower_expr(at, node.value), at.span(node))


def _lower_sequence(kind: str) -> Callable[[Locator, Any], Expr]:
    def lower(at: Locator, node: ast.Tuple | ast.List | ast.Set) -> Expr:
        return Sequence(kind, _lower_all(at, node.elts), at.span(node))

    return lower


def _lower_dict(at: Locator, node: ast.Dict) -> Expr:
    return DictExpr(tuple([_lower_optional(at, key) for key in node.keys]), _lower_all(at, node.values), at.span(node))


def _lower_comprehension(kind: str) -> Callable[[Locator, Any], Expr]:
    def lower(at: Locator, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Expr:
        loop, span = node.generators[0], at.span(node)
        if len(node.generators) > 1 or loop.is_async or isinstance(node.elt, ast.Starred):
            what = "generator" if isinstance(node, ast.GeneratorExp) else "comprehension"
            return Unknown(what, sub_expressions(at, node), span)
        return Comprehension(kind, lower_expr(at, node.elt), lower_expr(at, loop.target), lower_expr(at, loop.iter),
                             _lower_all(at, loop.ifs), span)

    return lower


def _lower_lambda(at: Locator, node: ast.Lambda) -> Expr:
    return Lambda(lower_params(at, node.args), lower_expr(at, node.body), at.span(node))


def _lower_walrus(at: Locator, node: ast.NamedExpr) -> Expr:
    return Unknown("assignment expression", (lower_expr(at, node.value),), at.span(node), names_bound(node.target))


def _lower_await(at: Locator, node: ast.Await) -> Expr:
    return Unknown("await", (lower_expr(at, node.value),), at.span(node))


def _lower_yield(at: Locator, node: ast.Yield | ast.YieldFrom) -> Expr:
    return Unknown("yield", sub_expressions(at, node), at.span(node))


def _lower_unknown(at: Locator, node: ast.expr) -> Expr:
    what = "comprehension" if isinstance(node, ast.DictComp) else "expression"
    return Unknown(what, sub_expressions(at, node), at.span(node))


def lower_params(at: Locator, node: ast.arguments) -> tuple[Param, ...]:
    """The parameters of a function or lambda in order of declaration."""
    positional = [*node.posonlyargs, *node.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults))
    out = [_lower_param(at, a, d, "positional") for a, d in zip(positional, [*defaults, *node.defaults], strict=True)]
    if node.vararg is not None:
        out.append(_lower_param(at, node.vararg, None, "*"))
    out += [_lower_param(at, a, d, "keyword") for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    if node.kwarg is not None:
        out.append(_lower_param(at, node.kwarg, None, "**"))
    return tuple(out)


def _lower_param(at: Locator, node: ast.arg, default: ast.expr | None, kind: str) -> Param:
    annotation = _lower_optional(at, node.annotation)
    return Param(node.arg, annotation, _lower_optional(at, default), kind, at.parameter_span(node))


_EXPRESSIONS: Final[dict[type[ast.AST], Callable[[Locator, Any], Expr]]] = {
    ast.Name: _lower_name,
    ast.Constant: _lower_constant,
    ast.JoinedStr: _lower_formatted_string,
    ast.Attribute: _lower_attribute,
    ast.Call: _lower_call,
    ast.Subscript: _lower_subscript,
    ast.Slice: _lower_slice,
    ast.BinOp: _lower_binary,
    ast.UnaryOp: _lower_unary,
    ast.BoolOp: _lower_boolean,
    ast.Compare: _lower_compare,
    ast.IfExp: _lower_conditional,
    ast.Tuple: _lower_sequence("tuple"),
    ast.List: _lower_sequence("list"),
    ast.Set: _lower_sequence("set"),
    ast.Dict: _lower_dict,
    ast.ListComp: _lower_comprehension("list"),
    ast.SetComp: _lower_comprehension("set"),
    ast.GeneratorExp: _lower_comprehension("generator"),
    ast.Starred: _lower_starred,
    ast.Lambda: _lower_lambda,
    ast.NamedExpr: _lower_walrus,
    ast.Await: _lower_await,
    ast.Yield: _lower_yield,
    ast.YieldFrom: _lower_yield,
}
