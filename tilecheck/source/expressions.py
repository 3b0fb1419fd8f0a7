"""libcst expressions to the expressions of the kernel tree, by a table of node types."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

import libcst as cst

from tilecheck.kernel.tree import (
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
    Span,
    Starred,
    Subscript,
    UnaryOp,
    Unknown,
)
from tilecheck.source.positions import Positions

__all__ = ["lower_expr", "lower_params", "names_bound", "sub_expressions"]

_CONSTANT_NAMES: Final[dict[str, object]] = {"True": True, "False": False, "None": None}


def lower_expr(at: Positions, node: cst.CSTNode) -> Expr:
    """Lower one expression; a node without a counterpart becomes `Unknown` with its sub-expressions as children."""
    handler = _EXPRESSIONS.get(type(node))
    return handler(at, node) if handler is not None else _unknown(at, node)


def sub_expressions(at: Positions, node: cst.CSTNode) -> tuple[Expr, ...]:
    """The outermost expressions below a node, lowered, in source order."""
    return tuple(_sub_expressions(at, node))


def _sub_expressions(at: Positions, node: cst.CSTNode) -> Iterator[Expr]:
    for child in node.children:
        if isinstance(child, cst.BaseExpression):
            yield lower_expr(at, child)
        else:
            yield from _sub_expressions(at, child)


def names_bound(node: cst.CSTNode) -> tuple[str, ...]:
    """The names that an assignment target, or a pattern, binds."""
    return tuple(dict.fromkeys(_names_bound(node)))


def _names_bound(node: cst.CSTNode) -> Iterator[str]:
    match node:
        case cst.Name():
            yield node.value
        case cst.Attribute() | cst.Subscript() | cst.MatchValue() | cst.MatchSingleton():
            return  # no name is bound; what is mutated is among the children
        case cst.MatchClass():
            for part in node.patterns:
                yield from _names_bound(part.value)
            for keyword in node.kwds:
                yield from _names_bound(keyword.pattern)
        case cst.MatchMappingElement():
            yield from _names_bound(node.pattern)
        case _:
            for child in node.children:
                yield from _names_bound(child)


def _name(at: Positions, node: cst.Name) -> Expr:
    value = node.value
    span = at.span(node)
    return Constant(_CONSTANT_NAMES[value], span) if value in _CONSTANT_NAMES else Name(value, span)


def _integer(at: Positions, node: cst.Integer) -> Expr:
    try:
        return Constant(int(node.value, 0), at.span(node))
    except ValueError:  # more digits than the interpreter converts
        return Unknown("integer", (), at.span(node))


def _float(at: Positions, node: cst.Float) -> Expr:
    return Constant(float(node.value), at.span(node))


def _imaginary(at: Positions, node: cst.Imaginary) -> Expr:
    return Unknown("complex number", (), at.span(node))


def _ellipsis(at: Positions, node: cst.Ellipsis) -> Expr:
    return Constant(..., at.span(node))


def _string_pieces(node: cst.BaseString) -> Iterator[cst.BaseString]:
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def _string(at: Positions, node: cst.SimpleString | cst.ConcatenatedString) -> Expr:
    span = at.span(node)
    pieces = tuple(_string_pieces(node))
    if not all(isinstance(piece, cst.SimpleString) for piece in pieces):
        children = (child for piece in pieces for child in _sub_expressions(at, piece))
        return Unknown("formatted string", tuple(children), span)
    try:
        values = [ast.literal_eval(piece.value) for piece in pieces if isinstance(piece, cst.SimpleString)]
    except (SyntaxError, ValueError):
        return Unknown("string", (), span)
    if all(isinstance(value, str) for value in values):
        return Constant("".join(values), span)
    return Unknown("bytes", (), span)


def _formatted(at: Positions, node: cst.CSTNode) -> Expr:
    return Unknown("formatted string", sub_expressions(at, node), at.span(node))


def _attribute(at: Positions, node: cst.Attribute) -> Expr:
    return Attribute(lower_expr(at, node.value), node.attr.value, at.span(node))


def _call(at: Positions, node: cst.Call) -> Expr:
    args: list[Expr] = []
    keywords: list[Keyword] = []
    for arg in node.args:
        value = lower_expr(at, arg.value)
        if arg.keyword is not None:
            keywords.append(Keyword(arg.keyword.value, value))
        elif arg.star == "":
            args.append(value)
        elif arg.star == "*":
            args.append(Starred(value, at.span(arg)))
        else:
            keywords.append(Keyword(None, value))
    return Call(lower_expr(at, node.func), tuple(args), tuple(keywords), at.span(node))


def _optional(at: Positions, node: cst.CSTNode | None) -> Expr | None:
    return None if node is None else lower_expr(at, node)


def _item(at: Positions, element: cst.SubscriptElement) -> Expr:
    part = element.slice
    if isinstance(part, cst.Slice):
        return SliceExpr(_optional(at, part.lower), _optional(at, part.upper), _optional(at, part.step),
                         at.span(element))
    assert isinstance(part, cst.Index)
    value = lower_expr(at, part.value)
    return value if part.star is None else Starred(value, at.span(element))


def _subscript(at: Positions, node: cst.Subscript) -> Expr:
    items = tuple(_item(at, element) for element in node.slice)
    if len(items) == 1:
        # `x[(i, j)]` is `x[i, j]`; a tuple of one item stays a tuple, which is not the same as the item
        only = items[0]
        if isinstance(only, Sequence) and only.kind == "tuple" and len(only.items) > 1:
            items = only.items
        elif isinstance(only, Starred) or node.slice[0].comma is not cst.MaybeSentinel.DEFAULT:
            items = (Sequence("tuple", items, only.span),)
    return Subscript(lower_expr(at, node.value), items, at.span(node))


_BINARY: Final[dict[type[cst.CSTNode], str]] = {
    cst.Add: "+", cst.Subtract: "-", cst.Multiply: "*", cst.Divide: "/", cst.FloorDivide: "//", cst.Modulo: "%",
    cst.Power: "**", cst.LeftShift: "<<", cst.RightShift: ">>", cst.BitAnd: "&", cst.BitOr: "|", cst.BitXor: "^",
    cst.MatrixMultiply: "@",
}
_UNARY: Final[dict[type[cst.CSTNode], str]] = {
    cst.Minus: "-", cst.Plus: "+", cst.BitInvert: "~", cst.Not: "not",
}
_COMPARISON: Final[dict[type[cst.CSTNode], str]] = {
    cst.Equal: "==", cst.NotEqual: "!=", cst.LessThan: "<", cst.LessThanEqual: "<=", cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=", cst.Is: "is", cst.IsNot: "is not", cst.In: "in", cst.NotIn: "not in",
}


def _binary(at: Positions, node: cst.BinaryOperation) -> Expr:
    return BinOp(_BINARY[type(node.operator)], lower_expr(at, node.left), lower_expr(at, node.right), at.span(node))


def _unary(at: Positions, node: cst.UnaryOperation) -> Expr:
    return UnaryOp(_UNARY[type(node.operator)], lower_expr(at, node.expression), at.span(node))


def _boolean(at: Positions, node: cst.BooleanOperation) -> Expr:
    operator = type(node.operator)
    values = [lower_expr(at, node.right)]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and type(left.operator) is operator and not left.lpar:
        values.append(lower_expr(at, left.right))
        left = left.left
    values.append(lower_expr(at, left))
    return BoolOp("and" if operator is cst.And else "or", tuple(reversed(values)), at.span(node))


def _compare(at: Positions, node: cst.Comparison) -> Expr:
    return Compare(
        lower_expr(at, node.left),
        tuple(_COMPARISON[type(target.operator)] for target in node.comparisons),
        tuple(lower_expr(at, target.comparator) for target in node.comparisons),
        at.span(node),
    )


def _conditional(at: Positions, node: cst.IfExp) -> Expr:
    return IfExp(lower_expr(at, node.test), lower_expr(at, node.body), lower_expr(at, node.orelse), at.span(node))


def _elements(at: Positions, elements: Iterable[cst.BaseElement]) -> tuple[Expr, ...]:
    return tuple(
        _starred(at, element) if isinstance(element, cst.StarredElement) else lower_expr(at, element.value)
        for element in elements
    )


def _starred(at: Positions, node: cst.StarredElement) -> Expr:
    return Starred(lower_expr(at, node.value), at.span(node))


def _tuple(at: Positions, node: cst.Tuple) -> Expr:
    return Sequence("tuple", _elements(at, node.elements), at.display_span(node))


def _list(at: Positions, node: cst.List) -> Expr:
    return Sequence("list", _elements(at, node.elements), at.span(node))


def _set(at: Positions, node: cst.Set) -> Expr:
    return Sequence("set", _elements(at, node.elements), at.span(node))


def _dict(at: Positions, node: cst.Dict) -> Expr:
    keys = tuple(
        lower_expr(at, element.key) if isinstance(element, cst.DictElement) else None for element in node.elements
    )
    values = tuple(lower_expr(at, element.value) for element in node.elements)
    return DictExpr(keys, values, at.span(node))


def _comprehension(kind: str) -> Callable[[Positions, Any], Expr]:
    def lower(at: Positions, node: cst.ListComp | cst.SetComp | cst.GeneratorExp) -> Expr:
        loop = node.for_in
        span = at.display_span(node) if isinstance(node, cst.GeneratorExp) else at.span(node)
        plain = loop.inner_for_in is None and loop.asynchronous is None
        if not plain or isinstance(node.elt, cst.StarredElement):
            return Unknown("comprehension", sub_expressions(at, node), span)
        return Comprehension(
            kind,
            lower_expr(at, node.elt),
            lower_expr(at, loop.target),
            lower_expr(at, loop.iter),
            tuple(lower_expr(at, condition.test) for condition in loop.ifs),
            span,
        )

    return lower


def _lambda(at: Positions, node: cst.Lambda) -> Expr:
    return Lambda(lower_params(at, node.params), lower_expr(at, node.body), at.span(node))


def _walrus(at: Positions, node: cst.NamedExpr) -> Expr:
    return Unknown("assignment expression", (lower_expr(at, node.value),), at.span(node), names_bound(node.target))


def _await(at: Positions, node: cst.Await) -> Expr:
    return Unknown("await", (lower_expr(at, node.expression),), at.span(node))


def _yield(at: Positions, node: cst.Yield) -> Expr:
    return Unknown("yield", sub_expressions(at, node), at.span(node))


def _unknown(at: Positions, node: cst.CSTNode) -> Expr:
    children = sub_expressions(at, node)
    span = at.span(node) if at.has(node) else _cover(at, children)
    return Unknown("comprehension" if isinstance(node, cst.BaseComp) else "expression", children, span)


def _cover(at: Positions, children: tuple[Expr, ...]) -> Span:
    if not children:
        return Span(at.file, 1, 0, 1, 0)
    first, last = children[0].span, children[-1].span
    return Span(at.file, first.line, first.column, last.end_line, last.end_column)


def lower_params(at: Positions, node: cst.Parameters) -> tuple[Param, ...]:
    """The parameters of a function or lambda in order of declaration."""
    groups: tuple[tuple[Iterable[cst.Param], str], ...] = (
        (node.posonly_params, "positional"),
        (node.params, "positional"),
        ((node.star_arg,) if isinstance(node.star_arg, cst.Param) else (), "*"),
        (node.kwonly_params, "keyword"),
        ((node.star_kwarg,) if node.star_kwarg is not None else (), "**"),
    )
    return tuple(_param(at, param, kind) for group, kind in groups for param in group)


def _param(at: Positions, node: cst.Param, kind: str) -> Param:
    annotation = None if node.annotation is None else lower_expr(at, node.annotation.annotation)
    return Param(node.name.value, annotation, _optional(at, node.default), kind, at.span(node.name))


_EXPRESSIONS: Final[dict[type[cst.CSTNode], Callable[[Positions, Any], Expr]]] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.Imaginary: _imaginary,
    cst.Ellipsis: _ellipsis,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _string,
    cst.FormattedString: _formatted,
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Subscript: _subscript,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _compare,
    cst.IfExp: _conditional,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _set,
    cst.Dict: _dict,
    cst.ListComp: _comprehension("list"),
    cst.SetComp: _comprehension("set"),
    cst.GeneratorExp: _comprehension("generator"),
    cst.StarredElement: _starred,
    cst.Lambda: _lambda,
    cst.NamedExpr: _walrus,
    cst.Await: _await,
    cst.Yield: _yield,
}
