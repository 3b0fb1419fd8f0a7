"""The elements that every block touches in one launch: the evaluated accesses of a kernel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, TypeAlias

from msgspec import Struct

from tilecheck.interp.kernel.access import Access
from tilecheck.solver.model_search.codegen import Oracle, TooLarge, enumerator, value
from tilecheck.solver.model_search.layout import layout
from tilecheck.solver.model_search.world import STYLES, data_key
from tilecheck.symbolic import (
    FUNCTIONS,
    UNKNOWN_ARRAY,
    App,
    Atom,
    Cond,
    GridDim,
    Lane,
    Opaque,
    Symbol,
    atoms_in,
    atoms_of,
    conj,
    conjuncts,
)
from tilecheck.symbolic.footprint import Region
from tilecheck.visualize.setting import Block, CannotDraw, Setting

__all__ = ["MOST_POINTS", "Element", "Touch", "Touched", "Unplaced", "touches"]

Element: TypeAlias = tuple[int, ...]

MOST_POINTS: Final = 150_000
"""The most touched elements in a readable picture, each counted once a block and iteration."""
ITERATIONS: Final = 1_024
"""The most iterations of a loop that are evaluated. An iteration without an access also takes time."""


class Touch(Struct, frozen=True):
    """The elements that one access touches in one block and iteration.

    access      its number among the accesses of the kernel
    iterations  the loops that it depends on: name of the counter, and number of earlier iterations
    inside      elements of the array that it reads or writes
    astray      elements outside the array that it reads or writes
    kept_off    addressed elements that a bounds check excludes: padded or dropped
    twice       elements that several of its lanes touch
    """

    access: int
    block: Block
    iterations: tuple[tuple[str, int], ...]
    inside: tuple[Element, ...]
    astray: tuple[Element, ...] = ()
    kept_off: tuple[Element, ...] = ()
    twice: tuple[Element, ...] = ()

    def is_undefined(self, access: Access) -> bool:
        """Whether its location makes it undefined: a tile wholly outside, or an element without a check."""
        return bool(self.astray) or (bool(access.tile) and not self.inside and bool(self.kept_off))


class Unplaced(Struct, frozen=True):
    """An access that cannot be drawn, or not for sure, and why."""

    access: int
    why: str
    drawn: bool


class Touched(Struct, frozen=True):
    """All touches of a launch, in program order; `made_up` are the elements of arrays that were assumed."""

    touches: tuple[Touch, ...]
    unplaced: tuple[Unplaced, ...]
    made_up: tuple[tuple[str, int], ...]


def touches(
    accesses: Sequence[Access], setting: Setting, most: int = MOST_POINTS, iterations: int = ITERATIONS,
) -> Touched:
    """Evaluate the accesses. Raises CannotDraw when there are too many elements, or a size is missing."""
    found: list[Touch] = []
    unplaced: list[Unplaced] = []
    data = dict(setting.data)
    left = most
    for number, access in enumerate(accesses):
        doubt = _doubt(access)
        if doubt:
            unplaced.append(Unplaced(number, doubt, _is_located(access)))
        if not _is_located(access):
            continue
        index = access.region.index
        made = _points(Region(index, _drop_unknown(access.region.guard)), setting, data, left, iterations)
        addressed = _points(Region(index, _drop_unknown(access.under)), setting, data, left, iterations)
        left -= len(addressed)
        if left < 0:
            raise CannotDraw("the blocks touch more elements than a picture can show: choose smaller tiles, arrays or "
                             "a smaller grid")
        found += _collect_touch(number, access, made, addressed, setting)
    made_up = tuple(sorted((k, v) for k, v in data.items() if k not in setting.data))
    return Touched(tuple(found), tuple(unplaced), made_up)


_Made: TypeAlias = tuple[Element, Block, tuple[tuple[str, int], ...]]


def _is_located(access: Access) -> bool:
    return access.array != UNKNOWN_ARRAY and not any(_unknown(a) for a in atoms_in(*access.region.index))


def _doubt(access: Access) -> str:
    """The uncertain facts about an access."""
    if access.array == UNKNOWN_ARRAY:
        return "it is not known which array this touches"
    if not _is_located(access):
        return "part of the index was not understood, so its place is not known"
    if _drop_unknown(access.region.guard) != access.region.guard:
        return "it is made under a condition that was not understood: drawn as if it held"
    return "" if access.region.exact else "it may touch less than is drawn"


def _drop_unknown(c: Cond) -> Cond:
    return conj(*(p for p in conjuncts(c) if not any(_unknown(a) for a in atoms_of(p))))


def _unknown(a: Atom) -> bool:
    return (isinstance(a, Opaque) and not a.uniform) or (isinstance(a, App) and a.fn not in FUNCTIONS)


def _points(region: Region, setting: Setting, data: dict[str, int], most: int, limit: int) -> list[_Made]:
    plan = layout(region)
    points = enumerator(region)
    if points is None:
        raise CannotDraw("the index is too long to be evaluated")
    uniform = tuple(_scalar(a, setting) for a in plan.uniform)
    try:
        lanes = tuple(tuple(range(_extent(lane, setting, data))) for lane in plan.lanes)
        count = [0]
        limits = (limit,) * len(plan.counters)
        out: list[_Made] = []
        names = tuple(c.name for c in plan.counters)
        # loops may look at many more iterations than they make
        for element, block, counters, _ in points(
                uniform, setting.grid, limits, lanes, _oracle(data, setting.style), 20 * most + 100_000, count):
            if limit - 1 in counters:
                raise CannotDraw(f"a loop of this launch has {limit} iterations or more: choose smaller sizes")
            out.append((element, block, tuple(zip(names, counters, strict=True))))
            if len(out) > most:
                break
    except (TooLarge, ArithmeticError) as error:
        raise CannotDraw("with these sizes an index has no value: something is divided by 0, or a size is negative"
                         ) from error
    if count[0] > 20 * most + 100_000:
        raise CannotDraw("the loops of this launch are too long for a picture: choose smaller sizes")
    return out


def _scalar(a: Atom, setting: Setting) -> int:
    if isinstance(a, Opaque):
        return setting.data.get(a.key, 1)
    found = _lookup_symbol(a, setting)
    if found is None:
        raise CannotDraw(f"a value of `{a.key}` is missing: pass --set {a.key}=...")
    return found


def _lookup_symbol(a: Atom, setting: Setting) -> int | None:
    if isinstance(a, GridDim):
        return setting.grid[a.axis]
    return setting.scalars.get(a) if isinstance(a, Symbol) else None


def _extent(lane: Lane, setting: Setting, data: dict[str, int]) -> int:
    variables = tuple(sorted(a for a in atoms_in(lane.size) if isinstance(a, (Symbol, Opaque))))
    got: int = value(lane.size, variables)(tuple(_scalar(a, setting) for a in variables), _oracle(data, setting.style))
    return max(got, 0)


def _oracle(data: dict[str, int], style: int) -> Oracle:
    def look_up(name: str, *args: int) -> int:
        key = data_key(name, args)
        if key not in data:
            data[key] = STYLES[style](name, args)
        return data[key]

    return look_up


def _collect_touch(
    number: int, access: Access, made: Iterable[_Made], addressed: Iterable[_Made], setting: Setting,
) -> Iterator[Touch]:
    shape = setting.shape(access.array, len(access.region.index))
    grouped: dict[tuple[Block, tuple[tuple[str, int], ...]], tuple[dict[Element, int], dict[Element, int]]] = {}
    for which, points in ((1, addressed), (0, made)):
        for element, block, iterations in points:
            counts = grouped.setdefault((block, iterations), ({}, {}))[which]
            counts[element] = counts.get(element, 0) + 1
    for (block, iterations), (touched, meant) in grouped.items():
        yield Touch(
            number, block, iterations,
            tuple(e for e in touched if _is_inside(e, shape)), tuple(e for e in touched if not _is_inside(e, shape)),
            tuple(e for e in meant if e not in touched), tuple(e for e, n in touched.items() if n > 1))


def _is_inside(element: Element, shape: Sequence[int | None]) -> bool:
    return all(i >= 0 and (n is None or i < n) for i, n in zip(element, shape, strict=True))
