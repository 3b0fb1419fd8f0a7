"""The effect of each operation on undefined lanes: it propagates them, or its result depends on an undefined lane."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.poison.sources import (
    Observation,
    Shadow,
    Undefined,
    blur,
    lanes_in,
    map_conditions,
    merge_poison,
    restrict_poison,
    weaken,
)
from tilecheck.interp.kernel.shapes import broadcast, lanes_of
from tilecheck.interp.kernel.values import (
    Bool,
    Choice,
    Data,
    Dict,
    Instance,
    Int,
    Partial,
    Shape,
    Tuple,
    Unknown,
    Value,
)
from tilecheck.symbolic import (
    Atom,
    Cond,
    Lane,
    Substitution,
    Term,
    atoms_of,
    build_opaque,
    conj,
    conjuncts,
    disj,
    ge,
    holds,
    lane,
    lt,
    negate,
)
from tilecheck.syntax.tree import Span

__all__ = [
    "GONE",
    "elementwise",
    "is_marker",
    "join_values",
    "lose",
    "lose_all",
    "observe",
    "select_lanes",
    "shadow_of",
    "spread",
    "with_shadow",
]

GONE: Final = build_opaque("~gone")
"""Stands for the lane of a reduced axis in the poison of a loop-carried value."""

TILES: Final = (Int, Bool, Data)


def is_marker(u: Undefined) -> bool:
    return u.edge.mark


def shadow_of(value: Value) -> Shadow:
    """The undefined lanes of a value that is used as one tile."""
    if isinstance(value, TILES):
        return value.shadow
    if isinstance(value, Choice):
        then, other = shadow_of(value.then), shadow_of(value.other)
        if not (then or other):
            return ()
        out = merge_poison(restrict_poison(value.cond, then), restrict_poison(negate(value.cond), other))
        return out if _shape(value.then) == _shape(value.other) else blur(out)
    return ()


def _shape(value: Value) -> Shape | None:
    return value.shape if isinstance(value, TILES) else ()


def with_shadow(value: Value, shadow: Shadow) -> Value:
    """The value with these undefined lanes; a value of another kind has none."""
    if isinstance(value, Choice):
        return Choice(value.cond, with_shadow(value.then, shadow), with_shadow(value.other, shadow))
    if not isinstance(value, TILES) or value.shadow == shadow:
        return value
    return _WITH[type(value)](value, shadow)


_WITH: Final[Mapping[type, Callable[..., Value]]] = {
    Int: lambda v, shadow: Int(v.term, v.shape, shadow, v.dtype, v.made),
    Bool: lambda v, shadow: Bool(v.cond, v.shape, shadow, v.dtype, v.made),
    Data: lambda v, shadow: Data(v.shape, v.term, shadow, v.dtype, v.made),
}
"""`replace`, which takes much longer."""


def get_stored_poison(value: Value | None) -> Shadow:
    """Returns the undefined lanes of the stored value, or of any of several values."""
    if isinstance(value, Tuple):
        return merge_poison(*(shadow_of(v) for v in value.items))
    return () if value is None else shadow_of(value)


def elementwise(m: Machine, result: Value, *operands: Value) -> Value:
    """The result of an element-wise operation: a lane is undefined where one of the operands' is."""
    shadows = [s for v in operands if (s := shadow_of(v))]
    return spread(m, result, merge_poison(*shadows)) if shadows else result


def spread(m: Machine, result: Value, shadow: Shadow) -> Value:
    """A result with the undefined lanes that its operands give it."""
    if isinstance(result, TILES):
        return with_shadow(result, shadow if result.shape is not None else blur(shadow))
    if isinstance(result, Unknown):
        lose(m, shadow, result.what)
    return result


def join_values(m: Machine, cond: Cond, a: Value, b: Value, result: Value) -> Value:
    """Returns the joined value with the undefined lanes of each path where that path was taken."""
    first, second = shadow_of(a), shadow_of(b)
    if not (first or second) or isinstance(result, Choice):
        return result
    return spread(m, result, merge_poison(restrict_poison(cond, first), restrict_poison(negate(cond), second)))


def select_lanes(m: Machine, cond: Bool, then: Value, other: Value, result: Value) -> Value:
    """`where(cond, then, other)`"""
    first, second = shadow_of(then), shadow_of(other)
    if not (first or second or cond.shadow):
        return result
    return spread(
        m,
        result,
        merge_poison(restrict_poison(cond.cond, first), restrict_poison(negate(cond.cond), second), cond.shadow),
    )


def masks(m: Machine, op: str, left: Bool, right: Bool, result: Value) -> Value:
    """`left & right`, `left | right`: a lane that one side decides does not depend on the other."""
    if not (left.shadow or right.shadow):
        return result
    if (left.shadow and right.shadow) or op not in ("&", "|"):
        return elementwise(m, result, left, right)
    free = right.cond if left.shadow else left.cond
    return spread(m, result, restrict_poison(free if op == "&" else negate(free), left.shadow or right.shadow))


# --- uses ------------------------------------------------------------------------------------------------------------

def observe(m: Machine, shadow: Shadow, guard: Cond, how: str, detail: str, span: Span) -> None:
    """An undefined lane makes a difference here, wherever the guard holds."""
    if not shadow or not m.recording or m.host:
        return
    for u in shadow:
        if not is_marker(u):
            m.observations.append(Observation(u, guard, how, detail, span, m.exact and u.exact))


def lose(m: Machine, shadow: Iterable[Undefined], what: str) -> None:
    """The lanes of these loads are no longer followed."""
    if m.recording and not m.host:
        for u in shadow:
            m.unfollowed.setdefault(u.edge.source, what)


def lose_all(m: Machine, what: str, *values: Value) -> None:
    """The same for all that values hold."""
    for v in values:
        lose(m, _get_poison(v), what)


def _get_poison(value: Value, depth: int = 0) -> Shadow:
    if isinstance(value, TILES):
        return value.shadow
    parts = _PARTS.get(type(value))
    return () if parts is None or depth > 6 else merge_poison(*(_get_poison(v, depth + 1) for v in parts(value)))


_PARTS: Final[Mapping[type, Callable[..., Iterable[Value]]]] = {
    Choice: lambda v: (v.then, v.other),
    Tuple: lambda v: v.items,
    Instance: lambda v: v.fields.values(),
    Partial: lambda v: (v.func, *v.args, *(x for _, x in v.keywords)),
    Dict: lambda v: (x for _, x in v.items),
}


# --- axes that are combined ------------------------------------------------------------------------------------------

def combine_lanes(
    m: Machine, shadow: Shadow, axes: frozenset[int], how: str, detail: str, span: Span,
) -> Shadow:
    """Combines the lanes along axes, counted from the right.

    The operation uses a lane that is undefined along one of these axes. Lanes that are undefined along other axes
    remain undefined in the result.
    """
    kept: list[Undefined] = []
    for u in shadow:
        along = {a for a in lanes_in(u.outside) if a.axis in axes}
        if u.blurred:
            observe(m, (u,), m.path, how, detail, span)
            if is_marker(u):
                kept.append(u)
            continue
        if along and not is_marker(u):
            used, left = _split(u, axes)
            observe(m, used, m.path, how, detail, span)
            kept += left
            continue
        outside = Substitution(dict.fromkeys(along, GONE)).cond(u.outside) if along else u.outside
        kept.append(_project(u, outside, u.where, axes))
    return merge_poison(tuple(kept[:1]), tuple(kept[1:]))


def _split(u: Undefined, axes: frozenset[int]) -> tuple[Shadow, Shadow]:
    """Splits undefined lanes where lanes along axes are combined: those that are used, and those of undefined results.

    The second kind only affects results that lanes of other axes distinguish from the remaining results.
    """
    group = _group(u, axes)
    if group is not None:
        return (), (group,)
    ways = u.where.args if u.where.op == "or" else (u.where,)
    spoilt = [_row(u, way, axes) for way in ways]
    used = [way for way, row in zip(ways, spoilt, strict=True) if row is None]
    left = [row for row in spoilt if row is not None]
    kept = (Undefined(u.edge, u.outside, disj(*used), exact=u.exact),) if used else ()
    return kept, merge_poison(tuple(left[:1]), tuple(left[1:]))


def _row(u: Undefined, way: Cond, axes: frozenset[int]) -> Undefined | None:
    """Lanes outside that a mask leaves only in rows far out: `n >= end` and `row >= n` give `row >= end`."""
    over = [c for c in conjuncts(u.outside) if any(a.axis in axes for a in lanes_in(c))]
    if len(over) != 1 or over[0].op != "ge":
        return None
    inner = [a for a in lanes_in(over[0]) if a.axis in axes]
    if len(inner) != 1 or over[0].term.monos.get((inner[0],)) != 1:
        return None
    rest = [c for c in conjuncts(u.outside) if c is not over[0]]
    for c in conjuncts(way):
        others = [a for a in lanes_in(c) if a.axis not in axes]
        if c.op != "ge" or c.term.monos.get((inner[0],)) != -1 or not any(
                c.term.monos.get((a,), 0) > 0 for a in others):
            continue
        far = ge(over[0].term + c.term, 0)
        if not any(a.axis in axes for a in lanes_in(far)):
            return _project(u, conj(far, *rest), conj(*(x for x in conjuncts(way) if x is not c)), axes)
    return None


def _group(u: Undefined, axes: frozenset[int]) -> Undefined | None:
    """Returns the undefined groups of lanes where each group is combined. A group is undefined where its last lane is.

    None unless the lanes of the axes count the lanes inside the groups of one row.
    """
    rest = [c for c in conjuncts(u.outside) if any(a.axis in axes for a in lanes_in(c))]
    if len(rest) != 1 or rest[0].op != "ge":
        return None
    term = rest[0].term
    inner = [a for a in lanes_in(rest[0]) if a.axis in axes]
    outer = [a for a in lanes_in(rest[0]) if a.axis not in axes]
    if not outer or any(term.monos.get((a,), 0) <= 0 or sum(a in atoms_of(Term({m: 1})) for m in term.monos) != 1
                        for a in inner):
        return None
    last = Substitution({a: a.size - 1 for a in inner})
    return _project(u, last.cond(u.outside), u.where, axes)


def _project(u: Undefined, outside: Cond, where: Cond, axes: frozenset[int]) -> Undefined:
    """The undefined lanes where the lanes along axes are combined. The rest of a condition may hold where no lane along
    the axes satisfies all of it."""
    projected = project_condition(where, axes)
    return Undefined(u.edge, outside, projected, exact=u.exact and _is_satisfied_by_lanes(where, axes))


def _is_satisfied_by_lanes(cond: Cond, axes: frozenset[int]) -> bool:
    """Whether some lane along axes satisfies those parts of a condition that mention such lanes, regardless of the
    rest."""
    asked: dict[Lane, list[Cond]] = {}
    for c in conjuncts(cond):
        along = [a for a in lanes_in(c) if a.axis in axes]
        if along:
            asked.setdefault(along[0], []).append(c)
    return all(_is_satisfied_by_one(a, parts) for a, parts in asked.items())


def _is_satisfied_by_one(a: Lane, parts: Sequence[Cond]) -> bool:
    extent = a.size.constant
    return extent is not None and extent <= _LANES and all(atoms_of(c) == {a} for c in parts) and any(
        all(holds(c, {a: n}) for c in parts) for n in range(extent))


_LANES: Final = 4_096
"""Lanes along one axis that are tried."""


def project_condition(cond: Cond, axes: frozenset[int]) -> Cond:
    """A condition that holds where the given one does for some lane along the axes."""
    return weaken(cond, lambda atoms: any(isinstance(a, Lane) and a.axis in axes for a in atoms))


def closed_up(shadow: Shadow, rank: int, gone: Iterable[int]) -> Shadow:
    """Lanes as they are counted when axes (from the left) are left out of the shape."""
    out = set(gone)
    kept = [k for k in range(rank) if k not in out]
    place = {rank - 1 - k: len(kept) - 1 - position for position, k in enumerate(kept)}

    def change(c: Cond) -> Cond:
        move: dict[Atom, Term] = {
            a: lane(place[a.axis], a.size) for a in lanes_of(c) if a.axis in place and place[a.axis] != a.axis}
        return Substitution(move).cond(c) if move else c

    return map_conditions(shadow, change)


def scan_lanes(m: Machine, shadow: Shadow, axis: int, backwards: bool, how: str, detail: str, span: Span) -> Shadow:
    """Evaluates a running combination along an axis, counted from the right.

    All lanes after an undefined lane are undefined. If all of them lie outside the array, the poison does not change.
    """
    kept: list[Undefined] = []
    for u in shadow:
        if is_marker(u) or (not u.blurred and _tail(u, axis, backwards)):
            kept.append(u)
        elif not u.blurred and not any(a.axis == axis for a in lanes_in(u.outside)):
            kept.append(_project(u, u.outside, u.where, frozenset((axis,))))
        else:
            observe(m, (u,), m.path, how, detail, span)
    return tuple(kept)


def _tail(u: Undefined, axis: int, backwards: bool) -> bool:
    """Whether with a lane along the axis all later ones are undefined too."""
    if backwards or any(a.axis == axis for a in lanes_in(u.where)):
        return False
    for c in conjuncts(u.outside):
        along = [a for a in lanes_in(c) if a.axis == axis]
        if not along:
            continue
        plain = [mono for mono in c.term.monos if any(a in mono for a in along)]
        if c.op != "ge" or len(along) != 1 or plain != [(along[0],)] or c.term.monos[plain[0]] <= 0:
            return False
        if any(along[0] in lanes_of(Term({mono: 1})) for mono in c.term.monos if mono not in plain):
            return False
    return True


def product(
    m: Machine, x: Value, y: Value, span: Span, how: str,
) -> Shadow:
    """The undefined lanes of a matrix product without its accumulator: rows of `x`, columns of `y`."""
    left, right = shadow_of(x), shadow_of(y)
    if not (left or right):
        return ()
    a, b = _shape(x), _shape(y)
    if a is None or b is None or not a or not b:
        lose(m, (*left, *right), how)
        return ()
    rows = combine_lanes(m, left, frozenset((0,)), how, "the inner axis", span)
    columns = combine_lanes(m, right, frozenset((min(1, len(b) - 1),)), how, "the inner axis", span)
    if len(b) == 1:
        rows = closed_up(rows, len(a), (len(a) - 1,))
    if len(a) == 1:
        columns = closed_up(columns, len(b), (len(b) - 2,)) if len(b) > 1 else columns
    return merge_poison(rows, columns)


def place_part(shadow: Shadow, axis: int, extent: Term, start: Term, total: Term, rank: int) -> Shadow:
    """The undefined lanes of a part that begins at `start` on an axis (from the left) of a larger tile."""
    place = rank - 1 - axis
    here = lane(place, total) - start

    def change(c: Cond) -> Cond:
        move: dict[Atom, Term] = {a: here for a in lanes_of(c) if a.axis == place}
        return Substitution(move).cond(c) if move else c

    return restrict_poison(conj(ge(here, 0), lt(here, extent)), map_conditions(shadow, change))


def fits(value: Value, extents: Shape) -> bool:
    """Whether the lanes of a value are those of a tile that it is stored as."""
    own = _shape(value) if not isinstance(value, Choice) else _shape(value.then)
    return own is not None and broadcast(own, extents) == extents


__all__ += [
    "closed_up",
    "combine_lanes",
    "fits",
    "get_stored_poison",
    "masks",
    "place_part",
    "product",
    "scan_lanes",
]
