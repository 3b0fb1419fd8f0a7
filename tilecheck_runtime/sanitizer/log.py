"""The log of all memory operations of a launch, 13 bytes each. Numbers increase in order of execution, from 1."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Log", "Operation"]

Block = tuple[int, int, int]


@dataclass(frozen=True)
class Operation:
    """One executed operation.

    loops     values of the loop counters around it, outermost first
    strength  PLAIN, NARROW or STRONG
    """

    site: int
    block: Block
    loops: tuple[int, ...]
    strength: int


class Log:
    """The executed operations. Blocks run one after another, so the operations of a block are consecutive."""

    def __init__(self) -> None:
        self._sites = array("i", [0])
        self._blocks = array("i", [0])
        self._loops = array("i", [0])
        self._strength = array("b", [0])
        self._block_names: list[Block] = [(0, 0, 0)]
        self._loop_numbers: dict[tuple[int, ...], int] = {(): 0}
        self._loop_values: list[tuple[int, ...]] = [()]
        self.start = 1
        """The first number of the block that is running."""

    def begin(self, block: Block) -> None:
        """Starts a block."""
        self._block_names.append(block)
        self.start = len(self._sites)

    def add(self, site: int, loops: list[int], strength: int) -> int:
        """Appends an operation and returns its number."""
        key = tuple(loops)
        number = self._loop_numbers.get(key)
        if number is None:
            number = self._loop_numbers[key] = len(self._loop_values)
            self._loop_values.append(key)
        self._sites.append(site)
        self._blocks.append(self.block)
        self._loops.append(number)
        self._strength.append(strength)
        return len(self._sites) - 1

    @property
    def last(self) -> int:
        return len(self._sites) - 1

    @property
    def block(self) -> int:
        """The number of the block that is running, in order of execution."""
        return len(self._block_names) - 1

    def operation(self, number: int) -> Operation:
        """Returns an operation by number."""
        return Operation(self._sites[number], self._block_names[self._blocks[number]],
                         self._loop_values[self._loops[number]], self._strength[number])

    def sites_of(self, numbers: Any) -> Any:
        """Numbers of places, for an array of operations."""
        return np.frombuffer(self._sites, dtype=np.int32)[numbers]

    def blocks_of(self, numbers: Any) -> Any:
        """Numbers of blocks, likewise."""
        return np.frombuffer(self._blocks, dtype=np.int32)[numbers]

    def strength_of(self, numbers: Any) -> Any:
        """Strengths, likewise."""
        return np.frombuffer(self._strength, dtype=np.int8)[numbers]
