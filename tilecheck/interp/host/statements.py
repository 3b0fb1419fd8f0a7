"""Execution of host statements over a state."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from tilecheck.interp.host import calls, loops, methods
from tilecheck.interp.host import launch_sites as record
from tilecheck.interp.host.assignment import assign
from tilecheck.interp.host.operators import binary
from tilecheck.interp.host.state import OPEN, State, join_states
from tilecheck.interp.host.syntax import syntax
from tilecheck.interp.host.values import (
    NONE,
    Choice,
    Class,
    Closure,
    External,
    Items,
    Kernel,
    Ref,
    Tensor,
    Thing,
    Value,
)
from tilecheck.symbolic import Cond, negate
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame


def run(ev: Evaluator, body: tuple[tree.Stmt, ...], frame: Frame, state: State) -> None:
    for stmt in body:
        if state.dead:
            return
        ev.fuel -= 1
        handler = _STATEMENTS.get(type(stmt))
        if handler is not None:
            handler(ev, stmt, frame, state)


def yields(ev: Evaluator, definition: tree.FuncDef) -> bool:
    """Whether the function is a generator."""
    return loops.cache_answer(ev, "yields", definition.body, lambda body: any(_has_yield(stmt) for stmt in body))


def _has_yield(node: object) -> bool:
    if isinstance(node, tree.Unknown):
        return node.what.startswith("yield")
    if isinstance(node, tree.If | tree.For | tree.While | tree.With | tree.Try):
        parts = [*node.body, *getattr(node, "orelse", ()), *getattr(node, "finalbody", ())]
        parts += [s for handler in getattr(node, "handlers", ()) for s in handler]
        return any(_has_yield(part) for part in parts)
    if isinstance(node, tree.ExprStmt | tree.Assign):
        return _has_yield(node.value)
    return False


def run_generator(ev: Evaluator, definition: tree.FuncDef, frame: Frame, state: State) -> Value:
    """The values of a generator. It runs as far as it is asked to, perhaps later: what it asserts need not hold behind
    the call, and what it changes may be changed or not."""
    frame.yields = []
    before = state.copy()
    begun = state.branch(ev.doubt("generator"))
    calls.body_value(ev, definition, frame, begun)
    if not begun.dead:
        loops.disturb(ev, before, [begun], state, frame, definition.body)
        state.heap = {**{key: held for key, held in begun.heap.items() if key not in before.heap}, **state.heap}
    return record.evaluate_generator(ev, frame, state)


def merge(test: Cond, then: State, other: State, state: State) -> None:
    """Go on in `state` from where the two branches ended."""
    path = state.path
    if then.dead and other.dead:
        state.take(then)
    elif then.dead:
        state.take(other)
    elif other.dead:
        state.take(then)
    else:
        state.take(join_states(test, then, other, path))


def _expression(ev: Evaluator, stmt: tree.ExprStmt, frame: Frame, state: State) -> None:
    ev.eval(stmt.value, frame, state)


def _assign(ev: Evaluator, stmt: tree.Assign, frame: Frame, state: State) -> None:
    value = ev.eval(stmt.value, frame, state)
    for target in stmt.targets:
        assign(ev, target, _label_value(ev, target, value), frame, state)


def _label_value(ev: Evaluator, target: tree.Expr, value: Value) -> Value:
    """A value of unknown origin takes the name of the variable it is first stored in."""
    if isinstance(value, Thing) and value.name.endswith("()") and isinstance(target, tree.Name):
        name = ev.invent_name(target.id)
        for known in (ev.symbols.results, ev.symbols.objects, ev.symbols.integers):
            if value.name in known:
                known.add(name)
        return Thing(name, value.origin, value.numeric)
    return value


def _execute_augmented(ev: Evaluator, stmt: tree.AugAssign, frame: Frame, state: State) -> None:
    left = ev.eval(stmt.target, frame, state)
    right = ev.eval(stmt.value, frame, state)
    if stmt.op == "+" and isinstance(left, Ref) and left.kind == "list":
        methods.method(ev, left, "extend", (right,), {}, state)
        return
    if isinstance(left, Tensor):
        return  # in place
    if isinstance(left, Ref):
        # `*=` of a list and `|=` of a dict also change the object for other names
        state.heap[left.key] = OPEN
        return
    if isinstance(left, Thing | Choice) and isinstance(right, Ref | Items):
        ev.escape((left,), state)  # so does `+=` of a value that may be a list
    assign(ev, stmt.target, binary(ev, stmt.op, left, right, state), frame, state)


def _if(ev: Evaluator, stmt: tree.If, frame: Frame, state: State) -> None:
    test = ev.cond(stmt.test, frame, state)
    known = state.decide(test)
    if known is not None:
        run(ev, stmt.body if known else stmt.orelse, frame, state)
        return
    then, other = state.branch(test), state.branch(negate(test))
    run(ev, stmt.body, frame, then)
    run(ev, stmt.orelse, frame, other)
    merge(test, then, other, state)


def _with(ev: Evaluator, stmt: tree.With, frame: Frame, state: State) -> None:
    swallowing = False
    for context, target in stmt.items:
        value = ev.eval(context, frame, state)
        # a context in a variable may be any
        swallowing = swallowing or not (isinstance(context, tree.Call) and _passes_on(ev, context.func, frame, state))
        if target is not None:
            assign(
                ev, target, Thing(ev.invent_name("context")) if not isinstance(value, Thing) else value, frame, state
            )
    if swallowing:
        _try(ev, tree.Try(stmt.body, ((),), (), (), stmt.span), frame, state)
    else:
        run(ev, stmt.body, frame, state)


_PASSING: Final = frozenset({"cupy", "numpy", "nvtx", "torch", "warnings"})
"""Packages whose contexts pass an exception on."""
_PLAIN: Final = frozenset({"builtins.open", "contextlib.nullcontext"})


def _passes_on(ev: Evaluator, func: tree.Expr, frame: Frame, state: State) -> bool:
    """Whether a context is known to pass an exception in it on; others may go on behind the statement."""
    value = ev.eval(func, frame, state) if isinstance(func, tree.Name | tree.Attribute) else None
    return isinstance(value, External) and (value.path.partition(".")[0] in _PASSING or value.path in _PLAIN)


def _try(ev: Evaluator, stmt: tree.Try, frame: Frame, state: State) -> None:
    entry, tests = state.copy(), [ev.doubt("raises") for _ in stmt.handlers]
    returned = len(frame.returns)
    jumped = len(frame.loops[-1]) if frame.loops else 0
    # the body returns only if it raises nothing
    state.path = (*entry.path, *map(negate, tests))
    run(ev, (*stmt.body, *stmt.orelse), frame, state)
    later = [state.copy(), *(end for end, _ in frame.returns[returned:])]
    for failed, handler in zip(tests, stmt.handlers, strict=True):
        raised = _build_raised_state(ev, entry, later, stmt.body, frame)
        raised.path = (*entry.path, failed)
        run(ev, handler, frame, raised)
        outcome = entry.copy()
        merge(failed, raised, state.copy(), outcome)
        state.take(outcome)
    if stmt.finalbody:
        _finally(ev, stmt, frame, state, entry, returned, jumped)


def _build_raised_state(
    ev: Evaluator, entry: State, later: list[State], body: tuple[tree.Stmt, ...], frame: Frame
) -> State:
    """The state behind a body that may have stopped anywhere."""
    raised = entry.copy()
    loops.havoc(ev, body, frame, raised)
    loops.disturb(ev, entry, later, raised, frame, body)
    for variables in list(raised.variables.values()):
        for value in list(variables.values()):
            if isinstance(value, Closure):
                ev.forget_rebound(value, raised)  # it may also have stopped at any statement
    return raised


def _finally(
    ev: Evaluator, stmt: tree.Try, frame: Frame, state: State, entry: State, returned: int, jumped: int,
) -> None:
    """Run the `finally` block, also after an exception, a return or a jump."""
    every = (*stmt.body, *stmt.orelse, *(s for handler in stmt.handlers for s in handler))
    ends = frame.returns[returned:]
    jumps = frame.loops[-1][jumped:] if frame.loops else []
    raised = _build_raised_state(ev, entry, [state.copy(), *(end for end, _ in ends), *jumps], every, frame)
    raised.path = (*entry.path, ev.doubt("raises"))
    del frame.returns[returned:]
    if frame.loops:
        del frame.loops[-1][jumped:]
    for end, value in ends:
        run(ev, stmt.finalbody, frame, end)
        frame.returns += () if end.dead else ((end, value),)
    for end in jumps:
        run(ev, stmt.finalbody, frame, end)
        frame.loops[-1] += () if end.dead else (end,)
    run(ev, stmt.finalbody, frame, raised)
    run(ev, stmt.finalbody, frame, state)


def _return(ev: Evaluator, stmt: tree.Return, frame: Frame, state: State) -> None:
    value: Value = NONE if stmt.value is None else ev.eval(stmt.value, frame, state)
    if not state.dead:
        frame.returns.append((state.copy(), value))
    state.dead = True


def _break(ev: Evaluator, stmt: tree.Break | tree.Continue, frame: Frame, state: State) -> None:
    if frame.loops:
        frame.loops[-1].append(state.copy())
    state.dead = True


def _raise(ev: Evaluator, stmt: tree.Raise, frame: Frame, state: State) -> None:
    state.dead = True


def _assert(ev: Evaluator, stmt: tree.AssertStmt, frame: Frame, state: State) -> None:
    test = ev.cond(stmt.test, frame, state)
    if test.op == "false":
        state.dead = True
        return
    state.assume(test)


def _function(ev: Evaluator, stmt: tree.FuncDef, frame: Frame, state: State) -> None:
    qualname = record.qualname(frame.module, stmt, stmt.name if frame.qualname == "<module>" else
                               f"{frame.qualname}.{stmt.name}")
    if record.is_kernel(ev, frame.module, qualname):
        ev.bind(stmt.name, Kernel(frame.module.path, qualname), frame, state)
        return
    defaults = tuple((p.name, ev.eval(p.default, frame, state)) for p in stmt.params if p.default is not None)
    made = Closure(stmt, stmt.span, frame.number, frame.module, qualname, defaults=defaults)
    if all(calls.is_transparent(ev, d, frame.module, frame, state) for d in stmt.decorators):
        ev.bind(stmt.name, made, frame, state)
        return
    ev.escape((made,), state)
    ev.bind(stmt.name, ev.unknown(stmt.name, numeric=False), frame, state)


def _class(ev: Evaluator, stmt: tree.ClassDef, frame: Frame, state: State) -> None:
    qualname = f"{frame.qualname}.{stmt.name}"
    known = frame.module.skeleton.definitions
    for name in [name for name in known if name.rpartition(".")[0] == qualname]:
        method = syntax(frame.module).function(name)
        if method is not None and not record.is_kernel(ev, frame.module, name):
            ev.escape((Closure(method, method.span, frame.number, frame.module, name),), state)
    ev.bind(stmt.name, Class(frame.module, qualname), frame, state)


def _import(ev: Evaluator, stmt: tree.ImportStmt, frame: Frame, state: State) -> None:
    for local, dotted in stmt.names:
        ev.bind(local, record.resolve_import(ev, frame.module, dotted, stmt.level), frame, state)


def _unknown(ev: Evaluator, stmt: tree.UnknownStmt, frame: Frame, state: State) -> None:
    if stmt.what in ("nonlocal", "global"):
        if stmt.what == "nonlocal":
            frame.nonlocals.update(stmt.assigns)
        return
    for child in stmt.children:
        ev.eval(child, frame, state)
    if stmt.body:
        branch = state.branch(ev.doubt(stmt.what))
        loops.havoc(ev, stmt.body, frame, branch)
        before = branch.copy()
        run(ev, stmt.body, frame, branch)
        loops.havoc(ev, stmt.body, frame, state)
        loops.disturb(ev, before, [branch], state, frame, stmt.body)
    for name in stmt.assigns:
        ev.bind(name, ev.unknown(name), frame, state)


_STATEMENTS: Final[Mapping[type, Callable[[Evaluator, Any, Frame, State], None]]] = {
    tree.ExprStmt: _expression,
    tree.Assign: _assign,
    tree.AugAssign: _execute_augmented,
    tree.If: _if,
    tree.With: _with,
    tree.Try: _try,
    tree.Return: _return,
    tree.Raise: _raise,
    tree.Break: _break,
    tree.Continue: _break,
    tree.AssertStmt: _assert,
    tree.FuncDef: _function,
    tree.ClassDef: _class,
    tree.ImportStmt: _import,
    tree.UnknownStmt: _unknown,
    tree.For: loops.for_loop,
    tree.While: loops.while_loop,
}
