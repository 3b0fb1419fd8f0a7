"""Compares the regions of a kernel model with the real accesses of a launch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from tests.oracle.log import Log
from tests.oracle.memory import Array
from tilecheck import symbolic
from tilecheck.interp.kernel.access import Access, KernelModel
from tilecheck.symbolic import (
    ANY,
    App,
    ArrayElement,
    Atom,
    Bid,
    Cond,
    Counter,
    Extent,
    GridDim,
    Lane,
    Length,
    Load,
    Opaque,
    Stride,
    Symbol,
    Term,
    atoms_of,
    evaluate,
    holds,
)

ITERATIONS = (1, 80, 24, 10, 6)
"""Iterations tried of each loop, by the number of loops."""
WORK = 40_000


class NotFollowed(Exception):
    """A value that the model leaves open."""


@dataclass(frozen=True)
class Launch:
    grid: tuple[int, int, int]
    arguments: Mapping[str, Any]

    def array(self, array: symbolic.Array, member: int | None = None) -> Array:
        """The array that is passed; `member` is the position in a list where the array says none."""
        found = self.arguments[array.root]
        if isinstance(array, ArrayElement):
            found = found[member if array.position is ANY else array.position]
        return found  # type: ignore[no-any-return]

    def scalar(self, symbol: Symbol, member: int | None = None) -> int:
        if isinstance(symbol, GridDim):
            return self.grid[symbol.axis]
        if isinstance(symbol, Length):
            return len(self.arguments[symbol.array.root])
        if isinstance(symbol, Extent):
            return int(self.array(symbol.array, member).shape[symbol.axis])
        if isinstance(symbol, Stride):
            return int(self.array(symbol.array, member).strides[symbol.axis])
        return int(self.arguments[symbol.key])


class Values(Mapping[Atom, int]):
    """The value of every atom in one block, given those of counters and lanes."""

    def __init__(self, launch: Launch, block: tuple[int, int, int], chosen: Mapping[Atom, int]) -> None:
        self.launch, self.block, self.chosen = launch, block, chosen

    def __contains__(self, atom: object) -> bool:
        return isinstance(atom, (Symbol, Bid, Counter, Lane, Load, Opaque)) or (
            isinstance(atom, App) and atom.fn not in ("and", "or", "xor", "shl", "shr", "abs", "pow"))

    def __getitem__(self, atom: Atom) -> int:
        if isinstance(atom, Symbol):
            return self.launch.scalar(atom)
        if isinstance(atom, Bid):
            return self.block[atom.axis]
        if isinstance(atom, Load):
            return self._load(atom)
        if isinstance(atom, App) and isinstance(atom.fn, Extent | Stride):
            return self.launch.scalar(atom.fn, evaluate(atom.args[0], self))
        if atom in self.chosen:
            return self.chosen[atom]
        raise NotFollowed(atom.key)

    def _load(self, atom: Load) -> int:
        index = [evaluate(i, self) for i in atom.index]
        member = index.pop(0) if atom.array.at_any_position else None
        target = self.launch.array(atom.array, member)
        if any(not 0 <= i < n for i, n in zip(index, target.shape, strict=True)):
            return 0
        place = sum(i * s for i, s in zip(index, target.strides, strict=True))
        return int(target.storage.data[place])

    def __iter__(self) -> Iterator[Atom]:
        raise TypeError

    def __len__(self) -> int:
        raise TypeError


def elements(access: Access, launch: Launch, block: tuple[int, int, int]) -> set[tuple[str, int]]:
    """The (array, flat position) pairs that the region of an access has in one block."""
    region = access.region
    parts = region.guard.args if region.guard.op == "and" else (region.guard,)
    atoms: set[Atom] = set()
    for value in (*region.index, *parts):
        atoms_of(value, atoms)
    counters = sorted(a for a in atoms if isinstance(a, Counter))
    lanes = sorted(a for a in atoms if isinstance(a, Lane))
    early = [p for p in parts if not _has_lanes(p)]
    late = [p for p in parts if _has_lanes(p)]
    out: set[tuple[str, int]] = set()
    work = 0
    limit = ITERATIONS[min(len(counters), len(ITERATIONS) - 1)]
    for chosen in product(range(limit), repeat=len(counters)):
        values = dict(zip(counters, chosen, strict=True))
        outer = Values(launch, block, values)
        work += 1
        if not _all(early, outer):
            continue
        if limit - 1 in chosen and counters:
            raise NotFollowed("too many iterations")
        sizes = [range(evaluate(a.size, outer)) for a in lanes]
        for at in product(*sizes):
            work += 1
            if work > WORK:
                raise NotFollowed("too much work")
            inner = Values(launch, block, {**values, **dict(zip(lanes, at, strict=True))})
            if _all(late, inner):
                place = _place(access, [evaluate(i, inner) for i in region.index], launch)
                if place is not None:
                    out.add(place)
    return out


def _has_lanes(value: Cond | Term) -> bool:
    return any(isinstance(a, Lane) for a in atoms_of(value))


def _all(parts: list[Cond], values: Values) -> bool:
    try:
        return all(holds(p, values) for p in parts)
    except ArithmeticError:
        return False


def _place(access: Access, index: list[int], launch: Launch) -> tuple[str, int] | None:
    member = index.pop(0) if access.array.at_any_position else None
    if member is not None and not 0 <= member < len(launch.arguments[access.array.root]):
        return None
    target = launch.array(access.array, member)
    if access.op.endswith("_offset"):
        return target.storage.name, index[0]
    if any(not 0 <= i < n for i, n in zip(index, target.shape, strict=True)):
        return None
    return target.storage.name, sum(i * s for i, s in zip(index, target.strides, strict=True))


@dataclass(frozen=True)
class Comparison:
    """Faults, how many regions were compared, and how many of them as exact ones."""

    faults: tuple[str, ...]
    compared: int
    exact: int
    open: int


def compare(model: KernelModel, launch: Launch, log: Log) -> Comparison:
    by_line: dict[tuple[int, str], list[Access]] = {}
    for a in model.accesses:
        by_line.setdefault((a.span.line, a.mode), []).append(a)
    faults: list[str] = []
    touched: dict[tuple[int, str, tuple[int, int, int]], set[tuple[str, int]]] = {}
    blocks = {r.block for r in log.records}
    for r in log.records:
        if r.mode == "read" and not len(r.elements):
            continue
        key = (r.lines[0][0], r.mode, r.block)
        touched.setdefault(key, set()).update((r.array, int(e)) for e in r.elements)
        if (key[0], key[1]) not in by_line:
            faults.append(f"line {key[0]}: a {r.mode} that the model lacks")
    compared = exact = unknown = 0
    for (line, mode), group in by_line.items():
        for block in sorted(blocks):
            try:
                region: set[tuple[str, int]] = set()
                for a in group:
                    region |= elements(a, launch, block)
            except NotFollowed:
                unknown += 1
                continue
            real = touched.get((line, mode, block), set())
            compared += 1
            if not real <= region:
                faults.append(f"line {line} block {block}: {mode} outside the region: {sorted(real - region)[:3]}")
            if all(a.region.exact for a in group):
                exact += 1
                if not region <= real:
                    faults.append(f"line {line} block {block}: exact region too large: {sorted(region - real)[:3]}")
    return Comparison(tuple(faults), compared, exact, unknown)
