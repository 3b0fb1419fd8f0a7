"""Small adversarial values for launch scalars.

Values are drawn in an order of promise (two blocks an axis, tiles of two, sizes that are whole multiples, then the
rest at random) and repaired until the uniform conditions hold. The sequence depends on the regions only.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import product
from typing import Final, TypeAlias, TypeGuard

from tilecheck.solver.model_search.codegen import Oracle, TooLarge, predicate, value
from tilecheck.solver.model_search.layout import conjuncts, leaves, reads_data
from tilecheck.symbolic import (
    Array,
    Atom,
    Cond,
    Extent,
    FloorDiv,
    GridDim,
    Lane,
    Mod,
    Opaque,
    Stride,
    Symbol,
    Term,
    atoms_of,
)

Grid: TypeAlias = tuple[int, int, int]

TILES: Final = (2, 4, 1, 8, 16)
SIZES: Final = (4, 2, 3, 1, 5, 8, 6, 7, 16, 12, 9)
FLAGS: Final = (1, 0)
UNKNOWN: Final = (1, 0, 2, 3)
STRIDES: Final = (1, 2, 4, 8, 3, 6, 16, 12)
ROUNDS: Final = 12
HOPELESS: Final = 48
"""Draws without one success after which there is no point in going on."""
MAX_VALUE: Final = 1 << 20


def grids(axes: Iterable[int], constants: Iterable[int] = (), least: int = 1) -> tuple[Grid, ...]:
    """Small grids over the axes, the most promising first; other axes have one block. At least two blocks in all,
    unless there is no axis."""
    chosen = sorted(axes)
    if not chosen:
        return ((1, 1, 1),)
    extents = {1: (2, 4, 3, 6, 5, 8), 2: (2, 3, 4, 5, 1), 3: (2, 3, 4, 1)}[len(chosen)]

    def promise(c: tuple[int, ...]) -> tuple[bool, bool, int, list[int]]:
        return min(c) < 2, max(c) > 4, sum(c), [extents.index(x) for x in c]

    combos = [c for c in product(extents, repeat=len(chosen)) if max(c) > 1 and min(c) >= least]
    out = sorted((c for c in combos if max(c) - min(c) <= 3 or len(chosen) == 1), key=promise)
    # a digit of a constant radix shows its period only in a grid beyond it
    for k in sorted({c + d for c in constants if 4 <= c <= 64 for d in (1, 0)}):
        for axis in range(len(chosen)):
            out.insert(min(4, len(out)), tuple(k if i == axis else 2 for i in range(len(chosen))))
    full: list[Grid] = []
    for c in out:
        extent = dict(zip(chosen, c, strict=True))
        g = (extent.get(0, 1), extent.get(1, 1), extent.get(2, 1))
        if g not in full:
            full.append(g)
    return tuple(full)


def _radices(values: Iterable[Term | Cond]) -> set[int]:
    out: set[int] = set()
    for v in values:
        for a in atoms_of(v):
            if isinstance(a, (FloorDiv, Mod)) and a.den.constant is not None:
                out.add(abs(a.den.constant))
    return out


def is_scalar(a: Atom) -> TypeGuard[Symbol]:
    """Whether an atom is a launch scalar that the grid does not give."""
    return isinstance(a, Symbol) and not isinstance(a, GridDim)


def grid_axis(a: Atom) -> int | None:
    """The axis when the atom is the extent of a grid axis."""
    return a.axis if isinstance(a, GridDim) else None


@dataclass
class _Constraint:
    """A uniform condition, compiled, with the positions of the variables in it."""

    cond: Cond
    variables: tuple[Atom, ...]
    check: Callable[[Sequence[int], Oracle], bool]
    where: tuple[int, ...]
    _measured: Callable[[Sequence[int], Oracle], int] | None = None

    def measure(self, v: Sequence[int]) -> int:
        """The term that a comparison compares with zero, compiled on first use: most conditions hold at once."""
        if self._measured is None:
            self._measured = value(self.cond.term, self.variables)
        return self._measured(v, _no_data)

    def holds(self, v: Sequence[int]) -> bool:
        try:
            return self.check(v, _no_data)
        except ArithmeticError:
            return False


def _no_data(*_: object) -> int:
    raise ArithmeticError("data")


@dataclass
class _Layout:
    """The part of a chooser that does not change between draws. Variables are numbered.

    given      whether the grid or the question gives a value
    tile       whether it is the extent of a tile
    first      those that are given, and tiles: the sizes are chosen by them
    rest       the others
    positive   whether a value below 1 makes no sense
    strides    by array: for each axis from the last one, where its stride stands unless that is given, and its extent
    dense      each stride with its array, its extent, and whether it may be what it likes
    touching   constraints that a variable is in
    """

    given: list[bool]
    tile: list[bool]
    first: list[int]
    rest: list[int]
    positive: list[bool]
    strides: list[list[tuple[int | None, int | None]]]
    dense: list[tuple[int, Array, int | None, bool]]
    touching: list[list[_Constraint]]
    others: list[list[_Constraint]]


@dataclass
class Chooser:
    """Draws values for variables subject to uniform conditions.

    zero       variables that may be 0 (the rest are at least 1)
    fixed      values that are given
    """

    variables: tuple[Atom, ...]
    constraints: list[_Constraint] = field(default_factory=list)
    tiles: frozenset[Atom] = frozenset()
    zero: frozenset[Atom] = frozenset()
    fixed: dict[Atom, int] = field(default_factory=dict)
    _known: _Layout | None = None

    def require(self, conds: Iterable[Cond]) -> bool:
        """Adds conditions; False when one of them cannot hold. Those that read data or vary are left out."""
        index = {a: i for i, a in enumerate(self.variables)}
        self._known = None
        for c in conds:
            for part in conjuncts(c):
                if part.op == "false":
                    return False
                needed = leaves(part)
                if part.op == "true" or part.varying or reads_data(part) or any(a not in index for a in needed):
                    continue
                try:
                    check = predicate(part, self.variables)
                except TooLarge:
                    continue
                self.constraints.append(_Constraint(part, self.variables, check, tuple(index[a] for a in needed)))
        self.constraints.sort(key=lambda k: (len(k.where), k.cond.key))
        return True

    @property
    def _layout(self) -> _Layout:
        if self._known is None:
            self._known = self._laid_out()
        return self._known

    def _laid_out(self) -> _Layout:
        given = [a in self.fixed or grid_axis(a) is not None for a in self.variables]
        tile = [a in self.tiles for a in self.variables]
        first = [i for i, known in enumerate(given) if known or tile[i]]
        rest = [i for i, known in enumerate(given) if not (known or tile[i])]
        shapes = {(a.array, a.axis): i for i, a in enumerate(self.variables) if isinstance(a, Extent)}
        strides = {(a.array, a.axis): i for i, a in enumerate(self.variables) if isinstance(a, Stride)}
        rows: list[list[tuple[int | None, int | None]]] = []
        for array in sorted({array for array, _ in strides}):
            last = max(axis for name, axis in (*shapes, *strides) if name == array)
            row: list[tuple[int | None, int | None]] = []
            for axis in range(last, -1, -1):
                place = strides.get((array, axis))
                row.append((None if place is None or self.variables[place] in self.fixed else place,
                            shapes.get((array, axis))))
            rows.append(row)
        places = {a: i for i, a in enumerate(self.variables)}
        # sorted by axis: an outer stride steps over all that lies inside it
        dense = [(i, a.array, places.get(Extent(a.array, a.axis)), a in self.zero or a in self.fixed)
                 for i, a in enumerate(self.variables) if isinstance(a, Stride)]
        return _Layout(
            given, tile, first, rest, [not (a in self.zero or isinstance(a, Opaque)) for a in self.variables], rows,
            dense, [[k for k in self.constraints if i in k.where] for i in range(len(self.variables))],
            [[k for k in self.constraints if i not in k.where] for i in range(len(self.variables))])

    def candidates(self, i: int, grid: Grid, values: Sequence[int]) -> Sequence[int]:
        """Values worth trying for a variable, given those of the others."""
        a = self.variables[i]
        if a in self.fixed:
            return (self.fixed[a],)
        axis = grid_axis(a)
        if axis is not None:
            return (grid[axis],)
        if a in self.tiles:
            return TILES
        if isinstance(a, Opaque):
            return UNKNOWN
        if isinstance(a, Stride):
            return STRIDES
        return _extents(grid, tuple([values[j] for j, tile in enumerate(self._layout.tile) if tile]), a in self.zero)

    def draws(self, grid_list: Sequence[Grid], seed: int, limit: int) -> Iterator[tuple[Grid, tuple[int, ...]]]:
        """Assignments that satisfy the conditions, without repetition."""
        rng = random.Random(seed)
        seen: set[tuple[Grid, tuple[int, ...]]] = set()
        if len(grid_list) == 1 and all(self._layout.given):
            limit = 1  # there is one assignment, and nothing in it to repair
        for trial in range(limit):
            if trial >= HOPELESS and not seen:
                return
            grid = grid_list[self._pick(rng, trial, len(grid_list))]
            values = self.repair(self._initial(grid, trial, rng), grid, rng)
            if values is None or not self._dense(values):
                continue
            found = (grid, tuple(values))
            if found not in seen:
                seen.add(found)
                yield found

    @staticmethod
    def _pick(rng: random.Random, trial: int, n: int) -> int:
        if trial < 12:
            return min(trial // 3, n - 1)
        # squared: early entries are the promising ones
        return int(rng.random() ** 2 * n)

    def _initial(self, grid: Grid, trial: int, rng: random.Random) -> list[int]:
        layout = self._layout
        values = [1] * len(self.variables)
        for i in layout.first:
            options = self.candidates(i, grid, values)
            values[i] = options[0] if trial < 9 else options[int(rng.random() ** 1.5 * len(options))]
        # tiles first: the sizes are chosen as multiples of them
        width = max([values[i] for i in layout.first if layout.tile[i]], default=1)
        usual = (max(grid) * width, 2, None)[trial % 3] if trial < 12 else None
        for i in layout.rest:
            if isinstance(self.variables[i], Opaque):
                values[i] = UNKNOWN[trial % 2 if trial < 9 else rng.randrange(len(UNKNOWN))]
            elif usual is not None:
                values[i] = usual
            else:
                options = self.candidates(i, grid, values)
                values[i] = options[int(rng.random() ** 1.5 * len(options))]
        self._row_major(values, rng, contiguous=trial < 12 or rng.random() < 0.7)
        return values

    def _dense(self, values: Sequence[int]) -> bool:
        """Whether the elements of every array have places of their own, as far as its strides and extents tell."""
        outer: dict[Array, tuple[int, bool]] = {}
        for i, array, extent, free in self._layout.dense:
            inner = values[i] * (1 if extent is None else values[extent])
            before = outer.get(array)
            if before is not None and before[0] < inner and not (free or before[1]):
                return False
            outer[array] = (values[i], free)
        return True

    def _row_major(self, values: list[int], rng: random.Random, contiguous: bool) -> None:
        """Strides as a dense array would have them (or one with padded rows), from its extents where they are known."""
        for row in self._layout.strides:
            step = 1
            for stride, extent in row:
                if stride is not None:
                    values[stride] = step
                step *= values[extent] if extent is not None else rng.choice((2, 4, 3, 1))
                if not contiguous:
                    step += rng.choice((0, 1, 2))

    def repair(self, values: list[int], grid: Grid, rng: random.Random) -> list[int] | None:
        """Changes values until all conditions hold; None when that does not succeed soon."""
        for _ in range(ROUNDS):
            failing = next((k for k in self.constraints if not k.holds(values)), None)
            if failing is None:
                return values
            if not self._fix(failing, values, grid, rng):
                return None
        return None

    def _fix(self, failing: _Constraint, values: list[int], grid: Grid, rng: random.Random) -> bool:
        layout = self._layout
        order = [i for i in failing.where if not layout.given[i]]
        rng.shuffle(order)
        # tile sizes last: many things depend on them
        order.sort(key=lambda i: layout.tile[i])
        best: tuple[int, int, int] | None = None
        for i in order:
            old = values[i]
            options = self.candidates(i, grid, values)
            if not layout.tile[i]:
                options = [*self._solutions(failing, values, i), *options]
            broken_anyway: int | None = None
            tried = {old}
            for rank, x in enumerate(options):
                if x in tried or not (x >= 1 or not layout.positive[i]) or abs(x) > MAX_VALUE:
                    continue
                tried.add(x)
                values[i] = x
                if failing.holds(values):
                    if broken_anyway is None:
                        broken_anyway = sum([not k.holds(values) for k in layout.others[i]])
                    broken = broken_anyway + sum([not k.holds(values) for k in layout.touching[i]])
                    if best is None or (broken, rank) < best[:2]:
                        best = (broken, rank, i)
                        choice = x
                    if broken == 0:
                        break
            values[i] = old
            if best is not None and best[0] == 0:
                break
        if best is None:
            return self._shake(order, values, grid, rng)
        values[best[2]] = choice
        return True

    def _shake(self, order: list[int], values: list[int], grid: Grid, rng: random.Random) -> bool:
        for i in order:
            values[i] = rng.choice(self.candidates(i, grid, values))
        return bool(order)

    @staticmethod
    def _solutions(failing: _Constraint, values: list[int], i: int) -> list[int]:
        """Where a comparison, taken as linear in one variable, turns true."""
        if failing.cond.op not in ("ge", "eq", "ne"):
            return []
        old = values[i]
        try:
            values[i] = old + 1
            above = failing.measure(values)
            values[i] = old
            here = failing.measure(values)
        except ArithmeticError:
            values[i] = old
            return [old * 2, old * 4]
        slope = above - here
        if slope == 0:
            return [old * 2, old * 4, old * 8]
        root = old - here // slope
        return [root, root + 1, root - 1]


@lru_cache(maxsize=4096)
def _extents(grid: Grid, tiles: tuple[int, ...], zero: bool) -> tuple[int, ...]:
    """Extents worth trying beside tiles of these sizes."""
    out = list(SIZES)
    for g in sorted({*grid}, reverse=True):
        for t in sorted({*tiles} or {1}):
            out += [g * t, g * t - 1, g * t + 1, (g - 1) * t + 1]
    out += [grid[0] * grid[1], grid[0] * grid[1] * grid[2]]
    return tuple(dict.fromkeys([0, *out, -1])) if zero else tuple(x for x in dict.fromkeys(out) if x >= 1)


def power_of_two(n: int) -> bool:
    return n >= 1 and n & (n - 1) == 0


def lane_values(size: int) -> tuple[int, ...]:
    """Which lanes of a tile of that size to look at: all of a small one, else its ends and middle."""
    if size <= 8:
        return tuple(range(size))
    picks = {0, 1, 2, size // 4, size // 2 - 1, size // 2, size // 2 + 1, size - 2, size - 1}
    return tuple(sorted(picks))


def roles(values: Iterable[Term | Cond], lanes: Iterable[Lane]) -> tuple[frozenset[Atom], tuple[int, ...]]:
    """The scalars that are tile extents, and the constants that digits are taken by."""
    tiles = {a for lane in lanes for a in leaves(lane.size) if isinstance(a, Symbol) and grid_axis(a) is None}
    everything = list(values)
    shaped = {a for a in tiles if not isinstance(a, Extent)}
    return frozenset(shaped), tuple(sorted(_radices(everything)))


__all__ = ["Chooser", "Grid", "grid_axis", "grids", "is_scalar", "lane_values", "power_of_two", "roles"]
