"""Arrays, views and what lies outside them."""

from __future__ import annotations

import cuda.tile as ct
import numpy as np
import pytest

from tests.runtime.kernels import codes, floats, run, zeros
from tilecheck_runtime.sanitizer.shadow import WATCHED

ZERO = ct.PaddingMode.ZERO
SEEDS = (None, 3)


def copy_slice(x, o, n, T: ct.Constant[int]):
    part = x.slice(0, 2, n).slice(axis=-1, start=1, stop=3)
    ct.store(o, (0, 0), ct.load(part, (0, 0), (T, T), padding_mode=ZERO))


def test_slices_of_slices():
    x, o = floats(6, 4), zeros(4, 4)
    assert run(copy_slice, x, o, 5, 4).clean
    wanted = zeros(4, 4)
    wanted[:3, :2] = x[2:5, 1:3]
    assert (o == wanted).all()


def sliced_too_far(x, o, T: ct.Constant[int]):
    part = x.slice(0, 1, x.shape[0] + 1)  # outside
    ct.store(o, (0,), ct.load(part, (0,), (T,), padding_mode=ZERO))


def sliced_backwards(x, o, T: ct.Constant[int]):
    part = x.slice(0, 3, 2)  # outside
    ct.store(o, (0,), ct.zeros((T,), ct.float32) + part.shape[0])


@pytest.mark.parametrize("kernel", [sliced_too_far, sliced_backwards])
def test_slices_outside_the_array(kernel):
    ((code, line),) = codes(run(kernel, floats(6), zeros(4), 4))
    assert code == "TC204" and line.endswith("# outside")


def race_in_a_slice(x, T: ct.Constant[int]):
    i = ct.bid(0)
    part = x.slice(0, i * (T // 2), i * (T // 2) + T)
    ct.store(part, (0,), ct.full((T,), i, ct.float32))


@pytest.mark.parametrize("seed", SEEDS)
def test_elements_of_slices_are_those_of_the_array(seed):
    (event,) = run(race_in_a_slice, zeros(12), 4, grid=(3,), seed=seed).events
    assert event.code == "TC101" and event.element in {(2,), (4,)} and event.array == "x"


def strided_views(x, o, T: ct.Constant[int]):
    v = x.tiled_view((T,), padding_mode=ZERO, traversal_steps=(2,))
    ct.store(o, (ct.bid(0), 0), ct.reshape(v.load((ct.bid(0),)), (1, T)))


def test_views_with_steps():
    x, o = floats(7), zeros(4, 4)
    assert run(strided_views, x, o, 4, grid=(4,)).clean
    padded = np.concatenate([x, zeros(4)])
    assert (o == np.stack([padded[2 * i:2 * i + 4] for i in range(4)])).all()


def unchecked_tile(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.load(x, (ct.bid(0),), (T,), padding_mode=ZERO, check_bounds=False))  # outside


def unchecked_scatter(x, o, T: ct.Constant[int]):
    ct.scatter(o, ct.arange(T, dtype=ct.int32) + 3, 1.0, check_bounds=False)  # outside


def unchecked_atomic(x, o, T: ct.Constant[int]):
    ct.atomic_add(o, ct.arange(T, dtype=ct.int32) - 1, 1.0, check_bounds=False)  # outside


def raw_offset(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), x.get_raw_memory().load_offset(ct.arange(T, dtype=ct.int32) + 3))  # outside


def raw_store(x, o, T: ct.Constant[int]):
    o.get_raw_memory().store_offset(ct.arange(T, dtype=ct.int32) + 1, 2.0)  # outside


@pytest.mark.parametrize("kernel", [unchecked_tile, unchecked_scatter, unchecked_atomic, raw_offset, raw_store])
def test_unchecked_accesses_outside(kernel):
    found = codes(run(kernel, floats(3), zeros(4), 4))
    assert {code for code, line in found if line.endswith("# outside")} == {"TC202"}, found


def masked_off(x, o, T: ct.Constant[int]):
    lanes = ct.arange(T, dtype=ct.int32)
    t = ct.gather(x, lanes, mask=lanes < 3, check_bounds=False)
    ct.scatter(o, lanes, t, mask=lanes < 3, check_bounds=False)
    o.get_raw_memory().store_offset(lanes, t, mask=lanes < 3)


def test_masked_lanes_touch_nothing():
    o = zeros(3)
    assert run(masked_off, floats(3), o, 4).clean and (o == floats(3)).all()


def load_outside(x, o, T: ct.Constant[int]):
    ct.store(o, (ct.bid(0) - 1,), ct.load(x, (0,), (T,)))  # outside


def load_beyond(x, o, T: ct.Constant[int]):
    ct.store(o, (ct.num_tiles(o, 0, (T,)),), ct.load(x, (0,), (T,)))  # outside


def extract_tile(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.extract(ct.load(x, (0,), (T,)), (ct.bid(0) + 2,), (2,)))  # outside


def advance_view(x, o, T: ct.Constant[int]):
    rows = ct.arange(T, dtype=ct.int32)
    t = ct.load_advanced_indexing(x.slice(0, 0, 4), (rows,), padding_mode=ZERO)
    ct.store(o, (0,), t)


@pytest.mark.parametrize("kernel", [load_outside, load_beyond, extract_tile])
def test_tiles_wholly_outside(kernel):
    ((code, line),) = codes(run(kernel, floats(4), zeros(4), 4))
    assert code == "TC201" and line.endswith("# outside")


def picks_rows(x, y, start, mode: ct.Constant[int]):
    rows = ct.arange(4, dtype=ct.int32) * 2
    t = ct.load_advanced_indexing(x, (rows, ct.Slice(start, 4)), padding_mode=ZERO)
    ct.store_advanced_indexing(y, (rows + 1, ct.Slice(0, 4)), t)


def test_advanced_indexing():
    x, y = floats(7, 6), zeros(8, 4)
    assert run(picks_rows, x, y, 3, 0).clean
    wanted = zeros(8, 4)
    wanted[1:6:2, :3], wanted[7, :3] = x[0:5:2, 3:6], x[6, 3:6]
    assert (y == wanted).all()
    assert run(picks_rows, x, y, 6, 0).codes() == {"TC201"}


def duplicates(c, mode: ct.Constant[int]):
    lanes = ct.arange(4, dtype=ct.int32)
    ct.scatter(c, lanes * (0 if mode else 2) // 2 * 2, 1.0)


def test_duplicate_lanes_in_any_order():
    (event,) = run(duplicates, zeros(8), 1).events
    assert event.code == "TC106" and event.element == (0,)
    assert run(duplicates, zeros(8), 0).clean


def stores(x, T: ct.Constant[int]):
    ct.store(x, (0, 0), ct.full((1, T), 1, ct.float32))


def test_a_store_through_stride_zero():
    x = np.lib.stride_tricks.as_strided(zeros(1), (1, 4), (4, 0))
    assert run(stores, x, 4).codes() == {"TC106"}


def copies(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (T,)))


@pytest.mark.parametrize("seed", SEEDS)
def test_arguments_that_share_memory(seed):
    base = floats(12)
    assert run(copies, base[:8], base[8:], 4, grid=(1,)).clean
    found = run(copies, base[:8], base[4:], 4, grid=(2,), seed=seed)
    assert found.codes() == {"TC401", "TC103"}
    interleaved = floats(8, 2)
    assert run(copies, interleaved[:, 0], interleaved[:, 1], 4, grid=(2,)).clean


@pytest.mark.parametrize("make", [lambda x: x[::2], lambda x: x[::-1], lambda x: x.reshape(2, 4).T.reshape(-1)])
def test_layouts_of_arguments(make):
    x, y = make(floats(8)), zeros(16)[::2]
    assert run(copies, x, y[:len(x)], 4, grid=(len(x) // 4,)).clean
    assert (y[:len(x)] == x).all()


def every_block_reads_all(x, o):
    total = ct.zeros((1,), ct.float32)
    for j in range(x.shape[0]):
        total = total + ct.load(x, (j,), (1,))
    ct.store(o, (ct.bid(0),), total)
    if ct.bid(0) == 1:
        ct.store(x, (2,), total)  # the last store


@pytest.mark.parametrize("seed", (None, 0, 1, 2, 3))
def test_a_race_is_found_in_any_order(seed):
    (event,) = run(every_block_reads_all, floats(4), zeros(3), grid=(3,), seed=seed).events
    assert event.code == "TC103" and event.element == (2,)
    assert event.line < event.other.site.span.line and event.point.loops == (2,)
    assert event.other.block == (1, 0, 0) and event.point.block != (1, 0, 0)


def test_the_shadow_memory_is_small():
    from tilecheck_runtime.cpu.execution.arguments import bind, parameters

    x = zeros(1000)
    (array,), (storage,) = bind(parameters(lambda x: None), (x,))
    for slot in range(4):
        array.shadow.slot(slot)
    assert sum(s.nbytes for s in storage.slots if s is not None) == 16 * x.size
    array.shadow.slot(WATCHED)
    assert sum(s.nbytes for s in storage.slots) == 17 * x.size


def element_index(x, o, T: ct.Constant[int]):
    ct.store(o, (0,), ct.load(x, (ct.bid(0) * T,), (T,)))


def test_an_element_index_for_a_tile_index_gets_a_hint():
    (event,) = [e for e in run(element_index, floats(12), zeros(4), 4, grid=(2,)).events if e.code == "TC201"]
    assert event.notes == ("index 4 counts tiles of 4; tile 1 begins at element 4",)


def in_a_helper(o, value):
    ct.store(o, (0,), value)  # the race


def calls_a_helper(o, T: ct.Constant[int]):
    in_a_helper(o, ct.full((T,), ct.bid(0), ct.float32))  # the call


def test_findings_in_helpers_say_who_called():
    report = run(calls_a_helper, zeros(4), 4, grid=(2,))
    assert codes(report) == {("TC101", "ct.store(o, (0,), value)  # the race")}
    (event,) = report.events
    assert len(event.point.site.spans) == 2 and event.kernel == "calls_a_helper"
    text = report.render()
    assert "called from here" in text and "# the call" in text
