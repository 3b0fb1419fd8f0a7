"""The kernel tree: a small syntax of our own, with spans. `source` lowers to it; nothing after that sees a parser.

Host functions that launch kernels are lowered to the same tree.
"""

from __future__ import annotations

from dataclasses import field, fields, is_dataclass
from typing import Final, TypeAlias

from tilecheck.frozen import record

__all__ = [
    "FIELDS",
    "PARTS",
    "Annotated", "Assign", "Attribute", "AugAssign", "BinOp", "BoolOp", "Break", "Call", "Compare", "Comprehension",
    "Constant", "Continue", "Expr", "ExprStmt", "For", "FuncDef", "If", "IfExp", "Keyword", "Lambda", "Name", "Param",
    "Pass", "Return", "Sequence", "SliceExpr", "Span", "Starred", "Stmt", "Subscript", "UnaryOp", "Unknown",
    "UnknownStmt", "While", "With",
]


@record(frozen=True, order=True)
class Span:
    """A range of source. Lines count from 1, columns from 0 (in characters); the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@record(frozen=True)
class Name:
    id: str
    span: Span


@record(frozen=True)
class Constant:
    """An int, float, bool, str, None or Ellipsis literal."""

    value: object
    span: Span


@record(frozen=True)
class Attribute:
    value: Expr
    attr: str
    span: Span


@record(frozen=True)
class Keyword:
    """`name=value` in a call; name None for `**value`."""

    name: str | None
    value: Expr


@record(frozen=True)
class Starred:
    value: Expr
    span: Span


@record(frozen=True)
class Call:
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    span: Span


@record(frozen=True)
class SliceExpr:
    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    span: Span


@record(frozen=True)
class Subscript:
    """`value[items]`; `items` has one entry unless a tuple was written."""

    value: Expr
    items: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class BinOp:
    """`op` is the operator as written: + - * / // % ** << >> & | ^ @"""

    op: str
    left: Expr
    right: Expr
    span: Span


@record(frozen=True)
class UnaryOp:
    """`op` is one of: - + ~ not"""

    op: str
    operand: Expr
    span: Span


@record(frozen=True)
class BoolOp:
    """`op` is `and` or `or`; two or more operands."""

    op: str
    values: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class Compare:
    """`left ops[0] rights[0] ops[1] rights[1] ...`; an op is one of == != < <= > >= is `is not` in `not in`"""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class IfExp:
    test: Expr
    then: Expr
    other: Expr
    span: Span


@record(frozen=True)
class Sequence:
    """A tuple, list or set display. `kind` is `tuple`, `list` or `set`."""

    kind: str
    items: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class DictExpr:
    """A dict display; a key of None is `**value`."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class Comprehension:
    """A list, set, dict or generator comprehension with one `for`; others are `Unknown`. `kind` list|set|generator."""

    kind: str
    element: Expr
    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    span: Span


@record(frozen=True)
class Lambda:
    params: tuple[Param, ...]
    body: Expr
    span: Span


@record(frozen=True)
class Unknown:
    """An expression with no counterpart here (f-string, await, yield, walrus, ...). `children` are its
    sub-expressions, which may still mention arrays; `assigns` the names it binds."""

    what: str
    children: tuple[Expr, ...]
    span: Span
    assigns: tuple[str, ...] = ()


Expr: TypeAlias = (
    Name | Constant | Attribute | Call | Subscript | SliceExpr | BinOp | UnaryOp | BoolOp | Compare | IfExp | Sequence
    | DictExpr | Comprehension | Lambda | Starred | Unknown
)


@record(frozen=True)
class Param:
    """A parameter. `kind` is `positional` (positional-only or plain), `keyword` (keyword-only), `*` or `**`."""

    name: str
    annotation: Expr | None
    default: Expr | None
    kind: str
    span: Span


@record(frozen=True)
class Assign:
    """`targets[0] = targets[1] = ... = value`. An annotated assignment has one target and an `annotation`."""

    targets: tuple[Expr, ...]
    value: Expr
    span: Span
    annotation: Expr | None = None


@record(frozen=True)
class AugAssign:
    target: Expr
    op: str
    value: Expr
    span: Span


@record(frozen=True)
class ExprStmt:
    value: Expr
    span: Span


@record(frozen=True)
class If:
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class For:
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class With:
    """`items` are (context expression, target or None)."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class Return:
    value: Expr | None
    span: Span


@record(frozen=True)
class Break:
    span: Span


@record(frozen=True)
class Continue:
    span: Span


@record(frozen=True)
class Pass:
    span: Span


@record(frozen=True)
class AssertStmt:
    test: Expr
    span: Span


@record(frozen=True)
class Annotated:
    """A bare annotated name, `x: int`, with no value."""

    target: Expr
    annotation: Expr
    span: Span


@record(frozen=True)
class FuncDef:
    """A function definition, top-level or nested. `span` covers the whole definition, `name_span` the name."""

    name: str
    params: tuple[Param, ...]
    body: tuple[Stmt, ...]
    decorators: tuple[Expr, ...]
    span: Span
    name_span: Span
    returns: Expr | None = None
    is_async: bool = False
    comments: tuple[tuple[int, str], ...] = field(default=())
    """Comments inside the definition and directly above it, as (line, text with the leading #)."""


@record(frozen=True)
class ClassDef:
    """A class whose fields and methods matter (dataclasses, enums). `fields` are annotated names or assignments."""

    name: str
    bases: tuple[Expr, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class Raise:
    value: Expr | None
    span: Span


@record(frozen=True)
class Try:
    """`handlers` are the bodies of the except clauses."""

    body: tuple[Stmt, ...]
    handlers: tuple[tuple[Stmt, ...], ...]
    orelse: tuple[Stmt, ...]
    finalbody: tuple[Stmt, ...]
    span: Span


@record(frozen=True)
class ImportStmt:
    """A local import: (local name, dotted target) pairs; `level` counts the leading dots of `from . import`."""

    names: tuple[tuple[str, str], ...]
    level: int
    span: Span


@record(frozen=True)
class UnknownStmt:
    """A statement with no counterpart here. `children` and `assigns` as in `Unknown`; `body` what is nested in it."""

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
        self[kind] = tuple(f.name for f in fields(kind)) if is_dataclass(kind) and kind is not Span else ()
        return self[kind]


FIELDS: Final = _Fields()
"""The fields of each kind of node; none for places in the source and for what is no node."""


class _Parts(dict[type, tuple[str, ...]]):
    def __missing__(self, kind: type) -> tuple[str, ...]:
        self[kind] = tuple(name for name in FIELDS[kind] if name not in _LEAVES)
        return self[kind]


_LEAVES: Final = frozenset({
    "assigns", "attr", "comments", "id", "is_async", "kind", "level", "name", "name_span", "names", "op", "ops", "span",
    "what"})
PARTS: Final = _Parts()
"""Likewise the fields in which other nodes may be, or tuples of them."""
