"""Grids: inferred from partitions, asked for, prefixes, mapped partitions."""

from __future__ import annotations

import numpy as np
import pytest

import tilecheck_runtime as tcr
from tests.runtime.launches import kernels as k
from tests.runtime.launches.refusals import check_refused
from tilecheck_runtime import GridError, Grouped, LaunchArgumentError, Linear, Range, Walk, f32

pytestmark = pytest.mark.filterwarnings("error")


@pytest.mark.parametrize(("shape", "tile", "grid"), [
    ((1024,), (128,), (8, 1, 1)), ((100, 30), (16, 16), (7, 2, 1)), ((4, 5, 6), (1, 2, 4), (4, 3, 2)),
    ((2, 3, 4, 5), (1, 1, 2, 2), (6, 2, 3)), ((2, 3, 4, 5, 6), (1, 2, 2, 5, 3), (8, 1, 2)),
])
def test_rule_5_the_grid_follows_from_the_partition(shape, tile, grid):
    assert tcr.zeros(shape, f32).partition(*tile).grid == grid


def test_rule_4_edge_tiles_are_clipped():
    x = tcr.arange(10, dtype=f32)
    made = k.add(tcr.zeros((10,), f32).partition(4), x, x).sync()
    assert made.numpy().tolist() == [2 * n for n in range(10)]


@pytest.mark.parametrize(("shape", "tile", "text"), [
    ((8,), (4, 4), "`x` of shape (8,) cannot be divided into pieces of (4, 4): one extent is due for each axis"),
    ((8,), (), "`x` of shape (8,) cannot be divided into pieces of (): one extent is due for each axis"),
    ((8,), (2.5,), "`x` of shape (8,) cannot be divided into pieces of (2.5,): extents are integers"),
    ((8,), (0,), "`x` of shape (8,) cannot be divided into pieces of (0,): extents are positive"),
    ((), (), "`x` has 0 axes; a partition has 1 to 5"),
    ((1,) * 6, (1,) * 6, "`x` has 6 axes; a partition has 1 to 5"),
])
def test_invalid_pieces_are_refused(shape, tile, text):
    x = tcr.zeros(shape, f32)
    error = check_refused(LaunchArgumentError, lambda: x.partition(*tile))
    assert error.code == "TC408" and error.summary == text
    assert x.numpy().shape == shape


def test_rule_5_outputs_agree_axis_by_axis():
    a, b = tcr.zeros((16,), f32).partition(4), tcr.zeros((16,), f32).partition(8)
    error = check_refused(GridError, lambda: k.write_both(a, b))
    assert error.code == "TC405" and error.names == ("a", "b")
    assert error.summary == ("`a` of shape (16,) in pieces of (4,) asks for grid (4, 1, 1), `b` of shape (16,) in "
                             "pieces of (8,) for (2, 1, 1), in one launch of `write_both`")
    assert error.fix == "partition all outputs into the same number of pieces along each axis"
    b = b.unpartition().partition(4)
    assert [p.numpy()[0] for p in k.write_both(a, b).sync()] == [1, 2]


@pytest.mark.parametrize("grid", [(2, 4), (4, 2, 2), (8, 1, 1), (1, 1, 8)])
def test_rule_5_a_grid_is_equal_axis_by_axis_and_not_in_total(grid):
    z, x = tcr.zeros((8, 8), f32).partition(2, 4), tcr.zeros((8, 8), f32)
    error = check_refused(GridError, lambda: k.walked2(z, x).grid(*grid))
    wanted = (*grid, 1, 1)[:3]
    assert error.summary == (f"the grid of `walked2` is {wanted}, but `z` of shape (8, 8) in pieces of (2, 4) asks for "
                             "(4, 2, 1)")
    assert error.fix.startswith("leave `.grid(...)` out: it follows from the partition")


def test_rule_5_the_inferred_grid_may_be_passed():
    x = tcr.zeros((8, 8), f32)
    for grid in ((4, 2), (4, 2, 1), ((4, 2),)):
        assert k.walked2(tcr.zeros((8, 8), f32).partition(2, 4), x).grid(*grid).sync().numpy().tolist() == [[1] * 8] * 8


@pytest.mark.parametrize("grid", [(), (0,), (-1, 2), (1, 1, 1, 1)])
def test_invalid_grids_are_refused(grid):
    x = tcr.zeros((8,), f32)
    error = check_refused(GridError, lambda: k.add(tcr.zeros((8,), f32).partition(4), x, x).grid(*grid))
    assert error.summary == f"the grid of `add` is given as {grid}; it has one to three extents from 1 up"
    assert error.fix == "write `.grid(8)` or `.grid(8, 4)`"


def test_rule_6_a_prefix_is_written_and_the_rest_stays():
    x = tcr.ones((16,), f32)
    made = k.add(tcr.full((16,), 7, f32).partition_prefix(4), x, x).grid(2).sync()
    assert made.numpy().tolist() == [2] * 8 + [7] * 8
    again = k.add(made, x, x).grid(4).sync()
    assert again.numpy().tolist() == [2] * 16


def test_rule_6_a_prefix_needs_a_grid():
    x = tcr.ones((16,), f32)
    launch = k.add(tcr.zeros((16,), f32).partition_prefix(4), x, x)
    error = check_refused(GridError, lambda: launch.sync())
    assert error.summary == ("the launch of `add` needs a grid: `z` is a prefix partition, and any part of it may "
                             "be written")
    assert error.fix == "give the number of blocks: `add(...).grid(8)`"
    assert launch.grid(1).sync().numpy().tolist() == [2] * 4 + [0] * 12


def test_rule_6_a_prefix_is_not_longer_than_the_partition():
    x = tcr.ones((16,), f32)
    error = check_refused(GridError, lambda: k.add(tcr.zeros((16,), f32).partition_prefix(4), x, x).grid(5))
    assert error.summary == ("the grid of `add` is (5, 1, 1), but `z` of shape (16,) in pieces of (4,) has room for at "
                             "most (4, 1, 1)")
    assert error.fix == "ask for at most `.grid(4, 1, 1)`"
    error = check_refused(GridError, lambda: k.add(tcr.zeros((16,), f32).partition_prefix(4), x, x).grid(2, 2))
    assert "(2, 2, 1)" in error.summary


def test_rule_6_a_prefix_cannot_be_mapped():
    p = tcr.zeros((16,), f32).partition_prefix(4)
    error = check_refused(GridError, lambda: p.map(Linear(), 2))
    assert error.summary == "`p` is a prefix partition, which cannot be mapped"
    assert "`Range(schedule, start, stop)`" in error.fix
    assert p.numpy().shape == (16,)


def test_rule_6_two_prefixes():
    a, b = tcr.zeros((16,), f32).partition_prefix(4), tcr.zeros((16,), f32).partition_prefix(4)
    a, b = k.write_both(a, b).grid(2).sync()
    assert a.numpy().tolist() == [1] * 8 + [0] * 8 and b.numpy().tolist() == [2] * 8 + [0] * 8


def test_rule_6_a_prefix_beside_a_whole_partition():
    a, b = tcr.zeros((16,), f32).partition_prefix(4), tcr.zeros((16,), f32).partition(4)
    error = check_refused(GridError, lambda: k.write_both(a, b).grid(2))
    assert error.names == ("b",)


def test_a_launch_without_outputs_needs_a_grid():
    launch = k.total(tcr.zeros((1,), f32), tcr.ones((8,), f32), 4)
    error = check_refused(GridError, lambda: launch.sync())
    assert error.summary == "the launch of `total` needs a grid: it has no output that a grid follows from"


@pytest.mark.parametrize("blocks", [1, 2, 3, 6])
@pytest.mark.parametrize("schedule", [Linear(), Grouped(2), Grouped(5)])
def test_rule_7_several_pieces_a_block(schedule, blocks):
    x = tcr.arange(48, dtype=f32).reshape(6, 8)
    p = tcr.zeros((6, 8), f32).partition(2, 4).map(schedule, blocks)
    assert p.grid == (blocks, 1, 1)
    made = k.walked2(p, x).sync()
    assert (made.numpy() == x.numpy() + 1).all() and made.grid == (blocks, 1, 1)


@pytest.mark.parametrize(("axis", "most"), [(0, 2), (1, 3)])
def test_rule_7_an_axis_that_the_block_walks(axis, most):
    x = tcr.arange(48, dtype=f32).reshape(6, 8)
    for blocks in range(1, most + 1):
        made = k.walked2(tcr.zeros((6, 8), f32).partition(2, 4).map(Walk(axis), blocks), x).sync()
        assert (made.numpy() == x.numpy() + 1).all()
    p = tcr.zeros((6, 8), f32).partition(2, 4)
    error = check_refused(GridError, lambda: p.map(Walk(axis), most + 1))
    assert error.summary == (f"`p` is mapped to {most + 1} blocks, but Walk(axis={axis}) deals out {most} items of its "
                             "(3, 2) pieces")
    assert error.fix == f"ask for 1 to {most} blocks"


@pytest.mark.parametrize("blocks", [0, -1, 9])
def test_rule_7_the_number_of_blocks_is_between_one_and_the_pieces(blocks):
    p = tcr.zeros((32,), f32).partition(4)
    error = check_refused(GridError, lambda: p.map(Linear(), blocks))
    assert error.code == "TC405"
    assert error.summary == f"`p` is mapped to {blocks} blocks, but Linear() deals out 8 items of its (8,) pieces"
    assert p.map(Linear(), 8).grid == (8, 1, 1)


def test_rule_10_a_range_lies_in_its_schedule():
    x = tcr.zeros((32,), f32)
    p = tcr.zeros((32,), f32).partition(4)
    for start, stop in ((0, 9), (-1, 2), (5, 4), (9, 9), (2**63, 2**63 + 1)):
        error = check_refused(GridError, lambda start=start, stop=stop: p.map(Range(Linear(), start, stop), 1))
        assert error.summary == f"`p` deals out 8 items by Linear(), and {start} to {stop} is not a part of them"
        assert error.fix == "give a start and a stop from 0 to 8"
    error = check_refused(GridError, lambda: p.map(Range(Linear(), 3, 3), 1))
    assert error.fix == "take a range that is not empty"
    made = k.walked(p.map(Range(Linear(), 2, 5), 2), x).sync()
    assert made.numpy().tolist() == [0] * 8 + [1] * 12 + [0] * 12


def test_rule_10_pieces_are_counted_without_wrapping_around():
    p = tcr.zeros((16, 16), f32).partition(4, 4)
    error = check_refused(GridError, lambda: p.map(Grouped(2**30), 3))
    assert error.summary == "`p` has (4, 4) pieces, more than Grouped(size=1073741824) can number in 32 bits"
    assert error.fix == "take larger pieces, or smaller groups"
    assert p.map(Grouped(2**28), 3).grid == (3, 1, 1)


def test_invalid_schedules_are_refused():
    p = tcr.zeros((32,), f32).partition(4)
    error = check_refused(GridError, lambda: p.map(Walk(1), 1))
    assert error.summary == "`p` has 1 axes and none of number 1 to walk" and error.fix == "walk one from 0 to 0"
    error = check_refused(GridError, lambda: p.map(Grouped(2), 1))
    assert error.summary == "`p` has 1 axes and cannot be walked in groups of 2 rows"
    error = check_refused(GridError, lambda: p.map("linear", 1))
    assert error.summary == "`p` cannot be mapped by 'linear'"
    assert error.fix == "map it with `Linear()`, `Grouped(size)`, `Walk(axis)`, or a `Range` of one of them"


def test_a_mapped_partition_has_no_only_piece():
    x = tcr.ones((32,), f32)
    with pytest.raises(Exception, match="TC105: an output with schedule Linear gives a block several") as caught:
        k.add(tcr.zeros((32,), f32).partition(4).map(Linear(), 2), x, x).sync()
    assert any("in the launch of `add` at " in note for note in caught.value.__notes__)


def test_grids_of_rank_five():
    shape = (2, 3, 4, 5, 6)
    p = tcr.zeros(shape, f32).partition(1, 2, 2, 5, 3)
    assert np.prod(p.grid) == np.prod(p.tiles)
