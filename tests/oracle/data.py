"""Kernels whose indices come from memory, with the fact that makes them right; and data for which it holds."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

from tests.oracle.builder import Builder
from tests.oracle.composites import number
from tests.oracle.decodes import DECODES

_NEAR: Final = 8
"""Data is shuffled within its first elements, which are those that small grids read."""
_ROWS: Final = 6
"""Rows that a table with a sentinel names; the sentinel is the first number after them."""


def _read(b: Builder, array: str, index: str) -> str:
    form = b.pick("ct.gather({0}, {1})", "ct.gather({0}, ({1},))", "ct.load({0}, ({1},), (1,)).item()",
                  "ct.load({0}, index=({1},), shape=(1,)).item()")
    return b.let(form.format(array, index), "at")


def row_of_index(b: Builder) -> None:
    """Each block writes the row that an injective table gives it."""
    b.feature("row_of_index")
    digits = b.pick(*DECODES[:9])(b)[:2]
    key = digits[0].expr
    if b.slip("table read at half the block", 30):
        key = f"{key} // 2"
    table = b.data("ids", "injective", "injective(ids)")
    row, size = _read(b, table, key), b.tile()
    others = [d.expr for d in digits[1:]]
    if not others and b.chance(40):
        stride = b.stride()
        b.require(f"{size} <= {stride}")
        array = b.array("c", 1)
        b.emit(f"ct.scatter({array}, {row} * {stride} + ct.arange({size}, dtype=ct.int32), 1.0)")
        return
    array = b.array("c", 2 + len(others))
    index, shape = ", ".join([row, *others, "0"]), ", ".join(["1"] * (1 + len(others)) + [size])
    b.emit(f"ct.store({array}, ({index}), ct.full(({shape}), 1, ct.float32))")


def padded_parts(b: Builder) -> None:
    """Rows named by a table that is in use up to a number of whole tiles; past the rows it holds a sentinel."""
    b.feature("padded_parts")
    size, key = b.tile(), number(b).expr
    used = b.data("used", "tiles", f"multiple(used, {size})")
    table = b.data("ids", "sentinel", f"injective(ids, {_ROWS})")
    b.declared.append("range(used, 0, ids.shape[0] + 1)")
    b.require(f"ids.shape[0] >= {_NEAR}")
    count = _read(b, used, "0")
    reach = f" + {b.pick('1', size)}" if b.slip("one tile too many", 12) else ""
    b.open(f"if {key} * {size} < {count}{reach}:")
    row = b.let(f"ct.gather({table}, {key} * {size} + ct.arange({size}, dtype=ct.int32))", "rows")
    if b.slip("two rows in one", 12):
        row = b.let(f"{row} // 2", "rows")
    mask = f"{row} <= {_ROWS}" if b.slip("sentinel written", 12) else f"{row} < {_ROWS}"
    b.emit(f"ct.scatter({b.array('c', 1)}, {row}, 1.0, mask={mask})")


def own_segment(b: Builder) -> None:
    """Each block walks from one entry of a monotone table to the next."""
    table, p, size = b.data("starts", "monotone", "monotone(starts)"), b.create_name("p"), b.tile()
    block = b.let(b.bid(0), "i")
    after = f"{block} + 1"
    reach = f" + {b.pick('1', size)}" if b.slip("segment one too long", 15) else ""
    if b.slip("segment of two", 15):
        after = f"{block} + 2"
    low, high = _read(b, table, block), _read(b, table, after)
    b.open(f"for {p} in range({low}, {high}{reach}):")
    b.emit(f"ct.store({b.array('c', 1)}, ({p},), ct.full(({size},), 1, ct.float32))")


def walk_of_segment(b: Builder) -> None:
    """Each block writes `length` tiles from its offset on."""
    offsets = b.data("offsets", "offsets", "segments(offsets, lengths)")
    lengths, k, size = b.data("lengths", "lengths"), b.create_name("k"), b.tile()
    block = b.let(b.bid(0), "i")
    start, length = _read(b, offsets, block), _read(b, lengths, block)
    if b.slip("segment one too long", 15):
        length = f"{length} + 1"
    elif b.slip("offset of half the block", 15):
        start = _read(b, offsets, f"{block} // 2")
    b.open(f"for {k} in range({length}):")
    b.emit(f"ct.store({b.array('c', 1)}, ({start} + {k},), ct.full(({size},), 1, ct.float32))")


def ticket(b: Builder) -> None:
    """Each block draws the number of its tile from a counter."""
    counter, size = b.data("counter", "zero", "ticket(counter)"), b.tile()
    number = b.let(f"ct.atomic_add({counter}, {b.pick('0', '(0,)')}, 1)", "number")
    b.emit(f"other = {b.bid(0)}")
    place = f"{number} // 2" if b.slip("two tickets a tile", 25) else b.pick(number, number, f"2 * {number} + 1")
    b.emit(f"ct.store({b.array('c', 1)}, ({place},), ct.full(({size},), 1, ct.float32))")


def _segments(count: int, key: int) -> list[tuple[int, int]]:
    rng = random.Random(key)
    sizes = [rng.randrange(3) if n < _NEAR else 0 for n in range(count)]
    order = list(range(min(count, _NEAR)))
    rng.shuffle(order)
    starts, at = [0] * count, 0
    for n in order:
        starts[n] = at
        at += sizes[n]
    return list(zip(starts, sizes, strict=True))


def _injective(count: int, key: int) -> list[int]:
    near = list(range(min(count, _NEAR)))
    random.Random(key).shuffle(near)
    return near + list(range(len(near), count))


def _sentinel(count: int, key: int) -> list[int]:
    near = [min(n, _ROWS) for n in range(_NEAR)]
    random.Random(key).shuffle(near)
    return (near + [_ROWS] * count)[:count]


def _monotone(count: int, key: int) -> list[int]:
    rng, values = random.Random(key), [0]
    while len(values) < count:
        values.append(values[-1] + (rng.randrange(3) if len(values) <= _NEAR else 0))
    return values[:count]


_FILLS: Final[dict[str, Callable[[int, int], Any]]] = {
    "zero": lambda count, key: 0, "injective": _injective, "monotone": _monotone, "sentinel": _sentinel,
    "few": lambda count, key: [(n + key) % (1 + key % 5) for n in range(count)],
    "tiles": lambda count, key: 4 + key % 2 * 4,
    "offsets": lambda count, key: [start for start, _ in _segments(count, key)],
    "lengths": lambda count, key: [size for _, size in _segments(count, key)],
}


def contents(fill: str, count: int, key: int) -> Any:
    """Values for an array of `count` elements of which the fact holds that `fill` names."""
    return _FILLS[fill](count, key)
