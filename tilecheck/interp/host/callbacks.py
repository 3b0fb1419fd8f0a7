"""Functions that code which is not seen may call: they are followed with unknown arguments, for their launches."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tilecheck.interp.host import calls, loops
from tilecheck.interp.host.state import State
from tilecheck.interp.host.values import Closure, Value
from tilecheck.syntax import tree
from tilecheck.syntax.tree import Span

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame

__all__ = ["follow_callback"]


def follow_callback(ev: Evaluator, target: Closure, outer: Frame, state: State) -> None:
    """Follow a function that may be called at any time after this, with any arguments."""
    definition, key = target.definition, (target.module.path, target.qualname)
    if ev.fuel <= 0 or outer.depth >= calls.DEPTH or target.frame not in state.variables or ev.active.count(key) > 1:
        return
    later = state.branch(ev.doubt("called"))
    _forget_reassigned(ev, target, outer, later)
    frame = ev.frame(target.module, target.qualname, definition, target.frame, outer)
    later.enter(frame.number)
    for number, param in enumerate(definition.params):
        value: Value = ev.unknown(param.name, numeric=not param.kind.startswith("*"))
        later.bind(frame.number, param.name, target.bound[number] if number < len(target.bound) else value)
    if isinstance(definition, tree.Lambda):
        ev.escape((ev.eval(definition.body, frame, later),), later)
        return
    ev.active.append(key)
    try:
        ev.escape((calls.body_value(ev, definition, frame, later),), later)
    finally:
        ev.active.pop()


def _forget_reassigned(ev: Evaluator, target: Closure, outer: Frame, later: State) -> None:
    """Forget the variables around a function, and the attributes, that may be assigned before it is called."""
    at: Frame | None = outer
    while at is not None:
        if isinstance(at.definition, tree.FuncDef):
            names = _list_later_names(ev, at.definition.body, target.span)
            for name in sorted(names & later.variables.get(at.number, {}).keys()):
                later.bind(at.number, name, ev.unknown(name))
        at = None if at.outer is None else ev.frames.get(at.outer)
    for _, name in later.attributes:
        later.epochs[name] = later.epochs.get(name, 0) + 1
    later.attributes.clear()


def _list_later_names(ev: Evaluator, body: tuple[tree.Stmt, ...], span: Span) -> frozenset[str]:
    """The names that statements bind after a position, or in a loop around it."""
    out: frozenset[str] = frozenset()
    for stmt in body:
        inside = stmt.span.line <= span.line <= stmt.span.end_line
        if stmt.span == span or stmt.span.end_line < span.line:
            continue
        if not inside or isinstance(stmt, tree.For | tree.While):
            out |= loops.find_changed(ev, (stmt,))[0]
            continue
        blocks = [getattr(stmt, block, ()) for block in ("body", "orelse", "finalbody")]
        for block in (*blocks, *getattr(stmt, "handlers", ())):
            out |= _list_later_names(ev, tuple(block), span)
    return out
