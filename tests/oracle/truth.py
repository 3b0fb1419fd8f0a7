"""Brute force: what really happens to a kernel on many small launches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tests.oracle.data import contents
from tests.oracle.generate import Assignment, Generated, assignments, is_meant, several_blocks
from tests.oracle.loading import load_text
from tests.oracle.log import Kind, Log, collisions
from tests.oracle.memory import array
from tests.oracle.run import run
from tests.oracle.values import DTYPES

MOSTLY = 0.5
"""From which share of launches on a kernel counts as colliding; below, a contract may be what it lacks."""
Class: TypeAlias = Literal["safe", "colliding", "mixed", "idle"]


@dataclass(frozen=True)
class Trial:
    """One launch that ran to its end with nothing undefined but, perhaps, races (`pairs`: kind and lines)."""

    launch: Assignment
    pairs: frozenset[tuple[Kind, int, int]]
    meant: bool
    writers: int

    @property
    def collides(self) -> bool:
        return bool(self.pairs)


@dataclass(frozen=True)
class Stray:
    """An access outside its array: the array, the line of the access, and whether nothing undefined came before it."""

    array: str
    line: int
    first: bool


@dataclass(frozen=True)
class Seen:
    """An observed load: the array, the line of the load, the line of the observation, and what it is."""

    array: str
    load: int
    line: int
    how: str


@dataclass(frozen=True)
class Run:
    """One launch that ran to its end, with or without faults.

    outside   accesses outside their arrays
    observed  undefined lanes that mattered; empty unless nothing else was undefined
    meant     whether the author had launches like this in mind
    valid     whether nothing undefined happened but, perhaps, races and padding
    """

    launch: Assignment
    outside: frozenset[Stray]
    observed: frozenset[Seen]
    meant: bool
    valid: bool


@dataclass(frozen=True)
class Truth:
    """All trials of a kernel.

    `safe`: no meant launch of several blocks collides. `colliding`: most of those do in which several blocks write.
    `mixed`: fewer do, so that a contract may distinguish them. `idle`: no such launch was found.
    """

    trials: tuple[Trial, ...]
    runs: tuple[Run, ...] = ()

    @property
    def telling(self) -> tuple[Trial, ...]:
        return tuple(t for t in self.trials if t.meant)

    @property
    def kind(self) -> Class:
        telling = self.telling
        if len(telling) < 4:
            return "idle"
        bad = sum(t.collides for t in telling)
        busy = sum(t.writers > 1 or t.collides for t in telling)
        return "safe" if bad == 0 else "colliding" if bad >= MOSTLY * busy else "mixed"

    @property
    def ever_collides(self) -> bool:
        return any(t.collides for t in self.trials)


def arguments(kernel: Generated, launch: Assignment) -> dict[str, Any]:
    """Arguments by parameter name for one launch."""
    values: dict[str, Any] = {}
    for a in kernel.arrays:
        shape = launch.shape(a.name, a.rank)
        made = array(a.name, shape, DTYPES[a.element], contents(a.fill, shape[0], launch.key))
        if a.name == a.parameter:
            values[a.name] = made
        else:
            values.setdefault(a.parameter, []).append(made)
    for s in kernel.scalars:
        values[s.name] = bool(launch.scalars[s.name]) if "bool" in s.annotation else launch.scalars[s.name]
    return values


def execute(kernel: Generated, launch: Assignment, function: Any) -> Log:
    return run(function, launch.grid, arguments(kernel, launch))


def _pairs(log: Log) -> frozenset[tuple[Kind, int, int]]:
    return frozenset((c.kind, *sorted((c.line_a, c.line_b))) for c in collisions(log, limit=1000))


def brute_force(kernel: Generated, count: int = 36, launches: Iterable[Assignment] | None = None) -> Truth:
    function = load_text(kernel.text)["kernel"]
    trials: list[Trial] = []
    runs: list[Run] = []
    for launch in launches if launches is not None else assignments(kernel, count):
        log = execute(kernel, launch, function)
        intended = is_meant(kernel, launch)
        if log.error is None:
            runs.append(_run(log, launch, intended))
        if log.valid:
            meant = intended and several_blocks(kernel, launch)
            writers = len({r.block for r in log.records if r.mode != "read" and len(r.elements)})
            trials.append(Trial(launch, _pairs(log), meant, writers))
    return Truth(tuple(trials), tuple(runs))


def _run(log: Log, launch: Assignment, intended: bool) -> Run:
    outside = frozenset(Stray(o.array, o.line, o.first) for o in log.outside)
    observed = frozenset(Seen(o.array, o.load, o.line, o.how) for o in log.observed) if log.valid else frozenset()
    return Run(launch, outside, observed, intended, log.valid)


def summary(launch: Assignment) -> Mapping[str, int]:
    """The scalars of a launch without the roomy shapes, for messages."""
    return {k: v for k, v in sorted(launch.scalars.items()) if ".shape" not in k or v < 24}
