"""Kernels in the sanitizer: what it sees in the launches of a kernel, in the words of brute force."""

from __future__ import annotations

import linecache
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Final

import numpy as np
from numpy.lib.stride_tricks import as_strided

from tests.oracle import truth as brute
from tests.oracle.generate import Assignment, Generated, assignments, is_meant, several_blocks
from tests.oracle.loading import load_text
from tests.oracle.log import Block, Kind
from tests.oracle.memory import Array
from tests.oracle.truth import Run, Seen, Stray, Trial, Truth
from tilecheck_runtime.cpu.execution import execute
from tilecheck_runtime.sanitizer.events import Event
from tilecheck_runtime.sanitizer.report import Report

NAME: Final = "generated.py"
RACES: Final[Mapping[str, Kind]] = {
    "TC101": "write-write", "TC103": "read-write", "TC107": "mixed", "TC106": "duplicate",
}
STRAYS: Final = frozenset(("TC201", "TC202"))
SLICE: Final = "TC204"
"""Accesses through a wrong slice also lie outside; slices have their own obligations."""
PADDING: Final = "the padding of"
"""The name of undefined lanes of loads; other lanes come from arithmetic, for which nothing is claimed."""


def load_functions(text: str, name: str = NAME) -> dict[str, Any]:
    """The globals of a source text, with the `cuda.tile` that is installed."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, name, "exec", dont_inherit=True), space)
    return space


def host(value: Any) -> Any:
    """An argument of the interpreter as the host would give it."""
    if isinstance(value, Array):
        data = value.storage.data.astype(getattr(np, value.dtype.name))
        steps = [s * data.itemsize for s in value.strides]
        return as_strided(data[value.offset:], tuple(value.shape), steps)
    return [host(item) for item in value] if isinstance(value, list) else value


def in_order(function: Any, values: Mapping[str, Any]) -> list[Any]:
    """Arguments for the host, in the order of the parameters."""
    code = function.__code__
    return [host(values[name]) for name in code.co_varnames[:code.co_argcount]]


@contextmanager
def run_only(blocks: Sequence[Block]) -> Iterator[None]:
    """Of every launch only these blocks run."""
    original = execute._order_blocks
    execute._order_blocks = lambda grid, seed: [x + grid[0] * (y + grid[1] * z) for x, y, z in dict.fromkeys(blocks)]
    try:
        yield
    finally:
        execute._order_blocks = original


def strays(events: Iterable[Event]) -> Iterator[Stray]:
    """Accesses outside arrays. The first of them is not known."""
    for e in events:
        if e.code in STRAYS and e.array is not None:
            yield Stray(e.array, e.line, True)


def observations(events: Iterable[Event]) -> Iterator[Seen]:
    """Undefined lanes of loads that mattered."""
    for e in events:
        if e.code == "TC301" and e.other is not None and PADDING in e.message:
            yield Seen("", e.other.site.span.line, e.line, "observed")


def pairs(events: Iterable[Event]) -> Iterator[tuple[Kind, int, int]]:
    """Collisions, with their lines."""
    for e in events:
        if e.code in RACES:
            yield RACES[e.code], min(e.lines), max(e.lines)


def run_launch(kernel: Generated, launch: Assignment, function: Any, seed: int | None) -> Report:
    """Returns the report of the sanitizer on one launch."""
    values = brute.arguments(kernel, launch)
    return execute.sanitize(function, launch.grid, in_order(execute.function_of(function), values), seed=seed)


def observe_launches(kernel: Generated, count: int, launches: Iterable[Assignment] | None = None) -> Truth:
    """Returns the results of the sanitizer for launches of a kernel, in place of brute force.

    The interpreter runs them first: a launch that does not end, or that the interpreter refuses, is left out.
    A collision after undefined behaviour is not a race. Raises TileTypeError if the kernel is not a program of cuTile.
    """
    function, fake = load_functions(kernel.text)["kernel"], load_text(kernel.text)["kernel"]
    trials: list[Trial] = []
    runs: list[Run] = []
    for number, launch in enumerate(launches if launches is not None else assignments(kernel, count)):
        log = brute.execute(kernel, launch, fake)
        if log.error is not None or min(launch.grid) < 0:
            continue
        report = run_launch(kernel, launch, function, number or None)
        if SLICE in report.codes():
            continue
        meant = is_meant(kernel, launch)
        outside = frozenset(strays(report.events))
        observed = frozenset(observations(report.events)) if log.valid else frozenset()
        runs.append(Run(launch, outside, observed, meant, log.valid))
        if log.valid:
            collisions = frozenset(pairs(report.events))
            writers = len({r.block for r in log.records if r.mode != "read" and len(r.elements)})
            trials.append(Trial(launch, collisions, meant and several_blocks(kernel, launch), writers))
    return Truth(tuple(trials), tuple(runs))
