"""The sanitizer reports nothing against proved obligations of generated dialect kernels if the contract holds."""

from __future__ import annotations

import linecache
from collections import Counter
from random import Random
from typing import Any

import pytest

from tests.oracle.dialect_kernels import Generated, Sizes, generate, sizes
from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.contracts import evaluate, parse
from tilecheck.diagnostics import KernelReport

np = pytest.importorskip("numpy")
entries = pytest.importorskip("tilecheck_runtime.dialect.entry")
KERNELS, LAUNCHES = 100, 12


def _load_kernel(text: str, name: str) -> Any:
    """The kernel, with its source where Python looks for it."""
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    space: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, name, "exec"), space)
    return space["k"]


def _plan(rng: Random, made: Generated, given: Sizes) -> Any:
    """How the outputs are partitioned, and by which schedule if the kernel is for one."""
    from tilecheck_runtime.dialect.plan import Output, Plan
    from tilecheck_runtime.dialect.schedules import Grouped, Linear, Range, Single, Walk, count_streamed

    counts = tuple(-(-n // e) for n, e in zip(given.shapes["z"], given.tiles["z"], strict=True))
    schedule, blocks = Single(), None
    if made.mapped and rng.random() < 0.8:
        wide = (Grouped(rng.randint(1, 3)), Walk(rng.randrange(made.rank))) if made.rank > 1 else ()
        schedule = rng.choice((Linear(), *wide))
        items = count_streamed(schedule, counts)
        if rng.random() < 0.3 and items > 1:
            start = rng.randrange(items)
            schedule, items = Range(schedule, start, items), items - start
        blocks = rng.randint(1, items)
    whole = rng.random() < 0.5
    outputs = tuple(Output(tile, schedule, blocks, tuple(whole and n <= e for n, e in zip(
        given.shapes[name], tile, strict=True))) for name, tile in given.tiles.items())
    used = {e for tile in made.tiles.values() for e in tile if not e.startswith("Literal")} | {"T"}
    return Plan(tuple(sorted((name, given.variables[name]) for name in used)), outputs)


def _satisfies_contract(found: KernelReport, given: Sizes, grid: tuple[int, int, int]) -> bool:
    """Whether a launch keeps the contract."""
    scalars = {f"grid[{k}]": n for k, n in enumerate(grid)}
    scalars |= given.variables | {"n": given.n, "t": given.variables["T"]}
    for name, shape in given.shapes.items():
        scalars |= {f"{name}.shape[{k}]": n for k, n in enumerate(shape)} | {f"numel({name})": int(np.prod(shape))}
    return all(evaluate(p, scalars) for c in found.contract for p in parse(c.clause) if p.cond is not None)


def _run(rng: Random, made: Generated, found: KernelReport, kernel: Any) -> str:
    """The result of a random launch."""
    from tilecheck_runtime import sanitize
    from tilecheck_runtime.dialect.plan import PlanError

    given = sizes(rng, made)
    try:
        entry = kernel.entry(_plan(rng, made, given))
        grid = entry.grid({name: given.shapes[name] for name in given.tiles})
    except PlanError:
        return "refused"
    if not _satisfies_contract(found, given, grid):
        return "broken"
    data = np.random.default_rng(0)
    arguments = {name: data.random(shape, dtype=np.float32) for name, shape in given.shapes.items() if name != "r"}
    arguments |= {"r": data.integers(-2, 6, given.shapes["r"], dtype=np.int32), "n": given.n}
    try:
        report = sanitize(entry.function, grid, entry.arguments(arguments), seed=rng.randrange(10))
    except Exception as error:  # what the device refuses when it compiles is refused before anything runs
        assert "TC" in str(error), f"{made.text}\n{error}"
        return "refused"
    assert report.clean, f"{made.text}\n{given}\n{report}"
    return "silent"


def test_proved_kernels_are_silent():
    seen: Counter[str] = Counter()
    for seed in range(KERNELS):
        rng = Random(seed)
        made = generate(rng)
        report = check_source(made.text, "k.py", Config(use_cache=False, jobs=1))
        (found,) = report.kernels
        if found.verdict != "proved" or report.diagnostics:
            seen["not proved"] += 1
            continue
        kernel = _load_kernel(made.text, f"<generated {seed}>")
        seen.update(_run(rng, made, found, kernel) for _ in range(LAUNCHES))
    assert seen["silent"] > KERNELS * LAUNCHES // 3
    assert seen["not proved"] < KERNELS // 2
