"""Every schedule gives each piece to one block: proved for all launches by our prover, and counted in small ones."""

from __future__ import annotations

import functools
import itertools
import math
from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

from tests.runtime.dialect.schedules.kernels import DEVICE, KERNELS
from tilecheck.api import check_source
from tilecheck.config import Config

WALKED = [name for name in DEVICE if not name.startswith(("at", "scatter", "nested"))]
TILE = 2


@functools.cache
def _report(name: str):
    report = check_source(KERNELS[name], f"{name}.py", Config(use_cache=False, jobs=1))
    (kernel,) = report.kernels
    return report, kernel


@pytest.mark.parametrize("name", KERNELS)
def test_no_two_blocks_write_one_element(name):
    report, kernel = _report(name)
    writes = [o for o in kernel.obligations if o.kind == "disjoint"]
    assert [o.verdict for o in writes] == ["proved"]
    assert not report.failures


@pytest.mark.parametrize("name", KERNELS)
def test_disjointness_needs_no_clause(name):
    _, kernel = _report(name)
    assert [c.clause for c in kernel.contract if c.kind == "semantic"] == []


class _Array:
    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape


def _count_writes(text: str, shape: tuple[int, ...], grid: tuple[int, int, int], constants: dict[str, int]) -> Counter:
    """The tiles that all blocks of a launch store to, as often as they do."""
    stored: Counter[Any] = Counter()
    block = [0, 0, 0]
    fake = SimpleNamespace(
        kernel=lambda f: f, Constant={int: int}, cdiv=lambda a, b: -(-a // b), bid=lambda k: block[k],
        num_blocks=lambda k: grid[k], zeros=lambda shape, dtype: shape, float32=None,
        store=lambda z, index, tile: stored.update([(index, tile)]))
    space: dict[str, Any] = {"ct": fake}
    exec(text.replace("import cuda.tile as ct\n", ""), space)
    kernel = space[text.partition("def ")[2].partition("(")[0]]
    for block[2], block[1], block[0] in itertools.product(range(grid[2]), range(grid[1]), range(grid[0])):
        kernel(_Array(shape), **constants)
    return stored


def _shapes(rank: int) -> list[tuple[int, ...]]:
    few = (1, 2, 3) if rank < 4 else (1, 3)
    return [tuple(TILE * n - n % 2 for n in counts) for counts in itertools.product(few, repeat=rank)]


def _grids(name: str, counts: tuple[int, ...]) -> list[tuple[int, int, int]]:
    if not name.startswith("single"):
        most = math.prod(counts)
        return [(blocks, 1, 1) for blocks in sorted({1, 2, most} | {max(most // 2, 1)})]
    lead = max(len(counts) - 3, 0) + 1
    axes = (math.prod(counts[:lead]), *counts[lead:], 1, 1)
    return [(axes[0], axes[1], axes[2])]


@pytest.mark.parametrize("name", WALKED)
def test_every_piece_is_written_once(name):
    rank = int(name.lstrip("abcdefghijklmnopqrstuvwxyz_")[0])
    groups = (1, 2, 3) if name.startswith("grouped") else (1,)
    for shape in _shapes(rank):
        counts = tuple(-(-n // TILE) for n in shape)
        everything = set(itertools.product(*(range(n) for n in counts)))
        items = math.prod(counts)
        if name.startswith("walk"):
            items //= counts[int(name[-1])]
        parts = [(0, items), (items // 2, items), (0, 0)] if "part" in name else [(0, 0)]
        for grid, group, (start, stop) in itertools.product(_grids(name, counts), groups, parts):
            constants = {f"T{k}": TILE for k in range(rank)}
            constants |= {"G": group} if name.startswith("grouped") else {}
            constants |= {"I": start, "J": stop} if "part" in name else {}
            written = _count_writes(DEVICE[name], shape, grid, constants)
            found = {index for index, _ in written}
            assert set(written.values()) <= {1}, (shape, grid, constants)
            assert found <= everything, (shape, grid, constants)
            if "part" not in name:
                assert found == everything, (shape, grid, constants)
            else:
                whole = math.prod(counts) // items if items else 1
                assert len(found) == (stop - start) * whole, (shape, grid, constants)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_nested_tiles_cover_each_piece_once(rank):
    sizes = {f"{c}{k}": v for k in range(rank) for c, v in (("R", 2), ("S", 2))}
    for shape in itertools.product((1, 4, 5, 8), repeat=rank):
        grid = tuple(-(-n // 4) for n in shape) + (1,) * (3 - rank)
        written = _count_writes(DEVICE[f"nested{rank}"], shape, grid, sizes)
        assert set(written.values()) == {1}
        assert {index for index, _ in written} == set(itertools.product(*(range(-(-n // 2)) for n in shape)))


def test_a_schedule_that_forgets_its_step_is_not_proved():
    text = KERNELS["linear1"].replace("ct.num_blocks(0)", "1")
    (kernel,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    assert "refuted" in {o.verdict for o in kernel.obligations}


def test_a_group_that_is_taken_for_a_whole_one_may_leave_the_output():
    """The last group has fewer rows where the number of rows is not a multiple."""
    _, right = _report("grouped2")
    text = KERNELS["grouped2"].replace("min(n0 - top, G)", "G")
    (wrong,) = check_source(text, "k.py", Config(use_cache=False, jobs=1)).kernels
    asked = {c.clause for c in wrong.contract} - {c.clause for c in right.contract}
    assert asked or "unproven" in {o.verdict for o in wrong.obligations if o.kind == "bounds"}
