"""Values under which conditions hold. A goal that is false under them has no proof, so none is searched for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Final
from zlib import crc32

from msgspec import Struct

from tilecheck.symbolic import (
    FUNCTIONS,
    App,
    Atom,
    Bid,
    Cond,
    FloorDiv,
    GridDim,
    Ite,
    Lane,
    Max,
    Min,
    Mod,
    Point,
    Symbol,
    Term,
    atoms_at,
    atoms_in,
    atoms_of,
    grid,
    of,
)

__all__ = ["Model", "Models", "is_free", "models"]

_WANTED: Final = 4
_FAILURES: Final = 1
_STEPS: Final = 20
_LARGEST: Final = 1 << 24
_SIZES: Final = (
    (1, 2, 3, 5), (2, 3, 4, 7), (4, 12, 33, 96), (16, 64, 100, 130), (1, 1, 2, 1000), (8, 5, 3, 1), (3, 3, 2, 6))
"""Launch scalars as they are drawn for the first, second, ... model."""
_COMPUTED: Final = (FloorDiv, Mod, Min, Max, Ite)
"""Atoms that have a definition, beside applications."""


class Model(Point):
    """Values of quantities; those that were not asked for before are drawn, or follow from others."""

    __slots__ = ("_signs", "draw")

    def __init__(self, values: Mapping[Atom, int], draw: int, signs: bool) -> None:
        super().__init__(values)
        self.draw, self._signs = draw, signs

    def after(self, changed: Atom, values: Mapping[Atom, int]) -> Model:
        """The model with these values, after one value changed."""
        kept = {a: v for a, v in self._values.items() if changed not in atoms_at(a)}
        kept.update(values)
        return Model(kept, self.draw, self._signs)

    def falsifies(self, t: Term) -> bool:
        """Whether `t >= 0` fails."""
        try:
            return self.value(t) < 0
        except (ArithmeticError, OverflowError):
            return False

    def breaks(self, c: Cond) -> bool:
        """Whether a condition fails, as far as it is defined."""
        try:
            return not self.holds(c)
        except (ArithmeticError, OverflowError):
            return False

    def leaf(self, a: Atom) -> int:
        return self.draw_value(a)

    def draw_value(self, a: Atom) -> int:
        number = _number(self.draw, a)
        if isinstance(a, Symbol):
            small = not self._signs and number % 5 == 0
            return max(self.find_least(a), 0 if small else _SIZES[self.draw][number % 4])
        if not isinstance(a, (Bid, Lane)):
            return number % 3
        most = self.value(_limit(a)) - 1
        if most < 0:
            raise ArithmeticError(a.key)
        return (0, most, number // 3 % (most + 1))[number % 3]

    def find_least(self, a: Atom) -> int:
        """The smallest value that a quantity can have, as far as it is drawn."""
        if isinstance(a, Symbol):
            return 1 if self._signs or isinstance(a, GridDim) else 0
        return 0


@lru_cache(maxsize=1 << 14)
def _number(draw: int, a: Atom) -> int:
    """The seed from which values of an atom are drawn. Most questions mention the same atoms."""
    return crc32(f"{draw}{a.key}".encode())


class Models:
    """A few models of conditions, as many as are found with little effort. Each is searched for when the earlier ones
    do not suffice. The order does not depend on the question that comes first.

    signs   whether launch scalars are positive in all of them
    """

    __slots__ = ("_draw", "_made", "_question")

    def __init__(self, conds: tuple[Cond, ...], signs: bool) -> None:
        self._question: _Question | tuple[tuple[Cond, ...], bool] = conds, signs
        self._made: list[Model] = []
        self._draw = 0

    def __iter__(self) -> Iterator[Model]:
        i = 0
        while (model := self.at(i)) is not None:
            yield model
            i += 1

    def at(self, i: int) -> Model | None:
        """One of them by its place; None beyond the last."""
        while i >= len(self._made) and self._draw_more():
            pass
        return self._made[i] if i < len(self._made) else None

    def _draw_more(self) -> bool:
        """Whether there was another draw to try; it need not have given a model."""
        draw, found = self._draw, len(self._made)
        if draw == len(_SIZES) or found == _WANTED or draw > found + _FAILURES + 1:
            self._question = (), False  # nothing is looked for any more
            return False
        if isinstance(self._question, tuple):
            self._question = _question(*self._question)
        self._draw += 1
        model = _search(self._question, draw)
        if model is not None:
            self._made.append(model)
        return True


@lru_cache(maxsize=4096)
def models(conds: tuple[Cond, ...], signs: bool) -> Models:
    """The models of conditions. Cached, because many sets of facts occur more than once."""
    return Models(conds, signs)


class _Question(Struct, frozen=True):
    """A question about models.

    terms    are not negative in one
    others   conditions other than inequalities
    leaves   atoms that have no definition
    given    values that follow from the conditions
    """

    terms: tuple[Term, ...]
    others: tuple[Cond, ...]
    leaves: tuple[Atom, ...]
    given: Mapping[Atom, int]
    signs: bool
    atoms: dict[int, set[Atom]]
    """Those of a term, by its place, of terms that were asked for."""

    def find_atoms(self, i: int) -> set[Atom]:
        """Every atom in a term."""
        found = self.atoms.get(i)
        if found is None:
            found = self.atoms[i] = atoms_of(self.terms[i])
        return found


def _question(conds: tuple[Cond, ...], signs: bool) -> _Question:
    leaves = sorted(filter(is_free, atoms_in(*conds)))
    terms = [t for c in conds if c.op in ("ge", "eq") for t in ((c.term,) if c.op == "ge" else (c.term, -c.term))]
    terms += [_limit(a) - 1 - of(a) for a in leaves if isinstance(a, (Bid, Lane))]
    others = tuple(c for c in conds if c.op not in ("ge", "eq"))
    given: dict[Atom, int] = {c.atom: int(c.positive) for c in others if c.op == "bool" and c.atom is not None}
    return _Question(tuple(terms), others, tuple(leaves), given, signs, {})


def is_free(a: Atom) -> bool:
    """Whether an atom has no definition: its value is drawn independently of other atoms."""
    return a.fn not in FUNCTIONS if isinstance(a, App) else type(a) not in _COMPUTED


def _limit(a: Bid | Lane) -> Term:
    return grid(a.axis) if isinstance(a, Bid) else a.size


def _search(q: _Question, draw: int) -> Model | None:
    try:
        start = Model(q.given, draw, q.signs)
        values = {**q.given, **{a: start.at(a) for a in q.leaves}}
        model = Model(values, draw, q.signs)
        holding: set[int] = set()
        for _ in range(_STEPS):
            broken: Term | None = None
            for i, t in enumerate(q.terms):
                if i not in holding:
                    if model.value(t) < 0:
                        broken = t
                        break
                    holding.add(i)
            if broken is None:
                return model if all(map(model.holds, q.others)) else None
            changed = _repair(broken, values, model)
            if changed is None:
                return None
            # what has nothing to do with the value that was changed is what it was
            holding = {i for i in holding if changed not in q.find_atoms(i)}
            model = model.after(changed, values)
    except (ArithmeticError, OverflowError):
        pass
    return None


def _repair(broken: Term, values: dict[Atom, int], model: Model) -> Atom | None:
    """Change one value so that a term is not negative any more, if only that value counts: which one; None where there
    is none."""
    missing = -model.value(broken)
    slopes: dict[Atom, int] = {}
    for m, c in broken.monos.items():
        for i, a in enumerate(m):
            if a in values or isinstance(a, FloorDiv):
                slope = c
                for b in m[:i] + m[i + 1:]:
                    slope *= model.at(b)
                slopes[a] = slopes.get(a, 0) + slope
    ways: list[tuple[bool, int, Atom, int]] = []
    inside: list[Term] = []
    for a, slope in slopes.items():
        steps = (missing + abs(slope) - 1) // abs(slope) if slope else 0
        new = model.at(a) + (steps if slope > 0 else -steps)
        if a in values and slope and new >= model.find_least(a):
            # a launch is made larger rather than smaller
            ways.append((slope < 0, crc32(f"{model.draw}{a.key}".encode()), a, new))
        elif isinstance(a, FloorDiv) and slope:
            inside.append(a.num - a.den * new if slope > 0 else a.den * (new + 1) - 1 - a.num)
    best = min(ways, default=None)
    if best is None or best[0]:
        for t in inside:
            changed = _repair(t, values, model) if model.value(t) < 0 else None
            if changed is not None:
                return changed
    if best is None or best[3] > _LARGEST:
        return None
    values[best[2]] = best[3]
    return best[2]
