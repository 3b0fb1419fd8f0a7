"""The markers in the syntax trees of modules, which make mypy call the plugin.

mypy has no hook for a module, and no hook for code that it does not check, such as the body of a function without
annotations. But it passes the tree of each module that it has read to `get_additional_deps`, before it does anything
with it. There the plugin inserts a statement at the start: a method call on a string literal. When mypy checks this
statement, it asks for the hook of that method, and the hook reports the findings. The statement uses no name, so the
module cannot change its meaning. It is the first statement, so it is always reachable.

Worker processes (`mypy -n`) read the files again and do not call `get_additional_deps`. Nor does mypy call it for a
module that it has to check again because of another module, if it finds this out late. But mypy asks for the data of a
module when the top level is checked and the functions are not. Then the same call is inserted into the first function
of the module, inside a nested function that has a signature.

The daemon checks a module again when a name that it depends on changes. So when it has read a changed module, that
module gets a new name, on which the other modules depend whose findings have changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeGuard, TypeVar

from mypy.nodes import (
    ARG_POS,
    MISSING_FALLBACK,
    AssignmentStmt,
    Block,
    CallExpr,
    ClassDef,
    Context,
    Decorator,
    Expression,
    ExpressionStmt,
    ForStmt,
    FuncDef,
    IfStmt,
    IntExpr,
    MatchStmt,
    MemberExpr,
    MypyFile,
    NameExpr,
    RevealExpr,
    Statement,
    StrExpr,
    TryStmt,
    TypeInfo,
    WhileStmt,
    WithStmt,
)
from mypy.server.trigger import make_trigger
from mypy.types import AnyType, CallableType, Instance, TypeOfAny

from tilecheck.mypy_plugin._consts import CONTENT, MARKED, MARKER, MARKER_METHOD, REVEAL, REVEAL_METHOD

__all__ = ["depend", "is_marked", "mark", "mark_for_daemon", "mark_function", "receiver", "recheck", "watch_reveals"]

_FUNCTION: Final = "function"
_UNKNOWN_FUNCTION: Final = Instance(MISSING_FALLBACK, [])
"""The class of functions, before mypy has found `builtins.function`."""
_N = TypeVar("_N", bound=Context)


def mark(tree: MypyFile) -> None:
    """Put the marker in front of a module that was just read."""
    tree.defs.insert(0, _marker())


def mark_for_daemon(tree: MypyFile) -> None:
    """Put the marker into a function of its own, at the start of a module that was just read. The daemon checks all
    functions with errors again in each run, and modules with errors outside of functions as a whole."""
    tree.defs.insert(0, _marking_function(_UNKNOWN_FUNCTION))


def is_marked(tree: MypyFile) -> bool:
    """Whether a module has the marker in front."""
    first = tree.defs[0] if tree.defs else None
    if isinstance(first, FuncDef):
        return first.name == MARKED
    return isinstance(first, ExpressionStmt) and receiver(first.expr) == MARKER


def mark_function(tree: MypyFile, builtins: MypyFile) -> bool:
    """Put the marker into the first function of a module that was analysed; whether there is one."""
    function = builtins.names[_FUNCTION].node
    first = next(
        (node for _, symbol, _ in tree.local_definitions(impl_only=True)
         if isinstance(node := symbol.node, (FuncDef, Decorator))), None)
    if first is None or not isinstance(function, TypeInfo):
        return False
    body = (first.func if isinstance(first, Decorator) else first).body.body
    body.insert(0, _marking_function(Instance(function, [])))
    return True


def recheck(tree: MypyFile, digest: str, outdated: Iterable[str]) -> None:
    """Have the daemon check modules again after a module that it has just read.

    digest    changes with the content of the module
    outdated  names of the modules
    """
    name = f"{CONTENT}{digest}"
    tree.defs.append(_at_start(AssignmentStmt([_at_start(NameExpr(name))], _at_start(IntExpr(0)))))
    tree.plugin_deps.setdefault(make_trigger(f"{tree.fullname}.{name}"), set()).update(map(_name_target, outdated))


def depend(tree: MypyFile, sources: Iterable[str], dependents: Iterable[str]) -> None:
    """Have the daemon check a module again when one of `sources` is added or removed, and `dependents` when the module
    is."""
    for source in sources:
        tree.plugin_deps.setdefault(make_trigger(source), set()).add(_name_target(tree.fullname))
    tree.plugin_deps.setdefault(make_trigger(tree.fullname), set()).update(map(_name_target, dependents))


def watch_reveals(statements: Iterable[Statement]) -> None:
    """Put a call around each expression that a statement asks `reveal_type` about. mypy may have found out already
    which calls those are, or not yet."""
    for statement in statements:
        blocks = _BLOCKS.get(type(statement))
        if blocks is not None:
            for block in blocks(statement):
                if block is not None:
                    watch_reveals(block.body)
        elif isinstance(statement, ExpressionStmt) and _is_reveal(call := statement.expr):
            call.args[0] = _watch(call.args[0])
            if isinstance(call.analyzed, RevealExpr):
                call.analyzed.expr = call.args[0]


def receiver(node: Context) -> str | None:
    """The literal that a method is called on."""
    callee = node.callee if isinstance(node, CallExpr) else None
    literal = callee.expr if isinstance(callee, MemberExpr) else None
    return literal.value if isinstance(literal, StrExpr) else None


# mypy's visitors are compiled, and cannot be subclassed
_BLOCKS: Final[Mapping[type, Callable[[Any], Iterable[Block | None]]]] = {
    Block: lambda s: (s,),
    ClassDef: lambda s: (s.defs,),
    Decorator: lambda s: (s.func.body,),
    ForStmt: lambda s: (s.body, s.else_body),
    FuncDef: lambda s: (s.body,),
    IfStmt: lambda s: (*s.body, s.else_body),
    MatchStmt: lambda s: s.bodies,
    TryStmt: lambda s: (s.body, *s.handlers, s.else_body, s.finally_body),
    WhileStmt: lambda s: (s.body, s.else_body),
    WithStmt: lambda s: (s.body,),
}
"""The blocks inside a statement."""


def _is_reveal(e: Expression) -> TypeGuard[CallExpr]:
    callee = e.callee if isinstance(e, CallExpr) else None
    name = callee.name if isinstance(callee, (NameExpr, MemberExpr)) else ""
    return isinstance(e, CallExpr) and name == "reveal_type" and e.arg_kinds == [ARG_POS]


def _watch(e: Expression) -> Expression:
    call = _call(REVEAL, REVEAL_METHOD, [e])
    for node in (call, call.callee):
        node.set_line(e)
    return call


def _name_target(module: str) -> str:
    """The full name of the function in which the marker of a module is."""
    return f"{module}.{MARKED}"


def _marking_function(kind: Instance) -> FuncDef:
    """A function that contains the marker; `kind` is the class of functions. Its type is none that an option refuses,
    such as `disallow_any_explicit`."""
    signature = CallableType([], [], [], AnyType(TypeOfAny.special_form), kind)
    return _at_start(FuncDef(MARKED, [], _at_start(Block([_marker()])), signature))


def _marker() -> Statement:
    return _at_start(ExpressionStmt(_at_start(_call(MARKER, MARKER_METHOD, []))))


def _call(literal: str, method: str, args: list[Expression]) -> CallExpr:
    callee = _at_start(MemberExpr(_at_start(StrExpr(literal)), method))
    return CallExpr(callee, args, [ARG_POS for _ in args], [None for _ in args])


def _at_start(node: _N) -> _N:
    node.set_line(1, 0, 1, 0)
    return node
