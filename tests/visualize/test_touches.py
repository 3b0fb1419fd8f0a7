"""The drawings are true: the collisions of a picture are those of executed kernels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from tests.cases.expectations import FOLDER
from tests.cases.launches import BAD, GOOD, Launch, arguments, scalars
from tests.oracle.generate import assignments, from_seed
from tests.oracle.loading import load_text
from tests.oracle.log import Log, every_collision
from tests.oracle.run import run
from tests.oracle.truth import execute
from tilecheck.config import Config
from tilecheck.interp.kernel.access import KernelModel
from tilecheck.kernel_model.driver import execute as model_of
from tilecheck.pipeline.single_kernel import study
from tilecheck.project.project import Project
from tilecheck.symbolic import ArrayParam, symbol_from_text
from tilecheck.visualize.meetings import Meeting, meetings
from tilecheck.visualize.schedule import apply_schedule
from tilecheck.visualize.setting import CannotDraw, Setting
from tilecheck.visualize.touches import touches

BY_DATA = {"unchecked_gather", "histogram"}
"""Kernels that look for their places in arrays, whose contents a picture assumes."""
CASES = [("raw_bad.py", name, launch) for name, launches in BAD.items() for launch in launches] + [
    ("raw_good.py", name, launch) for name, launches in GOOD.items() for launch in launches]


def _setting(grid: tuple[int, ...], values: Mapping[str, int]) -> Setting:
    x, y, z = (*grid, 1, 1)[:3]
    return Setting((x, y, z), {symbol_from_text(k): v for k, v in values.items() if not k.startswith("grid[")}, {})


def _flat(shape: tuple[int, ...], element: tuple[int, ...]) -> int:
    return int(np.ravel_multi_index(element, shape)) if shape else 0


def _drawn_collisions(
    found: tuple[Meeting, ...], shapes: Mapping[str, tuple[int, ...]]
) -> set[tuple[str, int, frozenset[Any]]]:
    return {(m.array.text, _flat(shapes[m.array.text], m.element), frozenset(m.blocks)) for m in found}


def _real(log: Log) -> set[tuple[str, int, frozenset[Any]]]:
    at: dict[tuple[str, int], set[Any]] = {}
    for _, array, position, a, b in every_collision(log):
        at.setdefault((array, position), set()).update((a, b))
    return {(array, position, frozenset(blocks)) for (array, position), blocks in at.items()}


@pytest.mark.parametrize(("file", "name", "launch"), CASES, ids=str)
def test_the_collisions_drawn_are_those_of_the_oracle(file: str, name: str, launch: Launch) -> None:
    if name in BY_DATA:
        pytest.skip("its places depend on the contents of arrays")
    grid, spec = launch
    kernel = load_text((FOLDER / file).read_text(encoding="utf-8"), file)[name]
    log = run(kernel, grid, arguments(spec))
    plan = apply_schedule(study(f"{FOLDER / file}::{name}", Config(use_cache=False)).model)
    found = touches(plan.accesses, _setting(grid, scalars(grid, spec)))
    assert not [u for u in found.unplaced if not u.drawn]
    shapes = {k: v for k, v in spec.items() if isinstance(v, tuple)}
    assert _drawn_collisions(meetings(plan.accesses, found.touches), shapes) == _real(log)


@pytest.mark.parametrize(("file", "name", "launch"), CASES, ids=str)
def test_accesses_outside_are_those_of_the_oracle(file: str, name: str, launch: Launch) -> None:
    if name in BY_DATA:
        pytest.skip("its places depend on the contents of arrays")
    grid, spec = launch
    kernel = load_text((FOLDER / file).read_text(encoding="utf-8"), file)[name]
    log = run(kernel, grid, arguments(spec))
    accesses = apply_schedule(study(f"{FOLDER / file}::{name}", Config(use_cache=False)).model).accesses
    found = touches(accesses, _setting(grid, scalars(grid, spec)))
    drawn = {(accesses[t.access].span.line, t.block) for t in found.touches if t.is_undefined(accesses[t.access])}
    assert drawn == {(o.line, o.block) for o in log.outside}


def _models(count: int) -> Iterator[tuple[Any, KernelModel]]:
    for seed in range(count):
        kernel = from_seed(seed)
        name = f"generated_{seed}.py"
        project = Project([name], contents={name: kernel.text.encode()})
        (site,) = project.module(name).kernels()
        yield kernel, model_of(project, site)


def test_generated_kernels_collide_where_it_is_drawn() -> None:
    compared = colliding = 0
    for kernel, model in _models(120):
        if any(a.locks or a.order not in ("weak", "relaxed", "acq_rel") for a in model.accesses):
            continue  # order between blocks is not drawn
        function = load_text(kernel.text)["kernel"]
        for launch in list(assignments(kernel, 8))[:5]:
            log = execute(kernel, launch, function)
            if not log.valid:
                continue
            try:
                found = touches(model.accesses, _setting(launch.grid, launch.scalars), 60_000)
            except CannotDraw:
                continue
            doubtful = any(u.why for u in found.unplaced)
            if doubtful or found.made_up or any(not isinstance(a.array, ArrayParam) for a in model.accesses):
                continue
            shapes = {a.name: launch.shape(a.name, a.rank) for a in kernel.arrays}
            if any(len(a.region.index) != len(shapes[a.array.text]) for a in model.accesses):
                continue  # raw offsets
            drawn, real = _drawn_collisions(meetings(model.accesses, found.touches), shapes), _real(log)
            assert drawn == real, (kernel.text, launch)
            compared += 1
            colliding += bool(real)
    assert compared > 100
    assert colliding > 20


LATE = '''import cuda.tile as ct

@ct.kernel
def kernel(x, o, n: int, T: ct.Constant[int]):
    i = ct.bid(0)
    for k in range(n):
        if k >= 100:
            ct.store(o, (k - 100,), ct.load(x, (i,), (T,)))
'''


def test_late_iterations_are_drawn_and_long_loops_refused() -> None:
    name = "late.py"
    project = Project([name], contents={name: LATE.encode()})
    (site,) = project.module(name).kernels()
    accesses = model_of(project, site).accesses
    sizes = {"T": 1, "x.shape[0]": 2, "o.shape[0]": 4}
    found = touches(accesses, _setting((2, 1, 1), {**sizes, "n": 103}))
    assert {m.element for m in meetings(accesses, found.touches)} == {(0,), (1,), (2,)}
    with pytest.raises(CannotDraw, match="a loop of this launch has 1024 iterations or more"):
        touches(accesses, _setting((2, 1, 1), {**sizes, "o.shape[0]": 4000, "n": 3000}))
