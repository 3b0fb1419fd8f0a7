"""The kernel tree: a small syntax of our own, with spans. `source` lowers to it; nothing after that sees a parser.

Host functions that launch kernels are lowered to the same tree.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields, is_dataclass
from typing import Final, TypeAlias

__all__ = [
    "FIELDS",
    "PARTS",
    "Annotated", "Assign", "Attribute", "AugAssign", "BinOp", "BoolOp", "Break", "Call", "Compare", "Comprehension",
    "Constant", "Continue", "Expr", "ExprStmt", "For", "FuncDef", "If", "IfExp", "Keyword", "Lambda", "Name", "Param",
    "Pass", "Return", "Sequence", "SliceExpr", "Span", "Starred", "Stmt", "Subscript", "UnaryOp", "Unknown",
    "UnknownStmt", "While", "With",
]


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A range of source. Lines count from 1, columns from 0 (in characters); the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Name:
    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Constant:
    """An int, float, bool, str, None or Ellipsis literal."""

    value: object
    span: Span


@dataclass(frozen=True, slots=True)
class Attribute:
    value: Expr
    attr: str
    span: Span


@dataclass(frozen=True, slots=True)
class Keyword:
    """`name=value` in a call; name None for `**value`."""

    name: str | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Starred:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Call:
    func: Expr
    args: tuple[Expr, ...]
    keywords: tuple[Keyword, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class SliceExpr:
    lower: Expr | None
    upper: Expr | None
    step: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Subscript:
    """`value[items]`; `items` has one entry unless a tuple was written."""

    value: Expr
    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class BinOp:
    """`op` is the operator as written: + - * / // % ** << >> & | ^ @"""

    op: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class UnaryOp:
    """`op` is one of: - + ~ not"""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class BoolOp:
    """`op` is `and` or `or`; two or more operands."""

    op: str
    values: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Compare:
    """`left ops[0] rights[0] ops[1] rights[1] ...`; an op is one of == != < <= > >= is `is not` in `not in`"""

    left: Expr
    ops: tuple[str, ...]
    rights: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class IfExp:
    test: Expr
    then: Expr
    other: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, list or set display. `kind` is `tuple`, `list` or `set`."""

    kind: str
    items: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class DictExpr:
    """A dict display; a key of None is `**value`."""

    keys: tuple[Expr | None, ...]
    values: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A list, set, dict or generator comprehension with one `for`; others are `Unknown`. `kind` list|set|generator."""

    kind: str
    element: Expr
    target: Expr
    iterable: Expr
    conditions: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Lambda:
    params: tuple[Param, ...]
    body: Expr
    span: Span


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Param:
    """A parameter. `kind` is `positional` (positional-only or plain), `keyword` (keyword-only), `*` or `**`."""

    name: str
    annotation: Expr | None
    default: Expr | None
    kind: str
    span: Span


@dataclass(frozen=True, slots=True)
class Assign:
    """`targets[0] = targets[1] = ... = value`. An annotated assignment has one target and an `annotation`."""

    targets: tuple[Expr, ...]
    value: Expr
    span: Span
    annotation: Expr | None = None


@dataclass(frozen=True, slots=True)
class AugAssign:
    target: Expr
    op: str
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class ExprStmt:
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class If:
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class For:
    target: Expr
    iterable: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class While:
    test: Expr
    body: tuple[Stmt, ...]
    orelse: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class With:
    """`items` are (context expression, target or None)."""

    items: tuple[tuple[Expr, Expr | None], ...]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Return:
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Break:
    span: Span


@dataclass(frozen=True, slots=True)
class Continue:
    span: Span


@dataclass(frozen=True, slots=True)
class Pass:
    span: Span


@dataclass(frozen=True, slots=True)
class AssertStmt:
    test: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Annotated:
    """A bare annotated name, `x: int`, with no value."""

    target: Expr
    annotation: Expr
    span: Span


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class ClassDef:
    """A class whose fields and methods matter (dataclasses, enums). `fields` are annotated names or assignments."""

    name: str
    bases: tuple[Expr, ...]
    decorators: tuple[Expr, ...]
    body: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Raise:
    value: Expr | None
    span: Span


@dataclass(frozen=True, slots=True)
class Try:
    """`handlers` are the bodies of the except clauses."""

    body: tuple[Stmt, ...]
    handlers: tuple[tuple[Stmt, ...], ...]
    orelse: tuple[Stmt, ...]
    finalbody: tuple[Stmt, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class ImportStmt:
    """A local import: (local name, dotted target) pairs; `level` counts the leading dots of `from . import`."""

    names: tuple[tuple[str, str], ...]
    level: int
    span: Span


@dataclass(frozen=True, slots=True)
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
