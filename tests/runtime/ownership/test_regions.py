"""Whether views meet: exact for strided ones, compared with the addresses of their elements."""

from __future__ import annotations

import itertools
import random

import pytest

from tilecheck_runtime.ownership.regions import Region, has_distinct_elements, overlap


def _region(address, shape, strides, itemsize=4, device="cpu"):
    return Region(device, address, shape, strides, itemsize)


def _bytes(region):
    places = (range(n) for n in region.shape)
    return [region.address + sum(i * s for i, s in zip(index, region.strides, strict=True)) + byte
            for index in itertools.product(*places) for byte in range(region.itemsize)]


def test_even_and_odd_elements_do_not_meet():
    even, odd = _region(0, (512,), (8,)), _region(4, (512,), (8,))
    assert not overlap(even, odd)
    assert overlap(even, _region(8, (512,), (8,)))


def test_columns_of_a_matrix_do_not_meet():
    left, right = _region(0, (64, 32), (256, 4)), _region(128, (64, 32), (256, 4))
    assert not overlap(left, right)
    assert overlap(left, _region(124, (64, 32), (256, 4)))


def test_elements_of_other_sizes_meet_by_bytes():
    assert overlap(_region(0, (4,), (4,)), _region(14, (1,), (2,), 2))
    assert not overlap(_region(0, (4,), (4,)), _region(16, (1,), (2,), 2))


def test_empty_and_distant_regions_do_not_overlap():
    whole = _region(0, (8,), (4,))
    assert not overlap(whole, _region(0, (0,), (4,)))
    assert not overlap(whole, _region(0, (8,), (4,), device="cuda:0"))


@pytest.mark.parametrize("seed", range(300))
def test_meeting_is_sharing_a_byte(seed):
    rng = random.Random(seed)

    def any_region():
        rank = rng.randint(1, 3)
        shape = tuple(rng.randint(1, 4) for _ in range(rank))
        strides = tuple(rng.choice((1, 2, 3, 4, 6, 8, 12, 20)) * 2 for _ in range(rank))
        return _region(rng.randrange(0, 60, 2), shape, strides, rng.choice((2, 4)))

    a, b = any_region(), any_region()
    assert overlap(a, b) == bool({*_bytes(a)} & {*_bytes(b)}) == overlap(b, a)
    if has_distinct_elements(a):
        assert len({*_bytes(a)}) == len(_bytes(a))


def test_undecided_regions_count_as_overlapping():
    strides = tuple(1 << 20 | 7919 * k for k in range(1, 12))
    hard = _region(1, (9,) * 11, strides, 1)
    assert overlap(hard, _region(12_345_678, (9,) * 11, tuple(s + 13 for s in strides), 1))


def test_broadcast_elements_are_not_distinct():
    assert not has_distinct_elements(_region(0, (4, 4), (0, 4)))
    assert not has_distinct_elements(_region(0, (4, 4), (4, 4)))
    assert has_distinct_elements(_region(0, (4, 4), (4, 16)))
    assert has_distinct_elements(_region(0, (1, 4), (0, 4)))
