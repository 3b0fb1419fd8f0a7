"""Undefined lanes: which lanes of a value hold what a load left unspecified, and where such a lane is used.

A value carries its undefined lanes as its *poison*: for each edge of an array over which a tile may reach, the
condition on lanes, block coordinates, counters and launch scalars under which a lane is unspecified. Poison is an
over-approximation: it may mark a defined lane as undefined, and never the reverse.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.symbolic import (
    FALSE,
    TRUE,
    Array,
    Atom,
    Cond,
    Lane,
    Substitution,
    Term,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
    disj,
    negate,
)
from tilecheck.syntax.tree import Span

__all__ = [
    "Edge",
    "Observation",
    "Paddings",
    "Shadow",
    "Undefined",
    "blur",
    "lanes_in",
    "map_conditions",
    "mark_inexact",
    "merge_poison",
    "place_undefined",
    "rename_lanes",
    "replace_atoms",
    "restrict_poison",
    "sources",
    "weaken",
]


class Edge(Struct, frozen=True):
    """The end of an array along one axis, as a tile load may reach over it.

    source   name of the load, the same whenever the location is executed again
    array    root array, and `axis` its axis
    mark     whether it stands for the undefined lanes of a loop-carried value, which are not known yet
    start    first element of the tile along the axis, `tile` its extent, `end` the end of the array or slice, all in
             coordinates of the slice, as they are at the load; an extent of 0 for elements that are not a run
    """

    source: str
    array: Array
    axis: int
    start: Term
    tile: Term
    end: Term
    mark: bool = False


class Undefined(Struct, frozen=True):
    """Lanes of a value that hold what lies over an edge.

    outside  the lane lies over the edge; in coordinates of the value's own lanes
    where    what else must hold for the lane to be undefined: masks, branches taken
    blurred  whether it is not known which lanes these are; then both conditions are TRUE
    exact    whether every lane is undefined where the conditions hold; they may have been weakened
    """

    edge: Edge
    outside: Cond
    where: Cond = TRUE
    blurred: bool = False
    exact: bool = True

    @property
    def cond(self) -> Cond:
        return conj(self.outside, self.where)


Shadow: TypeAlias = tuple[Undefined, ...]


class Observation(Struct, frozen=True):
    """A use of a value to which an undefined lane of it makes a difference.

    cond     the lane is undefined, and `guard` is the path condition of the use; both over one set of lanes
    how      the kind of use: `sum`, `mma`, `store`, `index`, `branch`, ...
    detail   the object of the use: the axis of a reduction, the array of a store
    exact    whether the conditions are the whole truth; when false they must not be used to refute
    """

    undefined: Undefined
    guard: Cond
    how: str
    detail: str
    span: Span
    exact: bool


class Paddings(Struct, frozen=True):
    """Facts on the tile loads of a kernel whose padding is unspecified.

    observations  in program order
    lost          loads whose lanes are not followed to the end, and why
    edges         every edge over which the tile of a load may reach, in program order
    """

    observations: tuple[Observation, ...] = ()
    lost: tuple[tuple[str, str], ...] = ()
    edges: tuple[Edge, ...] = ()


LONG: Final = 12_000
"""Characters of the key of a condition beyond which it is given up for TRUE."""
_WIDE: Final = 4_000
"""Characters of the key of the lanes over an edge beyond which it is not known which lanes they are."""
_MANY: Final = 24
"""Groups of lanes over one edge beyond which it is not known which lanes they are."""


def place_undefined(edge: Edge, outside: Cond, where: Cond, exact: bool) -> Undefined:
    """Undefined lanes whose conditions were substituted. A loop that moves lanes repeats that, so lanes with a long
    condition are blurred."""
    if len(outside.key) > _WIDE:
        return Undefined(edge, TRUE, TRUE, True)
    short = len(where.key) <= LONG
    return Undefined(edge, outside, where if short else TRUE, exact=exact and short)


def _join_conditions(a: Cond, b: Cond) -> Cond:
    """The disjunction, without alternatives that another one contains; of two that differ in the sign of one part,
    what they have in common."""
    parts: list[frozenset[Cond]] = []
    pending = [frozenset(conjuncts(c)) for d in (a, b) for c in (d.args if d.op == "or" else (d,))]
    while pending:
        new = pending.pop(0)
        if any(p <= new for p in parts):
            continue
        parts = [p for p in parts if not new <= p]
        other = next((p for p in parts if _are_opposite(p, new)), None)
        if other is not None:
            parts.remove(other)
            pending.append(other & new)
        else:
            parts.append(new)
    out = disj(*(conj(*sorted(p, key=lambda c: c.key)) for p in parts))
    return out if len(out.key) <= LONG else TRUE


def _are_opposite(a: frozenset[Cond], b: frozenset[Cond]) -> bool:
    mine, theirs = a - b, b - a
    return len(mine) == len(theirs) == 1 and negate(next(iter(mine))) == next(iter(theirs))


def _join_undefined(a: Undefined, b: Undefined) -> Undefined:
    """The lanes of both, which lie over the same edge."""
    if a.where == b.where:
        return a if a.exact or not b.exact else b
    where = _join_conditions(a.where, b.where)
    given_up = where is TRUE and TRUE not in (a.where, b.where) and negate(a.where) != b.where
    return Undefined(a.edge, a.outside, where, a.blurred, a.exact and b.exact and not given_up)


def merge_poison(*shadows: Shadow) -> Shadow:
    """Returns the lanes that any of the arguments marks as undefined."""
    given = [s for s in shadows if s]
    if not given:
        return ()
    if len(given) == 1:
        return given[0]
    out: dict[tuple[Edge, Cond, bool], Undefined] = {}
    for u in (u for s in given for u in s):
        key = (u.edge, u.outside, u.blurred)
        before = out.get(key)
        out[key] = u if before is None else _join_undefined(before, u)
    found = tuple(out.values())
    return found if len(found) <= _MANY else _blur_frequent(found)


def _blur_frequent(shadow: Shadow) -> Shadow:
    """The lanes with those over one edge blurred if they are in too many groups."""
    groups = Counter(u.edge for u in shadow)
    return tuple(dict.fromkeys(
        Undefined(u.edge, TRUE, TRUE, True) if groups[u.edge] > _MANY else u for u in shadow))


def restrict_poison(cond: Cond, shadow: Shadow) -> Shadow:
    """The undefined lanes, where a condition holds."""
    if cond is TRUE or not shadow:
        return shadow
    if cond is FALSE:
        return ()
    out = []
    for u in shadow:
        if not u.blurred:
            where = conj(u.where, cond)
            if where.op == "false" or conj(u.outside, where).op == "false":
                continue
            u = Undefined(u.edge, u.outside, where, exact=u.exact) if len(where.key) <= LONG else replace(
                u, exact=False)
        out.append(u)
    return tuple(out)


def blur(shadow: Shadow) -> Shadow:
    """The same edges, without the knowledge of which lanes."""
    return tuple(dict.fromkeys(Undefined(u.edge, TRUE, TRUE, True) for u in shadow))


def mark_inexact(shadow: Shadow) -> Shadow:
    """The same lanes. Some of them may be defined."""
    return tuple(replace(u, exact=False) for u in shadow)


def rename_lanes(shadow: Shadow, move: Mapping[Atom, Term] | None) -> Shadow:
    """Returns the poison of a value whose lanes are renamed."""
    if not shadow or not move:
        return shadow if move is not None else blur(shadow)
    return map_conditions(shadow, Substitution(move).cond)


def replace_atoms(shadow: Shadow, s: Substitution) -> Shadow:
    return map_conditions(shadow, s.cond) if shadow else shadow


def map_conditions(shadow: Shadow, change: Callable[[Cond], Cond]) -> Shadow:
    out = []
    for u in shadow:
        if not u.blurred:
            outside, where = change(u.outside), change(u.where)
            if outside.op == "false" or where.op == "false":
                continue
            u = place_undefined(u.edge, outside, where, u.exact)
        out.append(u)
    return merge_poison(tuple(out), ()) if len(out) < 2 else merge_poison(tuple(out[:1]), tuple(out[1:]))


def weaken(cond: Cond, gone: Callable[[set[Atom]], bool]) -> Cond:
    """A condition that holds wherever the given one does, without comparisons for whose atoms `gone` is true."""
    if cond.op == "and":
        return conj(*(weaken(c, gone) for c in cond.args))
    if cond.op == "or":
        return disj(*(weaken(c, gone) for c in cond.args))
    return TRUE if gone(atoms_of(cond)) else cond


def lanes_in(*conds: Cond) -> frozenset[Lane]:
    return frozenset(a for a in atoms_in(*conds) if isinstance(a, Lane))


def sources(shadow: Iterable[Undefined]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(u.edge.source for u in shadow))
