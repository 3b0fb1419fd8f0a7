"""A launch proved from the representation: with its own numbers, and for all data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tilecheck_runtime.tile_ir.accesses import Argument, Made, Mode
from tilecheck_runtime.tile_ir.evaluate import Block, Parameter, count_steps
from tilecheck_runtime.tile_ir.values import Undecided

__all__ = ["MOST_BLOCKS", "Fault", "LaunchVerdict", "Site", "prove_launch"]

MOST_BLOCKS: Final = 20_000
MOST_ELEMENTS: Final = 200_000_000
"""Elements that the blocks of a launch may touch, each counted as often as it is touched."""
MOST_STEPS: Final = 4_000_000
"""Operations that the blocks of a launch may execute."""
MOST_SIZE: Final = 1 << 26
"""Elements of all arrays of a launch."""
_NOBODY: Final = -1
_MANY: Final = -2
_SYNCHRONIZING: Final = frozenset({"acquire", "release", "acq_rel"})

Kind: TypeAlias = Literal["race", "outside"]


@dataclass(frozen=True)
class Site:
    """An access in the source."""

    file: str
    line: int
    mode: Mode


@dataclass(frozen=True)
class Fault:
    """A fault that happens for all data.

    element  the offset in the array; None for an access outside
    blocks   the blocks that touch it, or the block that goes outside
    sites    the accesses in the source
    """

    kind: Kind
    array: str
    element: int | None
    blocks: tuple[Block, ...]
    sites: tuple[Site, ...]

    @property
    def lines(self) -> tuple[int, ...]:
        """The lines of the accesses."""
        return tuple(site.line for site in self.sites)

    def describe(self) -> str:
        """The fault in words."""
        blocks = " and ".join(map(str, self.blocks))
        lines = " and ".join(str(n) for n in dict.fromkeys(self.lines))
        if self.kind == "outside":
            return f"in this launch block {blocks} accesses elements outside `{self.array}`, line {lines}"
        return f"in this launch blocks {blocks} access element {self.element} of `{self.array}`, line {lines}"


@dataclass(frozen=True)
class LaunchVerdict:
    """`proved`: no block reads or writes an element that another one writes, none touches one outside its array, no
    tile lies wholly outside, and no load has undefined lanes.
    `refuted`: a fault happens for all data. `undecided`: neither is known, for the reason `why`."""

    verdict: Literal["proved", "refuted", "undecided"]
    fault: Fault | None = None
    why: str = ""

    @property
    def fault_for_all(self) -> Fault | None:
        """The fault that happens for all data."""
        return self.fault if self.verdict == "refuted" else None


@dataclass
class _Memory:
    """The block that touched each element of a storage, by mode, and the access, as a number of `sites`."""

    owners: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    accesses: dict[str, npt.NDArray[np.int32]] = field(default_factory=dict)
    sites: dict[Site, int] = field(default_factory=dict)


def prove_launch(body: Any, parameters: Sequence[Parameter], grid: Block) -> LaunchVerdict:
    """The verdict on a launch of the kernel with this representation."""
    blocks = grid[0] * grid[1] * grid[2]
    if blocks > MOST_BLOCKS:
        return LaunchVerdict("undecided", why=f"the grid has more than {MOST_BLOCKS} blocks")
    arrays = list(_list_arrays(parameters))
    if _is_mixed(arrays):
        return LaunchVerdict("undecided", why="arrays of different element types share memory")
    memories = {a.storage: _Memory() for a in arrays}
    sizes = {s: max(a.offset + a.extent for a in arrays if a.storage == s) for s in memories}
    if sum(sizes.values()) > MOST_SIZE:
        return LaunchVerdict("undecided", why=f"the arrays have more than {MOST_SIZE} elements")
    left, steps = MOST_ELEMENTS, MOST_STEPS
    doubt = missed = ""
    fault: Fault | None = None
    try:
        for number, block in enumerate(np.ndindex(grid)):
            place = (int(block[0]), int(block[1]), int(block[2]))
            accesses, taken = count_steps(body, parameters, place, grid, steps)
            steps -= taken
            for made in accesses:
                left -= len(made.elements)
                if left < 0:
                    raise Undecided("the blocks touch too many elements")
                array = arrays[made.array]
                found = _check_bounds(made, array, place) or _meet(
                    made, array, memories[array.storage], sizes[array.storage], number, grid)
                if made.order in _SYNCHRONIZING and made.mode != "atomic":
                    doubt = doubt or "accesses are ordered by acquire and release"
                if made.missed:
                    missed = missed or f"a tile lies wholly outside `{array.name}`, line {made.line}"
                if made.undefined:
                    missed = missed or f"a load of `{array.name}` has undefined lanes, line {made.line}"
                if found is not None and made.certain:
                    fault = fault or found
                elif found is not None:
                    doubt = doubt or "an access depends on data"
    except Undecided as reason:
        return LaunchVerdict("undecided", why=str(reason))
    if fault is not None and not (fault.kind == "race" and (doubt or _synchronizes(memories))):
        return LaunchVerdict("refuted", fault)
    if fault is not None or doubt:
        return LaunchVerdict("undecided", fault, doubt or "atomic operations may order the blocks")
    if missed:
        return LaunchVerdict("undecided", why=missed)
    return LaunchVerdict("proved")


def _list_arrays(parameters: Sequence[Parameter]) -> Iterator[Argument]:
    for parameter in parameters:
        if isinstance(parameter, Argument):
            yield parameter
        elif isinstance(parameter, tuple):
            yield from parameter


def _is_mixed(arrays: Sequence[Argument]) -> bool:
    types: dict[int, str] = {}
    return any(types.setdefault(a.storage, a.dtype) != a.dtype for a in arrays)


def _synchronizes(memories: dict[int, _Memory]) -> bool:
    """Whether the launch has atomic operations, by which blocks may wait for each other."""
    return any("atomic" in memory.owners for memory in memories.values())


def _check_bounds(made: Made, array: Argument, block: Block) -> Fault | None:
    if not made.outside:
        return None
    return Fault("outside", array.name, None, (block,), (_site_of(made),))


def _site_of(made: Made) -> Site:
    return Site(made.file, made.line, made.mode)


_CONFLICTS: Final = {"read": ("write", "atomic"), "write": ("read", "write", "atomic"), "atomic": ("read", "write")}


def _meet(made: Made, array: Argument, memory: _Memory, size: int, number: int, grid: Block) -> Fault | None:
    """Notes the elements of an access, and finds one that an earlier block touched in a way that conflicts."""
    elements = made.elements + array.offset
    fault = None
    site = _site_of(made)
    for other in _CONFLICTS[made.mode]:
        owners = memory.owners.get(other)
        if owners is None:
            continue
        before = owners[elements]
        clash = np.flatnonzero((before != _NOBODY) & (before != number))
        if len(clash) and fault is None:
            at = int(elements[clash[0]])
            earlier = int(before[clash[0]])
            first = () if earlier == _MANY else (_block(earlier, grid),)
            fault = Fault("race", array.name, at - array.offset, (*first, _block(number, grid)),
                          (list(memory.sites)[memory.accesses[other][at]], site))
    owners = memory.owners.setdefault(made.mode, np.full(size, _NOBODY, np.int32))
    accesses = memory.accesses.setdefault(made.mode, np.zeros(size, np.int32))
    before = owners[elements]
    owners[elements] = np.where((before == _NOBODY) | (before == number), number, _MANY)
    accesses[elements] = memory.sites.setdefault(site, len(memory.sites))
    return fault


def _block(number: int, grid: Block) -> Block:
    x, rest = divmod(number, grid[1] * grid[2])
    return x, rest // grid[2], rest % grid[2]
