"""The state of the run in progress, and where in the kernel's source it stands."""

from __future__ import annotations

import sys
from functools import lru_cache
from types import CodeType
from typing import Any, ClassVar

from tests.oracle.log import Block, Lines, Log, Outside

SOURCE_MARK = "__oracle_source__"
"""A global of every module loaded for the oracle: tells frames of kernels from our own."""


class Runaway(Exception):
    """A loop went on for longer than any test needs."""


class Ticks:
    """Bounds the work of one block: every operator, truth value of a tile and memory operation counts."""

    UNLIMITED: ClassVar[int] = 1 << 60
    left: ClassVar[int] = UNLIMITED

    @classmethod
    def tick(cls) -> None:
        cls.left -= 1
        if cls.left < 0:
            raise Runaway("too many steps in one block")


class Machine:
    """The state of the run in progress: one block at a time."""

    log: Log = Log()
    block: Block = (0, 0, 0)
    grid: Block = (1, 1, 1)
    number = 0
    axes: ClassVar[set[int]] = set()
    """Grid axes asked for since someone last cleared it."""
    seen: ClassVar[dict[Block, int]] = {}
    released: ClassVar[dict[tuple[str, int], dict[Block, int]]] = {}
    sources: ClassVar[dict[tuple[str, tuple[Lines, ...]], int]] = {}
    """The bit of every load with undefined lanes so far."""
    lost: ClassVar[bool] = False
    """Whether the block did something undefined that makes its later indices meaningless."""
    strayed: ClassVar[bool] = False
    """Whether the block accessed something outside its array."""

    @classmethod
    def start(cls, log: Log, grid: Block) -> None:
        cls.log, cls.grid, cls.released, cls.sources = log, grid, {}, {}

    @classmethod
    def enter(cls, block: Block, ticks: int) -> None:
        cls.block, cls.number, cls.seen, cls.lost, cls.strayed = block, 0, {}, False, False
        Ticks.left = ticks

    @classmethod
    def note_undefined(cls, what: str) -> None:
        cls.log.undefined.append(f"{what} at line {lines_now()[0][0]} in block {cls.block}")
        cls.lost = True

    @classmethod
    def note_unrelated(cls, array: str, what: str) -> None:
        """Notes an access outside the memory of an array that an earlier fault of the block made possible."""
        cls.note_undefined(what)

    @classmethod
    def note_outside(cls, array: str, what: str) -> None:
        """Notes an access outside an array; what the block computes from then on still follows from its indices."""
        where = lines_now()
        cls.log.undefined.append(f"{what} at line {where[0][0]} in block {cls.block}")
        if not cls.lost:
            cls.log.outside[Outside(array, where, cls.block, what, not cls.strayed)] = None
        cls.strayed = True


@lru_cache(maxsize=4096)
def _position(code: CodeType, instruction: int) -> Lines:
    first, last, _, _ = list(code.co_positions())[instruction // 2]
    return first or 0, last or first or 0


def lines_now() -> tuple[Lines, ...]:
    """First and last line of the statement in progress and of those that called it, innermost first."""
    frame: Any = sys._getframe(1)
    found: list[Lines] = []
    while frame is not None:
        if SOURCE_MARK in frame.f_globals:
            found.append(_position(frame.f_code, frame.f_lasti))
        elif found and frame.f_globals["__name__"].startswith("tests.oracle.run"):
            break
        frame = frame.f_back
    return tuple(found) or ((0, 0),)
