"""libcst statements to the statements of the kernel tree, by a table of node types.

`lower_block` is the way in: text that holds whole statements comes out as statements with spans. Nothing after this
module depends on libcst.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

import libcst as cst

from tilecheck.kernel.tree import (
    Annotated,
    AssertStmt,
    Assign,
    AugAssign,
    Break,
    ClassDef,
    Continue,
    Expr,
    ExprStmt,
    For,
    FuncDef,
    If,
    ImportStmt,
    Pass,
    Raise,
    Return,
    Stmt,
    Try,
    UnknownStmt,
    While,
    With,
)
from tilecheck.source.expressions import lower_expr, lower_params, names_bound, sub_expressions
from tilecheck.source.positions import Positions
from tilecheck.source.text import collector_paused

__all__ = ["LowerError", "lower_block"]

Stmts = tuple[Stmt, ...]


class LowerError(Exception):
    """The text cannot be parsed, or nests too deeply."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def lower_block(text: str, file: str, first_line: int = 1) -> Stmts:
    """Lower whole statements. `text` may be indented as it is in the file, of which its first line is `first_line`.

    Lines end in a newline character only and begin with no form feed. Raises `LowerError`.
    """
    # An indented block needs an owner; a line above it moves no column and no text inside a string.
    indented = text[:1] in (" ", "\t", "#") and _is_indented(text)
    if indented:
        text, first_line = "if 1:\n" + text, first_line - 1
    with collector_paused():
        try:
            module = cst.parse_module(text)
            statements = _Lowering(Positions(module, text, file, first_line)).block(module.body)
        except cst.ParserSyntaxError as error:
            raise LowerError("invalid syntax", error.raw_line + first_line - 1) from None
        except RecursionError:
            raise LowerError("the code nests too deeply to be analysed", max(first_line, 1)) from None
    if indented:
        owner = statements[0]
        assert isinstance(owner, If)
        return owner.body
    return statements


def _is_indented(text: str) -> bool:
    for line in text.split("\n"):
        code = line.lstrip(" \t")
        if code and not code.startswith("#"):
            return line[0] in " \t"
    return False


class _Lowering:
    """Lowers the statements of one parsed text."""

    def __init__(self, at: Positions) -> None:
        self.at = at
        self.comments = at.comments()

    def expr(self, node: cst.CSTNode) -> Expr:
        return lower_expr(self.at, node)

    def optional(self, node: cst.CSTNode | None) -> Expr | None:
        return None if node is None else lower_expr(self.at, node)

    def block(self, nodes: Iterable[cst.CSTNode]) -> Stmts:
        return tuple(statement for node in nodes for statement in self.statement(node))

    def suite(self, node: cst.BaseSuite) -> Stmts:
        return self.block(node.body)

    def orelse(self, node: cst.If | cst.Else | cst.Finally | None) -> Stmts:
        if node is None:
            return ()
        return self.statement(node) if isinstance(node, cst.If) else self.suite(node.body)

    def statement(self, node: cst.CSTNode) -> Stmts:
        if type(node) is cst.SimpleStatementLine:
            return self.block(node.body)
        handler = _STATEMENTS.get(type(node), _unknown)
        return (handler(self, node),)

    def comments_of(self, first_line: int, last_line: int) -> tuple[tuple[int, str], ...]:
        """Comments on these lines, and on comment lines directly above the first."""
        alone = {line for line, _, own in self.comments if own}
        while first_line - 1 in alone:
            first_line -= 1
        return tuple((line, text) for line, text, _ in self.comments if first_line <= line <= last_line)


def _expression(to: _Lowering, node: cst.Expr) -> Stmt:
    return ExprStmt(to.expr(node.value), to.at.span(node))


def _assign(to: _Lowering, node: cst.Assign) -> Stmt:
    targets = tuple(to.expr(target.target) for target in node.targets)
    return Assign(targets, to.expr(node.value), to.at.span(node))


def _annotated_assign(to: _Lowering, node: cst.AnnAssign) -> Stmt:
    target, annotation, span = to.expr(node.target), to.expr(node.annotation.annotation), to.at.span(node)
    if node.value is None:
        return Annotated(target, annotation, span)
    return Assign((target,), to.expr(node.value), span, annotation)


_AUGMENTED: Final[dict[type[cst.CSTNode], str]] = {
    cst.AddAssign: "+", cst.SubtractAssign: "-", cst.MultiplyAssign: "*", cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//", cst.ModuloAssign: "%", cst.PowerAssign: "**", cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>", cst.BitAndAssign: "&", cst.BitOrAssign: "|", cst.BitXorAssign: "^",
    cst.MatrixMultiplyAssign: "@",
}


def _augmented_assign(to: _Lowering, node: cst.AugAssign) -> Stmt:
    return AugAssign(to.expr(node.target), _AUGMENTED[type(node.operator)], to.expr(node.value), to.at.span(node))


def _if(to: _Lowering, node: cst.If) -> Stmt:
    return If(to.expr(node.test), to.suite(node.body), to.orelse(node.orelse), to.at.span(node))


def _for(to: _Lowering, node: cst.For) -> Stmt:
    target, iterable, span = to.expr(node.target), to.expr(node.iter), to.at.span(node)
    body, orelse = to.suite(node.body), to.orelse(node.orelse)
    if node.asynchronous is not None:
        return UnknownStmt("async for", (iterable, target), names_bound(node.target), body + orelse, span)
    return For(target, iterable, body, orelse, span)


def _while(to: _Lowering, node: cst.While) -> Stmt:
    return While(to.expr(node.test), to.suite(node.body), to.orelse(node.orelse), to.at.span(node))


def _with(to: _Lowering, node: cst.With) -> Stmt:
    targets = [None if item.asname is None else item.asname.name for item in node.items]
    items = tuple((to.expr(item.item), to.optional(target)) for item, target in zip(node.items, targets, strict=True))
    body, span = to.suite(node.body), to.at.span(node)
    if node.asynchronous is None:
        return With(items, body, span)
    children = tuple(part for item in items for part in item if part is not None)
    assigns = tuple(name for target in targets if target is not None for name in names_bound(target))
    return UnknownStmt("async with", children, assigns, body, span)


def _return(to: _Lowering, node: cst.Return) -> Stmt:
    return Return(to.optional(node.value), to.at.span(node))


def _break(to: _Lowering, node: cst.Break) -> Stmt:
    return Break(to.at.span(node))


def _continue(to: _Lowering, node: cst.Continue) -> Stmt:
    return Continue(to.at.span(node))


def _pass(to: _Lowering, node: cst.Pass) -> Stmt:
    return Pass(to.at.span(node))


def _assert(to: _Lowering, node: cst.Assert) -> Stmt:
    return AssertStmt(to.expr(node.test), to.at.span(node))


def _raise(to: _Lowering, node: cst.Raise) -> Stmt:
    return Raise(to.optional(node.exc), to.at.span(node))


def _handler(to: _Lowering, node: cst.ExceptHandler | cst.ExceptStarHandler) -> Stmts:
    """The body of an except clause; what the clause itself evaluates and binds comes first."""
    body = to.suite(node.body)
    if node.type is None:
        return body
    bound = () if node.name is None else names_bound(node.name.name)
    return (UnknownStmt("except", (to.expr(node.type),), bound, (), to.at.span(node.type)), *body)


def _try(to: _Lowering, node: cst.Try) -> Stmt:
    handlers = tuple(_handler(to, handler) for handler in node.handlers)
    return Try(to.suite(node.body), handlers, to.orelse(node.orelse), to.orelse(node.finalbody), to.at.span(node))


def _try_star(to: _Lowering, node: cst.TryStar) -> Stmt:
    handled = tuple(statement for handler in node.handlers for statement in _handler(to, handler))
    body = to.suite(node.body) + handled + to.orelse(node.orelse) + to.orelse(node.finalbody)
    return UnknownStmt("try star", (), (), body, to.at.span(node))


def _function(to: _Lowering, node: cst.FunctionDef) -> Stmt:
    span = to.at.span(node)
    first_line = to.at.first_line(node.decorators[0]) if node.decorators else span.line
    return FuncDef(
        node.name.value,
        lower_params(to.at, node.params),
        to.suite(node.body),
        tuple(to.expr(decorator.decorator) for decorator in node.decorators),
        span,
        to.at.span(node.name),
        None if node.returns is None else to.expr(node.returns.annotation),
        node.asynchronous is not None,
        to.comments_of(first_line, span.end_line) if to.comments else (),
    )


def _class(to: _Lowering, node: cst.ClassDef) -> Stmt:
    return ClassDef(
        node.name.value,
        tuple(to.expr(base.value) for base in node.bases),
        tuple(to.expr(decorator.decorator) for decorator in node.decorators),
        to.suite(node.body),
        to.at.span(node),
    )


def _dotted(node: cst.CSTNode | None) -> str:
    """`a.b.c` of nested attributes of names; empty for None."""
    if node is None:
        return ""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    assert isinstance(node, cst.Name)
    return ".".join((node.value, *reversed(parts)))


def _import(to: _Lowering, node: cst.Import) -> Stmt:
    names = []
    for alias in node.names:
        dotted = _dotted(alias.name)
        local = dotted.partition(".")[0]
        # `import a.b` binds `a`
        names.append((local, local) if alias.asname is None else (_dotted(alias.asname.name), dotted))
    return ImportStmt(tuple(names), 0, to.at.span(node))


def _import_from(to: _Lowering, node: cst.ImportFrom) -> Stmt:
    base = _dotted(node.module)
    prefix = base + "." if base else ""
    names = [("*", base)] if isinstance(node.names, cst.ImportStar) else [
        (_dotted(alias.name if alias.asname is None else alias.asname.name), prefix + _dotted(alias.name))
        for alias in node.names
    ]
    return ImportStmt(tuple(names), len(node.relative), to.at.span(node))


def _delete(to: _Lowering, node: cst.Del) -> Stmt:
    return UnknownStmt("del", (to.expr(node.target),), names_bound(node.target), (), to.at.span(node))


def _scope(what: str) -> Callable[[_Lowering, Any], Stmt]:
    def lower(to: _Lowering, node: cst.Global | cst.Nonlocal) -> Stmt:
        return UnknownStmt(what, (), tuple(item.name.value for item in node.names), (), to.at.span(node))

    return lower


def _match(to: _Lowering, node: cst.Match) -> Stmt:
    children = [to.expr(node.subject)]
    assigns: list[str] = []
    body: list[Stmt] = []
    for case in node.cases:
        children.extend(sub_expressions(to.at, case.pattern))
        children.extend(() if case.guard is None else (to.expr(case.guard),))
        assigns.extend(names_bound(case.pattern))
        body.extend(to.suite(case.body))
    return UnknownStmt("match", tuple(children), tuple(dict.fromkeys(assigns)), tuple(body), to.at.span(node))


def _unknown(to: _Lowering, node: cst.CSTNode) -> Stmt:
    """A statement that this version does not know: every name below it counts as bound."""
    return UnknownStmt("statement", sub_expressions(to.at, node), names_bound(node), (), to.at.span(node))


_STATEMENTS: Final[dict[type[cst.CSTNode], Callable[[_Lowering, Any], Stmt]]] = {
    cst.Expr: _expression,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated_assign,
    cst.AugAssign: _augmented_assign,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.With: _with,
    cst.Return: _return,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Pass: _pass,
    cst.Assert: _assert,
    cst.Raise: _raise,
    cst.Try: _try,
    cst.TryStar: _try_star,
    cst.FunctionDef: _function,
    cst.ClassDef: _class,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.Del: _delete,
    cst.Global: _scope("global"),
    cst.Nonlocal: _scope("nonlocal"),
    cst.Match: _match,
}
