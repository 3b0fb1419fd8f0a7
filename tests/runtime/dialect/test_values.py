"""The results of dialect kernels on the CPU, against NumPy; a right kernel is silent in any order of blocks."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.cases import dialect
from tests.cases.expectations import cases
from tests.runtime.dialect import kernels, launching
from tests.runtime.dialect.launching import make_entry, run
from tilecheck_runtime import Grouped, Linear, Range, Walk
from tilecheck_runtime.dialect.schedules import count_streamed

SEEDS = (None, 0, 1)


def floats(*shape: int, dtype=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


@pytest.fixture(params=["plain", "compact", "inside"], autouse=True)
def compact(request, monkeypatch):
    """Everything runs again with its loops over cells rewritten, as a compiler gets them, and once more without the
    bounds checks that a proof makes superfluous."""
    monkeypatch.setattr(launching, "COMPACT", request.param != "plain")
    monkeypatch.setattr(launching, "INSIDE", request.param == "inside")
    return request.param != "plain"


def assert_silent(kernel, arguments, tiles, **options):
    for seed in SEEDS:
        report = run(kernel, arguments, tiles, seed=seed, **options)
        assert report.clean, str(report)


def test_add():
    z, x, y = floats(1000), floats(1000), floats(1003)
    assert_silent(dialect.add, {"z": z, "x": x, "y": y}, {"z": (128,)})
    assert np.array_equal(z, x + y[:1000])


@pytest.mark.parametrize(("schedule", "blocks"), [
    (None, None), (Linear(), 1), (Linear(), 4), (Grouped(2), 3), (Walk(0), 2), (Walk(1), 3),
])
def test_gemm(schedule, blocks):
    x, y, z = floats(45, 70, dtype=np.float16), floats(70, 50, dtype=np.float16), np.full((45, 50), np.nan, np.float32)
    assert_silent(dialect.gemm, {"z": z, "x": x, "y": y}, {"z": (16, 16)}, schedule=schedule, blocks=blocks, BK=32)
    assert np.allclose(z, x.astype(np.float32) @ y.astype(np.float32), atol=1e-3)


@pytest.mark.parametrize("length", [100, 128])
def test_rms_norm(length):
    x, w, z = floats(7, length, dtype=np.float16), floats(length, dtype=np.float16), np.zeros((7, length), np.float16)
    assert_silent(dialect.rms_norm, {"z": z, "x": x, "w": w, "eps": 1e-5}, {"z": (1, 128)})
    wide = x.astype(np.float32)
    expected = wide / np.sqrt((wide**2).mean(1, keepdims=True) + 1e-5) * w.astype(np.float32)
    assert np.allclose(z, expected, atol=2e-3)


def test_gathered_rows_that_do_not_exist_are_zero():
    x, rows, z = floats(9, 20), np.array([3, 8, -1, 0, 9, 1_000_000], np.int32), np.ones((6, 20), np.float32)
    assert_silent(dialect.gathers_rows, {"z": z, "x": x, "rows": rows}, {"z": (1, 32)})
    expected = np.stack([x[r] if 0 <= r < 9 else np.zeros(20) for r in rows])
    assert np.array_equal(z, expected)


@pytest.mark.parametrize(("schedule", "blocks"), [(None, None), (Linear(), 3), (Walk(0), 1)])
def test_two_outputs(schedule, blocks):
    x, a, b = floats(100), np.zeros(100, np.float32), np.zeros(100, np.float32)
    assert_silent(
        dialect.two_outputs, {"a": a, "b": b, "x": x}, {"a": (16,), "b": (16,)}, schedule=schedule, blocks=blocks
    )
    assert np.array_equal(a, x) and np.array_equal(b, 2 * x)


SHAPES = [((37,), (8,)), ((19, 33), (4, 8)), ((5, 9, 10), (2, 4, 4)), ((3, 5, 6, 7), (2, 2, 4, 4)),
          ((2, 3, 3, 5, 6), (1, 2, 2, 2, 4)), ((1, 2, 5, 1, 3), (1, 1, 2, 1, 1))]


def schedules(rank: int):
    yield None
    yield Linear()
    if rank > 1:
        yield Grouped(2)
    yield from (Walk(axis) for axis in range(rank))


CHOICES = [(shape, tile, schedule) for shape, tile in SHAPES for schedule in schedules(len(shape))]


@pytest.mark.parametrize(("shape", "tile", "schedule"), CHOICES)
def test_every_schedule_writes_every_piece_once(shape, tile, schedule):
    tiles = tuple(-(-n // t) for n, t in zip(shape, tile, strict=True))
    most = None if schedule is None else count_streamed(schedule, tiles)
    for blocks in {None} if most is None else {1, min(2, most), most}:
        x, z = floats(*shape), np.zeros(shape, np.float32)
        report = run(kernels.COPIES[len(shape) - 1], {"z": z, "x": x}, {"z": tile}, schedule=schedule, blocks=blocks)
        assert report.clean, str(report)
        assert np.array_equal(z, x)


@pytest.mark.parametrize("schedule", [Linear(), Grouped(2), Grouped(3), Walk(0), Walk(1)])
def test_a_range_writes_its_items_and_no_others(schedule):
    x = floats(19, 33)
    count = count_streamed(schedule, (5, 5))
    cuts = [0, 2, 3, count]
    for blocks in (1, 2):
        whole = np.zeros_like(x)
        for start, stop in itertools.pairwise(cuts):
            part = np.zeros_like(x)
            run(kernels.copy2, {"z": part, "x": x}, {"z": (4, 8)}, schedule=Range(schedule, start, stop),
                blocks=min(blocks, stop - start))
            assert not (whole * part).any()  # parts are disjoint
            whole += part
        assert np.array_equal(whole, x)


def test_groups_keep_blocks_that_run_together_on_few_rows():
    """The order itself: column by column within a group of two rows, the last group shorter."""
    z = np.zeros((3, 3), np.float32)
    assert_silent(kernels.numbered, {"z": z}, {"z": (1, 1)}, schedule=Grouped(2), blocks=1)
    assert z.tolist() == [[0, 2, 4], [1, 3, 5], [6, 7, 8]]


@pytest.mark.parametrize(("kernel", "shape", "tile"), [
    (kernels.like4, (3, 5, 6, 7), (2, 2, 4, 4)), (kernels.like5, (2, 3, 3, 5, 6), (1, 2, 2, 2, 4)),
])
def test_load_like_above_three_axes(kernel, shape, tile):
    x, z = floats(*shape), np.zeros(shape, np.float32)
    assert_silent(kernel, {"z": z, "x": x}, {"z": tile})
    assert np.array_equal(z, x * 2)


@pytest.mark.parametrize("schedule", [None, Linear(), Grouped(2), Walk(1)])
def test_two_outputs_are_walked_together(schedule):
    x, a, b = floats(19, 33), np.zeros((19, 33), np.float32), np.zeros((19, 33), np.float32)
    blocks = None if schedule is None else 2
    assert_silent(kernels.two_outputs_walked, {"a": a, "b": b, "x": x}, {"a": (4, 8), "b": (4, 8)}, schedule=schedule,
           blocks=blocks)
    assert np.array_equal(a, x) and np.array_equal(b, 2 * x)


def test_a_piece_is_read_back():
    z = floats(19, 33)
    before = z.copy()
    run(kernels.in_place, {"z": z}, {"z": (4, 8)})
    assert np.array_equal(z, before + 1)


@pytest.mark.parametrize("schedule", [None, Linear(), Walk(0)])
def test_pieces_are_read_back_by_cell(schedule):
    z, y = floats(19, 33), floats(19, 33) * 3
    before = z.copy()
    report = run(kernels.in_place_by_cell, {"z": z, "y": y}, {"z": (4, 8), "y": (4, 8)}, schedule=schedule,
                 blocks=None if schedule is None else 3)
    assert report.clean, str(report)
    assert np.array_equal(z, before + y)


def test_an_output_is_read_at_the_cell_of_another():
    z, y = floats(30), floats(30) * 2
    assert_silent(kernels.both_pieces, {"z": z, "y": y}, {"z": (8,), "y": (8,)})
    assert np.array_equal(z, y)


@pytest.mark.parametrize(("shape", "piece", "tile"), [
    ((19, 33), (8, 16), (4, 8)), ((16, 32), (8, 16), (8, 16)), ((19, 33), (24, 48), (4, 16)),
    ((19, 33), (8, 33), (2, 16)),
])
def test_nested_pieces_cover_the_piece(shape, piece, tile):
    z = floats(*shape)
    before = z.copy()
    report = run(kernels.nested, {"z": z}, {"z": piece}, S=tile[0], T=tile[1])
    assert report.clean, str(report)
    assert np.array_equal(z, (before + 1) * 2)


@pytest.mark.parametrize(("piece", "tile"), [
    ((8, 16), (4, 8)), ((24, 48), (4, 16)), ((8, 33), (2, 16)), ((8, 8), (8, 8)),
])
def test_inputs_are_walked_with_nested_pieces(piece, tile):
    x, z = floats(19, 33), np.zeros((19, 33), np.float32)
    assert_silent(kernels.nested_inputs, {"z": z, "x": x}, {"z": piece}, S=tile[0], T=tile[1])
    assert np.array_equal(z, x * 2)


def test_long_rows_in_nested_pieces():
    """A row of 40 in tiles of 16: the piece is as long as the row, which no tile could be."""
    x, z = floats(5, 40), np.zeros((5, 40), np.float32)
    assert_silent(kernels.long_rows, {"z": z, "x": x}, {"z": (1, 40)}, T=16)
    assert np.allclose(z, x - x.mean(1, keepdims=True), atol=1e-6)


def test_a_row_is_appended_at_a_device_position_of_the_own_piece_only():
    cache, new = np.zeros((4, 6, 8), np.float16), floats(4, 8, dtype=np.float16)
    position = np.array([0, 5, 6, -1], np.int32)
    assert_silent(kernels.append, {"cache": cache, "new": new, "position": position}, {"cache": (1, 6, 8)})
    expected = np.zeros_like(cache)
    expected[0, 0], expected[1, 5] = new[0], new[1]
    assert np.array_equal(cache, expected)


def test_append_into_blocks_of_a_sequence_stays_in_the_block():
    """The sequence is split between blocks: a position past the own part is dropped, not written to the neighbour's."""
    cache, new = np.zeros((1, 10, 8), np.float16), np.ones((1, 8), np.float16)
    assert_silent(
        kernels.append, {"cache": cache, "new": new, "position": np.array([3], np.int32)}, {"cache": (1, 4, 8)}
    )
    assert cache[0, :, 0].tolist() == [0, 0, 0, 1, 0, 0, 0, 1, 0, 0]  # the last part has two rows only


@pytest.mark.parametrize(("shape", "tile"), [((10, 8), (4, 8)), ((10, 7), (4, 8))])
def test_scatter_stays_in_the_own_piece(shape, tile):
    z, labels = np.zeros(shape, np.float32), np.array([0, 7, 3, 9, -1, 1, 2, 3, 100, 6], np.int32)
    assert_silent(kernels.one_hot, {"z": z, "labels": labels}, {"z": tile})
    expected = np.zeros(shape, np.float32)
    for row, label in enumerate(labels):
        if 0 <= label < shape[1]:
            expected[row, label] = 1
    assert np.array_equal(z, expected)


def test_scatter_does_not_reach_the_neighbour():
    """Columns are split as well, so a label may lie in the array and outside the piece."""
    z, labels = np.zeros((4, 8), np.float32), np.array([0, 5, 3, 7], np.int32)
    assert_silent(kernels.one_hot, {"z": z, "labels": labels}, {"z": (4, 4)})
    assert np.argwhere(z).tolist() == [[0, 0], [0, 4], [2, 3], [2, 7]]


def test_masked_scatter():
    z, labels = np.zeros((4, 8), np.float32), np.array([0, 3, 3, 7], np.int32)
    assert_silent(kernels.one_hot_masked, {"z": z, "labels": labels}, {"z": (4, 8)})
    assert np.argwhere(z == 2).tolist() == [[0, 0], [3, 7]]


def test_permuted_views():
    x, z = floats(20, 30), np.zeros((30, 20), np.float32)
    assert_silent(kernels.transposed, {"z": z, "x": x}, {"z": (8, 4)})
    assert np.array_equal(z, x.T)
    z[:] = 0
    assert_silent(kernels.gathered, {"z": z, "x": x}, {"z": (32, 32)})
    assert np.array_equal(z, x.T)
    x, z = floats(4, 5, 6), np.zeros((6, 4, 5), np.float32)
    assert_silent(kernels.turned, {"z": z, "x": x}, {"z": (2, 4, 2)})
    assert np.allclose(z, x.transpose(2, 0, 1) + 645, atol=1e-4)


def test_a_view_of_a_view():
    x = np.arange(3 * 5 * 4, dtype=np.float32).reshape(3, 5, 4) + 1
    view = x.transpose(1, 2, 0).transpose(0, 2, 1)
    z = np.zeros(view.shape, np.float32)
    assert_silent(kernels.turned_twice, {"z": z, "x": x}, {"z": (2, 4, 2)})
    assert np.array_equal(z, 2 * view + view[0, 0, 0] * 3)


def test_another_padding():
    x, z = floats(10, 20) + 5, np.zeros(10, np.float32)
    assert_silent(kernels.least, {"z": z, "x": x}, {"z": (4,)}, B=32)
    assert np.array_equal(z, x.min(1))


def test_shared_accumulators():
    x, total, z = floats(10, 20), np.zeros(20, np.float32), np.zeros((10, 20), np.float32)
    report = run(kernels.column_sums, {"total": total, "z": z, "x": x}, {"z": (4, 8)})
    assert report.clean, str(report)
    assert np.allclose(total, x.sum(0), atol=1e-5)


def test_every_update():
    arrays = {"low": np.full(1, 99, np.int32), "high": np.zeros(1, np.int32), "ones": np.zeros(1, np.int32),
              "common": np.full(1, 255, np.int32), "odd": np.zeros(1, np.int32), "z": np.zeros(4, np.int32)}
    report = run(kernels.every_update, arrays, {"z": (1,)})
    assert report.clean, str(report)
    found = [int(arrays[n][0]) for n in ("low", "high", "ones", "common", "odd")]
    assert found == [5, 8, 5 | 6 | 7 | 8, 5 & 6 & 7 & 8, 5 ^ 6 ^ 7 ^ 8]


def test_checks_are_dropped_where_all_accesses_are_inside():
    z, x, y = floats(1024), floats(1024), floats(1024)
    entry_options = {"inside": frozenset({"z", "x", "y"})}
    assert_silent(dialect.add, {"z": z, "x": x, "y": y}, {"z": (128,)}, **entry_options)
    assert np.array_equal(z, x + y)
    report = run(dialect.add, {"z": z, "x": x[:1000], "y": y}, {"z": (128,)}, **entry_options)
    assert "TC202" in {event.code for event in report.events}


def test_sharing_the_leading_axes_of_five_reads_the_block_once_an_axis():
    entry = make_entry(kernels.like5, {"z": np.zeros((2, 3, 3, 5, 6)), "x": None}, {"z": (1, 2, 2, 2, 4)})
    assert entry.grid({"z": (2, 3, 3, 5, 6)}) == (2 * 2 * 2, 3, 2)


def test_every_right_case_is_run():
    """The kernels of the case file at which nothing is expected are those that are run above."""
    right = {case.name for case in cases("dialect.py") if not case.expected and case.verdict}
    assert right == {"add", "gemm", "rms_norm", "gathers_rows", "two_outputs"}
