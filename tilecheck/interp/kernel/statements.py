"""Execution of statements, one handler a kind of node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tilecheck.interp.kernel.calls import defaults_of, relative
from tilecheck.interp.kernel.changes import note_augmented
from tilecheck.interp.kernel.coerce import arrays_in, expand, to_bool
from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.device.paths import mark_mixed, note_set
from tilecheck.interp.kernel.device.values import (
    check_context,
    check_item_assignment,
    check_returned,
    check_truth,
    check_unpacked,
)
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.joins import join_environments
from tilecheck.interp.kernel.locks import hold, join_locks
from tilecheck.interp.kernel.loops import for_loop, while_loop
from tilecheck.interp.kernel.operators import binary
from tilecheck.interp.kernel.path_simplify import decide_condition
from tilecheck.interp.kernel.poison.propagation import lose_all, observe
from tilecheck.interp.kernel.values import (
    NONE,
    ArrayRef,
    Choice,
    Class,
    Extents,
    External,
    Function,
    Int,
    ModuleValue,
    ParamRef,
    Place,
    TileRef,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import Array, Cond, conj, disj, negate
from tilecheck.syntax.tree import (
    Annotated,
    AssertStmt,
    Assign,
    Attribute,
    AugAssign,
    Break,
    Call,
    ClassDef,
    Continue,
    Expr,
    ExprStmt,
    For,
    FuncDef,
    If,
    ImportStmt,
    Name,
    Pass,
    Raise,
    Return,
    Sequence,
    Span,
    Starred,
    Stmt,
    Subscript,
    Try,
    UnknownStmt,
    While,
    With,
    get_last_name,
)


def bind(m: Machine, target: Expr, value: Value, span: Span) -> None:
    handler = _BIND.get(type(target))
    if handler is not None:
        handler(m, target, value, span)


def _bind_name(m: Machine, target: Name, value: Value, span: Span) -> None:
    m.top.env[target.id] = value
    note_set(m, target.id, target.span)


def _bind_sequence(m: Machine, target: Sequence, value: Value, span: Span) -> None:
    star = next((k for k, t in enumerate(target.items) if isinstance(t, Starred)), None)
    items = unpack(m, value, None if star is not None else len(target.items), span)
    count = len(target.items)
    if star is None:
        known = None if items is None or isinstance(value, Extents) else len(items)
        check_unpacked(m, value, known, count, target.span)
    if items is not None and star is not None and len(items) >= count - 1:
        tail = count - star - 1
        middle = Tuple(items[star:len(items) - tail])
        items = (*items[:star], middle, *items[len(items) - tail:])
    if items is None or len(items) != count:
        arrays = arrays_in(m, value)
        items = tuple(Unknown("unpacked item", arrays) for _ in target.items)
    for t, v in zip(target.items, items, strict=True):
        bind(m, t, v, span)


def _bind_starred(m: Machine, target: Starred, value: Value, span: Span) -> None:
    bind(m, target.value, value, span)


def _bind_attribute(m: Machine, target: Attribute, value: Value, span: Span) -> None:
    owner = m.eval(target.value)
    _changed_in_place(m, "an attribute", target.value, owner, value, span)


def _bind_item(m: Machine, target: Subscript, value: Value, span: Span) -> None:
    owner = m.eval(target.value)
    handler = SET_ITEM.get(type(owner))
    if handler is None or handler(m, owner, target, value, span) is False:
        check_item_assignment(m, owner, target.span)
        _changed_in_place(m, "an item", target.value, owner, value, span)


SET_ITEM: dict[type, Callable[..., object]] = {}
"""Handlers by type of value for item assignment. A handler returns False if it does not apply."""


def _changed_in_place(m: Machine, what: str, place: Expr, owner: Value, value: Value, span: Span) -> None:
    """Who else holds the changed value is not followed."""
    own = arrays_in(m, owner)
    m.objects_changed += 1
    lose_all(m, f"assignment to {what}", value)
    m.gap(f"assignment to {what}", own if isinstance(owner, (ArrayRef, ParamRef)) else m.parameters, span)
    if isinstance(place, Name) and place.id in m.top.env and not isinstance(owner, (ArrayRef, ParamRef)):
        m.top.env[place.id] = Unknown("changed in place", own | arrays_in(m, value))


_BIND: dict[type, Callable[..., None]] = {
    Name: _bind_name,
    Sequence: _bind_sequence,
    Starred: _bind_starred,
    Attribute: _bind_attribute,
    Subscript: _bind_item,
}


def unpack(m: Machine, value: Value, count: int | None, span: Span) -> tuple[Value, ...] | None:
    if isinstance(value, Extents) and count is not None:
        for _, view in value.array.options:
            m.shows_rank(view.root, count)
        from tilecheck.interp.kernel.coerce import extent_of, extent_type

        kind = extent_type(m, value.array)
        return tuple(Int(extent_of(m, value.array, d, value.what), dtype=kind) for d in range(count))
    if isinstance(value, Choice):
        from tilecheck.interp.kernel.joins import join

        a, b = unpack(m, value.then, count, span), unpack(m, value.other, count, span)
        if a is not None and b is not None and len(a) == len(b):
            return tuple(join(m, value.cond, x, y, span) for x, y in zip(a, b, strict=True))
        return a if b is None else b if a is None else None
    return expand(m, value)


def _assign(m: Machine, s: Assign) -> None:
    effects, reads = m.notes.effects, m.notes.reads
    m.assigned = s.value
    value = m.eval(s.value)
    differing = m.take_differing()
    if m.noting:
        m.notes.note_assignment(s.span, value, effects, reads)
    for target in s.targets:
        bind(m, target, value, s.span)
        if m.power == s.value.span and isinstance(target, Name) and m.knowledge.variant is not None:
            m.top.env[f"^{target.id}"] = Place(s.value.span)
        if differing is not None and isinstance(target, Name):
            mark_mixed(m.top.env, target.id, s.value.span, differing)


def _execute_augmented(m: Machine, s: AugAssign) -> None:
    effects, reads = m.notes.effects, m.notes.reads
    target = m.eval(s.target)
    note_augmented(m, target)
    value = binary(m, s.op.removesuffix("=") if s.op not in ("=",) else s.op, target, m.eval(s.value), s.span)
    if m.noting:
        m.notes.note_assignment(s.span, value, effects, reads)
    bind(m, s.target, value, s.span)


def _expression(m: Machine, s: ExprStmt) -> None:
    m.storing = isinstance(s.value, Call) and get_last_name(s.value.func) in _STORES
    m.eval(s.value)
    m.storing = False


_STORES: Final = frozenset({
    "store", "scatter", "store_advanced_indexing", "atomic_add", "atomic_max", "atomic_min", "atomic_and", "atomic_or",
    "atomic_xor", "atomic_xchg"})


def _if(m: Machine, s: If) -> None:
    tested = m.eval(s.test)
    check_truth(m, tested, s.test.span)
    value = to_bool(m, tested, s.span)
    observe(m, value.shadow, m.path, "branch", "", s.test.span)
    test = decide_condition(value.cond, m.path)
    branch(m, test, s.body, s.orelse, s.span)


def branch(m: Machine, test: Cond, body: tuple[Stmt, ...], orelse: tuple[Stmt, ...], span: Span) -> None:
    """Execute what a condition chooses: both, where it may be either."""
    if test.op in ("true", "false"):
        m.run(body if test.op == "true" else orelse)
        return
    frame = m.top
    path, env, held, exact = m.path, frame.env, m.held, m.exact
    frame.env = dict(env)
    m.assume(test)
    hold(m, test)
    m.run(body)
    then = (m.alive, relative(m.path, path), frame.env, m.held, m.exact)
    frame.env, m.path, m.held, m.exact, m.alive = dict(env), path, held, exact, True
    m.assume(negate(test))
    hold(m, negate(test))
    m.run(orelse)
    other = (m.alive, relative(m.path, path), frame.env, m.held, m.exact)
    m.alive = then[0] or other[0]
    if then[0] and other[0]:
        frame.env = join_environments(m, test, then[2], other[2], span)
        m.path = conj(path, disj(then[1], other[1]))
        m.held = join_locks(then[3], other[3])
        m.exact = then[4] and other[4]
        return
    only = then if then[0] else other
    frame.env, m.held, m.exact = only[2], only[3], only[4]
    m.path = conj(path, only[1])


def _return(m: Machine, s: Return) -> None:
    value = NONE if s.value is None else m.eval(s.value)
    check_returned(m, value, s.span)
    frame = m.top
    for j in frame.jumps:
        j.returns = True
    frame.returns.append((relative(m.path, frame.entry), value, bool(frame.jumps)))
    frame.places.append(s.span)
    m.alive = False


def _break(m: Machine, s: Break) -> None:
    if m.top.jumps:
        m.top.jumps[-1].breaks.append((m.path, m.top.env))
    m.alive = False


def _continue(m: Machine, s: Continue) -> None:
    if m.top.jumps:
        m.top.jumps[-1].continues.append((m.path, m.top.env))
    m.alive = False


def _raise(m: Machine, s: Raise) -> None:
    if isinstance(s.value, Call) and m.noting:
        with m.suspend_recording():
            raised = m.eval(s.value.func)
        if isinstance(raised, TileRef) and raised.name == "static_exception":
            refuse(m, "TC605", "raised", s.span)
    m.alive = False


def _with(m: Machine, s: With) -> None:
    for context, target in s.items:
        value = m.eval(context)
        check_context(m, value, s.span)
        if target is not None:
            bind(m, target, Unknown("entered context", arrays_in(m, value)), s.span)
    m.run(s.body)


def _function(m: Machine, s: FuncDef) -> None:
    m.top.env[s.name] = Function(s, m.top.module, m.top, defaults_of(m, s.params))
    note_set(m, s.name, s.span)


def _class(m: Machine, s: ClassDef) -> None:
    m.top.env[s.name] = Class(s, m.top.module, m.top)


def _import(m: Machine, s: ImportStmt) -> None:
    for local, dotted in s.names:
        m.top.env[local] = _execute_import(m, dotted, s.level)


def _execute_import(m: Machine, dotted: str, level: int) -> Value:
    from tilecheck.interp.kernel.names import from_target

    if level == 0 and (dotted == "cuda.tile" or dotted.startswith("cuda.tile.")):
        return TileRef(dotted.removeprefix("cuda.tile").removeprefix("."))
    origin = m.top.module
    whole = m.project.by_name("." * level + dotted, origin)
    if whole is not None:
        return ModuleValue(whole)
    head, _, tail = dotted.rpartition(".")
    part = m.project.by_name("." * level + head, origin) if head or level else None
    target = part.lookup(tail) if part is not None else None
    return External(dotted) if target is None else from_target(m, target)


def _assert(m: Machine, s: AssertStmt) -> None:
    m.eval(s.test)


def _try(m: Machine, s: Try) -> None:
    """The body as if nothing was raised; what a handler sets instead is not followed."""
    m.run(s.body)
    alive, env = m.alive, m.top.env
    for handler in s.handlers:
        m.alive = True
        m.top.env = dict(env)
        before = m.path
        m.assume(m.fresh_truth("raised", s.span).cond)
        with_handler = dict(m.top.env)
        m.run(handler)
        changed = {k: v for k, v in m.top.env.items() if with_handler.get(k) is not v}
        m.path = before
        for name, value in changed.items():
            arrays = arrays_in(m, value) | (arrays_in(m, env[name]) if name in env else frozenset())
            env[name] = value if name not in env else Unknown("set where something may be raised", arrays)
    m.top.env, m.alive = env, alive
    m.mark_inexact()
    m.run((*s.orelse, *s.finalbody))


def _unknown(m: Machine, s: UnknownStmt) -> None:
    arrays: frozenset[Array] = frozenset()
    if s.what == "del" and not all(isinstance(child, Name) for child in s.children):
        m.objects_changed += 1
    for child in s.children:
        arrays |= arrays_in(m, m.eval(child))
    if s.body or s.what in ("global", "nonlocal"):
        # variables of other scopes are not followed
        arrays = frozenset(m.parameters)
        if m.recording:
            m.unfollowed.setdefault("*", f"statement not understood: {s.what}")
    m.gap(f"statement not understood: {s.what}", arrays, s.span)
    for name in s.assigns:
        m.top.env[name] = Unknown(s.what, arrays)
    m.mark_inexact()


def _execute_nothing(m: Machine, s: Stmt) -> None:
    return None


STATEMENTS: Final[dict[type[Stmt], Callable[[Machine, Any], None]]] = {
    Assign: _assign,
    AugAssign: _execute_augmented,
    Annotated: _execute_nothing,
    ExprStmt: _expression,
    If: _if,
    For: for_loop,
    While: while_loop,
    With: _with,
    Return: _return,
    Break: _break,
    Continue: _continue,
    Pass: _execute_nothing,
    AssertStmt: _assert,
    FuncDef: _function,
    ClassDef: _class,
    Raise: _raise,
    Try: _try,
    ImportStmt: _import,
    UnknownStmt: _unknown,
}

__all__ = ["SET_ITEM", "STATEMENTS", "bind", "unpack"]
