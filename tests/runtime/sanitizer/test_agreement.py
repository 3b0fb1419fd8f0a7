"""The sanitizer against an independent interpreter, on generated kernels: the same launches race, at the same lines."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from tests.oracle.data import contents
from tests.oracle.generate import Assignment, Generated, assignments, from_seed
from tests.oracle.loading import load_text
from tests.oracle.log import collisions
from tests.oracle.truth import execute
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.errors.language import TileError
from tilecheck_runtime.sanitizer.report import Report
from tilecheck_runtime.tile_language.kernels import function_of

CODES = {"write-write": "TC101", "read-write": "TC103", "mixed": "TC107", "duplicate": "TC106"}
RACES = frozenset(CODES.values())
NUMPY = {"float32": np.float32, "int32": np.int32, "float16": np.float16, "int64": np.int64}
KERNELS = int(os.environ.get("TILECHECK_AGREEMENT_KERNELS", "150"))

Finding = tuple[str, int, int]


def arguments(kernel: Generated, launch: Assignment, function: Any) -> list[Any]:
    """Arguments in the order of the parameters."""
    values: dict[str, Any] = {}
    for a in kernel.arrays:
        shape = launch.shape(a.name, a.rank)
        array = np.zeros(shape, NUMPY[a.element])
        fill = contents(a.fill, shape[0], launch.key)
        if np.ndim(fill):
            array.reshape(-1)[:len(fill)] = fill[:array.size]
        else:
            array[...] = fill
        if a.name == a.parameter:
            values[a.name] = array
        else:
            values.setdefault(a.parameter, []).append(array)
    for s in kernel.scalars:
        values[s.name] = bool(launch.scalars[s.name]) if "bool" in s.annotation else launch.scalars[s.name]
    code = function.__code__
    return [values[name] for name in code.co_varnames[:code.co_argcount]]


def expect_races(log: Any) -> set[Finding]:
    return {(CODES[c.kind], *sorted((c.line_a, c.line_b))) for c in collisions(log)}


def find_races(report: Report) -> set[Finding]:
    return {(e.code, min(e.lines), max(e.lines)) for e in report.events if e.code in RACES}


def disagreement(kernel: Generated, launch: Assignment, log: Any, report: Report) -> str | None:
    """The sanitizer keeps the first and the last access only, so it may name fewer pairs; never others, never none."""
    theirs, ours = expect_races(log), find_races(report)
    if ours <= theirs and bool(ours) == bool(theirs):
        return None
    return f"{launch}\nexpected {theirs}\nfound {ours}\n{report}\n{kernel.text}"


def compare(seeds: range) -> tuple[int, int, list[str]]:
    """Launches compared, those of them that race, and disagreements."""
    compared = racing = 0
    wrong: list[str] = []
    for seed in seeds:
        kernel = from_seed(seed)
        space: dict[str, Any] = {}
        exec(compile(kernel.text, f"agreement{seed}.py", "exec", dont_inherit=True), space)
        real, fake = space["kernel"], load_text(kernel.text)["kernel"]
        for number, launch in enumerate(assignments(kernel, 6)):
            log = execute(kernel, launch, fake)
            if not log.valid:
                continue
            try:
                report = sanitize(real, launch.grid, arguments(kernel, launch, function_of(real)), seed=number or None)
            except TileError as error:
                wrong.append(f"seed {seed}: {error!r}\n{kernel.text}")
                break
            compared, racing = compared + 1, racing + bool(expect_races(log))
            text = disagreement(kernel, launch, log, report)
            if text is not None:
                wrong.append(f"seed {seed}: {text}")
                break
    return compared, racing, wrong


@pytest.mark.parametrize("part", range(3))
def test_generated_kernels(part: int) -> None:
    share = KERNELS // 3
    compared, racing, wrong = compare(range(part * share, (part + 1) * share))
    assert not wrong, "\n\n".join(wrong[:3])
    assert compared >= share and racing >= compared // 8
