"""Host code lowered to the kernel tree.

Host functions need positions only in messages, and there are many of them, so they are lowered from Python's own
syntax tree, which the skeleton of a module holds already.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from weakref import WeakKeyDictionary

from tilecheck.project.module import Module
from tilecheck.project.resolve import dotted_parts
from tilecheck.syntax import tree
from tilecheck.syntax.tree import Expr, Span, Stmt
from tilecheck.syntax.walk import children, walk

_OPERATORS: Final[Mapping[type[ast.AST], str]] = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**",
    ast.LShift: "<<", ast.RShift: ">>", ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.MatMult: "@",
    ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not", ast.And: "and", ast.Or: "or",
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}

FLATTENED: Final = "flattened"
"""Kind of a comprehension whose element is the list that a further `for` gives."""


class Syntax:
    """The host code of one module, lowered definition by definition."""

    def __init__(self, module: Module) -> None:
        self.file = module.path
        self._lines = module.lines
        self._ascii = module.code.isascii()
        self._skeleton = module.skeleton
        self._functions: dict[str, tree.FuncDef] = {}
        self._classes: dict[str, tree.ClassDef] = {}
        self._body: tuple[Stmt, ...] | None = None
        self._chains: dict[ast.AST, tuple[tuple[str, ...], ...]] = {}
        declared = re.findall(r"^[ \t]+global[ \t]+([\w \t,]+)", module.code, re.MULTILINE)
        self.reassigned = frozenset(name.strip() for names in declared for name in names.split(","))
        """Module-level names that functions assign."""

    def function(self, qualname: str) -> tree.FuncDef | None:
        known = self._functions.get(qualname)
        if known is None:
            definition = self._skeleton.definitions.get(qualname)
            if definition is None:
                return None
            known = self._functions[qualname] = self._function(definition.node)
        return known

    def class_(self, name: str) -> tree.ClassDef | None:
        known = self._classes.get(name)
        if known is None:
            found = self._skeleton.classes.get(name)
            if found is None:
                return None
            known = self._classes[name] = self._class(found[0])
        return known

    def body(self) -> tuple[Stmt, ...]:
        """Statements of the module that are not definitions."""
        if self._body is None:
            self._body = self.block(
                node for node in self._skeleton.tree.body
                if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef))
        return self._body

    def chains(self, root: ast.AST) -> tuple[tuple[str, ...], ...]:
        """The names, and the chains of names with dots, in a definition or a value of the module, each once."""
        known = self._chains.get(root)
        if known is None:
            found = {parts: None for n in walk(root) if isinstance(n, ast.Name | ast.Attribute)
                     and (parts := dotted_parts(n)) is not None}
            known = self._chains[root] = tuple(found)
        return known

    def span(self, node: Any) -> Span:
        line, end = node.lineno, node.end_lineno
        if self._ascii:
            return Span(self.file, line, node.col_offset, end, node.end_col_offset)
        return Span(self.file, line, self._column(line, node.col_offset), end, self._column(end, node.end_col_offset))

    def _column(self, line: int, offset: int) -> int:
        text = self._lines[line - 1] if line <= len(self._lines) else ""
        return offset if text.isascii() else len(text.encode()[:offset].decode(errors="replace"))

    def expr(self, node: ast.expr) -> Expr:
        handler = _EXPRESSIONS.get(type(node))
        return self.unknown(node) if handler is None else handler(self, node)

    def optional(self, node: ast.expr | None) -> Expr | None:
        return None if node is None else self.expr(node)

    def unknown(self, node: ast.expr, what: str = "") -> Expr:
        return tree.Unknown(what or type(node).__name__, self.children(node), self.span(node))

    def children(self, node: ast.AST) -> tuple[Expr, ...]:
        return tuple(self.expr(child) for child in children(node) if isinstance(child, ast.expr))

    def block(self, nodes: Iterable[ast.stmt]) -> tuple[Stmt, ...]:
        return tuple(self.stmt(node) for node in nodes)

    def stmt(self, node: ast.stmt) -> Stmt:
        handler = _STATEMENTS.get(type(node))
        return self.unknown_stmt(node) if handler is None else handler(self, node)

    def unknown_stmt(self, node: ast.stmt, what: str = "") -> Stmt:
        """A statement with no counterpart: all that it may bind, and the statements inside it."""
        bound = tuple(dict.fromkeys(_bound(node)))
        inner = self.block(_inner(node))
        return tree.UnknownStmt(what or type(node).__name__, self.children(node), bound, inner, self.span(node))

    def params(self, node: ast.arguments) -> tuple[tree.Param, ...]:
        positional = [*node.posonlyargs, *node.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(node.defaults))
        out = [self._param(a, d, "positional") for a, d in zip(positional, [*defaults, *node.defaults], strict=True)]
        if node.vararg is not None:
            out.append(self._param(node.vararg, None, "*"))
        out += [self._param(a, d, "keyword") for a, d in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
        if node.kwarg is not None:
            out.append(self._param(node.kwarg, None, "**"))
        return tuple(out)

    def _param(self, node: ast.arg, default: ast.expr | None, kind: str) -> tree.Param:
        return tree.Param(
            node.arg, self.optional(node.annotation), self.optional(default), kind, self.span(node))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> tree.FuncDef:
        span = self.span(node)
        return tree.FuncDef(
            node.name, self.params(node.args), self.block(node.body),
            tuple(self.expr(d) for d in node.decorator_list), span, span, None, isinstance(node, ast.AsyncFunctionDef))

    def _class(self, node: ast.ClassDef) -> tree.ClassDef:
        return tree.ClassDef(
            node.name, tuple(self.expr(b) for b in node.bases), tuple(self.expr(d) for d in node.decorator_list),
            self.block(s for s in node.body if not isinstance(s, ast.FunctionDef | ast.AsyncFunctionDef)),
            self.span(node))


_KNOWN: Final[WeakKeyDictionary[Module, Syntax]] = WeakKeyDictionary()


def syntax(module: Module) -> Syntax:
    """The host code of a module."""
    known = _KNOWN.get(module)
    if known is None:
        known = _KNOWN[module] = Syntax(module)
    return known


def _bound(node: ast.AST) -> Iterable[str]:
    for child in walk(node):
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store | ast.Del):
            yield child.id
        elif isinstance(child, ast.MatchAs | ast.MatchStar) and child.name is not None:
            yield child.name


def _inner(node: ast.AST) -> Iterable[ast.stmt]:
    for child in children(node):
        if isinstance(child, ast.stmt):
            yield child
        elif isinstance(child, ast.match_case | ast.ExceptHandler):
            yield from child.body


# --- expressions -----------------------------------------------------------------------------------------------------

def _constant(at: Syntax, node: ast.Constant) -> Expr:
    if isinstance(node.value, bytes | complex):
        return tree.Unknown(type(node.value).__name__, (), at.span(node))
    return tree.Constant(node.value, at.span(node))


def _call(at: Syntax, node: ast.Call) -> Expr:
    return tree.Call(
        at.expr(node.func), tuple(at.expr(a) for a in node.args),
        tuple(tree.Keyword(k.arg, at.expr(k.value)) for k in node.keywords), at.span(node))


def _subscript(at: Syntax, node: ast.Subscript) -> Expr:
    inner = node.slice
    items = tuple(at.expr(e) for e in inner.elts) if isinstance(inner, ast.Tuple) and len(inner.elts) > 1 else (
        at.expr(inner),)
    return tree.Subscript(at.expr(node.value), items, at.span(node))


def _compare(at: Syntax, node: ast.Compare) -> Expr:
    return tree.Compare(
        at.expr(node.left), tuple(_OPERATORS[type(op)] for op in node.ops),
        tuple(at.expr(right) for right in node.comparators), at.span(node))


def _sequence(kind: str) -> Callable[[Syntax, Any], Expr]:
    return lambda at, node: tree.Sequence(kind, tuple(at.expr(e) for e in node.elts), at.span(node))


def _comprehension(kind: str) -> Callable[[Syntax, Any], Expr]:
    def lower(at: Syntax, node: ast.ListComp | ast.SetComp | ast.GeneratorExp) -> Expr:
        if any(loop.is_async for loop in node.generators):
            return at.unknown(node, "comprehension")
        element = at.expr(node.elt)
        span = at.span(node)
        for depth, loop in enumerate(reversed(node.generators)):
            outermost = depth == len(node.generators) - 1
            inner = depth == 0
            element = tree.Comprehension(
                (kind if outermost else "list") if inner else FLATTENED, element, at.expr(loop.target),
                at.expr(loop.iter), tuple(at.expr(c) for c in loop.ifs), span)
        return element
    return lower


def _dict(at: Syntax, node: ast.Dict) -> Expr:
    return tree.DictExpr(
        tuple(at.optional(k) for k in node.keys), tuple(at.expr(v) for v in node.values), at.span(node))


def _walrus(at: Syntax, node: ast.NamedExpr) -> Expr:
    return tree.Unknown("assignment expression", (at.expr(node.value),), at.span(node), (node.target.id,))


_EXPRESSIONS: Final[Mapping[type[ast.expr], Callable[[Syntax, Any], Expr]]] = {
    ast.Name: lambda at, n: tree.Name(n.id, at.span(n)),
    ast.Constant: _constant,
    ast.Attribute: lambda at, n: tree.Attribute(at.expr(n.value), n.attr, at.span(n)),
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: lambda at, n: tree.SliceExpr(
        at.optional(n.lower), at.optional(n.upper), at.optional(n.step), at.span(n)),
    ast.BinOp: lambda at, n: tree.BinOp(_OPERATORS[type(n.op)], at.expr(n.left), at.expr(n.right), at.span(n)),
    ast.UnaryOp: lambda at, n: tree.UnaryOp(_OPERATORS[type(n.op)], at.expr(n.operand), at.span(n)),
    ast.BoolOp: lambda at, n: tree.BoolOp(_OPERATORS[type(n.op)], tuple(at.expr(v) for v in n.values), at.span(n)),
    ast.Compare: _compare,
    ast.IfExp: lambda at, n: tree.IfExp(at.expr(n.test), at.expr(n.body), at.expr(n.orelse), at.span(n)),
    ast.Tuple: _sequence("tuple"),
    ast.List: _sequence("list"),
    ast.Set: _sequence("set"),
    ast.Dict: _dict,
    ast.ListComp: _comprehension("list"),
    ast.SetComp: _comprehension("set"),
    ast.GeneratorExp: _comprehension("generator"),
    ast.Lambda: lambda at, n: tree.Lambda(at.params(n.args), at.expr(n.body), at.span(n)),
    ast.Starred: lambda at, n: tree.Starred(at.expr(n.value), at.span(n)),
    ast.NamedExpr: _walrus,
    ast.Yield: lambda at, n: at.unknown(n, "yield"),
    ast.YieldFrom: lambda at, n: at.unknown(n, "yield from"),
    ast.Await: lambda at, n: at.unknown(n, "await"),
    ast.JoinedStr: lambda at, n: tree.Unknown("formatted string", (), at.span(n)),
}


# --- statements ------------------------------------------------------------------------------------------------------

def _lower_annotated(at: Syntax, node: ast.AnnAssign) -> Stmt:
    target, annotation = at.expr(node.target), at.expr(node.annotation)
    if node.value is None:
        return tree.Annotated(target, annotation, at.span(node))
    return tree.Assign((target,), at.expr(node.value), at.span(node), annotation)


def _with(at: Syntax, node: ast.With) -> Stmt:
    items = tuple((at.expr(i.context_expr), at.optional(i.optional_vars)) for i in node.items)
    return tree.With(items, at.block(node.body), at.span(node))


def _try(at: Syntax, node: ast.Try | ast.TryStar) -> Stmt:
    handlers = tuple(
        (tree.UnknownStmt("except", (), () if h.name is None else (h.name,), (), at.span(h)), *at.block(h.body))
        for h in node.handlers)
    return tree.Try(at.block(node.body), handlers, at.block(node.orelse), at.block(node.finalbody), at.span(node))


def _match(at: Syntax, node: ast.Match) -> Stmt:
    """The cases one after the other, each under a condition of which nothing is known."""
    subject = at.expr(node.subject)
    out: tuple[Stmt, ...] = ()
    for case in reversed(node.cases):
        names = tuple(dict.fromkeys(_bound(case.pattern)))
        body, span = at.block(case.body), at.span(case.pattern)
        always = isinstance(case.pattern, ast.MatchAs) and case.pattern.pattern is None and case.guard is None
        if always and not names:
            out = body
            continue
        captured = tree.Unknown("case", (subject,) if case is node.cases[0] else (), span, names)
        guard = () if case.guard is None else (at.expr(case.guard),)
        out = (tree.If(tree.Unknown("case", (captured, *guard), span), body, out, at.span(node)),)
    if len(out) == 1 and isinstance(out[0], tree.If):
        return out[0]
    return tree.If(tree.Unknown("case", (subject,), at.span(node)), out, out, at.span(node))


def _delete(at: Syntax, node: ast.Delete) -> Stmt:
    """`del xs[0]` moves what comes after it: as an assignment to some items. `del c.a` may uncover another `a`."""
    targets: list[ast.expr] = list(node.targets)
    for target in targets:
        targets += target.elts if isinstance(target, ast.Tuple | ast.List) else ()
    owners = [t.value for t in targets if isinstance(t, ast.Subscript)]
    attributes = [t for t in targets if isinstance(t, ast.Attribute)]
    if not owners and not attributes:
        return at.unknown_stmt(node)
    span = at.span(node)
    everything = (tree.SliceExpr(None, None, None, span),)
    return tree.Assign((*(tree.Subscript(at.expr(o), everything, span) for o in owners), *map(at.expr, attributes),
                        *(tree.Name(n, span) for n in _bound(node))), tree.Unknown("deleted", (), span), span)


def _import(at: Syntax, node: ast.Import) -> Stmt:
    names = tuple(
        (a.name.partition(".")[0], a.name.partition(".")[0]) if a.asname is None else (a.asname, a.name)
        for a in node.names)
    return tree.ImportStmt(names, 0, at.span(node))


def _import_from(at: Syntax, node: ast.ImportFrom) -> Stmt:
    prefix = f"{node.module}." if node.module else ""
    names = tuple((a.asname or a.name, prefix + a.name) for a in node.names if a.name != "*")
    return tree.ImportStmt(names, node.level, at.span(node))


def _scope(what: str) -> Callable[[Syntax, Any], Stmt]:
    return lambda at, node: tree.UnknownStmt(what, (), tuple(node.names), (), at.span(node))


_STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[Syntax, Any], Stmt]]] = {
    ast.Expr: lambda at, n: tree.ExprStmt(at.expr(n.value), at.span(n)),
    ast.Assign: lambda at, n: tree.Assign(tuple(at.expr(t) for t in n.targets), at.expr(n.value), at.span(n)),
    ast.AnnAssign: _lower_annotated,
    ast.AugAssign: lambda at, n: tree.AugAssign(
        at.expr(n.target), _OPERATORS[type(n.op)], at.expr(n.value), at.span(n)),
    ast.If: lambda at, n: tree.If(at.expr(n.test), at.block(n.body), at.block(n.orelse), at.span(n)),
    ast.For: lambda at, n: tree.For(
        at.expr(n.target), at.expr(n.iter), at.block(n.body), at.block(n.orelse), at.span(n)),
    ast.While: lambda at, n: tree.While(at.expr(n.test), at.block(n.body), at.block(n.orelse), at.span(n)),
    ast.With: _with,
    ast.Return: lambda at, n: tree.Return(at.optional(n.value), at.span(n)),
    ast.Break: lambda at, n: tree.Break(at.span(n)),
    ast.Continue: lambda at, n: tree.Continue(at.span(n)),
    ast.Pass: lambda at, n: tree.Pass(at.span(n)),
    ast.Assert: lambda at, n: tree.AssertStmt(at.expr(n.test), at.span(n)),
    ast.Raise: lambda at, n: tree.Raise(at.optional(n.exc), at.span(n)),
    ast.Try: _try,
    ast.TryStar: _try,
    ast.Match: _match,
    ast.Delete: _delete,
    ast.FunctionDef: lambda at, n: at._function(n),
    ast.AsyncFunctionDef: lambda at, n: at._function(n),
    ast.ClassDef: lambda at, n: at._class(n),
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _scope("global"),
    ast.Nonlocal: _scope("nonlocal"),
}
