"""Array contents and unknown functions during a search, and the independent check of its witnesses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Literal, TypeAlias
from zlib import crc32

from tilecheck.solver.model_search.layout import layout
from tilecheck.symbolic import (
    FUNCTIONS,
    TRUE,
    App,
    Atom,
    Bid,
    Cond,
    Counter,
    GridDim,
    Lane,
    Load,
    Opaque,
    Symbol,
    evaluate,
    holds,
)
from tilecheck.symbolic.footprint import BlockPoint, Region, Witness

Want: TypeAlias = Literal["different-blocks", "same-block-lanes", "same-block-iterations"]


def data_key(name: str, args: tuple[int, ...]) -> str:
    """`ids[3]` or `f(3, 2)`, from the name with its bracket."""
    return f"{name}{', '.join(str(a) for a in args)}{']' if name.endswith('[') else ')'}"


def _zero(name: str, args: tuple[int, ...]) -> int:
    return 0


def _identity(name: str, args: tuple[int, ...]) -> int:
    return abs(args[-1]) if args else 0


def _draw_scattered(name: str, args: tuple[int, ...]) -> int:
    return crc32(data_key(name, args).encode()) % 7 % 4


def _draw_running(name: str, args: tuple[int, ...]) -> int:
    return 2 * abs(args[-1]) if args else 1


def _draw_reversed(name: str, args: tuple[int, ...]) -> int:
    return max(0, 3 - abs(args[-1])) if args else 2


STYLES: Final[tuple[Callable[[str, tuple[int, ...]], int], ...]] = (
    _identity,
    _zero,
    _draw_running,
    _draw_scattered,
    _draw_reversed,
)
"""Contents of arrays, as functions of array and index. All but `_zero` are the same in every process."""

RISING: Final = (_identity, _draw_running)
"""Those that grow with the index, as the offsets of segments do."""


def oracle(style: Callable[[str, tuple[int, ...]], int]) -> Callable[..., int]:
    return lambda name, *args: style(name, args)


class World(Mapping[Atom, int]):
    """Values of all atoms at one point, for `terms.evaluate`. Array elements are looked up in `data` by concrete
    index; a value that is not there is asked from `source` and noted, or is a KeyError when there is none. An index
    before the first element is a KeyError."""

    def __init__(
        self,
        leaves: Mapping[Atom, int],
        data: dict[str, int],
        source: Callable[[str, tuple[int, ...]], int] | None = None,
    ) -> None:
        self.leaves, self.data, self.source = leaves, data, source

    def __getitem__(self, a: Atom) -> int:
        if isinstance(a, Load):
            index = tuple(evaluate(i, self) for i in a.index)
            if any(i < 0 for i in index):
                raise KeyError(a)  # a load outside its array yields no element
            return self._datum(f"{a.array}[", index)
        if isinstance(a, App) and a.fn not in FUNCTIONS:
            return self._datum(f"{a.fn}(", tuple(evaluate(i, self) for i in a.args))
        if isinstance(a, Opaque) and a.uniform and a not in self.leaves:
            return self.data[a.key]
        return self.leaves[a]

    def _datum(self, name: str, args: tuple[int, ...]) -> int:
        key = data_key(name, args)
        if key not in self.data and self.source is not None:
            self.data[key] = self.source(name, args)
        return self.data[key]

    def __contains__(self, a: object) -> bool:
        if isinstance(a, Load) or (isinstance(a, App) and a.fn not in FUNCTIONS):
            return True
        return a in self.leaves or (isinstance(a, Opaque) and a.uniform and a.key in self.data)

    def __iter__(self) -> Iterator[Atom]:
        return iter(self.leaves)

    def __len__(self) -> int:
        return len(self.leaves)


def _leaves_at(
    point: BlockPoint, region: Region, scalars: Mapping[Atom, int], lanes: tuple[Lane, ...]
) -> dict[Atom, int]:
    plan = layout(region, lanes)
    out: dict[Atom, int] = {Bid(axis): point.block[axis] for axis in (0, 1, 2)}
    iterations, lane_at = dict(point.iterations), dict(point.lanes)
    for a in plan.uniform:
        if isinstance(a, Symbol):
            out[a] = scalars[a]
    for c in plan.counters:
        out[c] = iterations[c.name]
    for lane in plan.lanes:
        out[lane] = lane_at[lane.key]
    return out


def confirm(
    witness: Witness,
    first: Region,
    second: Region,
    *,
    assume: Cond = TRUE,
    want: Want = "different-blocks",
    counter: str | None = None,
    lanes: tuple[Lane, ...] = (),
) -> bool:
    """Whether a witness shows what it claims, by evaluating both accesses anew.

    Nothing of the search is trusted: both points must lie in the grid and in their tiles, both guards and `assume`
    must hold, both indexes must be the element and none of them negative, and the points must differ as `want` says.
    """
    try:
        return _confirms(witness, first, second, assume, want, counter, lanes)
    except (KeyError, ArithmeticError):
        return False


def _confirms(
    w: Witness, first: Region, second: Region, assume: Cond, want: Want, counter: str | None, lanes: tuple[Lane, ...]
) -> bool:
    scalars: dict[Atom, int] = dict(w.scalars)
    data = dict(w.data)
    if len(scalars) != len(w.scalars) or len(data) != len(w.data):
        return False
    for axis, extent in enumerate(w.grid):
        if extent < 1 or scalars.setdefault(GridDim(axis), extent) != extent:
            return False
    if not _differ_as_wanted(w, want, counter) or any(i < 0 for i in w.element):
        return False
    for point, region in ((w.first, first), (w.second, second)):
        if not region.exact or not layout(region, lanes).searchable:
            return False
        if any(not 0 <= at < extent for at, extent in zip(point.block, w.grid, strict=True)):
            return False
        world = World(_leaves_at(point, region, scalars, lanes), data)
        if not _stays_inside(world) or not holds(region.guard, world):
            return False
        if tuple(evaluate(t, world) for t in region.index) != w.element:
            return False
    return holds(assume, World(scalars, data))


def _stays_inside(world: World) -> bool:
    return all(
        not isinstance(a, (Counter, Lane)) or (v >= 0 and (isinstance(a, Counter) or v < evaluate(a.size, world)))
        for a, v in world.leaves.items()
    )


def _differ_as_wanted(w: Witness, want: Want, counter: str | None) -> bool:
    if want == "different-blocks":
        return w.first.block != w.second.block
    if w.first.block != w.second.block:
        return False
    if want == "same-block-lanes":
        return w.first.iterations == w.second.iterations and w.first.lanes != w.second.lanes
    a, b = dict(w.first.iterations), dict(w.second.iterations)
    return counter is not None and a[counter] != b[counter]
