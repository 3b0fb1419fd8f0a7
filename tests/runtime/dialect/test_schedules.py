"""Every schedule assigns every piece once, for all pieces and blocks: the numbers themselves."""

from __future__ import annotations

import itertools
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilecheck_runtime.dialect.device import digits, placement
from tilecheck_runtime.dialect.schedules import Grouped, Linear, Range, Walk, count_streamed

TILES = st.lists(st.integers(1, 6), min_size=1, max_size=5).filter(lambda t: prod(t) <= 400).map(tuple)


@given(TILES)
def test_digits_count_through_every_index_in_order(tiles):
    split = getattr(digits, f"digits{len(tiles)}")
    found = [split(n, tiles) for n in range(prod(tiles))]
    assert found == list(itertools.product(*map(range, tiles)))


@given(TILES.filter(lambda t: len(t) > 1), st.integers(1, 8))
def test_groups_visit_every_piece_once(tiles, size):
    outer = (*tiles[:-2], tiles[-2] * tiles[-1])
    split = getattr(digits, f"digits{len(outer)}")
    placed = placement.Grouped(0, prod(tiles), 1, split, outer, (), size, tiles[-2:])
    found = [placed.coords(n) for n in range(prod(tiles))]
    assert sorted(found) == list(itertools.product(*map(range, tiles)))
    rows = [cell[-2] // size for cell in found if cell[:-2] == found[0][:-2]]
    assert rows == sorted(rows)  # group after group


@given(TILES, st.data())
def test_walks_visit_lines_from_end_to_end(tiles, data):
    axis = data.draw(st.integers(0, len(tiles) - 1))
    order = [*(k for k in range(len(tiles)) if k != axis), axis]
    back = tuple(order.index(k) for k in range(len(tiles)))
    split = getattr(digits, f"digits{len(tiles)}")
    placed = placement.Walk(0, prod(tiles), 1, split, tuple(tiles[k] for k in order), (), back)
    found = [placed.coords(n) for n in range(prod(tiles))]
    assert sorted(found) == list(itertools.product(*map(range, tiles)))
    assert [cell[axis] for cell in found] == list(range(tiles[axis])) * (prod(tiles) // tiles[axis])


@given(TILES, st.data())
def test_streamed_items(tiles, data):
    axis = data.draw(st.integers(0, len(tiles) - 1))
    assert count_streamed(Linear(), tiles) == count_streamed(Grouped(3), tiles) == prod(tiles)
    assert count_streamed(Walk(axis), tiles) * tiles[axis] == prod(tiles)
    assert count_streamed(Range(Walk(axis), 0, 1), tiles) == count_streamed(Walk(axis), tiles)


@settings(deadline=None, max_examples=40)
@given(st.data())
def test_blocks_share_the_pieces_of_an_output(data):
    """The generated code with its ranges, run by the sanitizer, which reports a piece that two blocks write."""
    np = pytest.importorskip("numpy")
    from tests.runtime.dialect import kernels
    from tests.runtime.dialect.launching import run

    rank = data.draw(st.integers(1, 3))
    shape = tuple(data.draw(st.lists(st.integers(1, 9), min_size=rank, max_size=rank)))
    tile = tuple(data.draw(st.lists(st.sampled_from([1, 2, 4]), min_size=rank, max_size=rank)))
    tiles = tuple(-(-n // t) for n, t in zip(shape, tile, strict=True))
    bases = [Linear(), *map(Walk, range(rank)), *([Grouped(data.draw(st.integers(1, 4)))] if rank > 1 else [])]
    schedule = data.draw(st.sampled_from(bases))
    count = count_streamed(schedule, tiles)
    start, stop = 0, count
    if data.draw(st.booleans()):
        start = data.draw(st.integers(0, count - 1))
        stop = data.draw(st.integers(start + 1, count))
        schedule = Range(schedule, start, stop)
    blocks = data.draw(st.integers(1, stop - start))
    x, z = np.ones(shape, np.float32), np.zeros(shape, np.float32)
    report = run(kernels.COPIES[rank - 1], {"z": z, "x": x}, {"z": tile}, schedule=schedule, blocks=blocks,
                 compact=data.draw(st.booleans()))
    assert report.clean, str(report)
    if stop - start == count:
        assert z.all()
