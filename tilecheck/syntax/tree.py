"""The kernel tree: a small syntax tree with spans, independent of a parser.

`tilecheck.syntax` lowers kernels, and host functions that launch kernels, to it.
"""

from __future__ import annotations

from typing import Final, TypeAlias

from msgspec import Struct

__all__ = [
    "FIELDS",
    "PARTS",
    "Annotated", "Assign", "Attribute", "AugAssign", "BinOp", "BoolOp", "Break", "Call", "Compare", "Comprehension",
    "Constant", "Continue", "Expr", "ExprStmt", "For", "FuncDef", "If", "IfExp", "Keyword", "Lambda", "Name", "Param",
    "Pass", "Return", "Sequence", "SliceExpr", "Span", "Starred", "Stmt", "Subscript", "UnaryOp", "Unknown",
    "UnknownStmt", "While", "With",
    "get_last_name",
]


class Span(Struct, frozen=True, order=True):
    """A range of source. Lines count from 1, columns from 0 (in characters); the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


class Name(Struct, frozen=True):
    id: str
    span: Span


class Constant(Struct, frozen=True):
    """An int, float, bool, str, None or Ellipsis literal."""

    value: object
    span: Span


class Attribute(Struct, frozen=True):
    value: Expr
    attr: str
    span: Span


class Keyword(Struct, frozen=True):
    """`name=value` in a call; name None for `**value`."""

    name: str | None
    value: Expr


class Starred(Struct, frozen=True):
    value: Expr
    span: Span


class Call(Struct, frozen=True):
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    span: Span


class SliceExpr(Struct, frozen=True):
    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    span: Span


class Subscript(Struct, frozen=True):
    """`value[items]`; `items` has one entry unless the source has a tuple."""

    value: Expr
    items: tuple[Expr, ...]
    span: Span


class BinOp(Struct, frozen=True):
    """`op` is one of: + - * / // % ** << >> & | ^ @"""

    op: str
    left: Expr
    right: Expr
    span: Span


class UnaryOp(Struct, frozen=True):
    """`op` is one of: - + ~ not"""

    op: str
    operand: Expr
    span: Span


class BoolOp(Struct, frozen=True):
    """`op` is `and` or `or`; two or more operands."""

    op: str
    values: tuple[Expr, ...]
    span: Span


class Compare(Struct, frozen=True):
    """`left ops[0] rights[0] ops[1] rights[1] ...`; an op is one of == != < <= > >= is `is not` in `not in`"""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]
    span: Span


class IfExp(Struct, frozen=True):
    test: Expr
    then: Expr
    other: Expr
    span: Span


class Sequence(Struct, frozen=True):
    """A tuple, list or set display. `kind` is `tuple`, `list` or `set`."""

    kind: str
    items: tuple[Expr, ...]
    span: Span


class DictExpr(Struct, frozen=True):
    """A dict display; a key of None is `**value`."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]
    span: Span


class Comprehension(Struct, frozen=True):
    """A list, set, dict or generator comprehension with one `for`; others are `Unknown`. `kind` list|set|generator."""

    kind: str
    element: Expr
    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    span: Span


class Lambda(Struct, frozen=True):
    params: tuple[Param, ...]
    body: Expr
    span: Span


class Unknown(Struct, frozen=True):
    """An expression without a counterpart (f-string, await, yield, walrus, ...).

    children  its sub-expressions, which may refer to arrays
    assigns   the names that it binds
    """

    what: str
    children: tuple[Expr, ...]
    span: Span
    assigns: tuple[str, ...] = ()


Expr: TypeAlias = (
    Name | Constant | Attribute | Call | Subscript | SliceExpr | BinOp | UnaryOp | BoolOp | Compare | IfExp | Sequence
    | DictExpr | Comprehension | Lambda | Starred | Unknown
)


class Param(Struct, frozen=True):
    """A parameter. `kind` is `positional` (positional-only or plain), `keyword` (keyword-only), `*` or `**`."""

    name: str
    annotation: Expr | None
    default: Expr | None
    kind: str
    span: Span


class Assign(Struct, frozen=True):
    """`targets[0] = targets[1] = ... = value`. An annotated assignment has one target and an `annotation`."""

    targets: tuple[Expr, ...]
    value: Expr
    span: Span
    annotation: Expr | None = None


class AugAssign(Struct, frozen=True):
    target: Expr
    op: str
    value: Expr
    span: Span


class ExprStmt(Struct, frozen=True):
    value: Expr
    span: Span


class If(Struct, frozen=True):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class For(Struct, frozen=True):
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class While(Struct, frozen=True):
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


class With(Struct, frozen=True):
    """`items` are (context expression, target or None)."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]
    span: Span


class Return(Struct, frozen=True):
    value: Expr | None
    span: Span


class Break(Struct, frozen=True):
    span: Span


class Continue(Struct, frozen=True):
    span: Span


class Pass(Struct, frozen=True):
    span: Span


class AssertStmt(Struct, frozen=True):
    test: Expr
    span: Span


class Annotated(Struct, frozen=True):
    """A bare annotated name, `x: int`, with no value."""

    target: Expr
    annotation: Expr
    span: Span


class FuncDef(Struct, frozen=True):
    """A function definition, top-level or nested. `span` covers the whole definition, `name_span` the name."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    span: Span
    name_span: Span
    returns: Expr | None = None
    is_async: bool = False
    comments: tuple[tuple[int, str], ...] = ()
    """Comments inside the definition and directly above it, as (line, text with the leading #)."""


class ClassDef(Struct, frozen=True):
    """A class definition. The analysis uses fields and methods of dataclasses and enums."""

    name: str
    bases: tuple[Expr, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    span: Span


class Raise(Struct, frozen=True):
    value: Expr | None
    span: Span


class Try(Struct, frozen=True):
    """`handlers` are the bodies of the except clauses."""

    body: tuple[Stmt, ...]
    handlers: tuple[tuple[Stmt, ...], ...]
    orelse: tuple[Stmt, ...]
    finalbody: tuple[Stmt, ...]
    span: Span


class ImportStmt(Struct, frozen=True):
    """A local import: (local name, dotted target) pairs; `level` counts the leading dots of `from . import`."""

    names: tuple[tuple[str, str], ...]
    level: int
    span: Span


class UnknownStmt(Struct, frozen=True):
    """A statement without a counterpart. `children` and `assigns` as in `Unknown`; `body` has the nested statements."""

    what: str
    children: tuple[Expr, ...]
    assigns: tuple[str, ...]
    body: tuple[Stmt, ...]
    span: Span


Stmt: TypeAlias = (
    Assign | AugAssign | Annotated | ExprStmt | If | For | While | With | Return | Break | Continue | Pass | AssertStmt
    | FuncDef | ClassDef | Raise | Try | ImportStmt | UnknownStmt
)


class _Fields(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = kind.__struct_fields__ if issubclass(kind, Struct) and kind is not Span else ()
        return self[kind]


FIELDS: Final = _Fields()
"""The fields of each kind of node; empty for spans and for other types."""


class _Parts(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = tuple(name for name in FIELDS[kind] if name not in _LEAVES)
        return self[kind]


_LEAVES: Final = frozenset({
    "assigns", "attr", "comments", "id", "is_async", "kind", "level", "name", "name_span", "names", "op", "ops", "span",
    "what"})
PARTS: Final = _Parts()
"""The fields of each kind of node that may hold nodes or tuples of nodes."""


def get_last_name(node: Expr | None) -> str:
    """`f` of a name `f` or an attribute `m.f`; empty for any other expression."""
    return node.attr if isinstance(node, Attribute) else node.id if isinstance(node, Name) else ""
