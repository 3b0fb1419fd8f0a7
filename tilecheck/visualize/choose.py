"""Sizes for a picture: small, with several blocks and several tiles on each axis, and with nothing amiss that the
contract of the kernel excludes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import prod
from typing import Final
from zlib import crc32

from msgspec import Struct, field
from msgspec.structs import replace

from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.solver.model_search.assignments import Chooser, grids, power_of_two, roles
from tilecheck.solver.model_search.layout import leaves
from tilecheck.symbolic import (
    Array,
    Atom,
    Cond,
    Extent,
    GridDim,
    Lane,
    Load,
    Opaque,
    Scalar,
    Size,
    Stride,
    Symbol,
    Term,
    atoms_in,
    evaluate,
    holds,
    of,
)
from tilecheck.visualize.meetings import meetings
from tilecheck.visualize.schedule import Scheduled
from tilecheck.visualize.setting import Block, CannotDraw, Setting
from tilecheck.visualize.touches import ITERATIONS, MOST_POINTS, Element, Touch, Touched, touches

__all__ = ["Wish", "choose"]

_TRIALS: Final = 40
_SMALL: Final = 6_000
"""Points of a launch that is tried out."""
_FEW: Final = 40
"""Iterations of its loops; more are none to look at."""
_STEPS: Final = 240
"""Launches to try out in all."""
_VALUES: Final = (1, 2, 3, 4, 6, 8, 12, 16, 5)
_STYLES: Final = (0, 2, 4, 3)
"""Contents of arrays to try, as the search numbers them: each element its index, and others."""
_TILES: Final = (1, 2, 4, 8)


class Wish(Struct, frozen=True):
    """Conditions on a launch.

    given    scalars that are fixed, those of the grid included
    must     conditions that it satisfies
    should   conditions that it satisfies if possible
    data     contents of arrays
    clean    whether to avoid collisions and accesses outside
    """

    given: Mapping[Symbol, int]
    must: tuple[Cond, ...] = ()
    should: tuple[Cond, ...] = ()
    data: Mapping[str, int] = field(default_factory=dict)
    clean: bool = True


def choose(model: KernelModel, plan: Scheduled, wish: Wish) -> Setting:
    """A launch for a picture. Raises CannotDraw when none is found that satisfies what it must."""
    first: Setting | None = None
    for style in _STYLES if _reads_data(plan) else _STYLES[:1]:
        found = _search_setting(model, plan, wish, style)
        if _writes(plan, found):
            return found
        first = first or found
    # for every content of the arrays, nothing is written
    return first or _search_setting(model, plan, wish, 0)


def _reads_data(plan: Scheduled) -> bool:
    return any(isinstance(x, Load) for a in plan.accesses for x in atoms_in(*a.region.index, a.region.guard))


def _writes(plan: Scheduled, setting: Setting) -> bool:
    found = touches(plan.accesses, setting)
    return any(t.inside and plan.accesses[t.access].mode != "read" for t in found.touches)


def _search_setting(model: KernelModel, plan: Scheduled, wish: Wish, style: int) -> Setting:
    search = _Search(model, plan, wish, style)
    best: tuple[tuple[float, ...], Setting] | None = None
    for setting in search.candidates():
        best = search.pick_better(best, setting)
    if best is None:
        best = search.pick_better(None, search.choose_without_conditions(), most=MOST_POINTS)
    if best is None:
        raise CannotDraw(search.trouble or "no small sizes were found for this kernel: pass --grid, --set and --shape")
    return search.climb(best)


class _Search:
    def __init__(self, model: KernelModel, plan: Scheduled, wish: Wish, style: int) -> None:
        self.model, self.plan, self.wish, self.style = model, plan, wish, style
        self.trouble = ""
        self.tried = 0
        values: list[Term | Cond] = [*wish.must, *wish.should, *(plan.grid or ())]
        lanes: set[Lane] = set()
        for a in plan.accesses:
            values += [*a.region.index, a.region.guard, a.under, *a.tile]
            lanes |= {x for x in atoms_in(*a.region.index, a.region.guard) if isinstance(x, Lane)}
        shapes = (of(Extent(array, axis)) for array, rank in model.ranks for axis in range(rank))
        found = {x for v in (*values, *shapes) for x in leaves(v)}
        self.variables: tuple[Atom, ...] = tuple(sorted(
            x for x in found if isinstance(x, Symbol) or (isinstance(x, Opaque) and x.uniform)))
        tiles, self.radices = roles(values, lanes)
        extents = {x for a in plan.accesses for e in a.tile for x in e.atoms() if isinstance(x, Symbol)}
        self.multiples = tuple(n * r for r in self.radices if 4 <= r <= 256 for n in (2, 3))
        self.tiles = tiles | frozenset(x for x in extents if isinstance(x, Scalar))
        self.fixed: dict[Atom, int] = {
            x: wish.given[x] for x in self.variables if isinstance(x, Symbol) and x in wish.given}
        self.axes = model.axes_read if plan.grid is None else frozenset(range(plan.rank))
        self._extents = (2, 3, 4, 6, 8) if len(self.axes) == 1 else (2, 3, 4)
        self.mentioned = frozenset(x for v in values for x in leaves(v))

    def candidates(self) -> Iterator[Setting]:
        for conds in dict.fromkeys(((*self.wish.must, *self.wish.should), self.wish.must)):
            chooser = Chooser(self.variables, tiles=self.tiles, fixed=self.fixed)
            if not chooser.require(conds):
                continue
            seed = crc32("|".join(x.key for x in self.variables).encode())
            found = False
            for grid, drawn in chooser.draws(self._grids(), seed, _TRIALS):
                found = True
                yield self._setting(grid, dict(zip(self.variables, drawn, strict=True)))
            if found:
                return

    def choose_without_conditions(self) -> Setting:
        """Sizes without regard to conditions, for a launch with all relevant values given."""
        values = {x: self.fixed.get(x, 4 if x in self.tiles else 8) for x in self.variables}
        return self._setting(self._grids()[0], values)

    def _grids(self) -> tuple[Block, ...]:
        own = [self.wish.given.get(GridDim(k)) for k in range(3)]
        small = grids(self.axes, self.radices, least=2) if self.axes else ((1, 1, 1),)
        return tuple(dict.fromkeys((own[0] or g[0], own[1] or g[1], own[2] or g[2]) for g in small))

    def _setting(self, grid: Block, values: Mapping[Atom, int]) -> Setting:
        scalars = {x: v for x, v in values.items() if isinstance(x, Symbol) and not isinstance(x, GridDim)}
        opaque = {x.key: v for x, v in values.items() if isinstance(x, Opaque)}
        data = {**opaque, **self.wish.data}
        return self._fit_arrays(Setting(self._of_pieces(grid, scalars), scalars, data, self.style))

    def _of_pieces(self, grid: Block, scalars: Mapping[Symbol, int]) -> Block:
        if self.plan.grid is None:
            return grid
        env: dict[Atom, int] = dict(scalars.items())
        x, y, z = (max(1, evaluate(t, env)) for t in self.plan.grid)
        return x, y, z

    def _fit_arrays(self, setting: Setting) -> Setting:
        """The setting with each array as large as its touched part, unless the kernel specifies its size.

        Sizes that follow from others are updated.
        """
        scalars = dict(setting.scalars)
        for array, rank in self.model.ranks:
            shape = [scalars.get(Extent(array, k)) for k in range(rank)]
            strides = [k for k in range(rank) if Stride(array, k) in self.mentioned]
            step = 1
            for k in reversed(range(rank) if strides else ()):
                if Stride(array, k) not in self.wish.given:
                    scalars[Stride(array, k)] = step
                step *= shape[k] or 1
            size = Size(array)
            if size in scalars and all(shape) and size not in self.wish.given:
                scalars[size] = prod(n or 1 for n in shape)
        return replace(setting, scalars=scalars)

    def pick_better(
        self, best: tuple[tuple[float, ...], Setting] | None, setting: Setting, most: int = _SMALL,
    ) -> tuple[tuple[float, ...], Setting] | None:
        self.tried += 1
        try:
            found = touches(self.plan.accesses, setting, most, _FEW if most == _SMALL else ITERATIONS)
        except CannotDraw as error:
            self.trouble = str(error)
            return best
        if not found.touches and best is not None:
            return best
        score = self._score(setting, found)
        return (score, setting) if best is None or score > best[0] else best

    def climb(self, best: tuple[tuple[float, ...], Setting]) -> Setting:
        """The launch after changing one size after another, as long as that improves it."""
        improved = True
        while improved and self.tried < _STEPS:
            improved = False
            for setting in self._neighbours(best[1]):
                if self.tried >= _STEPS:
                    break
                if self._is_allowed(setting):
                    better = self.pick_better(best, setting)
                    if better is not None and better[0] > best[0]:
                        best, improved = better, True
                        break
        return best[1]

    def _neighbours(self, setting: Setting) -> Iterator[Setting]:
        ends = self._ends(setting)
        yield self._with(setting, ends)
        for extent, end in ends.items():
            if setting.scalars.get(extent) != end:
                yield self._with(setting, {extent: end})
        if self.plan.grid is None:
            for axis in sorted(self.axes):
                for n in self._extents if GridDim(axis) not in self.wish.given else ():
                    g = setting.grid
                    grid = (n if axis == 0 else g[0], n if axis == 1 else g[1], n if axis == 2 else g[2])
                    if grid != g:
                        other = self._fit_arrays(replace(setting, grid=grid))
                        yield other
                        yield self._with(other, self._ends(other))
        for x in self.variables:
            if x in self.fixed or not isinstance(x, Symbol) or isinstance(x, (GridDim, Stride)):
                continue
            for n in _TILES if x in self.tiles else (*_VALUES, *self.multiples):
                if n != setting.scalars.get(x):
                    yield self._with(setting, {x: n})

    def _ends(self, setting: Setting) -> dict[Symbol, int]:
        """Extents with which arrays end at their last addressed element."""
        try:
            found = touches(self.plan.accesses, setting, _SMALL, _FEW)
        except CannotDraw:
            return {}
        out: dict[Symbol, int] = {}
        for array, rank in self.model.ranks:
            own = [e for t in found.touches if self.plan.accesses[t.access].array == array
                   for e in (*t.inside, *t.kept_off) if len(e) == rank]
            for axis in range(rank) if own else ():
                if Extent(array, axis) not in self.wish.given:
                    out[Extent(array, axis)] = max(1, max(e[axis] for e in own) + 1)
        return out

    def _with(self, setting: Setting, change: Mapping[Symbol, int]) -> Setting:
        scalars = {**setting.scalars, **change}
        return self._fit_arrays(replace(setting, grid=self._of_pieces(setting.grid, scalars), scalars=scalars))

    def _is_allowed(self, setting: Setting) -> bool:
        env = setting.launch
        return all(_holds(c, env) for c in self.wish.must) and all(
            power_of_two(v) for x in self.tiles if isinstance(x, Symbol) and (v := setting.scalars.get(x)) is not None)

    def _score(self, setting: Setting, found: Touched) -> tuple[float, ...]:
        accesses = self.plan.accesses
        env = setting.launch
        kept = sum(_holds(c, env) for c in self.wish.should)
        amiss = 0
        if self.wish.clean:
            amiss = sum(t.is_undefined(accesses[t.access]) for t in found.touches)
            amiss += len(meetings(accesses, found.touches)) if not amiss else 0
        working = {t.block for t in found.touches if t.inside and accesses[t.access].mode != "read"}
        working = working or {t.block for t in found.touches if t.inside}
        spread = sum(min(len({b[k] for b in working}), 2) for k in self.axes)
        many = len(working) >= 3
        cells, wide = _extents(self.model, setting)
        tiled = _tiles(accesses, found.touches)
        repeated = sum(1 for n in _repeats(accesses, found.touches).values() if n > 1)
        covered = _smallest_coverage(accesses, found.touches, self.model, setting)
        whole = sum(not t.kept_off for t in found.touches) / max(1, len(found.touches))
        size = cells / 200 + min(1.5, max(0, wide - 16) / 4) + len({t.block for t in found.touches}) / 12
        return (-min(amiss, 1), kept, spread, round(
            2.0 * covered + 1.6 * tiled + 0.7 * min(repeated, 2) + 0.6 * many + 0.8 * whole - size, 4))


def _holds(c: Cond, env: Mapping[Atom, int]) -> bool:
    try:
        return holds(c, env)
    except (KeyError, ArithmeticError):
        return True


def _extents(model: KernelModel, setting: Setting) -> tuple[int, int]:
    """Elements of all arrays, and the longest axis."""
    cells = wide = 0
    for name, rank in model.ranks:
        known = [n for n in setting.shape(name, rank) if n is not None]
        cells += prod(known)
        wide = max([wide, *known])
    return cells, wide


def _tiles(accesses: Sequence[Access], touches: Iterable[Touch]) -> float:
    """How many of the axes of arrays show several tiles of several elements."""
    starts: dict[tuple[Array, int], set[int]] = {}
    lengths: dict[tuple[Array, int], int] = {}
    for t in touches:
        for e in _ends(t.inside):
            array = accesses[t.access].array
            for axis, (low, high) in enumerate(e):
                starts.setdefault((array, axis), set()).add(low)
                lengths[array, axis] = max(lengths.get((array, axis), 1), high - low + 1)
    several = sum(min(len(s), 2) - 1 for s in starts.values())
    long = sum(0.3 for n in lengths.values() if 2 <= n <= 4)
    return (several + long) / max(1, len({array for array, _ in starts})) * 1.5


def _ends(elements: tuple[Element, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    if elements:
        columns = list(zip(*elements, strict=True))
        yield tuple((min(c), max(c)) for c in columns)


def _repeats(accesses: Sequence[Access], touches: Iterable[Touch]) -> dict[str, int]:
    """The most iterations that a block makes of each loop."""
    seen: dict[str, int] = {}
    for t in touches:
        for name, n in t.iterations:
            seen[name] = max(seen.get(name, 0), n + 1)
    return seen


def _smallest_coverage(
    accesses: Sequence[Access], touches: Iterable[Touch], model: KernelModel, setting: Setting,
) -> float:
    """The touched share of the array with the smallest touched share."""
    seen: dict[Array, set[Element]] = {}
    for t in touches:
        seen.setdefault(accesses[t.access].array, set()).update(t.inside)
    shares = [1.0]
    for name, rank in model.ranks:
        shape = setting.shape(name, rank)
        if name in seen and None not in shape:
            shares.append(len(seen[name]) / max(prod(n or 1 for n in shape), 1))
    return sum(shares) / len(shares) + min(shares)

