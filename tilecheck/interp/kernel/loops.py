"""Loops: the body is executed once, for an arbitrary iteration."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.dtypes import UNKNOWN
from tilecheck.interp.kernel.assigned import assigned_names, jumps_out
from tilecheck.interp.kernel.calls import relative
from tilecheck.interp.kernel.coerce import arrays_in, expand, to_bool
from tilecheck.interp.kernel.device.kinds import kind_of
from tilecheck.interp.kernel.device.note import refuse
from tilecheck.interp.kernel.device.paths import describe_difference, is_mark, mark_unset, place_of
from tilecheck.interp.kernel.device.values import check_iterable
from tilecheck.interp.kernel.induction import (
    Body,
    Form,
    Placeholder,
    Slot,
    at_exit,
    classify,
    leaves,
    placeholder,
    rebuild,
    substitute_value,
    widen,
)
from tilecheck.interp.kernel.interpreter import Jumps, Lock, LoopMark, Machine
from tilecheck.interp.kernel.joins import join, join_many
from tilecheck.interp.kernel.lint_facts import RangeLoop
from tilecheck.interp.kernel.locks import hold, intersect_locks
from tilecheck.interp.kernel.operators import shape_of
from tilecheck.interp.kernel.overflow import counted_up
from tilecheck.interp.kernel.path_simplify import parts
from tilecheck.interp.kernel.poison.loops import bound_lanes, mark_lanes, resolve_marks, solve_poison
from tilecheck.interp.kernel.poison.propagation import lose_all, observe, shadow_of, spread, with_shadow
from tilecheck.interp.kernel.poison.sources import blur
from tilecheck.interp.kernel.tile_types.typing import NOTHING, carried_over, drop_type, note, operand
from tilecheck.interp.kernel.values import Bool, Data, Int, ParamRef, Range, StaticIter, Unknown, Value
from tilecheck.symbolic import (
    TRUE,
    ZERO,
    Atom,
    Cond,
    Substitution,
    Term,
    atoms_at,
    atoms_of,
    cdiv,
    conj,
    const,
    counter,
    ge,
    gt,
    lt,
    maximum,
    negate,
    of,
)
from tilecheck.syntax.tree import Call, Comprehension, DictExpr, Expr, For, Name, Sequence, Span, Stmt, While

UNROLL = 64
STATIC_RANGE = 8
TRIALS = 4


class Loop(Struct, frozen=True):
    """A loop to be summarized.

    head    what happens at the start of an iteration, given the counter
    trip    number of iterations, when it is known and nothing leaves the loop early
    test    for `while`: the condition under which another iteration starts
    """

    name: str
    span: Span
    body: tuple[Stmt, ...]
    targets: tuple[str, ...]
    head: Callable[[Machine, Term], Term | None]
    trip: Term | None
    test: Expr | None


def for_loop(m: Machine, s: For) -> None:
    iterable = m.eval(s.iterable)
    static = isinstance(iterable, StaticIter)
    while isinstance(iterable, StaticIter):
        iterable = iterable.inner
    if not static:
        if not is_refused_already(s.iterable):
            check_iterable(m, iterable, s.iterable.span)
        _loop(m, s, iterable, False)
        return
    items = expand(m, iterable)
    if items is not None and len(items) <= (STATIC_RANGE if isinstance(iterable, Range) else UNROLL):
        _unroll(m, s, items)
        return
    with m.doubt_compilation():
        # the compiler repeats the body, each time with types of its own, or leaves it out
        m.omitted += 1
        _loop(m, s, iterable, True)
        m.omitted -= 1


def _loop(m: Machine, s: For, iterable: Value, static: bool) -> None:
    if isinstance(iterable, Range):
        _range(m, s, iterable)
        return
    items = expand(m, iterable)
    if items is not None and len(items) <= UNROLL and not static:
        _unroll(m, s, items)
        return
    following = NEXT.get(type(iterable))
    if following is not None:
        _iterate_cells(m, s, iterable, following)
        return
    _iterate_unknown(m, s, iterable)


def is_refused_already(node: Expr) -> bool:
    """Whether what a loop runs over is refused by itself, as a list is."""
    if isinstance(node, Call):
        return isinstance(node.func, Name) and node.func.id in _NOT_TRANSLATED
    return isinstance(node, (Comprehension, DictExpr)) or (isinstance(node, Sequence) and node.kind != "tuple")


_NOT_TRANSLATED: Final = frozenset({
    "enumerate", "zip", "reversed", "sorted", "map", "filter", "list", "set", "dict", "range", "iter"})


def _label(target: Expr) -> str:
    if isinstance(target, Name):
        return target.id
    return _label(target.items[0]) if isinstance(target, Sequence) and target.items else "item"


def _range(m: Machine, s: For, r: Range) -> None:
    def head(machine: Machine, k: Term) -> Term:
        value = r.start + k * r.step
        step = r.step.constant
        if step is not None and step < 0:
            machine.assume(gt(value, r.stop))
        else:
            machine.assume(conj(lt(value, r.stop), ge(r.step, 1)))
        machine.plain.add(value - value.offset)
        _bind(machine, s.target, Int(value, dtype=UNKNOWN), s.span)
        return value

    step = r.step.constant
    distance, size = (r.start - r.stop, -r.step) if step is not None and step < 0 else (r.stop - r.start, r.step)
    trip = maximum(ZERO, cdiv(distance, size))
    name = m.name(_label(s.target), s.span)
    if m.noting:
        m.notes.loops[RangeLoop(name, r.start, r.stop, r.step, m.path, s.span, _header(s), jumps_out(s.body))] = None
    _summarize(m, Loop(name, s.span, s.body, tuple(assigned_names((s.target,))), head, trip, None), s.orelse)


def _header(s: For) -> Span:
    """Returns the span from the `for` to the end of the iterable."""
    return replace(s.span, end_line=s.iterable.span.end_line, end_column=s.iterable.span.end_column)


NEXT: dict[type, Callable[..., Value]] = {}
"""For each type of iterable value, the function that builds the item of some iteration."""


def _iterate_cells(m: Machine, s: For, iterable: Value, following: Callable[..., Value]) -> None:
    def head(machine: Machine, k: Term) -> None:
        _bind(machine, s.target, following(machine, iterable, s.span), s.span)

    name = m.name(_label(s.target), s.span)
    _summarize(m, Loop(name, s.span, s.body, tuple(assigned_names((s.target,))), head, None, None), s.orelse)


def _iterate_unknown(m: Machine, s: For, iterable: Value) -> None:
    """An iterable that is not followed: the target may be anything in it."""
    from tilecheck.interp.kernel.subscripts import element

    def head(machine: Machine, k: Term) -> None:
        if isinstance(iterable, ParamRef) and not iterable.outer:
            _bind(machine, s.target, element(machine, iterable, Int(k), s.span), s.span)
            return
        _bind(machine, s.target, Unknown("item", arrays_in(machine, iterable)), s.span)

    exact = m.exact
    m.mark_inexact()
    name = m.name(_label(s.target), s.span)
    with m.doubt_compilation():
        _summarize(m, Loop(name, s.span, s.body, tuple(assigned_names((s.target,))), head, None, None), s.orelse)
    m.exact = exact


def while_loop(m: Machine, s: While) -> None:
    def head(machine: Machine, k: Term) -> None:
        value = _evaluate_condition(machine, s.test, k, s.span) if not machine.first else to_bool(
            machine, machine.eval(s.test), s.span)
        observe(machine, value.shadow, machine.path, "branch", "", s.test.span)
        test = value.cond
        machine.assume(test)
        hold(machine, test)

    name = m.name("while", s.span)
    _summarize(m, Loop(name, s.span, s.body, (), head, None, s.test), s.orelse)


def _evaluate_condition(m: Machine, test: Expr, k: Term, span: Span) -> Bool:
    """The condition of a loop in the iteration `k`: it is reached where it held in the one before, which bounds what it
    compares now."""
    atom, outer = k.single, m.supposed
    assert atom is not None
    m.supposed = None
    with m.suspend_recording(), m.trust_numbers():
        held = to_bool(m, m.eval(test), span).cond
    m.supposed = (atom, Substitution({atom: k - 1}).cond(held))
    try:
        return to_bool(m, m.eval(test), span)
    finally:
        m.supposed = outer


def _bind(m: Machine, target: Expr, value: Value, span: Span) -> None:
    from tilecheck.interp.kernel.statements import bind

    bind(m, target, value, span)


# --- unrolling -------------------------------------------------------------------------------------------------------

def _unroll(m: Machine, s: For, items: tuple[Value, ...]) -> None:
    frame = m.top
    before, unroll = m.path, m.unroll
    jumps = Jumps()
    frame.jumps.append(jumps)
    breaks: list[tuple[Cond, dict[str, Value]]] = []
    try:
        for position, item in enumerate(items):
            m.unroll = (*unroll, position)
            entry = m.path
            jumps.continues.clear()
            _bind(m, s.target, item, s.span)
            m.run(s.body)
            ways = [(relative(p, entry), dict(e)) for p, e in jumps.continues]
            if m.alive:
                ways.append((relative(m.path, entry), frame.env))
            if not ways:
                m.alive = False
                break
            cond, frame.env = join_many(m, ways, s.span)
            m.path, m.alive = conj(entry, cond), True
        breaks = [(relative(p, before), dict(e)) for p, e in jumps.breaks]
    finally:
        m.unroll = unroll
        frame.jumps.pop()
    if m.alive and s.orelse:
        m.run(s.orelse)
    if breaks:
        ways = list(breaks)
        if m.alive:
            ways.append((relative(m.path, before), frame.env))
        cond, frame.env = join_many(m, ways, s.span)
        m.path, m.alive = conj(before, cond), True


# --- summaries -------------------------------------------------------------------------------------------------------

@dataclass
class Run:
    """One execution of the body.

    guard   the condition at the start of it
    through that at its end
    """

    env: dict[str, Value]
    alive: bool
    breaks: list[tuple[Cond, dict[str, Value]]]
    returns: bool
    target: Term | None
    guard: Cond = TRUE
    through: Cond = TRUE


def _execute(m: Machine, loop: Loop, env: dict[str, Value], k: Term) -> Run:
    """Executes head and body from `env`; the path, locks and loops are as before afterwards."""
    frame = m.top
    path, loops, held = m.path, m.loops, m.held
    jumps = Jumps()
    kept = held
    frame.env = env
    m.loops = (*loops, LoopMark(loop.name, None))
    frame.jumps.append(jumps)
    frame.bodies.append((assigned_names(loop.body), loop.span))
    try:
        target = loop.head(m, k)
        if target is not None:
            m.loops = (*loops, LoopMark(loop.name, target))
        entry = m.path
        m.run(loop.body)
        ways = [(relative(p, entry), dict(e)) for p, e in jumps.continues]
        if m.alive:
            ways.append((relative(m.path, entry), frame.env))
        end = join_many(m, ways, loop.span)[1] if ways else dict(frame.env)
        kept = intersect_locks(held, m.held)
        breaks = [(relative(p, path), dict(e)) for p, e in jumps.breaks]
        through = m.path if m.alive and not jumps.continues else entry
        return Run(end, bool(ways), breaks, jumps.returns, target, relative(entry, path), relative(through, path))
    finally:
        frame.jumps.pop()
        frame.bodies.pop()
        m.path, m.loops, m.alive = path, loops, True
        m.held = kept if m.recording else held


def _execute_first(m: Machine, loop: Loop) -> None:
    """Executes the first iterations one by one. Code after the loop is executed where the loop ends with one of them.
    The accesses are some that the kernel makes."""
    frame = m.top
    before, unroll = m.path, m.unroll
    jumps = Jumps()
    frame.jumps.append(jumps)
    ends: list[tuple[Cond, dict[str, Value]]] = []
    try:
        for n in range(m.first):
            m.unroll = (*unroll, n)
            start, env = m.path, dict(frame.env)
            jumps.continues.clear()
            loop.head(m, const(n))
            entry = m.path
            over = negate(relative(entry, start))
            if loop.test is not None or over.op != "or":  # a step below 1 is undefined, and no end
                ends.append((relative(conj(start, over), before), env))
            m.run(loop.body)
            ways = [(relative(p, entry), dict(e)) for p, e in jumps.continues]
            if m.alive:
                ways.append((relative(m.path, entry), frame.env))
            m.alive = bool(ways)
            if not m.alive:
                break
            cond, frame.env = join_many(m, ways, loop.span)
            m.path = conj(entry, cond)
        ends += [(relative(p, before), dict(e)) for p, e in jumps.breaks]
    finally:
        m.unroll = unroll
        frame.jumps.pop()
    ends = [(c, e) for c, e in ends if c.op != "false"]
    m.alive = bool(ends)
    if ends:
        cond, frame.env = join_many(m, ends, loop.span)
        m.path = conj(before, cond)


def _summarize(m: Machine, loop: Loop, orelse: tuple[Stmt, ...]) -> None:
    if m.first:
        _execute_first(m, loop)
        m.alive = m.alive and not orelse
        return
    frame = m.top
    before = dict(frame.env)
    names = sorted({n for n in assigned_names(loop.body) if n in before} | {n for n in loop.targets if n in before})
    k = counter(loop.name)
    if not m.recording:
        forms, start, trial = _forms(m, loop, names, before, k)
        # the accesses are not needed, and the final values of the variables follow from the trial
        exact = m.exact
        _leave(m, loop, _run_resolved(trial, forms), forms, start, names, before, k)
        m.exact = exact and not trial.run.returns
        m.note_made(k)
        _execute_else(m, loop, orelse)
        return
    forms, start, carried = {}, {}, {}
    if names:  # else every iteration begins as the first, and there is nothing to try
        forms, start, trial = _forms(m, loop, names, before, k)
        carried = trial.held
    env = dict(before)
    for name in names:
        env[name] = rebuild(name, start[name], {s: f.at for s, f in forms.items() if s[0] == name})
    first = len(m.records)
    exact, held = m.exact, _keep_unreleased(m, loop, env, k)
    m.held = held
    if jumps_out(loop.body) or (loop.test is not None and not _shrinks(m, loop, env, k)):
        m.mark_inexact()
    run = _execute(m, loop, dict(env), k)
    if run.alive:
        for name in names:
            if name not in loop.targets:
                _same_type(m, name, before[name], run.env.get(name), place_of(run.env, name) or loop.span)
    for name in names:
        # of these only the value before the loop is followed
        lose_all(m, "a variable that changes its kind in a loop", *(
            v for s, v in leaves(name, run.env.get(name, before[name])).items() if s not in carried))
    m.exact = exact and not run.returns
    if run.target is not None:
        m.mark_parallel(first, loop.name, run.target)
    m.note_made(k)
    m.held = intersect_locks(held, m.held)
    _leave(m, loop, run, forms, start, names, before, k)
    _execute_else(m, loop, orelse)


def _keep_unreleased(m: Machine, loop: Loop, env: dict[str, Value], k: Term) -> tuple[Lock, ...]:
    """The locks that are held at the start of every iteration and after the loop: not those of arrays of which the body
    gives one back on some path."""
    if not m.held:
        return m.held
    before, m.given_back = m.given_back, set()
    with m.suspend_recording():
        saved = m.top.env
        _execute(m, loop, dict(env), k)
        m.top.env = saved
    given, m.given_back = m.given_back, before | m.given_back
    return tuple(lock for lock in m.held if lock.array not in given)


def _execute_else(m: Machine, loop: Loop, orelse: tuple[Stmt, ...]) -> None:
    """The `else` of a loop, which a `break` leaves out: whether there was one is not followed."""
    from tilecheck.interp.kernel.statements import branch

    if not m.alive or not orelse:
        return
    if not jumps_out(loop.body):
        m.run(orelse)
        return
    m.mark_inexact()
    branch(m, m.fresh_truth("no break", loop.span).cond, orelse, (), loop.span)


def _same_type(m: Machine, name: str, before: Value, after: Value | None, span: Span) -> None:
    """Checks that a variable has the same type at the end of the body as at the start of the next iteration.

    A variable that may have one of two types before the loop has no known type, and may get another one in the loop.
    """
    first, last = operand(before), operand(after)
    if before is not after and first.dtype != UNKNOWN and last is not NOTHING:
        note(m, "carried", name, (first, last), span)
    kinds = describe_difference(m, name, before, after, span) if after is not None and m.noting else None
    if kinds is not None and not {"a number", "a tile"} >= {kind_of(m, before), kind_of(m, after)}:
        refuse(m, "TC606", "carried", span, name, *kinds)


class Trial(Struct, frozen=True):
    """An execution of the body from placeholders, which stand for `seeds`."""

    run: Run
    held: dict[Slot, Placeholder]


def _collect_known(held: Mapping[Slot, Placeholder], forms: Mapping[Slot, Form]) -> Substitution:
    """The values that were found for the placeholders."""
    mapping: dict[Atom, Term] = {}
    for slot, p in held.items():
        atom, at = p.term.single, forms[slot].at
        term = at.term if isinstance(at, (Int, Data)) else None
        if isinstance(at, Bool) and at.cond.op == "bool" and at.cond.positive and at.cond.atom is not None:
            term = of(at.cond.atom)
        if atom is not None and term is not None:
            mapping[atom] = term
    return Substitution(mapping)


def _run_resolved(trial: Trial, forms: dict[Slot, Form]) -> Run:
    """Returns the run of the body with the placeholders replaced by their closed forms."""
    s = _collect_known(trial.held, forms)
    run = trial.run
    env = {n: substitute_value(v, s) for n, v in run.env.items()}
    breaks = [(s.cond(c), {n: substitute_value(v, s) for n, v in e.items()}) for c, e in run.breaks]
    target = None if run.target is None else s.term(run.target)
    return Run(env, run.alive, breaks, run.returns, target, s.cond(run.guard))


def _resolve_placeholder(m: Machine, p: Placeholder, slot: Slot, loop: Loop) -> Value:
    return mark_lanes(p.value, slot, loop.name) if m.knowledge.unspecified else p.value


def _with_shadows(
    m: Machine, loop: Loop, before: Mapping[str, Value], forms: dict[Slot, Form], body: Body, run: Run,
) -> tuple[dict[Slot, Form], Run]:
    """The forms with the undefined lanes at the start of an iteration, and the trial with its marks resolved."""
    first = {slot: v for name in {str(s[0]) for s in body.held} for slot, v in leaves(name, before[name]).items()}
    start: dict[Slot, Value] = {}
    for slot in body.held:
        shadow = shadow_of(first.get(slot, body.start[slot]))
        same = shape_of(first.get(slot, body.start[slot])) == shape_of(body.start[slot])
        start[slot] = with_shadow(body.start[slot], shadow if same else blur(shadow))
    known = _collect_known(body.held, forms)
    made = body.made | {a for f in forms.values() for a in f.free} | {p.seed for p in body.held.values()}
    atom = body.counter.single
    shadows = solve_poison(
        m, loop.name, start, body.end, made | ({atom} if atom is not None else set()), known, body.counter,
        known.cond(run.guard))
    settled = {s: Form(spread(m, with_shadow(f.at, ()), shadows.get(s, ())), f.free) for s, f in forms.items()}

    def clear(env: Mapping[str, Value]) -> dict[str, Value]:
        return {n: resolve_marks(v, loop.name, shadows, start, known) for n, v in env.items()}

    return settled, dataclasses.replace(run, env=clear(run.env), breaks=[(c, clear(e)) for c, e in run.breaks])


def _shrinks(m: Machine, loop: Loop, env: dict[str, Value], k: Term) -> bool:
    """Whether the condition of a `while`, once it holds, has held in all earlier iterations: then an iteration is
    reached whenever its own condition holds."""
    assert loop.test is not None
    with m.suspend_recording():
        saved, m.top.env = m.top.env, dict(env)
        test = _evaluate_condition(m, loop.test, k, loop.span).cond
        m.top.env = saved
    atom = k.single
    for part in test.args if test.op == "and" else (test,):
        if part.op == "true":
            continue
        if part.op != "ge" or atom is None or any(atom in atoms_at(a) for a in part.term.atoms() if a != atom):
            return False
        for mono, c in part.term.monos.items():
            if atom in mono and c > 0:
                return False
    return True


def _forms(
    m: Machine, loop: Loop, names: list[str], before: dict[str, Value], k: Term,
) -> tuple[dict[Slot, Form], dict[str, Value], Trial]:
    """Tries the body until the kinds of all variables are stable, then classifies them."""
    start = {name: before[name] for name in names}
    for trial in range(TRIALS):
        flat = {slot: v for name in names for slot, v in leaves(name, start[name]).items()}
        held = {slot: p for slot, v in flat.items() if (p := placeholder(m, slot, v, loop.name)) is not None}
        env = dict(before)
        for name in names:
            env[name] = rebuild(name, start[name], {
                s: carried_over(_resolve_placeholder(m, p, s, loop), flat[s]) for s, p in held.items()})
        made, m.made = m.made, set()
        with m.suspend_recording():
            saved = m.top.env
            run = _execute(m, loop, env, k)
            m.top.env = saved
        body_made, m.made = m.made, made | m.made
        end: dict[Slot, Value] = {}
        wide: dict[str, Value] = {}
        for name in names:
            after = run.env.get(name, start[name])
            wide[name] = _widen(m, name, start[name], after, held, last=trial == TRIALS - 2, where=loop.name)
            end |= leaves(name, after)
        if all(wide[n] is start[n] or wide[n] == start[n] for n in names) or trial == TRIALS - 1:
            body = Body(flat, held, end, body_made, k, loop.name, loop.span)
            forms = classify(m, body)
            if m.knowledge.unspecified:
                forms, run = _with_shadows(m, loop, before, forms, body, run)
            forms = {s: replace(f, at=carried_over(f.at, flat[s]), plain=_is_plain(m, body, s, f, run.through))
                     for s, f in forms.items()}
            return forms, start, Trial(run, held)
        start = wide
    raise AssertionError


def _is_plain(m: Machine, body: Body, slot: Slot, form: Form, guard: Cond) -> bool:
    start, end, at = body.start[slot], body.end.get(slot), form.at
    if not (isinstance(start, Int) and isinstance(end, Int) and isinstance(at, Int)) or not counted_up(
            m, start, body.held[slot].term, end.term, guard):
        return False
    m.plain.add(at.term - at.term.offset)
    return True


def _widen(
    m: Machine, name: str, start: Value, after: Value, held: object, last: bool, where: str,
) -> Value:
    parts, others = leaves(name, start), leaves(name, after)
    if parts.keys() != others.keys():
        return widen(m, start, after, f"{name}~{where}")
    changed: dict[Slot, Value] = {}
    for slot, v in parts.items():
        w = widen(m, v, others[slot], f"{'.'.join(str(s) for s in slot)}~{where}")
        if w != v:
            changed[slot] = Unknown("changed in a loop", arrays_in(m, v) | arrays_in(m, w)) if last else w
    return rebuild(name, start, changed) if changed else start


def _leave(
    m: Machine, loop: Loop, run: Run, forms: dict[Slot, Form], start: dict[str, Value], names: list[str],
    before: dict[str, Value], k: Term,
) -> None:
    """Sets the variables and the path condition after the loop."""
    frame = m.top
    endless = False
    count: Term
    if loop.trip is not None and not run.breaks and not run.returns:
        count = loop.trip
    else:
        count = counter(f"{loop.name}.exit")
        m.note_made(count)
    env = dict(before)
    for name in names:
        env[name] = rebuild(name, start[name], {
            s: at_exit(m, f, k, count, loop.span) for s, f in forms.items() if s[0] == name})
    if loop.test is not None:
        frame.env = env
        with m.suspend_recording():
            test = _evaluate_condition(m, loop.test, count, loop.span).cond
        endless = test is TRUE
        if not run.breaks:
            hold(m, negate(test))
            # that a lock was got says nothing of the elements
            m.assume(conj(*(p for p in parts(negate(test)) if atoms_of(p).isdisjoint(m.cas))))
            if endless:
                m.alive = False
    atom = k.single
    assert atom is not None
    final = Substitution({atom: count - 1})
    # a name that only the body sets has the value of the last iteration; one set before keeps that when there is none
    for name, value in run.env.items():
        if is_mark(name):
            env[name] = value
        elif name not in before:
            if m.noting and not endless and not m.omitted:
                mark_unset(env, name, loop.span)
            env[name] = drop_type(substitute_value(bound_lanes(value, k, run.guard), final))
        elif name in loop.targets:
            env[name] = join(m, ge(count, 1), substitute_value(value, final), before[name], loop.span)
    if run.breaks:
        env = _after_break(m, loop, run, env, endless, Substitution({atom: count}))
    frame.env = env


def _after_break(
    m: Machine, loop: Loop, run: Run, env: dict[str, Value], endless: bool, renamed: Substitution,
) -> dict[str, Value]:
    k = counter(loop.name)
    ways = [{n: substitute_value(bound_lanes(v, k, run.guard), renamed) for n, v in e.items()} for _, e in run.breaks]
    if endless and len(run.breaks) == 1:
        hold(m, run.breaks[0][0])
        return ways[0]
    if not endless:
        ways.append(env)
    out = dict(ways[-1])
    for position, way in enumerate(ways[:-1]):
        cond = m.fresh_truth(f"left{position}", loop.span).cond
        for name, value in way.items():
            out[name] = join(m, cond, value, out[name], loop.span) if name in out else value
    return out
