"""Synchronisation: what orders accesses of different blocks, and what only seems to."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np
import pytest

from tests.runtime.kernels import codes, run, zeros
from tilecheck_runtime.errors.language import KernelStuckError

SEEDS = (None, 1, 2)
ACQUIRE, RELEASE, RELAXED = ct.MemoryOrder.ACQUIRE, ct.MemoryOrder.RELEASE, ct.MemoryOrder.RELAXED
DEVICE, BLOCK = ct.MemoryScope.DEVICE, ct.MemoryScope.BLOCK


def add_under_lock(lock, c, T: ct.Constant[int]):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


def locked_and_stored(lock, c, T: ct.Constant[int]):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)
    ct.store(lock, (0,), 0, memory_order=RELEASE, memory_scope=DEVICE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", [add_under_lock, locked_and_stored])
def test_a_lock_orders_its_critical_sections(kernel, seed):
    c = zeros(4)
    report = run(kernel, zeros(1, dtype=np.int32), c, 4, grid=(5,), seed=seed)
    assert report.clean, str(report)
    assert (c == 5).all()


def relaxed_lock(lock, c, T: ct.Constant[int]):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=RELAXED) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)  # race
    ct.atomic_xchg(lock, 0, 0, memory_order=RELAXED)


def lock_of_block_scope(lock, c, T: ct.Constant[int]):
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE, memory_scope=BLOCK) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)  # race
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE, memory_scope=BLOCK)


def one_access_outside(lock, c, T: ct.Constant[int]):
    ct.store(c, (0,), ct.full((T,), 0, ct.float32))  # race
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)  # race
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


def result_not_used(lock, c, T: ct.Constant[int]):
    ct.atomic_add(lock, 0, 1)
    ct.store(c, (0,), ct.full((T,), 0, ct.float32))  # race


def two_locks(lock, c, T: ct.Constant[int]):
    mine = ct.bid(0) % 2
    while ct.atomic_cas(lock, mine, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(c, (0,), ct.load(c, (0,), (T,)) + 1)  # race
    ct.atomic_xchg(lock, mine, 0, memory_order=RELEASE)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("kernel", [relaxed_lock, lock_of_block_scope, one_access_outside, result_not_used, two_locks])
def test_accesses_without_order_race(kernel, seed):
    report = run(kernel, zeros(2, dtype=np.int32), zeros(4), 4, grid=(4,), seed=seed)
    assert {"TC101"} <= report.codes()
    assert any(line.endswith("# race") for code, line in codes(report) if code == "TC101")


def last_block_reads(parts, count, total, T: ct.Constant[int]):
    i, n = ct.bid(0), ct.num_blocks(0)
    ct.store(parts, (i, 0), ct.full((1, T), 1, ct.float32))
    if ct.atomic_add(count, 0, 1) == n - 1:
        acc = ct.zeros((1, T), ct.float32)
        for j in range(n):
            acc = acc + ct.load(parts, (j, 0), (1, T))
        ct.store(total, (0, 0), acc)


def any_block_reads(parts, count, total, T: ct.Constant[int]):
    i, n = ct.bid(0), ct.num_blocks(0)
    ct.store(parts, (i, 0), ct.full((1, T), 1, ct.float32))
    if ct.atomic_add(count, 0, 1) < n:
        acc = ct.zeros((1, T), ct.float32)
        for j in range(n):
            acc = acc + ct.load(parts, (j, 0), (1, T))  # race


@pytest.mark.parametrize("seed", SEEDS)
def test_the_last_block_is_ordered_after_all(seed):
    total = zeros(1, 4)
    report = run(last_block_reads, zeros(6, 4), zeros(1, dtype=np.int32), total, 4, grid=(6,), seed=seed)
    assert report.clean, str(report)
    assert (total == 6).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ticket_does_not_order_other_accesses(seed):
    report = run(any_block_reads, zeros(6, 4), zeros(1, dtype=np.int32), zeros(1, 4), 4, grid=(6,), seed=seed)
    assert {code for code, line in codes(report) if line.endswith("# race")} == {"TC103"}


def waits_for_a_flag(flag, c):
    while ct.load(flag, (0,), (), memory_order=ACQUIRE, memory_scope=DEVICE) == 0:
        pass
    ct.store(c, (0,), ct.full((4,), 1, ct.float32))


def test_a_block_that_waits_forever_is_named():
    with pytest.raises(KernelStuckError, match=r"block 0 of waits_for_a_flag waits forever at .*test_order"):
        run(waits_for_a_flag, zeros(1, dtype=np.int32), zeros(4))


def flag_from_first_block(flag, data, out):
    if ct.bid(0) == 0:
        ct.store(data, (0,), ct.full((4,), 7, ct.float32))
        ct.store(flag, (0,), 1, memory_order=RELEASE, memory_scope=DEVICE)
    else:
        while ct.load(flag, (0,), (), memory_order=ACQUIRE, memory_scope=DEVICE) == 0:
            pass
        ct.store(out, (ct.bid(0) - 1,), ct.load(data, (0,), (4,)))


def test_a_flag_orders_earlier_writes():
    out = zeros(8)
    report = run(flag_from_first_block, zeros(1, dtype=np.int32), zeros(4), out, grid=(3,), seed=None)
    assert report.clean, str(report)
    assert (out == 7).all()


def counts(c, keys, T: ct.Constant[int]):
    ct.atomic_add(c, ct.load(keys, (ct.bid(0),), (T,)), 1)


def counts_in_block_scope(c, keys, T: ct.Constant[int]):
    ct.atomic_add(c, ct.load(keys, (ct.bid(0),), (T,)), 1, memory_scope=BLOCK)


def counts_after_a_plain_write(c, keys, T: ct.Constant[int]):
    ct.scatter(c, 0, 0)  # plain
    ct.atomic_add(c, ct.load(keys, (ct.bid(0),), (T,)), 1)


def test_atomics_do_not_race_with_atomics():
    keys, c = np.array([0, 1, 1, 3, 0, 0, 2, 3], np.int32), zeros(4, dtype=np.int32)
    assert run(counts, c, keys, 4, grid=(2,)).clean
    assert c.tolist() == [3, 2, 1, 2]


@pytest.mark.parametrize("seed", SEEDS)
def test_atomics_race_with_plain_accesses(seed):
    keys = np.array([0, 1, 1, 3, 0, 0, 2, 3], np.int32)
    report = run(counts_after_a_plain_write, zeros(4, dtype=np.int32), keys, 4, grid=(2,), seed=seed)
    assert {code for code, line in codes(report) if line.endswith("# plain")} == {"TC101", "TC107"}
    report = run(counts_in_block_scope, zeros(4, dtype=np.int32), keys, 4, grid=(2,), seed=seed)
    assert report.codes() == {"TC107"}


def one_reads_outside(lock, c, T: ct.Constant[int]):
    i = ct.bid(0)
    if i == 0:
        ct.load(c, (0,), (T,))  # race
    else:
        while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
            pass
        if i == 3:
            ct.store(c, (0,), ct.full((T,), 1, ct.float32))
        else:
            ct.load(c, (0,), (T,))
        ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


@pytest.mark.parametrize("seed", range(24))
def test_ordered_accesses_do_not_hide_an_unordered_one(seed):
    report = run(one_reads_outside, zeros(1, dtype=np.int32), zeros(4), 4, grid=(4,), seed=seed)
    assert codes(report) == {("TC103", "ct.load(c, (0,), (T,))  # race")}
