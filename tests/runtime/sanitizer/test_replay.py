"""The second pass: every pair of lines that races, where the shadow alone names only some."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np
import pytest

from tests.runtime.kernels import zeros
from tilecheck_runtime.cpu.execution.execute import sanitize
from tilecheck_runtime.sanitizer.report import Report


def three_stores(c, T: ct.Constant[int]):
    ct.store(c, (0,), ct.full((T,), 1, ct.float32))
    ct.store(c, (0,), ct.full((T,), 2, ct.float32))
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)


FIRST = three_stores.__code__.co_firstlineno + 1


def _pairs(report: Report) -> set[tuple[str, tuple[int, ...]]]:
    return {(e.code, tuple(sorted(n - FIRST for n in e.lines))) for e in report.events}


def _run(body, *args, grid=(3,), replay=True, seed: int | None = 0) -> Report:
    return sanitize(ct.kernel(body), grid, args, seed=seed, replay=replay)


@pytest.mark.parametrize("seed", (None, 0, 5))
def test_all_pairs_of_lines_are_named(seed):
    writes = {("TC101", pair) for pair in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))}
    reads = {("TC103", (line, 2)) for line in (0, 1, 2)}
    once = _pairs(_run(three_stores, zeros(8), 4, replay=False, seed=seed))
    assert once < _pairs(_run(three_stores, zeros(8), 4, seed=seed)) == writes | reads


def test_the_second_pass_leaves_the_memory_of_the_first():
    once, twice = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.float32)
    first = _run(three_stores, once, 4, replay=False)
    second = _run(three_stores, twice, 4)
    assert (once == twice).all() and first.launches == second.launches == 1


def adds(c, counts):
    ct.store(c, (ct.bid(0) // 2,), ct.load(c, (ct.bid(0) // 2,), (1,)) + 1)
    ct.atomic_add(counts, ct.bid(0), 1)


def test_counts_are_those_of_one_pass():
    (once,), (twice,) = ([e.times for e in _run(adds, zeros(4), zeros(4, dtype=np.int32), replay=replay).events
                          if e.code == "TC101"] for replay in (False, True))
    assert once == twice == 1


def add_under_lock(lock, c):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ct.MemoryOrder.ACQUIRE) != 0:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (1,)) + 1)
    ct.atomic_xchg(lock, 0, 0, memory_order=ct.MemoryOrder.RELEASE)
    ct.store(c, (0,), ct.full((1,), 9, ct.float32))


def test_accesses_ordered_by_a_lock_do_not_race():
    report = _run(add_under_lock, zeros(1, dtype=np.int32), zeros(1))
    first = add_under_lock.__code__.co_firstlineno
    assert {(e.code, tuple(sorted(n - first for n in e.lines))) for e in report.events} == {
        ("TC101", (3, 5)), ("TC101", (5, 5)), ("TC103", (3, 5))}


def test_a_launch_without_races_runs_once():
    def count_blocks(c):
        i = ct.bid(0)
        ct.store(c, (i,), ct.load(c, (i,), (1,)) + 1)

    c = zeros(4)
    assert _run(count_blocks, c, grid=(4,)).clean and (c == 1).all()


def lists(cs, pair):
    for n in range(len(cs)):
        ct.store(cs[n], (0,), ct.load(cs[n], (0,), (1,)) + 1)
    ct.store(pair[1], (0,), ct.load(pair[1], (0,), (1,)) + 1)


def test_lists_and_tuples_begin_the_second_pass_as_they_began_the_first():
    once, twice = ([zeros(1) for _ in range(3)] for _ in range(2))
    _run(lists, once[:2], (1, once[2]), replay=False, grid=(2,))
    report = _run(lists, twice[:2], (1, twice[2]), grid=(2,))
    assert [c[0] for c in once] == [c[0] for c in twice] == [2, 2, 2]
    assert {e.array for e in report.events} == {"cs[0]", "cs[1]", "pair[1]"}
