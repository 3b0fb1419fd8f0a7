"""Statements of host code on a path."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.ownership import attributes, cuda
from tilecheck.interp.ownership.decisions import decide, key_of_test
from tilecheck.interp.ownership.evaluate import evaluate
from tilecheck.interp.ownership.handles import term_of
from tilecheck.interp.ownership.interpreter import Abandoned, Broke, Continued, Raised, Refused, Returned
from tilecheck.interp.ownership.liveness import escape
from tilecheck.interp.ownership.names import assign, function, lookup, origin_value, unbind
from tilecheck.interp.ownership.objects import (
    Blueprint,
    External,
    Flight,
    Instance,
    Kernel,
    Listing,
    Literal_,
    Number,
    Operation,
    Routine,
    Row,
    Unknown,
    Value,
)
from tilecheck.project.runtimenames import RUNTIME
from tilecheck.symbolic import const
from tilecheck.syntax.text import SourceError
from tilecheck.syntax.walk import walk

if TYPE_CHECKING:
    from tilecheck.interp.ownership.interpreter import Machine

__all__ = ["bind_target", "items_of", "run_block"]

ROUNDS: Final = 2
"""Iterations of a loop with unknown trip count: the second iteration starts in the state that the first one leaves."""
_MOST: Final = 8


def run_block(m: Machine, body: Sequence[ast.stmt]) -> None:
    for statement in body:
        m.spend()
        _STATEMENTS.get(type(statement), _stop_following)(m, statement)


def _stop_following(m: Machine, node: ast.stmt) -> None:
    """A statement that is not modelled ends the path."""
    raise Abandoned


# --- binding ---------------------------------------------------------------------------------------------------------

def bind_target(m: Machine, target: ast.expr, value: Value) -> None:
    """Gives a value to what stands left of `=`."""
    match target:
        case ast.Name():
            cuda.name_stream(value, target.id)
            assign(m, target.id, value)
        case ast.Tuple() | ast.List():
            _unpack(m, target.elts, value)
        case ast.Starred():
            bind_target(m, target.value, value)
        case ast.Attribute():
            attributes.write(m, evaluate(m, target.value), target.attr, value)
        case ast.Subscript():
            _store_item(m, target, value)


def _unpack(m: Machine, targets: list[ast.expr], value: Value) -> None:
    star = next((i for i, t in enumerate(targets) if isinstance(t, ast.Starred)), None)
    closed = isinstance(value, Row) or (isinstance(value, Listing) and not value.open and value.keys is None)
    items = list(value.items) if closed and isinstance(value, Row | Listing) else None
    if items is not None and star is not None and len(items) >= len(targets) - 1:
        after = len(targets) - star - 1
        middle: Value = Listing(items[star:len(items) - after])
        items = [*items[:star], middle, *items[len(items) - after:]]
    if items is None or len(items) != len(targets):
        if not isinstance(value, Operation | Flight):  # which have no items
            escape(m, (value,))
        items = [m.unknown("item") for _ in targets]
    with m.hold_values(items):
        for target, item in zip(targets, items, strict=True):
            bind_target(m, target, item)


def _store_item(m: Machine, target: ast.Subscript, value: Value) -> None:
    owner = evaluate(m, target.value)
    with m.hold_values((owner, value)):
        key = m.unknown("slice") if isinstance(target.slice, ast.Slice) else evaluate(m, target.slice)
    if isinstance(owner, Listing):
        term = term_of(key)
        at = None if term is None else term.constant
        if owner.keys is not None:
            owner.keys.append(key)
            owner.items.append(value)
        elif at is not None and -len(owner.items) <= at < len(owner.items) and not owner.open:
            owner.items[at] = value
        else:
            owner.items.append(value)
            escape(m, (owner,))
        if owner.escaped:
            escape(m, (value,))
        return
    if cuda.touch_stored(m, owner, target):
        return
    escape(m, (value,))


def _assign(m: Machine, node: ast.Assign) -> None:
    value = evaluate(m, node.value)
    with m.hold_values((value,)):
        for target in node.targets:
            bind_target(m, target, value)


def _execute_annotated(m: Machine, node: ast.AnnAssign) -> None:
    if node.value is not None:
        value = evaluate(m, node.value)
        with m.hold_values((value,)):
            bind_target(m, node.target, value)


def _execute_augmented(m: Machine, node: ast.AugAssign) -> None:
    if isinstance(node.target, ast.Name):
        before = evaluate(m, node.target)
        if cuda.update_in_place(m, before, node):
            evaluate(m, node.value)
            return
        if isinstance(before, Listing) and isinstance(node.op, ast.Add):
            more = evaluate(m, node.value)
            if isinstance(more, Row | Listing):
                before.items += more.items
                before.open = before.open or (isinstance(more, Listing) and more.open)
                return
            escape(m, (before, more))
            return
        load = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        combined = ast.copy_location(ast.BinOp(load, node.op, node.value), node)
        assign(m, node.target.id, evaluate(m, combined))
        return
    evaluate(m, node.value)
    bind_target(m, node.target, m.unknown("value"))


def _delete(m: Machine, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            unbind(m, target.id)
        elif isinstance(target, ast.Attribute):
            owner = evaluate(m, target.value)
            if isinstance(owner, Instance | Unknown):
                owner.attributes.pop(target.attr, None)
        elif isinstance(target, ast.Subscript):
            escape(m, (evaluate(m, target.value),))


# --- branches and loops ----------------------------------------------------------------------------------------------

def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block leaves the function: what mostly does not happen."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise | ast.Continue | ast.Break)


def _if(m: Machine, node: ast.If) -> None:
    usual = 1 if _ends(node.body) and not _ends(node.orelse) else 0
    run_block(m, node.body if decide(m, node.test, evaluate, None, usual) else node.orelse)


def items_of(m: Machine, source: Value, node: ast.expr) -> tuple[list[Value], bool]:
    """The items of an iterable in order, and whether these are all items."""
    if isinstance(source, Row) or (isinstance(source, Listing) and source.keys is None):
        if len(source.items) <= _MOST and not (isinstance(source, Listing) and source.open):
            return list(source.items), True
        if len(source.items) <= _MOST and source.items:
            return list(source.items), False
    if isinstance(source, Listing) and source.keys is not None and not source.open:
        return list(source.keys), True
    counts = _count_iterations(m, node)
    if counts is not None:
        numbers = counts[:_MOST if len(counts) <= _MOST else ROUNDS]
        return [Number(const(i)) for i in numbers], len(numbers) == len(counts)
    if not isinstance(source, Unknown):
        escape(m, (source,))
    rounds = (ROUNDS, 0, 1)[m.path.choose(3, 0, key_of_test(m, node))]
    return [m.unknown("item") for _ in range(rounds)], True


def _count_iterations(m: Machine, node: ast.expr) -> list[int] | None:
    """`range(...)` with constants."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id != "range":
        return None
    terms = [term_of(evaluate(m, arg)) for arg in node.args]
    numbers = [t.constant for t in terms if t is not None and t.constant is not None]
    if len(numbers) != len(terms) or not 1 <= len(numbers) <= 3 or (len(numbers) == 3 and numbers[2] == 0):
        return None
    found = range(*numbers)
    return list(found[:_MOST + 1])


def _for(m: Machine, node: ast.For | ast.AsyncFor) -> None:
    source = evaluate(m, node.iter)
    with m.hold_values((source,)):
        items, _ = items_of(m, source, node.iter)
    # a temporary list dies with the loop; an item dies when the next one is bound
    with m.hold_values([source] if isinstance(source, Listing | Row) else []):
        for item in items:
            bind_target(m, node.target, item)
            try:
                run_block(m, node.body)
            except Broke:
                return
            except Continued:
                continue
    run_block(m, node.orelse)


def _while(m: Machine, node: ast.While) -> None:
    for number in range(_MOST):
        choices = len(m.path.taken)
        if not decide(m, node.test, evaluate):
            run_block(m, node.orelse)
            return
        if number >= ROUNDS and len(m.path.taken) > choices:
            run_block(m, node.orelse)  # it has to end some time
            return
        try:
            run_block(m, node.body)
        except Broke:
            return
        except Continued:
            continue
    raise Abandoned


# --- blocks that end in several ways -------------------------------------------------------------------------------

_EXPECTED: Final = frozenset({
    "OwnershipError", "MovedError", "InFlightError", "AliasedError", "SharedError", "ReadOnlyError", "ContractError",
    "GridError", "LaunchArgumentError", "ForeignMemoryError", "NestedLaunchError", "KernelFaultError", "CaptureError",
    "DuplicateError", "ForkedError", "GraphLifetimeError", "RefutedError", "StreamError", "UnprovenError",
    "NeverRunWarning"})
"""Errors of the runtime: who catches one by name expects a refusal."""


def _expects_refusal(node: ast.AST | None) -> bool:
    return node is not None and any(
        (n.id if isinstance(n, ast.Name) else n.attr) in _EXPECTED for n in walk(node) if isinstance(
            n, ast.Name | ast.Attribute))


def _raises(m: Machine, node: ast.expr) -> bool:
    """`pytest.raises(...)`, or something like it where a variable holds an error of the runtime."""
    if not isinstance(node, ast.Call) or _expects_refusal(node):
        return False
    target = evaluate(m, node.func)
    if isinstance(target, External) and target.path == "pytest.raises":
        return True
    kinds = [lookup(m, arg.id) for arg in node.args if isinstance(arg, ast.Name)]
    return any(isinstance(kind, External) and kind.path.rpartition(".")[2] in _EXPECTED for kind in kinds)


def _try(m: Machine, node: ast.Try) -> None:
    expected = any(_expects_refusal(h.type) for h in node.handlers)
    try:
        failing = _failing(m, node)
        # the last statement fails before it does anything
        body = node.body if failing is None else node.body[:-1]
        if expected and _run_refused(m, body):
            failing = next(h for h in node.handlers if _expects_refusal(h.type))
        elif expected and failing is None and _only_refused(node):
            raise Abandoned  # it is refused for a reason that is not seen: the path on which it is goes on
        elif not expected:
            run_block(m, body)
        if failing is None:
            run_block(m, node.orelse)
        else:
            if failing.name is not None:
                assign(m, failing.name, m.unknown("error"))
            run_block(m, failing.body)
    except Raised:
        if not node.handlers or m.path.choose(2, 0) == 1:
            raise
        run_block(m, node.handlers[0].body)
    finally:
        run_block(m, node.finalbody)


_RUN: Final = frozenset({"sync", "start", "wait", "replay"})


def _only_refused(node: ast.Try) -> bool:
    """Whether the body of a `try` ends by building a value that is dropped and not run: the program expects a refusal.
    If no handler continues, the code after the `try` shows that none occurred."""
    last = node.body[-1]
    leaves = all(isinstance(h.body[-1], ast.Raise | ast.Return | ast.Continue | ast.Break) for h in node.handlers)
    return not leaves and isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and not any(
        isinstance(n, ast.Attribute) and n.attr in _RUN for n in walk(last))


def _run_refused(m: Machine, body: Sequence[ast.stmt]) -> bool:
    """Run statements that the runtime may refuse. Returns whether it refused; the rest then had no effect."""
    before = len(m.operations)
    m.expecting += 1
    try:
        run_block(m, body)
    except Refused:
        for operation in m.operations[before:]:
            operation.ended = operation.ended or ("refused", operation.span)
        return True
    finally:
        m.expecting -= 1
    return False


def _failing(m: Machine, node: ast.Try) -> ast.ExceptHandler | None:
    """The handler that is run, if something fails."""
    chosen = m.path.choose(len(node.handlers) + 1) if node.handlers else 0
    return node.handlers[chosen - 1] if chosen else None


def _with(m: Machine, node: ast.With | ast.AsyncWith) -> None:
    expected = any(_expects_refusal(item.context_expr) for item in node.items)
    entered: list[Callable[[], None]] = []
    managers: list[Value] = []
    for item in node.items:
        manager = evaluate(m, item.context_expr)
        expected = expected or _raises(m, item.context_expr)
        managers.append(manager)
        leave = cuda.enter_manager(m, manager, m.span(item.context_expr))
        if leave is not None:
            entered.append(leave)
        if item.optional_vars is not None:
            bind_target(m, item.optional_vars, manager if leave is not None else m.unknown("context"))
    try:
        with m.hold_values(managers):
            if not expected:
                run_block(m, node.body)
            elif not _run_refused(m, node.body):
                raise Abandoned  # it is refused for a reason that is not seen, and so is what it did before
    finally:
        for leave in reversed(entered):
            leave()


def _match(m: Machine, node: ast.Match) -> None:
    escape(m, (evaluate(m, node.subject),))
    last = node.cases[-1] if node.cases else None
    total = last is not None and last.guard is None and isinstance(last.pattern, ast.MatchAs) and (
        last.pattern.pattern is None)
    chosen = m.path.choose(len(node.cases) + (not total))
    if chosen < len(node.cases):
        for found in walk(node.cases[chosen].pattern):
            name = getattr(found, "name", None)
            if isinstance(name, str):
                assign(m, name, m.unknown(name))
        run_block(m, node.cases[chosen].body)


# --- the rest --------------------------------------------------------------------------------------------------------

def _return(m: Machine, node: ast.Return) -> None:
    raise Returned(Literal_(None) if node.value is None else evaluate(m, node.value))


def _raise(m: Machine, node: ast.Raise) -> None:
    raise Raised


def _continue(m: Machine, node: ast.Continue) -> None:
    raise Continued


def _break(m: Machine, node: ast.Break) -> None:
    raise Broke


def _definition(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    qualname = _qualname(m, node)
    found = function(m, m.scope.module, qualname)
    plain = isinstance(found, Kernel) or not node.decorator_list
    inside = m.scope.qualname != "<module>"
    value: Value = found if isinstance(found, Kernel) else Routine(
        m.scope.module, qualname, node, m.scope if inside else None)
    assign(m, node.name, value if plain or not inside else m.unknown(node.name))


def _qualname(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> str:
    return m.scope.module.skeleton.functions_by_line.get(node.lineno, node.name)


def _class(m: Machine, node: ast.ClassDef) -> None:
    known = m.scope.qualname == "<module>" and node.name in m.scope.module.skeleton.classes
    assign(m, node.name, Blueprint(m.scope.module, node.name) if known else m.unknown(node.name))


def _import(m: Machine, node: ast.Import) -> None:
    for alias in node.names:
        dotted = alias.name if alias.asname else alias.name.partition(".")[0]
        assign(m, alias.asname or dotted, _resolve_import(m, dotted, 0))


def _import_from(m: Machine, node: ast.ImportFrom) -> None:
    prefix = f"{node.module}." if node.module else ""
    for alias in node.names:
        if alias.name != "*":
            assign(m, alias.asname or alias.name, _resolve_import(m, prefix + alias.name, node.level))


def _resolve_import(m: Machine, dotted: str, level: int) -> Value:
    if dotted == RUNTIME or dotted.startswith(f"{RUNTIME}."):
        return External(RUNTIME if dotted == RUNTIME else f"{RUNTIME}.{dotted.rpartition('.')[2]}")
    try:
        found = m.project.resolver.resolve_import(m.scope.module, dotted, level)
    except SourceError:
        found = None
    last = dotted.rpartition(".")[2]
    return External(dotted) if found is None else origin_value(m, found, last)


def _declare_outer(m: Machine, node: ast.Global | ast.Nonlocal) -> None:
    for name in node.names:
        scope = m.scope.outer if isinstance(node, ast.Nonlocal) else None
        while scope is not None and name not in scope.variables:
            scope = scope.outer
        m.scope.elsewhere[name] = scope


def _expression(m: Machine, node: ast.Expr) -> None:
    evaluate(m, node.value)


def _assert(m: Machine, node: ast.Assert) -> None:
    """An asserted condition holds: paths on which it does not hold are not followed."""
    key = key_of_test(m, node.test)
    if key is not None and m.path.get_choice(key) == 1:
        raise Raised
    if not decide(m, node.test, evaluate):
        raise Raised


_STATEMENTS: Final[Mapping[type[ast.stmt], Callable[[Machine, Any], None]]] = {
    ast.Expr: _expression, ast.Assign: _assign, ast.AnnAssign: _execute_annotated, ast.AugAssign: _execute_augmented,
    ast.Delete: _delete, ast.If: _if, ast.For: _for, ast.AsyncFor: _for, ast.While: _while, ast.Try: _try,
    ast.With: _with, ast.AsyncWith: _with, ast.Return: _return, ast.Raise: _raise, ast.Continue: _continue,
    ast.Break: _break, ast.FunctionDef: _definition, ast.AsyncFunctionDef: _definition, ast.ClassDef: _class,
    ast.Import: _import, ast.ImportFrom: _import_from, ast.Global: _declare_outer, ast.Nonlocal: _declare_outer,
    ast.Pass: lambda m, n: None, ast.Assert: _assert, ast.Match: _match,
}
