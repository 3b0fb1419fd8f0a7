"""Statements as the compiler translates them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from tilecheck.dtypes import SOME_INTEGER, Weak
from tilecheck.interp.kernel.assigned import assigned_names
from tilecheck.interp.kernel.coerce import arrays_in, expand
from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.device.paths import is_mark, mark_mixed, mark_unset, place_of
from tilecheck.interp.kernel.device.values import check_context, check_iterable, check_returned, check_static_iterable
from tilecheck.interp.kernel.interpreter import Jumps, Machine
from tilecheck.interp.kernel.loops import is_refused_already
from tilecheck.interp.kernel.statements import STATEMENTS, bind
from tilecheck.interp.kernel.tile_types.typing import set_type
from tilecheck.interp.kernel.translation.expressions import evaluate_truth
from tilecheck.interp.kernel.translation.values import (
    Differing,
    Stage,
    forget_constant,
    make_run_time,
    meet,
    stage_of,
)
from tilecheck.interp.kernel.values import NONE, Range, StaticIter, Unknown, Value
from tilecheck.symbolic import FALSE, TRUE, Cond
from tilecheck.syntax.tree import Break, Continue, Expr, For, If, Return, Span, Stmt, While, With

__all__ = ["TRANSLATION"]

_Env = dict[str, Value]


def _if(m: Machine, s: If) -> None:
    tested = evaluate_truth(m, s.test)
    stage = stage_of(m, tested)
    if stage is Stage.CONSTANT:
        m.run(s.body if tested.cond.op == "true" else s.orelse)
    elif stage is Stage.RUN_TIME:
        _branch(m, s.body, s.orelse, s.span)
    else:
        _branch_in_doubt(m, s.body, s.orelse, s.span)


def _run_from(m: Machine, env: _Env, body: tuple[Stmt, ...]) -> tuple[bool, _Env]:
    """Executes statements from an environment: whether control reaches the end, and the environment there."""
    m.top.env, m.alive = dict(env), True
    m.run(body)
    return m.alive, m.top.env


def _branch(m: Machine, body: tuple[Stmt, ...], orelse: tuple[Stmt, ...], span: Span) -> None:
    """Both paths are translated."""
    before = m.top.env
    then, other = _run_from(m, before, body), _run_from(m, before, orelse)
    m.alive = then[0] or other[0]
    if then[0] and other[0]:
        m.top.env = _join(m, (then[1], other[1]), span)
    else:
        m.top.env = then[1] if then[0] else other[1]


def _branch_in_doubt(m: Machine, body: tuple[Stmt, ...], orelse: tuple[Stmt, ...], span: Span) -> None:
    """One path or both are translated."""
    before = m.top.env
    with m.doubt_compilation():
        then, other = _run_from(m, before, body), _run_from(m, before, orelse)
    m.alive = then[0] or other[0]
    m.top.env = _forget(m, before, assigned_names((*body, *orelse)))
    if then[0] != other[0]:
        m.doubts += 1  # what follows may not be translated


def _forget(m: Machine, env: Mapping[str, Value], names: frozenset[str]) -> _Env:
    """The environment after code that may have set some names."""
    out = dict(env)
    for name in names:
        for mark in "@?!":
            out.pop(f"{mark}{name}", None)
        out[name] = Unknown("set on a path that is not followed", arrays_in(m, out[name]) if name in out else (
            frozenset(m.parameters)))
    return out


def _join(m: Machine, ways: Sequence[_Env], span: Span) -> _Env:
    """The environment where paths meet."""
    out: _Env = {}
    for env in ways:
        out.update((name, value) for name, value in env.items() if is_mark(name))
    for name in dict.fromkeys(n for env in ways for n in env if not is_mark(n)):
        here = [env for env in ways if name in env]
        value: Value = here[0][name]
        for env in here[1:]:
            met = meet(m, value, env[name], span)
            if isinstance(met, Differing):
                mark_mixed(out, name, place_of(env, name) or place_of(out, name) or span, met.words)
                met = Unknown("of two kinds")
            value = met
        if len(here) < len(ways):
            mark_unset(out, name, span)
        out[name] = value
    return out


# --- loops -----------------------------------------------------------------------------------------------------------

def _for(m: Machine, s: For) -> None:
    iterable = m.eval(s.iterable)
    if isinstance(iterable, StaticIter):
        _repeat(m, s, iterable.inner)
        return
    if not is_refused_already(s.iterable):
        check_iterable(m, iterable, s.iterable.span)
    if isinstance(iterable, Range):
        _loop(m, s.body, s.span, assigned_names((s.target,)), lambda: _count(m, s, iterable), None)
        return
    with m.doubt_compilation():
        _loop(m, s.body, s.span, assigned_names((s.target,)), lambda: bind(
            m, s.target, Unknown("item", arrays_in(m, iterable)), s.span), None)


def _count(m: Machine, s: For, values: Range) -> None:
    """Binds the counter of a loop over a range."""
    bind(m, s.target, make_run_time(m, m.range_types.get(values, SOME_INTEGER), (), s.span), s.span)


def _repeat(m: Machine, s: For, inner: Value) -> None:
    """The body is repeated for each item."""
    check_static_iterable(m, inner, s.iterable.span)
    items = expand(m, inner)
    names = assigned_names((s.target, *s.body))
    if items is None or len(items) > _MOST:
        with m.doubt_compilation():
            before = m.top.env
            bind(m, s.target, Unknown("item", arrays_in(m, inner)), s.span)
            m.run(s.body)
        m.alive = True
        m.top.env = _forget(m, before, names)
        return
    unroll = m.unroll
    for position, item in enumerate(items):
        m.unroll = (*unroll, position)
        item = set_type(item, Weak.INT) if isinstance(inner, Range) else item
        bind(m, s.target, item, s.span)
        m.run(s.body)
    m.unroll = unroll


_MOST: Final = 64


def _while(m: Machine, s: While) -> None:
    _loop(m, s.body, s.span, frozenset(), lambda: None, s.test)


def _loop(
    m: Machine, body: tuple[Stmt, ...], span: Span, targets: frozenset[str], head: Callable[[], None],
    test: Expr | None,
) -> None:
    """A loop over a range, or one with a condition. The body is translated once, for the types before the loop."""
    frame = m.top
    before = frame.env
    names = sorted(assigned_names(body) | targets)
    start = dict(before)
    for name in names:
        if name in start:
            start[name] = forget_constant(m, start[name], span)
        elif f"?{name}" not in start:
            mark_unset(start, name, span)
    jumps = Jumps(base=m.doubts)
    frame.jumps.append(jumps)
    frame.env = dict(start)
    doubts = m.doubts
    left: list[_Env] = [] if test is not None else [before]
    ended = False
    if test is not None:
        tested = evaluate_truth(m, test)
        stage = stage_of(m, tested)
        if stage is not Stage.CONSTANT:
            left.append(dict(frame.env))
        elif tested.cond.op == "false":
            left.append(dict(frame.env))
            ended = True
        if stage is Stage.UNKNOWN:
            m.doubts += 1
    if not ended:
        head()
        m.run(body)
    frame.jumps.pop()
    certain = m.doubts == doubts and all(cond is TRUE for cond, _ in (*jumps.breaks, *jumps.continues))
    m.doubts = doubts
    nexts = [env for _, env in jumps.continues] + ([frame.env] if m.alive and not ended else [])
    m.alive = True
    if not certain:
        frame.env = _forget(m, before, frozenset(names))
        return
    breaks = [env for _, env in jumps.breaks]
    changed = _check_carried(m, names, start, before, [*nexts, *(breaks if test is None else ())], span)
    left += breaks if test is not None else [*nexts, *breaks]
    frame.env = _join(m, [_select(before, env, names) for env in left], span) if left else start
    for name in changed:  # it is reported already
        frame.env.pop(f"!{name}", None)
    if jumps.returns and frame.jumps:
        frame.jumps[-1].returns = True
        _leave_loop(m, frame.jumps[-1].breaks)


def _select(before: _Env, env: _Env, names: Sequence[str]) -> _Env:
    """The environment before the loop, with the names that its body sets as they are elsewhere."""
    out = dict(before)
    for name in names:
        for key in (name, f"@{name}", f"?{name}", f"!{name}"):
            if key in env:
                out[key] = env[key]
            else:
                out.pop(key, None)
    return out


def _check_carried(
    m: Machine, names: Sequence[str], start: _Env, before: _Env, nexts: Sequence[_Env], span: Span,
) -> list[str]:
    """Notes variables that change their type from one iteration to the next. Returns them."""
    changed: list[str] = []
    for name in names:
        if name not in before or f"?{name}" in start or f"!{name}" in start:
            continue
        for env in nexts:
            unset, mixed = env.get(f"?{name}"), env.get(f"!{name}")
            met = meet(m, start[name], env[name], span) if name in env else None
            if unset is not None or mixed is not None:
                place = unset if unset is not None else mixed
                _refuse_carried(m, name, getattr(place, "span", span), getattr(place, "words", ()), "carried kinds")
                changed.append(name)
            elif isinstance(met, Differing):
                _refuse_carried(m, name, place_of(env, name) or place_of(start, name) or span, met.words)
                changed.append(name)
    return changed


def _refuse_carried(m: Machine, name: str, span: Span, words: tuple[str, ...], how: str = "carried") -> None:
    if len(words) == 2:
        refuse(m, "TC606", how, span, name, *words)
    else:
        refuse(m, "TC606", "carried unset", span, name)


def _leave(m: Machine, s: Break | Continue) -> None:
    if m.top.jumps:
        jumps = m.top.jumps[-1]
        _leave_loop(m, jumps.breaks if isinstance(s, Break) else jumps.continues)
    m.alive = False


def _leave_loop(m: Machine, ways: list[tuple[Cond, _Env]]) -> None:
    """Keeps the variables where control leaves the body of a loop."""
    ways.append((TRUE if m.doubts == m.top.jumps[-1].base else FALSE, dict(m.top.env)))


def _return(m: Machine, s: Return) -> None:
    value = NONE if s.value is None else m.eval(s.value)
    check_returned(m, value, s.span)
    frame = m.top
    frame.returns.append((TRUE if m.doubts == frame.doubts else FALSE, value, False))
    frame.places.append(s.span)
    if m.via and frame.jumps:  # the compiler leaves the loop, and the function after it
        frame.jumps[-1].returns = True
        _leave_loop(m, frame.jumps[-1].breaks)
    m.alive = False


def _with(m: Machine, s: With) -> None:
    for context, target in s.items:
        m.yielded = None
        value = m.eval(context)
        check_context(m, value, s.span)
        if target is not None:
            bind(m, target, m.yielded or Unknown("entered context", arrays_in(m, value)), s.span)
    m.run(s.body)


def _on_device(handler: Callable[[Machine, Any], None], ordinary: Callable[[Machine, Any], None]) -> (
        Callable[[Machine, Any], None]):
    """Host code is executed by Python."""
    def execute(m: Machine, s: Stmt) -> None:
        (ordinary if m.host else handler)(m, s)

    return execute


_HANDLERS: Final[Mapping[type[Stmt], Callable[[Machine, Any], None]]] = {
    If: _if, For: _for, While: _while, Break: _leave, Continue: _leave, Return: _return, With: _with,
}
TRANSLATION: Final[Mapping[type[Stmt], Callable[[Machine, Any], None]]] = {
    **STATEMENTS, **{kind: _on_device(handler, STATEMENTS[kind]) for kind, handler in _HANDLERS.items()}}
