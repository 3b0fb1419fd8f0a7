"""Complete kernels, built from digits, a place and a use of the place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.oracle.builder import Builder
from tests.oracle.decodes import DECODES
from tests.oracle.sinks import SINKS, Place


def _value(b: Builder, place: Place) -> str:
    return b.let(f"ct.full({place.shape}, 1, ct.float32)", "value") if place.shape != "1" else "1"


def write_only(b: Builder, place: Place) -> None:
    b.emit(place.write(_value(b, place)))


def in_place(b: Builder, place: Place) -> None:
    """Reads what it writes; a slip reads the neighbour's."""
    index = place.index
    if place.neighbour is not None and b.slip("reads the neighbour", 60):
        index = place.neighbour
    value = b.let(place.read(index), "old")
    b.emit(place.write(f"{value} + 1" if place.shape != "1" else value))


def two_steps(b: Builder, place: Place) -> None:
    """Writes, then reads back and writes again."""
    write_only(b, place)
    value = b.let(place.read(place.index), "again")
    b.emit(place.write(f"{value} * 2" if place.shape != "1" else value))


def under_block_guard(b: Builder, place: Place) -> None:
    """Writes only where the block passes a test."""
    axis = b.pick(*sorted(b.axes)) if b.axes else 0
    block = b.bid(axis)
    b.open(f"if {b.pick(f'{block} >= 1', f'{block} < {b.count()}', f'{block} % 2 == 0', f'{block} != 1')}:")
    write_only(b, place)


def under_flag(b: Builder, place: Place) -> None:
    b.open(f"if {b.flag()}:")
    write_only(b, place)


def both_parities(b: Builder, place: Place) -> None:
    """One store for even blocks and one for odd ones: they share the place."""
    axis = b.pick(*sorted(b.axes)) if b.axes else 0
    value, depth = _value(b, place), b.depth
    b.open(f"if {b.bid(axis)} % 2 == 0:")
    b.emit(place.write(value))
    b.close_to(depth)
    b.open("else:")
    b.emit(place.write(value))


USES: Final[tuple[Callable[[Builder, Place], None], ...]] = (
    write_only, write_only, write_only, write_only, in_place, in_place, two_steps, under_block_guard, under_flag,
    both_parities,
)


def compose_kernel(b: Builder) -> None:
    """Digits, a sink, a use."""
    decode = b.pick(*DECODES)
    b.feature(decode.__name__)
    digits = decode(b)
    sink = b.pick(*SINKS)
    b.feature(sink.__name__)
    place = sink(b, digits)
    use = b.pick(*USES)
    b.feature(use.__name__)
    use(b, place)
