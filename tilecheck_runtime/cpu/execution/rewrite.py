"""Rewrites the source of device functions where Python and the compiler differ.

In Python a number that changes in a loop stays a Python number. The compiler gives it a type where paths meet: at the
head of a loop, after a branch on a value that it does not know, at the return of a helper with several returns. The
rewritten function calls `join` there. `not`, `and`, `or` and `in` of device values give device values. Expressions of
`static_eval` and its relatives become functions of the host. Lines and columns do not change.
"""

from __future__ import annotations

import ast
import copy
import functools
import linecache
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, Final, TypeVar

from tilecheck_runtime.cpu.execution.meeting import MEMBERS
from tilecheck_runtime.cpu.execution.paths import Branch, Loop

__all__ = ["STATIC", "Rewritten", "rewrite_function"]

STATIC: Final = frozenset({"static_eval", "static_iter", "static_assert", "static_exception"})
"""Functions whose arguments are expressions of the host."""
_FUTURE: Final = 0x1000000
"""Compiler flag of `from __future__ import annotations`."""
_MARK: Final = "@"
"""Begins the names that rewritten code adds; no name in a source has it."""
_Function = ast.FunctionDef | ast.Lambda
N = TypeVar("N", bound=ast.AST)


@dataclass(frozen=True)
class Rewritten:
    """A function after the rewrite.

    code     of the function
    statics  code of the host expressions in it, by the global that calls them
    regions  the statements and expressions of paths that meet, by the global that holds them
    found    whether the source was found; if not, the code is that of Python
    """

    code: CodeType
    statics: Mapping[str, CodeType]
    regions: Mapping[str, Branch | Loop | ast.expr]
    found: bool = True


def rewrite_function(function: FunctionType, is_static: Callable[[ast.expr], str | None]) -> Rewritten | None:
    """Returns the rewritten function; None if its source is not available or is not that of its code.

    `is_static` gives the name of the function among STATIC that an expression denotes.
    """
    code = function.__code__
    found = _definition(code)
    if found is None:
        return None
    plain = _compile(copy.deepcopy(found), code)
    if plain is None or not _is_same_code(plain, code):
        return None
    rewriter = _Rewriter(is_static, code.co_freevars)
    node = rewriter.rewrite(copy.deepcopy(found))
    made = _compile(node, code)
    if made is None:
        return None
    statics = {name: compiled for name, expression in rewriter.statics.items()
               if (compiled := _compile(expression, code)) is not None}
    return Rewritten(made, statics, rewriter.regions) if len(statics) == len(rewriter.statics) else None


def _is_same_code(a: CodeType, b: CodeType) -> bool:
    """Whether a source still is that of a function: equal names and constants. The instructions of a call also depend
    on the imports of the module."""
    names = (a.co_names, a.co_varnames, a.co_freevars) == (b.co_names, b.co_varnames, b.co_freevars)
    return names and len(a.co_consts) == len(b.co_consts) and all(
        _is_same_code(c, d) if isinstance(c, CodeType) and isinstance(d, CodeType) else repr(c) == repr(d)
        for c, d in zip(a.co_consts, b.co_consts, strict=True))


# --- source ----------------------------------------------------------------------------------------------------------

@functools.lru_cache(maxsize=256)
def _functions(lines: tuple[str, ...]) -> Mapping[int, Sequence[_Function]]:
    """The functions of a file, by their first line."""
    found: dict[int, list[_Function]] = {}
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:
        return found
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            found.setdefault(min([node.lineno, *(d.lineno for d in node.decorator_list)]), []).append(node)
        elif isinstance(node, ast.Lambda):
            found.setdefault(node.lineno, []).append(node)
    return found


def _definition(code: CodeType) -> _Function | None:
    """The definition of a function in its file, if there is exactly one on its line."""
    linecache.checkcache(code.co_filename)
    lines = tuple(linecache.getlines(code.co_filename))
    nodes = [n for n in _functions(lines).get(code.co_firstlineno, ())
             if getattr(n, "name", "<lambda>") == code.co_name]
    return nodes[0] if len(nodes) == 1 else None


def _compile(node: _Function, like: CodeType) -> CodeType | None:
    """Compiles a function with the free variables of another. None if Python refuses it."""
    inner: ast.stmt
    name = "<lambda>"
    if isinstance(node, ast.FunctionDef):
        # another name than its own, which would be a variable of the function around it
        name = node.name = f"{_MARK}inner"
        node.decorator_list, node.returns = [], None
        inner = node
    else:
        inner = ast.Expr(node)
    outer = ast.FunctionDef(name=f"{_MARK}outer", args=_arguments(like.co_freevars), body=[inner],
                            decorator_list=[], returns=None, type_comment=None)
    if hasattr(ast, "type_param"):
        outer.type_params = []  # type: ignore[attr-defined]
    module = ast.Module([ast.copy_location(outer, node)], [])
    ast.fix_missing_locations(module)
    try:
        whole = compile(module, like.co_filename, "exec", like.co_flags & _FUTURE, dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    [scope] = _codes(whole)
    # functions among the defaults come before the function itself
    made = [c for c in _codes(scope) if c.co_name == name][-1:]
    return made[0].replace(co_name=like.co_name, co_qualname=like.co_qualname) if made else None


def _read_variables(expression: ast.expr, known: Iterable[str]) -> list[str]:
    """The variables among `known` that an expression reads, by Python's own scopes."""
    inner = ast.Lambda(_arguments(()), copy.deepcopy(expression))
    outer = ast.fix_missing_locations(ast.Expression(ast.Lambda(_arguments(sorted(known)), inner)))
    [scope] = _codes(compile(outer, "", "eval"))
    return sorted(name for code in _codes(scope)[:1] for name in code.co_freevars)


def _codes(code: CodeType) -> list[CodeType]:
    return [c for c in code.co_consts if isinstance(c, CodeType)]


def _arguments(names: Iterable[str]) -> ast.arguments:
    return ast.arguments(posonlyargs=[], args=[ast.arg(name) for name in names], vararg=None, kwonlyargs=[],
                         kw_defaults=[], kwarg=None, defaults=[])


# --- names -----------------------------------------------------------------------------------------------------------

_SCOPES: Final = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.AsyncFunctionDef, ast.ListComp, ast.SetComp,
                  ast.DictComp, ast.GeneratorExp)


def _walk(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """All nodes, without those inside functions and comprehensions."""
    stack = list(nodes)
    while stack:
        node = stack.pop()
        yield node
        if not isinstance(node, _SCOPES):
            stack.extend(ast.iter_child_nodes(node))


def _all_stored_names(nodes: Iterable[ast.AST]) -> set[str]:
    """All names that statements, or comprehensions and functions inside them, assign."""
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def _stored_names(nodes: Iterable[ast.AST]) -> list[str]:
    """The variables that statements assign, sorted."""
    return sorted({n.id for n in _walk(nodes) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)})


def _contains_return(nodes: Iterable[ast.AST]) -> bool:
    return any(isinstance(n, ast.Return) for n in _walk(nodes))


def _always_jumps(body: Sequence[ast.stmt]) -> bool:
    """Whether control never reaches the end of statements."""
    for statement in body:
        match statement:
            case ast.Return() | ast.Break() | ast.Continue() | ast.Raise():
                return True
            case ast.If(body=then, orelse=otherwise) if _always_jumps(then) and _always_jumps(otherwise):
                return True
            case ast.With(body=inner) if _always_jumps(inner):
                return True
    return False


def _has_early_return(body: Sequence[ast.stmt]) -> bool:
    """Whether a function returns from inside a statement, so that the compiler makes a loop of its body."""
    return any(_contains_return([s]) for s in body if not isinstance(s, ast.Return))


# --- the rewrite -----------------------------------------------------------------------------------------------------

def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(name: str, *values: ast.expr) -> ast.Call:
    return ast.Call(_load(_MARK + name), list(values), [])


def _assign(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=0)


class _Rewriter(ast.NodeTransformer):
    """Rewrites one function and the functions inside it."""

    def __init__(self, is_static: Callable[[ast.expr], str | None], free: Sequence[str]) -> None:
        self.statics: dict[str, ast.Lambda] = {}
        self.regions: dict[str, Branch | Loop | ast.expr] = {}
        self._is_static, self._count = is_static, 0
        self._early: list[bool] = []
        self._locals: list[frozenset[str]] = []
        self._free = frozenset(free)

    def rewrite(self, node: _Function) -> _Function:
        return self.visit(node)  # type: ignore[no-any-return]

    def _at(self, node: N, place: ast.AST) -> N:
        """Gives new nodes the location of an old one."""
        for part in ast.walk(node):
            if "lineno" in part._attributes and not getattr(part, "lineno", 0):
                ast.copy_location(part, place)
        return node

    def _temporary(self) -> str:
        self._count += 1
        return f"{_MARK}{self._count}"

    def _statements(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for statement in body:
            made = self.visit(statement)
            done += made if isinstance(made, list) else [made]
        return done

    def _joins(self, names: Iterable[str], place: ast.AST) -> list[ast.stmt]:
        """Statements that join variables, if they have a value."""
        return [self._guard(_assign(n, _call("join", _load(n))), ast.Pass(), place) for n in names]

    def _meet(self, names: Sequence[str], paths: Sequence[Sequence[ast.stmt]], place: ast.AST,
              condition: str) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Statements before and after paths: they keep the values of variables, and join those that are not the same
        constant on all paths. A loop has one path, and no condition."""
        number = len(self.regions)
        region, prefix = f"{_MARK}region{number}", f"{_MARK}{number}_"
        kept = [copy.deepcopy(list(path)) for path in paths]
        self.regions[region] = Branch((kept[0], kept[1]), names, prefix) if condition else Loop(kept[0], names, prefix)
        before = [self._guard(_assign(prefix + n, _load(n)), ast.Pass(), place) for n in names]
        rest = [_load(region), *([_load(condition)] if condition else [])]
        what = "meet" if condition else "repeat"
        made = [_call(what, ast.Constant(n), _load(n), *copy.deepcopy(rest)) for n in names]
        after = [self._guard(_assign(n, value), ast.Pass(), place) for n, value in zip(names, made, strict=True)]
        return before, after

    def _guard(self, statement: ast.stmt, otherwise: ast.stmt, place: ast.AST) -> ast.stmt:
        """A statement, and another one for a variable without value."""
        handler = ast.ExceptHandler(_load(f"{_MARK}unbound"), None, [otherwise])
        return self._at(ast.Try([statement], [handler], [], []), place)

    # functions

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:
        return self._function(node)

    def visit_Lambda(self, node: ast.Lambda) -> Any:
        return self._function(node)

    def _function(self, node: Any) -> Any:
        body = node.body if isinstance(node, ast.FunctionDef) else [node.body]
        a = node.args
        names = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg) if p is not None]
        inner = [n.name for n in _walk(body) if isinstance(n, ast.FunctionDef)]
        generator = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _walk(body))
        early = isinstance(node, ast.FunctionDef) and not generator and _has_early_return(body)
        if self._locals:
            a.defaults = [self.visit(d) for d in a.defaults]
            a.kw_defaults = [None if d is None else self.visit(d) for d in a.kw_defaults]
        self._early.append(early)
        self._locals.append(frozenset((*names, *_all_stored_names(body), *inner)))
        if isinstance(node, ast.FunctionDef):
            changed = [n for n in _stored_names(body) if n in names] if early else []
            start = [self._at(_assign(f"{_MARK}returning", ast.Constant(False)), node)] if early else []
            node.body = [*start, *self._joins(changed, node), *self._statements(body)]
        else:
            node.body = self.visit(node.body)
        self._early.pop()
        self._locals.pop()
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        self.generic_visit(node)
        if self._early[-1] and node.value is not None:
            node.value = self._at(_call("join", node.value, _load(f"{_MARK}returning")), node)
        return node

    # branches

    def visit_If(self, node: ast.If) -> list[ast.stmt]:
        both = [*node.body, *node.orelse]
        names = _stored_names(both)
        leaves = self._early[-1] and _contains_return(both)
        ends = _always_jumps(node.body) or (bool(node.orelse) and _always_jumps(node.orelse))
        name = self._temporary()
        first, last = ([], []) if ends else self._meet(names, [node.body, node.orelse], node, name)
        condition = self.visit(node.test)
        node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
        node.test = condition
        if (not names or ends) and not leaves:
            return [node]
        before = [*first, self._at(_assign(name, condition), condition)]
        node.test = self._at(_load(name), condition)
        if leaves:
            flag = f"{_MARK}returning"
            before.append(self._at(_assign(flag, _call("either", _load(flag), _load(name))), condition))
        return [*before, node, *last]

    def visit_IfExp(self, node: ast.IfExp) -> ast.IfExp:
        others = [self._keep(node.orelse), self._keep(node.body)]
        self.generic_visit(node)
        node.test = self._at(_call("enter", node.test), node.test)
        node.body = self._at(_call("leave", node.body, _load(others[0])), node.body)
        node.orelse = self._at(_call("leave", node.orelse, _load(others[1])), node.orelse)
        return node

    def _keep(self, expression: ast.expr) -> str:
        """The global that holds an expression."""
        name = f"{_MARK}region{len(self.regions)}"
        self.regions[name] = copy.deepcopy(expression)
        return name

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        first, *rest = node.values
        node.values = [self._at(_call("first", first), first), *(self._at(_call("next", v), v) for v in rest)]
        return self._at(_call("last", node), node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        return self._at(_call("negate", node.operand), node) if isinstance(node.op, ast.Not) else node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        match node:
            case ast.Compare(ops=[_, _, *_]):
                return self._split_chain(node)
        self.generic_visit(node)
        match node:
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn() as operator], comparators=[items]):
                found = self._at(_call("contains", left, items), node)
                return self._at(_call("negate", found), node) if isinstance(operator, ast.NotIn) else found
        return node

    def _split_chain(self, node: ast.Compare) -> ast.expr:
        """`a < b < c` as `a < b and b < c`, where `b` is evaluated once."""
        left = node.left
        values: list[ast.expr] = []
        for operator, right in zip(node.ops, node.comparators, strict=True):
            again = right
            if right is not node.comparators[-1] and not isinstance(right, (ast.Name, ast.Constant)):
                name = self._temporary()
                right, again = ast.NamedExpr(ast.Name(name, ast.Store()), right), _load(name)
            values.append(self._at(ast.Compare(left, [operator], [right]), node))
            left = copy.deepcopy(again)
        return self.visit_BoolOp(self._at(ast.BoolOp(ast.And(), values), node))

    # loops

    def visit_For(self, node: ast.For) -> list[ast.stmt]:
        if isinstance(node.iter, ast.Call) and self._is_static_call(node.iter) == "static_iter":
            node.iter = self.visit(node.iter)
            node.body, node.orelse = self._statements(node.body), self._statements(node.orelse)
            return [node]
        target, names = set(_stored_names([node.target])), _stored_names([node.target, *node.body])
        leaves = self._early[-1] and _contains_return(node.body)
        before: list[ast.stmt] = [self._at(_assign(f"{_MARK}returning", ast.Constant(True)), node)] if leaves else []
        first, last = self._meet(names, [node.body], node, "")
        node.iter = self.visit(node.iter)
        node.body = [*self._joins([n for n in names if n not in target], node), *self._statements(node.body)]
        node.orelse = self._statements(node.orelse)
        return [*first, *before, node, *last]

    def visit_While(self, node: ast.While) -> list[ast.stmt]:
        names = _stored_names(node.body)
        leaves = self._early[-1] and _contains_return(node.body)
        before: list[ast.stmt] = [self._at(_assign(f"{_MARK}returning", ast.Constant(True)), node)] if leaves else []
        test = self.visit(node.test)
        body = self._statements(node.body)
        if node.orelse:
            node.test, node.body, node.orelse = test, body, self._statements(node.orelse)
            return [*before, node]
        if not (isinstance(test, ast.Constant) and test.value):
            body = [self._at(ast.If(test, [ast.Pass()], [ast.Break()]), test), *body]
        node.test = self._at(ast.Constant(True), test)
        node.body = [*self._joins(names, node), *body]
        return [*before, node, *self._joins(names, node)]

    # members of numbers

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        self.generic_visit(node)
        if not isinstance(node.ctx, ast.Load) or node.attr not in MEMBERS:
            return node
        return self._at(_call("member", node.value, ast.Constant(node.attr)), node)

    # expressions of the host

    def _is_static_call(self, node: ast.expr) -> str | None:
        match node:
            case ast.Call(func=function, args=[_, *_], keywords=[]) if not any(
                    isinstance(a, ast.Starred) for a in node.args):
                named = next((n.id for n in ast.walk(function) if isinstance(n, ast.Name)), "")
                return None if any(named in names for names in self._locals) else self._is_static(function)
        return None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if self._is_static_call(node) is None:
            self.generic_visit(node)
            return node
        node.args = [self._static(argument) for argument in node.args]
        return node

    def _static(self, expression: ast.expr) -> ast.expr:
        """Moves an expression to a function of the host, and returns its call with the local variables it reads."""
        used = _read_variables(expression, frozenset().union(*self._locals))
        name = f"{_MARK}static{len(self.statics)}"
        made = ast.Lambda(_arguments(used), expression)
        self.statics[name] = ast.copy_location(made, expression)
        variables = [self._at(_load(n), expression) for n in used]
        return self._at(_call("static", self._at(ast.Constant(name), expression), *variables), expression)
