"""Finds launches for a kernel of which nothing is known but its source.

Parameters start as unknowns. A run of the kernel shows which parameters are arrays, which rank each array has, which
parameters are lists, and which are numbers. Extents and numbers are then drawn at random until a launch runs without
undefined behaviour and collision.
"""

from __future__ import annotations

import inspect
import random
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Final, get_args, get_origin

import numpy as np

from tests.oracle.fake_tile import ConstantAnnotation, Kernel
from tests.oracle.log import Log, collides
from tests.oracle.machine import Machine
from tests.oracle.memory import Shape, array
from tests.oracle.run import run
from tests.oracle.values import DTYPES, RankError

BLOCK_TICKS: Final = 2_000
ALL_TICKS: Final = 60_000
"""Work spent on one kernel: exploring is a search, and some kernels are long."""
_UNPACK: Final = re.compile(r"values to unpack \(expected (\d+)")
_ARRAY_MEMBERS: Final = frozenset(
    ["shape", "strides", "ndim", "dtype", "storage", "offset", "slice", "tiled_view", "get_raw_memory"])


class Learned(Exception):
    """Returns the kind of argument that a parameter needs."""

    def __init__(self, name: str, kind: str) -> None:
        super().__init__(f"{name} is {kind}")
        self.name, self.kind = name, kind


class Unknown:
    """An argument that says how it is used."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, member: str) -> Any:
        if member in _ARRAY_MEMBERS:
            raise Learned(self._name, "array")
        if member.startswith("__"):
            raise AttributeError(member)
        raise Learned(self._name, "scalar")


def _used_as(kind: str) -> Any:
    def operation(self: Unknown, *others: Any) -> Any:
        raise Learned(self._name, kind)

    return operation


_AS_NUMBER: Final = (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow",
    "neg", "index", "int", "float", "bool", "lt", "le", "gt", "ge", "eq", "ne", "and", "rand", "or", "ror", "divmod",
    "rdivmod", "lshift", "rshift", "invert", "abs", "array",
)


def _install() -> None:
    for kind, names in (("scalar", _AS_NUMBER), ("list", ("getitem", "len", "iter"))):
        for name in names:
            setattr(Unknown, f"__{name}__", _used_as(kind))


_install()


@dataclass
class Signature:
    """The known facts about the parameters. `kinds`: array, list, scalar, int, bool, float or unknown."""

    kinds: dict[str, str]
    ranks: dict[str, int] = field(default_factory=dict)
    axes: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class Candidate:
    """A launch: shapes of arrays (two arrays of one shape for a list) and numbers."""

    grid: tuple[int, int, int]
    shapes: Mapping[str, tuple[int, ...]]
    numbers: Mapping[str, Any]
    seed: int


def _annotated_kind(annotation: Any) -> str:
    if annotation is inspect.Parameter.empty:
        return "unknown"
    if get_origin(annotation) is Annotated and any(isinstance(m, ConstantAnnotation) for m in get_args(annotation)):
        inner = get_args(annotation)[0]
        return {"bool": "bool", "float": "float"}.get(getattr(inner, "__name__", ""), "int")
    return {"int": "scalar", "float": "float", "bool": "bool"}.get(getattr(annotation, "__name__", str(annotation)),
                                                                   "unknown")


def signature(kernel: Kernel) -> Signature:
    parameters = inspect.signature(kernel._pyfunc).parameters.values()
    return Signature({p.name: _annotated_kind(p.annotation) for p in parameters})


def _draw(known: Signature, rng: random.Random) -> Candidate:
    dims = [rng.choice((2, 4)), rng.choice((2, 3, 4, 6, 8)), rng.choice((1, 2, 4, 8))]
    pool = [*dims, *dims, 1, 2, 3, 4]
    numbers: dict[str, Any] = {}
    for name, kind in known.kinds.items():
        if kind == "int":
            numbers[name] = rng.choice((1, 2, 2, 4, 4, 8, *(d for d in dims if d & (d - 1) == 0)))
        elif kind == "scalar":
            numbers[name] = rng.choice(pool)
        elif kind == "bool":
            numbers[name] = rng.random() < 0.5
        elif kind == "float":
            numbers[name] = 0.5
    pool += [n for n in numbers.values() if type(n) is int]
    roomy = rng.random() < 0.4
    shapes = {name: _shape(known.ranks.get(name, 1), roomy, pool, rng)
              for name, kind in known.kinds.items() if kind in ("array", "list")}
    extents = (1, 2, 2, 3, 4, 6) if len(known.axes) < 2 else (1, 2, 2, 3)
    grid = [rng.choice(extents) if axis in known.axes else 1 for axis in range(3)]
    return Candidate((grid[0], grid[1], grid[2]), shapes, numbers, rng.randrange(1000))


def _shape(rank: int, roomy: bool, pool: list[int], rng: random.Random) -> tuple[int, ...]:
    wide = (16, 32) if rank < 3 else (8, 16) if rank < 5 else (8,)
    return tuple(rng.choice(wide) if roomy else min(rng.choice(pool), 2 * wide[-1]) for _ in range(rank))


def arguments(known: Signature, launch: Candidate) -> dict[str, Any]:
    """Fresh arguments. Arrays hold small integers, which serve as data and as indices alike."""
    rng = np.random.default_rng(launch.seed)
    values: dict[str, Any] = {}
    for name, kind in known.kinds.items():
        if kind == "unknown" or (kind in ("array", "list") and name not in launch.shapes):
            values[name] = Unknown(name)
        elif kind in ("array", "list"):
            shape = launch.shapes[name]
            names = [name] if kind == "array" else [f"{name}[0]", f"{name}[1]"]
            made = [array(n, shape, DTYPES["int32"], rng.integers(0, 3, size=shape)) for n in names]
            values[name] = made[0] if kind == "array" else made
        else:
            values[name] = launch.numbers.get(name, 1)
    return values


def execute(kernel: Kernel, known: Signature, launch: Candidate) -> Log:
    """Runs a launch; adds the grid axes that the kernel reads to the known facts."""
    with _watched(known):
        return run(kernel, launch.grid, arguments(known, launch), ticks=BLOCK_TICKS)


class _watched:
    """Notes the grid axes that a kernel asks for."""

    def __init__(self, known: Signature) -> None:
        self.known = known

    def __enter__(self) -> None:
        self.known.axes |= Machine.axes
        Machine.axes = self.known.axes

    def __exit__(self, *details: Any) -> None:
        Machine.axes = set()


def _learn(known: Signature, log: Log) -> bool:
    """Draws a lesson from a failure; whether there was one."""
    error = log.error
    if isinstance(error, Learned):
        known.kinds[error.name] = error.kind
        return True
    if isinstance(error, RankError):
        name = error.array.partition("[")[0]
        if name in known.kinds and known.ranks.get(name, 1) != error.rank:
            known.ranks[name] = error.rank
            return True
    if isinstance(error, ValueError) and (match := _UNPACK.search(str(error))) and Shape.unpacked in known.kinds:
        known.ranks[Shape.unpacked] = int(match[1])
        return True
    return False


def explore(kernel: Kernel, wanted: int = 10, tries: int = 500, seed: int = 0) -> tuple[Signature, list[Candidate]]:
    """Returns the kinds of a kernel's parameters, and launches of several blocks without errors and collisions."""
    rng, known, good = random.Random(f"{seed}:{kernel.__name__}"), signature(kernel), []
    lessons, spent = 0, 0
    for _ in range(tries):
        if spent > ALL_TICKS:
            break
        launch = _draw(known, rng)
        axes = set(known.axes)
        log = execute(kernel, known, launch)
        spent += log.ticks
        if not log.valid:
            if lessons < 60 and _learn(known, log):
                lessons += 1
            continue
        if known.axes != axes or ("unknown" in known.kinds.values() and not log.records):
            continue
        writers = {r.block for r in log.records if r.mode != "read" and len(r.elements)}
        if len(writers) > 1 and not collides(log):
            good.append(launch)
            if len(good) == wanted:
                break
    return known, good


def parameter_ranks(known: Signature) -> Iterator[tuple[str, int | None]]:
    """Names with ranks; None for numbers."""
    for name, kind in known.kinds.items():
        yield name, known.ranks.get(name, 1) if kind in ("array", "list") else None



def draws(known: Signature, name: str, count: int) -> list[Candidate]:
    """Yields random launches, which may also fail or collide."""
    rng = random.Random(name)
    return [_draw(known, rng) for _ in range(count)]
