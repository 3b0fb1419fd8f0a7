"""Loops: run once for every item where the items are few and known, else once for any item."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

from tilecheck.interp.host import statements
from tilecheck.interp.host.assignment import assign
from tilecheck.interp.host.effects import has_effects
from tilecheck.interp.host.persistent_dicts import freeze, frozen
from tilecheck.interp.host.pow2_loops import recognize_doubling
from tilecheck.interp.host.state import ITEMS, OPEN, State, as_number, guard_options
from tilecheck.interp.host.values import (
    NONE,
    OBJECTS,
    External,
    Int,
    Items,
    Kernel,
    Member,
    Record,
    Ref,
    Value,
    read_sources,
)
from tilecheck.symbolic import TRUE, Cond, Term, conj, const, disj, eq, ge, le, lt, negate, of, symbol_from_text
from tilecheck.syntax import tree

if TYPE_CHECKING:
    from tilecheck.interp.host.interpreter import Evaluator, Frame

_UNROLL: Final = 24
_TRACED: Final = (Kernel, Items, Record)
_MUTATORS: Final = frozenset({
    "append", "extend", "insert", "pop", "remove", "clear", "update", "setdefault", "sort", "reverse", "popitem",
})
_READERS: Final = frozenset({
    "list", "tuple", "len", "range", "zip", "enumerate", "sorted", "min", "max", "sum", "any", "all", "set", "dict",
    "launch", "exhaustive_search", "autotune_launch", "append", "print", "str", "isinstance", "int", "cdiv", "ceil",
})
"""Functions that change no list or dict that they are given."""


Body: TypeAlias = tuple[tree.Stmt, ...]
Answer = TypeVar("Answer")


def cache_answer(ev: Evaluator, question: str, body: Body, answer: Callable[[Body], Answer]) -> Answer:
    """The answer to a question about statements, worked out once."""
    known = ev.memo.get((question, id(body)))
    if known is None:
        # the entry holds the statements, so that no other object can have their id
        known = ev.memo[question, id(body)] = (body, answer(body))
    return cast(Answer, known[1])


def find_changed(ev: Evaluator, body: Body) -> tuple[frozenset[str], frozenset[str]]:
    """Names that the statements bind, and names of lists and dicts that they may change."""
    return cache_answer(ev, "changed", body, _find_changed)


def _find_changed(body: Body) -> tuple[frozenset[str], frozenset[str]]:
    bound: set[str] = set()
    mutated: set[str] = set()
    for stmt in body:
        _changes(stmt, bound, mutated)
    return frozenset(bound), frozenset(mutated)


def _names(target: tree.Expr, bound: set[str], mutated: set[str]) -> None:
    if isinstance(target, tree.Name):
        bound.add(target.id)
    elif isinstance(target, tree.Sequence):
        for item in target.items:
            _names(item, bound, mutated)
    elif isinstance(target, tree.Starred):
        _names(target.value, bound, mutated)
    elif isinstance(target, tree.Subscript):
        mutated.add(_root(target.value))


def _root(expr: tree.Expr) -> str:
    while isinstance(expr, tree.Attribute | tree.Subscript):
        expr = expr.value
    return expr.id if isinstance(expr, tree.Name) else ""


def _calls(expr: object, bound: set[str], mutated: set[str]) -> None:
    """Mutating calls, calls that receive names, and names that expressions bind."""
    if isinstance(expr, tree.Call):
        func = expr.func
        if isinstance(func, tree.Attribute) and func.attr in _MUTATORS:
            mutated.add(_root(func.value))
        callee = func.attr if isinstance(func, tree.Attribute) else func.id if isinstance(func, tree.Name) else ""
        for part in (func, *expr.args, *(k.value for k in expr.keywords)):
            if isinstance(part, tree.Name) and callee not in _READERS:
                mutated.add(part.id)
            _calls(part, bound, mutated)
        return
    if isinstance(expr, tree.Unknown):
        bound.update(expr.assigns)
    if isinstance(expr, tuple):
        for item in expr:  # of any type: where `part` is one, compiled code asks for an expression
            _calls(item, bound, mutated)
    elif not isinstance(expr, tree.Lambda):
        for name in tree.PARTS[type(expr)]:
            _calls(getattr(expr, name), bound, mutated)


def _changes(stmt: tree.Stmt, bound: set[str], mutated: set[str]) -> None:
    if isinstance(stmt, tree.Assign):
        for target in stmt.targets:
            _names(target, bound, mutated)
        _calls(stmt.value, bound, mutated)
    elif isinstance(stmt, tree.AugAssign):
        _names(stmt.target, bound, mutated)
        mutated.add(_root(stmt.target))
        _calls(stmt.value, bound, mutated)
    elif isinstance(stmt, tree.ExprStmt):
        _calls(stmt.value, bound, mutated)
    elif isinstance(stmt, tree.For):
        _names(stmt.target, bound, mutated)
    elif isinstance(stmt, tree.With):
        for _, name in stmt.items:
            if name is not None:
                _names(name, bound, mutated)
    elif isinstance(stmt, tree.FuncDef | tree.ClassDef):
        bound.add(stmt.name)
        return
    elif isinstance(stmt, tree.ImportStmt):
        bound.update(name for name, _ in stmt.names)
    elif isinstance(stmt, tree.UnknownStmt):
        bound.update(stmt.assigns)
    for test in ("test", "iterable"):
        _calls(getattr(stmt, test, None), bound, mutated)
    for block in ("body", "orelse", "finalbody"):
        for inner in getattr(stmt, block, ()):
            _changes(inner, bound, mutated)
    for handler in getattr(stmt, "handlers", ()):
        for inner in handler:
            _changes(inner, bound, mutated)


def havoc(ev: Evaluator, body: tuple[tree.Stmt, ...], frame: Frame, state: State) -> None:
    """Forget what the statements may change, however often they run."""
    bound, mutated = find_changed(ev, body)
    for name in sorted(bound):
        ev.bind(name, ev.unknown(name), frame, state)
    for name in sorted(mutated):
        value = ev.variable(name, frame, state)
        if isinstance(value, Ref):
            state.heap[value.key] = OPEN
    for key in [key for key in state.attributes if key[1]]:
        del state.attributes[key]
    # a nested function may assign outer variables, and any call may change objects
    for attribute in sorted(cache_answer(ev, "attributes", body, _assigned_attributes)):
        state.epochs[attribute] = state.epochs.get(attribute, 0) + 1


def _assigned_attributes(body: tuple[tree.Stmt, ...]) -> frozenset[str]:
    """The attributes that statements may assign, and whether they assign items."""
    out: set[str] = set()
    for stmt in body:
        for target in _targets(stmt):
            if isinstance(target, tree.Attribute):
                out.add(target.attr)
            elif isinstance(target, tree.Subscript):
                out.add(ITEMS)
        blocks = [getattr(stmt, block, ()) for block in ("body", "orelse", "finalbody")]
        for block in (*blocks, *getattr(stmt, "handlers", ())):
            out |= _assigned_attributes(tuple(block))
    return frozenset(out)


def _targets(stmt: tree.Stmt) -> list[tree.Expr]:
    """The targets of a statement, with the items of tuples instead of the tuples."""
    out: list[tree.Expr] = []
    if isinstance(stmt, tree.Assign):
        out += stmt.targets
    elif isinstance(stmt, tree.AugAssign | tree.For):
        out.append(stmt.target)
    elif isinstance(stmt, tree.With):
        out += [target for _, target in stmt.items if target is not None]
    for target in out:
        if isinstance(target, tree.Sequence):
            out += target.items
        elif isinstance(target, tree.Starred):
            out.append(target.value)
    return out


def _jumps(body: tuple[tree.Stmt, ...], inner: bool = False) -> bool:
    """Whether the body may leave or restart its loop, or return."""
    for stmt in body:
        if isinstance(stmt, tree.Return) or (not inner and isinstance(stmt, tree.Break | tree.Continue)):
            return True
        deeper = inner or isinstance(stmt, tree.For | tree.While)
        if isinstance(stmt, tree.FuncDef | tree.ClassDef):
            continue
        blocks = [getattr(stmt, block, ()) for block in ("body", "orelse", "finalbody")]
        if any(_jumps(tuple(block), deeper) for block in (*blocks, *getattr(stmt, "handlers", ()))):
            return True
    return False


# --- for -------------------------------------------------------------------------------------------------------------

def for_loop(ev: Evaluator, stmt: tree.For, frame: Frame, state: State) -> None:
    source = ev.eval(stmt.iterable, frame, state)
    contents, reads, start = ev.contents(source, state), read_sources(source), state.copy()
    if isinstance(source, Ref) and source.names & find_changed(ev, stmt.body)[0]:
        contents = OPEN  # the iterator reads variables that the loop assigns
    # loops in loops multiply: what is spent on one function is bounded
    few = contents.bound != "open" and len(contents.items) <= (_UNROLL if ev.fuel > 0 else 1)
    if few and contents.bound == "exact" and not cache_answer(ev, "jumps", stmt.body, _jumps):
        done = 0
        while contents.bound == "exact" and done < min(len(contents.items), _UNROLL):
            assign(ev, stmt.target, contents.items[done], frame, state)
            statements.run(ev, stmt.body, frame, state)
            # an iteration may extend the list of the loop
            contents, done = ev.contents(source, state), done + 1
            if isinstance(source, Ref) and source.lazy and have_changed(reads, start, state):
                contents = OPEN
        if contents.bound == "exact" and done >= len(contents.items):
            statements.run(ev, stmt.orelse, frame, state)
            return
        contents, few = OPEN, False
    entry = state.copy()
    havoc(ev, stmt.body, frame, state)
    if have_changed(reads, start, state):
        contents, few = OPEN, False
    inside = conj()
    if few:
        items = contents.items
    elif contents.bound != "open" and contents.items:
        items = _one_of(ev, contents.items, state)
    else:
        item, inside = _any_item(ev, stmt, frame, entry)
        items = (item,)

    def iterations() -> list[State]:
        ends: list[State] = []
        for item in items:
            once = state.copy()
            once.assume(inside)
            assign(ev, stmt.target, item, frame, once)
            ends += _run_iteration(ev, stmt.body, frame, once)
        return ends

    marks = len(ev.records), len(frame.returns), len(frame.yields or ())
    ends = _run_until_stable(ev, (stmt,), frame, state, iterations)
    if contents.bound != "open" and any(have_changed(reads, start, end) for end in ends):
        _withdraw(ev, frame, marks)
        item, inside = _any_item(ev, stmt, frame, entry)
        items = (item,)
        ends = _run_until_stable(ev, (stmt,), frame, state, iterations)
    _after(ev, stmt, frame, state, entry, ends)


def have_changed(reads: frozenset[str] | None, before: State, after: State) -> bool:
    """Whether an iterator that reads some lists and dicts, or anything, may give other items after some code."""
    if (reads is None or OBJECTS in reads) and (before.epochs, before.attributes) != (after.epochs, after.attributes):
        return True
    keys = before.heap if reads is None else reads - {OBJECTS}
    return any(after.heap.get(key, OPEN) != before.heap.get(key, OPEN) for key in keys)


def _withdraw(ev: Evaluator, frame: Frame, marks: tuple[int, int, int]) -> None:
    """Drop the launches, returns and yields that were recorded since the marks."""
    del ev.records[marks[0]:], frame.returns[marks[1]:]
    if frame.yields is not None:
        del frame.yields[marks[2]:]


def _one_of(ev: Evaluator, items: tuple[Value, ...], state: State) -> tuple[Value, ...]:
    name = ev.invent_name("item")
    return (ev.build_from_origin(name, Member(name, frozen(ev, items, state))),)


def _run_iteration(ev: Evaluator, body: tuple[tree.Stmt, ...], frame: Frame, once: State) -> list[State]:
    """One iteration, whichever it is, and the states in which it may end."""
    once.path = (*once.path, ev.doubt("iteration"))
    frame.loops.append([])
    statements.run(ev, body, frame, once)
    ends = frame.loops.pop()
    return ends if once.dead else [*ends, once]


def _run_until_stable(
    ev: Evaluator, body: Body, frame: Frame, state: State, iterations: Callable[[], list[State]],
) -> list[State]:
    """Run the iterations; again when they changed something that was not expected to change (`nonlocal`, an alias)."""
    marks = len(ev.records), len(frame.returns), len(frame.yields or ())
    ends = iterations()
    if not disturb(ev, state, ends, state, frame, body):
        return ends
    _withdraw(ev, frame, marks)
    ends = iterations()
    disturb(ev, state, ends, state, frame, body)
    return ends


def disturb(
    ev: Evaluator, before: State, after: Iterable[State], state: State, frame: Frame, body: Body,
) -> bool:
    """Forget in `state` the values that differ between `before` and a later state; whether there are any.

    body    the statements in between; `havoc` has handled the changes that their syntax shows
    """
    expected = find_changed(ev, body)[0], cache_answer(ev, "attributes", body, _assigned_attributes)
    found: set[tuple[int, str]] = set()
    touched: set[str] = set()
    assigned: set[tuple[str, str]] = set()
    newer: set[str] = set()
    for end in after:
        for number, variables in before.variables.items():
            later = end.variables.get(number, variables)
            if later is not variables:
                found |= {(number, name) for name, value in variables.items() if later.get(name, value) != value
                          and not (number == frame.number and name in expected[0])}
        touched |= {key for key, contents in before.heap.items() if end.heap.get(key, contents) != contents}
        assigned |= {key for key in before.attributes.keys() | end.attributes.keys()
                     if before.attributes.get(key) != end.attributes.get(key)}
        newer |= {key for key, n in end.epochs.items() if n != before.epochs.get(key, 0)
                  and (ITEMS if key.startswith("[") else key) not in expected[1]}
    for number, name in sorted(found):
        state.bind(number, name, ev.unknown(name))
    for key in touched:
        state.heap[key] = OPEN
    for owner, attribute in sorted(assigned):
        state.attributes.pop((owner, attribute), None)
        state.epochs[attribute] = state.epochs.get(attribute, 0) + 1
    for key in newer:
        state.epochs[key] = state.epochs.get(key, 0) + 1
    return bool(found or touched or assigned or newer)


def _after(
    ev: Evaluator, stmt: tree.For | tree.While, frame: Frame, state: State, entry: State, ends: list[State],
) -> None:
    """After a loop a variable has the value it had before or one that an iteration gave it."""
    generic = {name: ev.variable(name, frame, state) for name in find_changed(ev, stmt.body)[0]}
    havoc(ev, (stmt,), frame, state)
    for name, placeholder in sorted(generic.items()):
        found: dict[Value, None] = {}
        for end in (entry, *ends):
            value = ev.variable(name, frame, end)
            for _, option in guard_options(TRUE, NONE if value is None else value):
                if option != placeholder:
                    found[freeze(option, end)] = None
        if any(isinstance(value, _TRACED) for value in found):
            label = ev.invent_name(name)
            ev.bind(name, ev.build_from_origin(label, Member(label, tuple(found))), frame, state)
    if stmt.orelse:
        done = state.branch(ev.doubt("not left"))
        statements.run(ev, stmt.orelse, frame, done)
        if not done.dead:
            havoc(ev, stmt.orelse, frame, state)


def _any_item(ev: Evaluator, stmt: tree.For, frame: Frame, entry: State) -> tuple[Value, Cond]:
    """An item of which only its range is known, and the range."""
    name = stmt.target.id if isinstance(stmt.target, tree.Name) else "item"
    bounds = _range_bounds(ev, stmt.iterable, frame, entry)
    if bounds is None:
        return ev.unknown(name), conj()
    low, high = bounds
    chosen = ev.invent_name(name)
    ev.symbols.integers.add(chosen)
    item = of(symbol_from_text(chosen))
    return Int(item), conj(ge(item, low), lt(item, high))


def _range_bounds(ev: Evaluator, expr: tree.Expr, frame: Frame, state: State) -> tuple[Term, Term] | None:
    if not isinstance(expr, tree.Call) or not isinstance(expr.func, tree.Name) or expr.func.id != "range":
        return None
    if ev.eval(expr.func, frame, state) != External("builtins.range") or expr.keywords:
        return None
    terms = [ev.number(ev.eval(arg, frame, state)) for arg in expr.args]
    known = [t for t in terms if t is not None]
    if len(known) != len(terms) or not 1 <= len(known) <= 3:
        return None
    if len(known) == 3 and (known[2].constant or 0) < 1:
        return None
    return (const(0), known[0]) if len(known) == 1 else (known[0], known[1])


# --- while -----------------------------------------------------------------------------------------------------------

def while_loop(ev: Evaluator, stmt: tree.While, frame: Frame, state: State) -> None:
    found = recognize_doubling(ev, stmt, frame, state)
    if found is not None:
        name, end = found
        ev.bind(name, Int(end), frame, state)
        return
    entry = state.copy()
    # the test before each iteration may also have side effects
    asking = (tree.ExprStmt(stmt.test, stmt.span),) if has_effects(stmt.test) else ()
    body = (*stmt.body, *asking) if asking else stmt.body
    before = {name: ev.variable(name, frame, state) for name in find_changed(ev, body)[0]}
    havoc(ev, body, frame, state)
    for name, old in before.items():
        state.assume(_bound_halved(ev, body, name, old, ev.variable(name, frame, state)))

    def iteration() -> list[State]:
        once = state.copy()
        test = ev.cond(stmt.test, frame, once)
        ends = [] if test.op == "false" else _run_iteration(ev, stmt.body, frame, once.branch(test))
        for end in ends if asking else ():
            ev.cond(stmt.test, frame, end)
        return ends

    ends = _run_until_stable(ev, body, frame, state, iteration)
    test = ev.cond(stmt.test, frame, state)
    leaves = cache_answer(ev, "jumps", stmt.body, _jumps)
    if test.op == "true" and not leaves:
        state.dead = True
        return
    if leaves:
        # a break may have come first
        _after(ev, stmt, frame, state, entry, ends)
        return
    state.assume(negate(test))
    statements.run(ev, stmt.orelse, frame, state)


def _bound_halved(ev: Evaluator, body: tuple[tree.Stmt, ...], name: str, old: Value | None, new: Value | None) -> Cond:
    """The facts about a variable that the loop only halves."""
    before = None if old is None else as_number(old)
    after = None if new is None else ev.number(new)
    steps = [stmt for stmt in body if name in _find_changed((stmt,))[0]]
    if before is None or after is None or len(steps) != 1:
        return conj()
    factor = _divisor(steps[0], name)
    if factor is None:
        return conj()
    value = before.constant
    if value is not None and value > 0:
        reached: list[int] = []
        while value not in reached and len(reached) < _UNROLL:
            reached.append(value)
            value //= factor
        if value in reached:
            return disj(*(eq(after, v) for v in reached))
    # division keeps a value that is not negative between 0 and itself
    return disj(lt(before, 0), conj(le(after, before), ge(after, 0)))


def _divisor(stmt: tree.Stmt, name: str) -> int | None:
    if isinstance(stmt, tree.AugAssign):
        op, right = stmt.op, stmt.value
    elif isinstance(stmt, tree.Assign) and isinstance(stmt.value, tree.BinOp) and isinstance(
            stmt.value.left, tree.Name) and stmt.value.left.id == name:
        op, right = stmt.value.op, stmt.value.right
    else:
        return None
    if not isinstance(right, tree.Constant) or not isinstance(right.value, int) or isinstance(right.value, bool):
        return None
    if op == "//" and right.value >= 2:
        return right.value
    return 1 << right.value if op == ">>" and 1 <= right.value <= 8 else None
