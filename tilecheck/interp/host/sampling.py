"""Values under which conditions of launches are looked at: what fails under some that satisfy the facts follows from
none of them, and no proof need be looked for.

Most facts are about one array only, and the clauses of one launch are about the same arrays. So the facts are split
into parts that mention no common atoms: each part is evaluated once, for all goals.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, TypeAlias
from zlib import crc32

from tilecheck.solver.inequalities import conjuncts
from tilecheck.solver.inequalities.models import Model, is_free, models
from tilecheck.symbolic import (
    EXTENTS,
    Atom,
    Cond,
    Monomial,
    Opaque,
    Point,
    Symbol,
    Term,
    atoms_in,
    atoms_of,
    evaluate,
    holds,
)

__all__ = ["find_equal_atoms", "follow", "is_refuted", "limits", "outcomes", "witnesses"]

_TRIALS: Final = 30
_ENOUGH: Final = 7
"""Trials in which a goal holds with the facts, beyond which it is not looked at in others."""
_FEW: Final = 4
_MODELS: Final = 4
_BOUNDS: Final = 3
"""Facts about an extent that are mostly an equation and its bounds."""
_LEAST: Final = -(1 << 62)
_MOST: Final = 1 << 62
_LARGE: Final = (64, 128, 256, 1024, 4096, 32)
_SMALL: Final = (1, 2, 16, 32, 0, 4)
_VALUES: Final = (1, 2, 128, 64, 3, 96, 1, 7, 256, 16, 0, 33, 4, 1024, 5, 8, 100)
_APART: Final = ((1, 128), (3, 64), (128, 1), (96, 2))
_SIZES: Final = (96, 7, 33, 130, 5, 64, 3, 11, 256, 40)

_Made: TypeAlias = tuple[tuple[Atom, ...], Term, Term]
"""Quantities, their cofactor in an equation, and the value of the product of quantities and cofactor."""


class Part:
    """Facts that share atoms with each other, and none with facts of other parts.

    free      the mentioned atoms without a definition
    leaves    those that are quantities of the launch
    drawn     values of the leaves, one for each trial
    """

    __slots__ = (
        "_facts", "_held", "_made", "_order", "_picked", "_points", "_related", "drawn", "free", "leaves")

    def __init__(self, facts: tuple[Cond, ...]) -> None:
        self._facts = facts
        self._order = list(facts)
        """The facts in the order of evaluation: one that failed comes first, because it often fails again."""
        self.free = frozenset().union(*map(_free_in, facts))
        self.leaves = sorted(a for a in self.free if isinstance(a, Symbol | Opaque))
        same = find_equal_atoms(facts)
        names: dict[Atom, str] = {a: same.get(a, a).key for a in self.leaves}
        low, high = limits(facts, names)
        self.drawn: dict[Atom, Sequence[int]] = {
            a: _clamp_values(_draws(name, isinstance(same.get(a, a), EXTENTS)), low.get(name, _LEAST),
                             high.get(name, _MOST)) for a, name in names.items()}
        self._related: set[Atom] | None = None
        self._held: list[bool | None] = [None] * _TRIALS
        self._picked: dict[int, bool] = {}
        self._points: dict[int, Point | None] = {}
        self._made: list[_Made] | None = None

    @property
    def related(self) -> set[Atom]:
        """Atoms of which a fact says more than a bound."""
        if self._related is None:
            self._related = atoms_in(*(c for c in self._facts if c.op != "ge" or len(c.term.atoms()) != 1))
        return self._related

    def model(self, which: int) -> Model | None:
        """One of some models of the facts; None beyond the last."""
        return models(self._facts, False).at(which)

    def holds(self, trial: int) -> bool:
        """Whether the facts hold in a trial, and are defined."""
        known = self._held[trial]
        if known is None:
            known = self._held[trial] = self.allows({a: values[trial] for a, values in self.drawn.items()})
        return known

    def complete(self, trial: int) -> Point | None:
        """The values of a trial if the facts hold, or with values computed from equations; None if neither holds."""
        if trial not in self._points:
            values = {a: values[trial] for a, values in self.drawn.items()}
            point = Point(values) if self.holds(trial) else None
            if point is None:
                if self._made is None:
                    self._made = _solve_equations(self._facts)
                if self._made and follow(values, self._made) and self.allows(values):
                    point = Point(values)
            self._points[trial] = point
        return self._points[trial]

    def allows(self, values: Mapping[Atom, int]) -> bool:
        """Whether the facts hold under some values, and are defined."""
        satisfies, order = Point(values).satisfies, self._order
        for i, fact in enumerate(order):
            if not satisfies(fact):
                if i:
                    order.insert(0, order.pop(i))
                return False
        return True

    def allows_even(self, which: int) -> bool:
        """Whether the facts hold where every value is picked by a rule of `_EVEN`."""
        known = self._picked.get(which)
        if known is None:
            pick = _EVEN[which]
            known = self._picked[which] = self.allows({a: pick(a) for a in self.leaves})
        return known


def _solve_equations(facts: Sequence[Cond]) -> list[_Made]:
    """The quantities that equations determine, in the order of computation. No equation mentions quantities that a
    later one determines."""
    found: list[_Made] = []
    counted = Counter(a for c in facts for a in _free_in(c))
    used: set[Atom] = set()
    for c in facts:
        if c.op != "eq":
            continue
        ways = sorted(
            (sum(counted[a] for a in own), m, own) for m, factor in c.term.monos.items()
            if abs(factor) == 1 and (own := _own(m, c.term, used, counted)))
        if ways:
            _, m, own = ways[0]
            factor = c.term.monos[m]
            beside = Term({tuple(a for a in m if a not in own): 1})
            found.append((own, beside, (Term({m: factor}) - c.term) * factor))
            used |= _free_in(c)
    return found


def _own(m: Monomial, t: Term, used: Collection[Atom], counted: Mapping[Atom, int]) -> tuple[Atom, ...]:
    """The factors of a product that the rest of an equation can determine: all of those that only it and bounds
    mention, or else the one that it consists of."""
    free = [a for a in dict.fromkeys(m) if isinstance(a, Symbol) and a not in used and m.count(a) == 1
            and sum(a in atoms_of(Term({n: 1})) for n in t.monos) == 1]
    if len(m) == 1:
        return tuple(free)
    return tuple(a for a in free if counted[a] <= _BOUNDS)


def follow(env: dict[Atom, int], made: Sequence[tuple[tuple[Atom, ...], Term, Term]]) -> bool:
    """Assign the quantities that equations determine, each from the cofactor and the value of the product. Whether they
    have values. The caller has to check the equations: a division may have a remainder."""
    try:
        for own, beside, rest in made:
            env.update(dict.fromkeys(own[1:], 1))
            env[own[0]] = evaluate(rest, env) // evaluate(beside, env)
    except (KeyError, ArithmeticError):
        return False
    return True


@lru_cache(maxsize=1 << 13)
def _part(facts: tuple[Cond, ...]) -> Part:
    """One part, which depends only on its facts."""
    return Part(facts)


@lru_cache(maxsize=1 << 12)
def _parts(facts: Cond) -> tuple[Part, ...]:
    """The parts of the facts, each in the order of the facts."""
    group_of: dict[Atom, list[int]] = {}
    groups: dict[int, list[int]] = {}
    conds = conjuncts(facts)
    for i, cond in enumerate(conds):
        own = _free_in(cond)
        met = {group[0]: group for a in own if (group := group_of.get(a)) is not None}
        if not met:
            group = groups[i] = [i]
        else:
            # what joins several groups is rare, and then the others are mostly small
            group = max(met.values(), key=len)
            for first, other in met.items():
                if other is not group:
                    group += other
                    del groups[first]
                    for c in other:
                        group_of.update(dict.fromkeys(_free_in(conds[c]), group))
            group.append(i)
        group_of.update(dict.fromkeys(own, group))
    return tuple([_part(tuple([conds[i] for i in sorted(group)])) for group in groups.values()])


@lru_cache(maxsize=1 << 14)
def _free_in(cond: Cond) -> frozenset[Atom]:
    """The atoms without a definition in a condition."""
    return frozenset(filter(is_free, atoms_of(cond)))


@lru_cache(maxsize=1 << 14)
def _find_quantities(cond: Cond) -> frozenset[Atom]:
    """The quantities of the launch in a condition."""
    return frozenset(a for a in _free_in(cond) if isinstance(a, Symbol | Opaque))


@lru_cache(maxsize=1 << 13)
def _draws(name: str, extent: bool) -> tuple[int, ...]:
    """Values of a quantity for the trials, sizes as they occur."""
    number, usual = crc32(name.encode()), _LARGE if extent else _SMALL
    out: list[int] = []
    for k in range(_TRIALS):
        values = _VALUES if k % 2 else usual
        out.append(values[(number * (2 * k + 1) >> 9) % len(values)])
    return tuple(out)


def _clamp_values(values: Sequence[int], least: int, most: int) -> Sequence[int]:
    if least == _LEAST and most == _MOST:
        return values
    return [min(max(v, least), most) for v in values]


def outcomes(facts: Cond, goal: Cond) -> frozenset[bool]:
    """The truth values of the goal under values that satisfy the facts: with both, the facts decide nothing."""
    return frozenset(value for value, count in zip((False, True), _count_trials(facts, goal), strict=True) if count)


@lru_cache(maxsize=1 << 12)
def _count_trials(facts: Cond, goal: Cond) -> tuple[int, int]:
    """In how many trials a goal failed with the facts, and in how many it held."""
    parts = list(_parts(facts))
    drawn = _drawn_of(goal, parts)
    counts = [0, 0]
    for k in range(_TRIALS):
        for i, part in enumerate(parts):
            if not part.holds(k):
                parts.insert(0, parts.pop(i))
                break
        else:
            try:
                counts[Point({a: values[k] for a, values in drawn.items()}).holds(goal)] += 1
            except (KeyError, ArithmeticError):
                continue
            if (counts[0] and counts[1]) or counts[1] == _ENOUGH:
                break
    return counts[0], counts[1]


def _drawn_of(goal: Cond, parts: Iterable[Part]) -> dict[Atom, Sequence[int]]:
    """Values of the atoms of a goal, one for each trial."""
    drawn: dict[Atom, Sequence[int]] = {}
    for a in _find_quantities(goal):
        known = [part.drawn[a] for part in parts if a in part.drawn]
        drawn[a] = known[0] if known else _draws(a.key, isinstance(a, EXTENTS))
    return drawn


def witnesses(facts: Cond, goal: Cond) -> Iterator[Point]:
    """Values of the atoms of a goal under which the facts and the goal hold."""
    parts = _parts(facts)
    drawn = _drawn_of(goal, parts)
    for k in range(_TRIALS):
        if all(part.holds(k) for part in parts):
            point = Point({a: values[k] for a, values in drawn.items()})
            if point.satisfies(goal):
                yield point


def is_refuted(facts: Cond, goal: Cond) -> bool:
    """Whether some plain values satisfy the facts and not the goal: no proof need be looked for."""
    parts = _parts(facts)
    own = sorted(_find_quantities(goal))
    failed, held = _count_trials(facts, goal)
    if not failed and held < _ENOUGH:
        failed, held = _try_completed(parts, goal)
    if failed:
        return True
    for which, even in enumerate(_EVEN):
        if _fails(goal, {a: even(a) for a in own}) and all(part.allows_even(which) for part in parts):
            return True
    leaves = sorted({*own, *(a for part in parts for a in part.leaves)})
    for uneven in _UNEVEN:
        values = {a: uneven(i) for i, a in enumerate(leaves)}
        if _fails(goal, values) and all(part.allows({a: values[a] for a in part.leaves}) for part in parts):
            return True
    # models are dear: they are looked for where the facts held in few trials
    return _fails_for_unrelated(parts, goal, own) or (held < _FEW and _fails_in_models(parts, goal))


def _try_completed(parts: Sequence[Part], goal: Cond) -> tuple[int, int]:
    """Likewise, where equations are solved if need be; and the first trial in which the goal fails is enough."""
    order = list(parts)
    free = _free_in(goal)
    own = _drawn_of(goal, ())
    held = 0
    for k in range(_TRIALS):
        values = {a: drawn[k] for a, drawn in own.items()}
        for i, part in enumerate(order):
            point = part.complete(k)
            if point is None:
                order.insert(0, order.pop(i))
                break
            values.update({a: point.at(a) for a in free if a in part.drawn})
        else:
            try:
                if not Point(values).holds(goal):
                    return 1, held
                held += 1
            except (KeyError, ArithmeticError):
                continue
            if held == _ENOUGH:
                break
    return 0, held


def _fails_in_models(parts: Sequence[Part], goal: Cond) -> bool:
    """Whether a goal fails where each part of the facts has a model that was looked for."""
    free = _free_in(goal)
    for i in range(_MODELS):
        values: dict[Atom, int] = {}
        fresh = False
        for part in parts:
            model = part.model(i)
            fresh = fresh or model is not None
            # where one part has fewer models than another, its first stands beside the others of that
            model = model or part.model(0)
            if model is None:
                return False
            values.update({a: model.at(a) for a in free if a in part.free})
        if not fresh and i:
            return False
        if Model(values, i, False).breaks(goal):
            return True
    return False


def _fails_for_unrelated(parts: Sequence[Part], goal: Cond, own: Sequence[Atom]) -> bool:
    """Whether a goal fails where what no fact relates to anything else is as small, or as large, as it likes."""
    alone = atoms_of(goal)
    for part in parts:
        alone -= part.related
    return bool(alone) and any(
        _fails(goal, {a: low if a in alone else high for a in own})
        and all(part.allows({a: low if a in alone else high for a in part.leaves}) for part in parts)
        for low, high in _APART)


def _fails(goal: Cond, values: Mapping[Atom, int]) -> bool:
    try:
        return not holds(goal, values)
    except (KeyError, ArithmeticError):
        return False


def limits(facts: Iterable[Cond], names: Mapping[Atom, str]) -> tuple[dict[str, int], dict[str, int]]:
    """The least and the largest value of each symbol that has a fact of its own."""
    low: dict[str, int] = {}
    high: dict[str, int] = {}
    for c in facts:
        monos = [m for m in c.term.monos if m]
        name = names.get(monos[0][0]) if len(monos) == 1 == len(monos[0]) else None
        if c.op not in ("ge", "eq") or name is None or abs(c.term.monos[monos[0]]) != 1:
            continue
        bound = -c.term.offset * c.term.monos[monos[0]]
        if c.op == "eq" or c.term.monos[monos[0]] > 0:
            low[name] = max(low.get(name, bound), bound)
        if c.op == "eq" or c.term.monos[monos[0]] < 0:
            high[name] = min(high.get(name, bound), bound)
    return low, high


def find_equal_atoms(facts: Iterable[Cond]) -> dict[Atom, Atom]:
    """Atoms that the facts say to be equal, each with one that stands for all of them."""
    out: dict[Atom, Atom] = {}
    for c in facts:
        sides = [m[0] for m in c.term.monos if len(m) == 1] if c.op == "eq" else []
        if len(sides) == 2 == len(c.term.monos) and sorted(c.term.monos.values()) == [-1, 1]:
            a, b = (out.get(side, side) for side in sides)
            out |= {x: b for x, y in out.items() if y == a} | {a: b}
    return out


def _choose_size(a: Atom, extent: int, count: int) -> int:
    return extent if isinstance(a, EXTENTS) else count


_EVEN: Final[tuple[Callable[[Atom], int], ...]] = (
    lambda a: 1,
    lambda a: 2,
    lambda a: 128,
    lambda a: _choose_size(a, 1000, 64),
    lambda a: _choose_size(a, 3, 64),
)
"""Values by kind of quantity."""
_UNEVEN: Final[tuple[Callable[[int], int], ...]] = (
    lambda i: _SIZES[i % len(_SIZES)],
    lambda i: _SIZES[(7 * i + 3) % len(_SIZES)],
    lambda i: i % 2,
)
"""Values by the place of a quantity among all."""
