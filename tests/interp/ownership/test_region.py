"""Parts of a storage."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from tilecheck.interp.ownership.region import WHOLE, Region, meet, slice_region

LINE = (64,)
TABLE = (4, 6)


def _part(shape, *indices):
    return slice_region(WHOLE, shape, list(indices), "")


@pytest.mark.parametrize(("first", "second", "shared"), [
    ((None, 32, None), (32, None, None), False),
    ((None, 33, None), (32, None, None), True),
    ((None, None, 2), (1, None, 2), False),
    ((None, None, 2), (None, None, 3), True),
    ((8, 8, None), (None, None, None), False),
    ((-1, None, None), (63, 64, None), True),
    ((None, None, None), (5, 6, None), True),
])
def test_slices_of_a_line(first, second, shared):
    assert meet(_part(LINE, first), _part(LINE, second)) is shared


def test_unknown_parts_may_overlap():
    unknown, other = _part(LINE, None), slice_region(WHOLE, None, [(0, 4, None)], "0:4")
    assert meet(unknown, other) is None
    assert meet(unknown, WHOLE) is True
    assert meet(Region(written="n:"), Region(written="n:")) is True
    assert meet(Region(written="n:"), Region(written=":n")) is None


def test_another_shape_is_not_sliced_as_the_first():
    """A view in another shape has other axes than its memory."""
    columns = _part(TABLE, (None, None, None), (0, 2, None))
    assert slice_region(columns, (8,), [(0, 2, None)], "0:2").offset is None
    assert slice_region(columns, (4, 2), [(0, 1, None)], "0:1").extents == (1, 2)


def _elements(shape, indices):
    axes = [range(n)[slice(*i)] for n, i in zip(shape, indices, strict=True)]
    return {a * shape[1] + b for a, b in product(*axes)}


@pytest.mark.parametrize("seed", range(200))
def test_parts_of_a_table_meet_when_they_share_an_element(seed):
    rng = Random(seed)

    def index(n):
        low, high = sorted((rng.randrange(n + 1), rng.randrange(n + 1)))
        return low, high, rng.choice((1, 1, 2, 3))

    first, second = ([index(n) for n in TABLE] for _ in range(2))
    shared = not _elements(TABLE, first).isdisjoint(_elements(TABLE, second))
    assert meet(_part(TABLE, *first), _part(TABLE, *second)) is shared
