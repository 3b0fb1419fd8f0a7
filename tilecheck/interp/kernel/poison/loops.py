"""Undefined lanes of the variables that a loop carries.

A trial executes the body with a mark in the poison of every variable that it sets. The marks at the end show how the
undefined lanes at the start of an iteration become those at its end. Together with the lanes that the body itself
leaves undefined, they give the undefined lanes at the start of any iteration. The earlier iteration is not identified:
its atoms get names of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from tilecheck.interp.kernel.induction import Slot
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.propagation import GONE, TILES, project_condition, shadow_of, with_shadow
from tilecheck.interp.kernel.poison.sources import (
    Edge,
    Shadow,
    Undefined,
    blur,
    lanes_in,
    map_conditions,
    mark_inexact,
    merge_poison,
    place_undefined,
    weaken,
)
from tilecheck.interp.kernel.shapes import element
from tilecheck.interp.kernel.values import Choice, Instance, Shape, Tuple, Value
from tilecheck.symbolic import (
    ONE,
    TRUE,
    UNKNOWN_ARRAY,
    ZERO,
    App,
    Atom,
    Cond,
    Counter,
    Lane,
    Opaque,
    Source,
    Substitution,
    Term,
    atoms_of,
    bool_opaque,
    conj,
    lane,
    of,
)

__all__ = ["bound_lanes", "in_earlier_iteration", "mark_lanes", "resolve_marks", "solve_poison"]

ROUNDS = 4


def _seed(slot: Slot, loop: str) -> Opaque:
    return Opaque("~lanes~" + ".".join(str(s) for s in slot) + "~" + loop)


def mark_lanes(value: Value, slot: Slot, loop: str) -> Value:
    """The placeholder of a slot, with a mark for all of its lanes."""
    if not isinstance(value, TILES):
        return value
    if value.shape is None:
        return with_shadow(value, (Undefined(_mark(slot, loop), TRUE, TRUE, True),))
    atom = element(of(_seed(slot, loop)), value.shape).single
    assert atom is not None
    return with_shadow(value, (Undefined(_mark(slot, loop), bool_opaque(atom)),))


def _mark(slot: Slot, loop: str) -> Edge:
    return Edge(_seed(slot, loop).name, UNKNOWN_ARRAY, 0, ZERO, ONE, ZERO, mark=True)


def solve_poison(
    m: Machine, loop: str, start: Mapping[Slot, Value], end: Mapping[Slot, Value], made: Iterable[Atom],
    known: Substitution, counter: Term, guard: Cond,
) -> dict[Slot, Shadow]:
    """The undefined lanes of each slot at the start of any iteration, and after the last one.

    start, end  the values before the loop, and at the end of the trial
    made        atoms that stand for something else in every iteration
    known       the values of the placeholders
    guard       what holds in every iteration of its counter
    """
    marks = {_seed(slot, loop).name: slot for slot in start}
    sources = {slot: shadow_of(v) for slot, v in start.items()}
    if not any(sources.values()) and not any(
            u for v in end.values() for u in shadow_of(v) if u.edge.source not in marks):
        return {}
    earlier = _Earlier(made, counter, guard)
    total = {slot: sources[slot] for slot in start}
    steps: dict[Slot, list[Undefined]] = {slot: [] for slot in start}
    for slot in start:
        if slot not in end:
            total[slot] = blur(merge_poison(*sources.values()))
            continue
        here = shadow_of(end[slot])
        own = tuple(u for u in here if u.edge.source not in marks)
        steps[slot] = [u for u in here if u.edge.source in marks]
        total[slot] = merge_poison(total[slot], earlier.shadow(map_conditions(own, known.cond)))
        if not any(_stays(u, start[slot]) for u in steps[slot] if marks[u.edge.source] == slot):
            # an iteration may overwrite what the one before left
            total[slot] = mark_inexact(total[slot])
        if _shape(start[slot]) != _shape(end[slot]):
            total[slot] = blur(total[slot])
    for turn in range(ROUNDS + 1):
        before = dict(total)
        for slot, arriving in steps.items():
            for u in arriving:
                origin = marks[u.edge.source]
                total[slot] = merge_poison(total[slot], _propagate(total[origin], u, start[origin], known, earlier))
            if turn == ROUNDS and total[slot] != before[slot]:
                total[slot] = blur(total[slot])
        if total == before:
            break
    else:
        # blurred lanes may still have to reach other slots
        reached = merge_poison(*(blur(total[s]) for s in total))
        total = {s: merge_poison(v, reached) if v or steps[s] else v for s, v in total.items()}
    return {slot: shadow for slot, shadow in total.items() if shadow}


def _stays(mark: Undefined, origin: Value) -> bool:
    """Whether all lanes of a slot are at the end of an iteration what and where they were at its start."""
    return mark.exact and not mark.blurred and mark.where is TRUE and _places(mark.outside, _shape(origin)) == {}


def _shape(value: Value) -> Shape | None:
    return value.shape if isinstance(value, TILES) else ()


def _propagate(shadow: Shadow, mark: Undefined, origin: Value, known: Substitution, earlier: _Earlier) -> Shadow:
    """The undefined lanes of one slot as they arrive in another (or the same) after an iteration."""
    if not shadow:
        return ()
    places = None if mark.blurred else _places(mark.outside, _shape(origin))
    if places is None:
        return blur(shadow)
    arriving = known.cond(mark.where)
    where = earlier.weaken(arriving)
    gone = frozenset(a.axis for a, t in places.items() if isinstance(a, Lane) and t == GONE)
    move = Substitution({a: t for a, t in places.items() if t != GONE})
    return tuple(_move_lanes(shadow, where, gone, move, mark.exact and where == arriving))


def _move_lanes(
    shadow: Shadow, where: Cond, gone: frozenset[int], move: Substitution, exact: bool,
) -> Iterator[Undefined]:
    for u in shadow:
        if u.blurred:
            yield u
            continue
        if gone and any(a.axis in gone for a in lanes_in(u.outside)):
            # the reduction has used it, as far as a mask did not keep it from that
            yield replace(u, outside=TRUE, where=TRUE, blurred=True)
            continue
        outside = move.cond(u.outside)
        if outside.op != "false":
            kept = project_condition(u.where, gone) if gone else u.where
            yield place_undefined(u.edge, outside, conj(move.cond(kept), where), exact and u.exact and kept == u.where)


def _places(mark: Cond, shape: Shape | None) -> dict[Atom, Term] | None:
    """Where each lane of the marked value is found in the value that the mark came to."""
    if shape is None or mark.op != "bool" or mark.atom is None:
        return None
    own = [x for x in (lane(len(shape) - 1 - k, e) for k, e in enumerate(shape)) if x != ZERO]
    atom = mark.atom
    if isinstance(atom, Opaque):
        return {} if not own else None
    if not isinstance(atom, App) or len(atom.args) != len(own) + 1:
        return None
    out: dict[Atom, Term] = {}
    for x, place in zip(own, atom.args[1:], strict=True):
        a = x.single
        assert a is not None
        if place.single is not a:
            out[a] = place
    return out


def in_earlier_iteration(a: Counter | Opaque) -> Counter | Opaque:
    """The atom that stands for the value that an atom has in an earlier iteration."""
    name = f"{a.name}~e"
    return Counter(name, earlier=True) if isinstance(a, Counter) else Opaque(name, a.uniform, source=Source.EARLIER)


def _is_earlier(a: Atom) -> bool:
    return (isinstance(a, Counter) and a.earlier) or (isinstance(a, Opaque) and a.source is Source.EARLIER)


class _Earlier:
    """Conditions of one iteration as seen from a later one."""

    def __init__(self, made: Iterable[Atom], counter: Term, guard: Cond) -> None:
        self.varying = frozenset(made)
        names: dict[Atom, Term] = {}
        for a in self.varying:
            if isinstance(a, (Counter, Opaque)) and not _is_earlier(a):
                names[a] = of(in_earlier_iteration(a))
        self.rename = Substitution(names)
        self.counter, self.guard = counter.single, guard

    def shadow(self, shadow: Shadow) -> Shadow:
        return map_conditions(tuple(self.add_guard(u) for u in shadow), self.rename.cond)

    def add_guard(self, u: Undefined) -> Undefined:
        counts = not u.blurred and self.counter in atoms_of(u.outside) | atoms_of(u.where)
        return replace(u, where=conj(u.where, self.guard)) if counts else u

    def weaken(self, cond: Cond) -> Cond:
        """Returns a weaker condition without the parts that distinguish iterations."""
        return weaken(cond, lambda atoms: bool(atoms & self.varying) or any(map(_is_earlier, atoms)))


def resolve_marks(
    value: Value, loop: str, shadows: Mapping[Slot, Shadow], start: Mapping[Slot, Value], known: Substitution,
) -> Value:
    """A value of the trial with the undefined lanes of the slots in the place of their marks."""
    marks = {_seed(slot, loop).name: slot for slot in start}
    nothing = _Earlier((), ZERO, TRUE)

    def clear(tile: Value) -> Value:
        shadow = shadow_of(tile)
        if not any(u.edge.source in marks for u in shadow):
            return tile
        kept = tuple(u for u in shadow if u.edge.source not in marks)
        parts = [
            _propagate(shadows.get(slot, ()), u, start[slot], known, nothing)
            for u in shadow if (slot := marks.get(u.edge.source)) is not None]
        return with_shadow(tile, merge_poison(kept, *parts))

    return _map_parts(value, clear)


def bound_lanes(value: Value, counter: Term, guard: Cond) -> Value:
    """Returns a value of the last iteration, whose undefined lanes have the condition of every iteration."""
    earlier = _Earlier((), counter, guard)

    def bound(tile: Value) -> Value:
        shadow = shadow_of(tile)
        return with_shadow(tile, tuple(earlier.add_guard(u) for u in shadow)) if shadow else tile

    return value if guard is TRUE else _map_parts(value, bound)


def _map_parts(value: Value, change: Callable[[Value], Value]) -> Value:
    if isinstance(value, TILES):
        return change(value)
    if isinstance(value, Tuple):
        return Tuple(tuple(_map_parts(v, change) for v in value.items))
    if isinstance(value, Choice):
        return Choice(value.cond, _map_parts(value.then, change), _map_parts(value.other, change))
    if isinstance(value, Instance):
        return Instance(value.of, {k: _map_parts(v, change) for k, v in value.fields.items()}, value.member)
    return value
