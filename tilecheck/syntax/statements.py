"""Lowers statements of the interpreter's syntax tree to the kernel tree, by a table of node types.

The tree of a file is parsed once, for its skeleton, and required parts are lowered from it. `lower_block` is for
separate text. No later stage depends on a parser.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterable
from typing import Any, Final

from tilecheck.syntax.expressions import OPERATORS, lower_expr, lower_params, names_bound, sub_expressions
from tilecheck.syntax.spans import Comment, Locator
from tilecheck.syntax.text import collector_paused
from tilecheck.syntax.tree import (
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
    Sequence,
    Span,
    Stmt,
    Try,
    UnknownStmt,
    While,
    With,
)

__all__ = ["LowerError", "lower_block", "lower_statement", "lower_value"]

Stmts = tuple[Stmt, ...]


class LowerError(Exception):
    """The text cannot be parsed, or nests too deeply."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def lower_block(text: str, file: str, first_line: int = 1) -> Stmts:
    """Lower whole statements of `file`. `text` may be indented; its first line is `first_line` of the file.

    Lines must end in a newline only and not begin with a form feed. Raises `LowerError`.
    """
    # an indented block needs a header; an extra line above it changes no column and no string
    indented = text[:1] in (" ", "\t", "#") and _is_indented(text)
    if indented:
        text, first_line = "if 1:\n" + text, first_line - 1
    try:
        with collector_paused(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(text)
        lines = text.split("\n")
        at = Locator(file, lines, first_line)
        body = module.body
        if indented and isinstance(body[0], ast.If):
            body = body[0].body
        return _Lowering(at, at.comments(1, len(lines))).lower_block(body)
    except SyntaxError as error:
        raise LowerError("invalid syntax", (error.lineno or 1) + first_line - 1) from None
    except ValueError:  # null bytes, lone surrogates
        raise LowerError("invalid syntax", first_line) from None
    except (RecursionError, MemoryError):
        raise _too_deep(first_line) from None


def lower_statement(node: ast.stmt, at: Locator, above: int) -> Stmts:
    """Lower a statement of a file; `above` is the last line of the previous statement. Raises `LowerError`."""
    first = min([node.lineno, *(decorator.lineno for decorator in getattr(node, "decorator_list", ()))])
    # text that begins at another line might begin inside a string
    while first - 1 > above and at.lines[first - 2].lstrip().startswith("#"):
        first -= 1
    try:
        return _Lowering(at, at.comments(first, node.end_lineno or node.lineno)).lower_statement(node)
    except RecursionError:
        raise _too_deep(first) from None


def lower_value(node: ast.expr, at: Locator) -> Expr:
    """Lower an expression of a file. Raises `LowerError`."""
    try:
        return lower_expr(at, node)
    except RecursionError:
        raise _too_deep(node.lineno) from None


def _too_deep(line: int) -> LowerError:
    return LowerError("the code nests too deeply to be analysed", max(line, 1))


def _is_indented(text: str) -> bool:
    for line in text.split("\n"):
        code = line.lstrip(" \t")
        if code and not code.startswith("#"):
            return line[0] in " \t"
    return False


class _Lowering:
    """Lowers the statements of one parsed text."""

    def __init__(self, at: Locator, comments: list[Comment]) -> None:
        self.at = at
        self.comments = comments

    def lower_expr(self, node: ast.expr) -> Expr:
        return lower_expr(self.at, node)

    def lower_optional(self, node: ast.expr | None) -> Expr | None:
        return None if node is None else lower_expr(self.at, node)

    def lower_exprs(self, nodes: Iterable[ast.expr]) -> tuple[Expr, ...]:
        return tuple([lower_expr(self.at, node) for node in nodes])

    def lower_block(self, nodes: Iterable[ast.stmt]) -> Stmts:
        return tuple([statement for node in nodes for statement in self.lower_statement(node)])

    def lower_statement(self, node: ast.stmt) -> Stmts:
        handler = _STATEMENTS.get(type(node), _lower_unknown)
        return (handler(self, node),)

    def comments_of(self, first_line: int, last_line: int) -> tuple[tuple[int, str], ...]:
        """Comments on these lines, and on comment lines directly above the first."""
        alone = {line for line, _, own in self.comments if own}
        while first_line - 1 in alone:
            first_line -= 1
        return tuple((line, text) for line, text, _ in self.comments if first_line <= line <= last_line)


def _lower_expression(to: _Lowering, node: ast.Expr) -> Stmt:
    return ExprStmt(to.lower_expr(node.value), to.at.span(node))


def _lower_assign(to: _Lowering, node: ast.Assign) -> Stmt:
    return Assign(to.lower_exprs(node.targets), to.lower_expr(node.value), to.at.span(node))


def _lower_annotated_assign(to: _Lowering, node: ast.AnnAssign) -> Stmt:
    target, annotation, span = to.lower_expr(node.target), to.lower_expr(node.annotation), to.at.span(node)
    if node.value is None:
        return Annotated(target, annotation, span)
    return Assign((target,), to.lower_expr(node.value), span, annotation)


def _lower_augmented_assign(to: _Lowering, node: ast.AugAssign) -> Stmt:
    return AugAssign(to.lower_expr(node.target), OPERATORS[type(node.op)], to.lower_expr(node.value), to.at.span(node))


def _lower_if(to: _Lowering, node: ast.If) -> Stmt:
    return If(to.lower_expr(node.test), to.lower_block(node.body), to.lower_block(node.orelse), to.at.span(node))


def _lower_for(to: _Lowering, node: ast.For) -> Stmt:
    target, iterable = to.lower_expr(node.target), to.lower_expr(node.iter)
    return For(target, iterable, to.lower_block(node.body), to.lower_block(node.orelse), to.at.span(node))


def _lower_async_for(to: _Lowering, node: ast.AsyncFor) -> Stmt:
    target, iterable = to.lower_expr(node.target), to.lower_expr(node.iter)
    body = to.lower_block(node.body) + to.lower_block(node.orelse)
    return UnknownStmt("async for", (iterable, target), names_bound(node.target), body, to.at.span(node))


def _lower_while(to: _Lowering, node: ast.While) -> Stmt:
    return While(to.lower_expr(node.test), to.lower_block(node.body), to.lower_block(node.orelse), to.at.span(node))


def _lower_with(to: _Lowering, node: ast.With) -> Stmt:
    items = tuple((to.lower_expr(item.context_expr), to.lower_optional(item.optional_vars)) for item in node.items)
    return With(items, to.lower_block(node.body), to.at.span(node))


def _lower_async_with(to: _Lowering, node: ast.AsyncWith) -> Stmt:
    targets = [item.optional_vars for item in node.items]
    children = (part for item in node.items for part in (item.context_expr, item.optional_vars) if part is not None)
    assigns = tuple(name for target in targets if target is not None for name in names_bound(target))
    return UnknownStmt("async with", to.lower_exprs(children), assigns, to.lower_block(node.body), to.at.span(node))


def _lower_return(to: _Lowering, node: ast.Return) -> Stmt:
    return Return(to.lower_optional(node.value), to.at.span(node))


def _lower_break(to: _Lowering, node: ast.Break) -> Stmt:
    return Break(to.at.span(node))


def _lower_continue(to: _Lowering, node: ast.Continue) -> Stmt:
    return Continue(to.at.span(node))


def _lower_pass(to: _Lowering, node: ast.Pass) -> Stmt:
    return Pass(to.at.span(node))


def _lower_assert(to: _Lowering, node: ast.Assert) -> Stmt:
    return AssertStmt(to.lower_expr(node.test), to.at.span(node))


def _lower_raise(to: _Lowering, node: ast.Raise) -> Stmt:
    return Raise(to.lower_optional(node.exc), to.at.span(node))


def _lower_handler(to: _Lowering, node: ast.ExceptHandler) -> Stmts:
    """The body of an except clause, after a statement for the type that it evaluates and the name that it binds."""
    body = to.lower_block(node.body)
    if node.type is None:
        return body
    bound = () if node.name is None else (node.name,)
    return (UnknownStmt("except", (to.lower_expr(node.type),), bound, (), to.at.span(node.type)), *body)


def _lower_try(to: _Lowering, node: ast.Try) -> Stmt:
    handlers = tuple(_lower_handler(to, handler) for handler in node.handlers)
    body, orelse = to.lower_block(node.body), to.lower_block(node.orelse)
    return Try(body, handlers, orelse, to.lower_block(node.finalbody), to.at.span(node))


def _lower_try_star(to: _Lowering, node: ast.TryStar) -> Stmt:
    handled = tuple(statement for handler in node.handlers for statement in _lower_handler(to, handler))
    body = to.lower_block(node.body) + handled + to.lower_block(node.orelse) + to.lower_block(node.finalbody)
    return UnknownStmt("try star", (), (), body, to.at.span(node))


def _lower_function(to: _Lowering, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Stmt:
    span = to.at.span(node)
    first_line = min((to.at.span(decorator).line for decorator in node.decorator_list), default=span.line)
    return FuncDef(
        node.name,
        lower_params(to.at, node.args),
        to.lower_block(node.body),
        to.lower_exprs(node.decorator_list),
        span,
        to.at.name_span(node),
        to.lower_optional(node.returns),
        isinstance(node, ast.AsyncFunctionDef),
        to.comments_of(first_line, span.end_line) if to.comments else (),
    )


def _lower_class(to: _Lowering, node: ast.ClassDef) -> Stmt:
    bases = [base.value if isinstance(base, ast.Starred) else base for base in node.bases]
    decorators = to.lower_exprs(node.decorator_list)
    return ClassDef(node.name, to.lower_exprs(bases), decorators, to.lower_block(node.body), to.at.span(node))


def _lower_import(to: _Lowering, node: ast.Import) -> Stmt:
    names = []
    for alias in node.names:
        local = alias.name.partition(".")[0]
        # `import a.b` binds `a`
        names.append((local, local) if alias.asname is None else (alias.asname, alias.name))
    return ImportStmt(tuple(names), 0, to.at.span(node))


def _lower_import_from(to: _Lowering, node: ast.ImportFrom) -> Stmt:
    base = node.module or ""
    prefix = base + "." if base else ""
    names = [("*", base) if alias.name == "*" else (alias.asname or alias.name, prefix + alias.name)
             for alias in node.names]
    return ImportStmt(tuple(names), node.level, to.at.span(node))


def _lower_delete(to: _Lowering, node: ast.Delete) -> Stmt:
    span = to.at.span(node)
    targets = to.lower_exprs(node.targets)
    if len(targets) > 1:
        first, last = targets[0].span, targets[-1].span
        around = Span(span.file, first.line, first.column, last.end_line, last.end_column)
        targets = (Sequence("tuple", targets, around),)
    bound = (name for target in node.targets for name in names_bound(target))
    return UnknownStmt("del", targets, tuple(dict.fromkeys(bound)), (), span)


def _lower_scope(what: str) -> Callable[[_Lowering, Any], Stmt]:
    def lower(to: _Lowering, node: ast.Global | ast.Nonlocal) -> Stmt:
        return UnknownStmt(what, (), tuple(node.names), (), to.at.span(node))

    return lower


def _lower_match(to: _Lowering, node: ast.Match) -> Stmt:
    children = [to.lower_expr(node.subject)]
    assigns: list[str] = []
    body: list[Stmt] = []
    for case in node.cases:
        children.extend(sub_expressions(to.at, case.pattern))
        children.extend(() if case.guard is None else (to.lower_expr(case.guard),))
        assigns.extend(names_bound(case.pattern))
        body.extend(to.lower_block(case.body))
    return UnknownStmt("match", tuple(children), tuple(dict.fromkeys(assigns)), tuple(body), to.at.span(node))


def _lower_unknown(to: _Lowering, node: ast.stmt) -> Stmt:
    """A statement of an unknown type. Every name in it counts as bound."""
    return UnknownStmt("statement", sub_expressions(to.at, node), names_bound(node), (), to.at.span(node))


_STATEMENTS: Final[dict[type[ast.AST], Callable[[_Lowering, Any], Stmt]]] = {
    ast.Expr: _lower_expression,
    ast.Assign: _lower_assign,
    ast.AnnAssign: _lower_annotated_assign,
    ast.AugAssign: _lower_augmented_assign,
    ast.If: _lower_if,
    ast.For: _lower_for,
    ast.AsyncFor: _lower_async_for,
    ast.While: _lower_while,
    ast.With: _lower_with,
    ast.AsyncWith: _lower_async_with,
    ast.Return: _lower_return,
    ast.Break: _lower_break,
    ast.Continue: _lower_continue,
    ast.Pass: _lower_pass,
    ast.Assert: _lower_assert,
    ast.Raise: _lower_raise,
    ast.Try: _lower_try,
    ast.TryStar: _lower_try_star,
    ast.FunctionDef: _lower_function,
    ast.AsyncFunctionDef: _lower_function,
    ast.ClassDef: _lower_class,
    ast.Import: _lower_import,
    ast.ImportFrom: _lower_import_from,
    ast.Delete: _lower_delete,
    ast.Global: _lower_scope("global"),
    ast.Nonlocal: _lower_scope("nonlocal"),
    ast.Match: _lower_match,
}
