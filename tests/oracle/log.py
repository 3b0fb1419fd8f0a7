"""The records of a run, and the collisions between blocks that follow from them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

Positions: TypeAlias = npt.NDArray[np.int64]
Block: TypeAlias = tuple[int, int, int]
Lines: TypeAlias = tuple[int, int]
Mode: TypeAlias = Literal["read", "write", "atomic"]
Kind: TypeAlias = Literal["write-write", "read-write", "mixed", "duplicate"]


@dataclass(slots=True)
class Record:
    """One memory operation of one block.

    array       name of the root storage
    elements    flat positions in the root storage that were really touched (in bounds, not masked)
    strong      atomic, or ordered at device scope: two strong accesses never race
    lines       first and last source line of the call, innermost frame first
    number      how many operations the block had done before
    seen        number of operations of other blocks that happen before this one, by block
    duplicates  positions that occur twice in this operation
    """

    array: str
    mode: Mode
    elements: Positions
    strong: bool
    order: str
    scope: str
    lines: tuple[Lines, ...]
    block: Block
    number: int
    seen: Mapping[Block, int]
    duplicates: Positions
    op: str

    @property
    def line(self) -> int:
        return self.lines[0][0] if self.lines else 0


@dataclass(frozen=True)
class Outside:
    """An access outside its array: a tile wholly outside on an axis, or an unchecked element.

    first   whether it was the first of its block; later ones may come of data that the first one made up
    """

    array: str
    lines: tuple[Lines, ...]
    block: Block
    what: str
    first: bool

    @property
    def line(self) -> int:
        return self.lines[0][0]


@dataclass(frozen=True)
class Observed:
    """An undefined lane of a load that mattered. `source` is the load, `lines` where it mattered; see `poison`."""

    array: str
    source: tuple[Lines, ...]
    lines: tuple[Lines, ...]
    block: Block
    how: str

    @property
    def load(self) -> int:
        return self.source[0][0]

    @property
    def line(self) -> int:
        return self.lines[0][0]


@dataclass
class Log:
    """A run: its records, undefined behaviour other than races, the failure that ended it, if any, and its work.

    undefined   everything undefined but races and padding, in words
    outside     the accesses outside their arrays among them, as far as they follow from the launch
    observed    undefined lanes that mattered; they do not make a run invalid
    """

    records: list[Record] = field(default_factory=list)
    undefined: list[str] = field(default_factory=list)
    outside: dict[Outside, None] = field(default_factory=dict)
    observed: dict[Observed, None] = field(default_factory=dict)
    error: BaseException | None = None
    ticks: int = 0

    @property
    def valid(self) -> bool:
        """Whether the run means anything: no failure, and nothing undefined but possible races."""
        return self.error is None and not self.undefined


@dataclass(frozen=True)
class Collision:
    """Two accesses to one element that nothing orders. `element` is a flat position in the storage of `array`."""

    kind: Kind
    line_a: int
    line_b: int
    array: str
    block_a: Block
    block_b: Block
    element: int


def _kind(a: Record, b: Record) -> Kind | None:
    if (a.strong and b.strong) or a.mode == b.mode == "read":
        return None
    if a.strong or b.strong:
        return "mixed"
    return "write-write" if a.mode == b.mode else "read-write"


def _is_ordered(earlier: Record, later: Record) -> bool:
    return later.seen.get(earlier.block, -1) >= earlier.number


def _collect_writes(records: Iterable[Record]) -> dict[str, list[Record]]:
    groups: dict[str, list[Record]] = {}
    for record in records:
        if len(record.elements):
            groups.setdefault(record.array, []).append(record)
    return {name: group for name, group in groups.items() if any(r.mode != "read" for r in group)}


def _list_contended(group: list[Record]) -> Iterator[tuple[int, list[Record]]]:
    """Each position that several blocks touch, one of them writing, with the records that touch it."""
    sizes = [len(r.elements) for r in group]
    where = np.concatenate([r.elements for r in group])
    owner = np.repeat(np.arange(len(group)), sizes)
    blocks = {r.block: n for n, r in enumerate(group)}
    block_of = np.array([blocks[r.block] for r in group])[owner]
    writes = np.array([r.mode != "read" for r in group])[owner]
    order = np.argsort(where, kind="stable")
    where, owner, block_of, writes = where[order], owner[order], block_of[order], writes[order]
    starts = np.flatnonzero(np.concatenate(([True], where[1:] != where[:-1])))
    low, high = np.minimum.reduceat(block_of, starts), np.maximum.reduceat(block_of, starts)
    hot = (low != high) & np.logical_or.reduceat(writes, starts)
    ends = np.append(starts[1:], len(where))
    for n in np.flatnonzero(hot):
        yield int(where[starts[n]]), [group[i] for i in dict.fromkeys(owner[starts[n]:ends[n]].tolist())]


def _pairs(log: Log) -> Iterator[tuple[Kind, Record, Record, int]]:
    for group in _collect_writes(log.records).values():
        for position, records in _list_contended(group):
            for a, b in combinations(records, 2):
                if a.block != b.block and (kind := _kind(a, b)) is not None and not _is_ordered(a, b):
                    yield kind, a, b, position
    for record in log.records:
        if record.mode == "write" and len(record.duplicates):
            yield "duplicate", record, record, int(record.duplicates[0])


def every_collision(log: Log) -> Iterator[tuple[Kind, str, int, Block, Block]]:
    """Each collision at each element: its kind, the array, the flat position and the two blocks."""
    for kind, a, b, position in _pairs(log):
        if kind == "duplicate":
            yield from ((kind, a.array, int(p), a.block, b.block) for p in a.duplicates)
        else:
            yield kind, a.array, position, a.block, b.block


def collides(log: Log) -> bool:
    """Whether any two accesses collide."""
    return next(_pairs(log), None) is not None


def collisions(log: Log, limit: int = 200_000) -> list[Collision]:
    """One collision for each kind, array and pair of lines."""
    found: dict[tuple[object, ...], Collision] = {}
    for (kind, a, b, position), _ in zip(_pairs(log), range(limit), strict=False):
        key = (kind, a.array, *sorted((a.line, b.line)))
        if key not in found:
            found[key] = Collision(kind, a.line, b.line, a.array, a.block, b.block, position)
    return list(found.values())


def collisions_at(log: Log, array: str, element: int, blocks: frozenset[Block]) -> list[tuple[Kind, Record, Record]]:
    """The collisions between the given blocks (one or two) on one element."""
    touching = [r for r in log.records if r.array == array and r.block in blocks and element in r.elements]
    found: list[tuple[Kind, Record, Record]] = []
    for a, b in combinations(touching, 2):
        if a.block != b.block and (kind := _kind(a, b)) is not None and not _is_ordered(a, b):
            found.append((kind, a, b))
    found.extend(("duplicate", r, r) for r in touching if r.mode == "write" and element in r.duplicates)
    return found
