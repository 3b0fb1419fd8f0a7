"""Bounds checks go where a launch is proved to stay inside, and nowhere else.

That nothing is left out wrongly is tested by running kernels so under the sanitizer: here on random shapes, and for all
kernels of the dialect in `tests/runtime/dialect/test_values.py`.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import dialect as cases
from tests.runtime.compile import kernels
from tests.runtime.dialect import kernels as others
from tests.runtime.dialect import launching
from tests.runtime.dialect.launching import make_entry, proved_inside
from tilecheck_runtime import Grouped, Linear, Walk, sanitize
from tilecheck_runtime.compile import refine

SIZES = st.sampled_from([1, 3, 4, 7, 8, 12, 16, 17, 24, 32])


def floats(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def find_inside(kernel, arguments, tiles, **options):
    entry = make_entry(kernel, arguments, tiles, **options)
    shapes = {n: arguments[n].shape for n in entry.outputs}
    return proved_inside(kernel, dict(entry.plan.values), arguments, entry.grid(shapes))


@pytest.mark.parametrize(("z", "x", "y", "expected"), [
    (1024, 1024, 1024, "xyz"), (1024, 1024, 1025, "xyz"), (1000, 1024, 1024, "xy"), (1000, 1000, 1024, "y"),
    (1000, 1000, 1000, ""),
])
def test_add(z, x, y, expected):
    assert find_inside(cases.add, {"z": floats(z), "x": floats(x), "y": floats(y)}, {"z": (128,)}) == set(expected)


@pytest.mark.parametrize("schedule", [None, Linear(), Grouped(2), Walk(0)])
@pytest.mark.parametrize(("m", "n", "k", "expected"), [
    (256, 256, 128, "xyz"), (250, 256, 128, "y"), (256, 250, 128, "x"), (256, 256, 100, "z"),
])
def test_gemm(m, n, k, expected, schedule):
    arguments = {"z": floats(m, n), "x": floats(m, k), "y": floats(k, n)}
    found = find_inside(kernels.gemm, arguments, {"z": (128, 128)}, BK=64, schedule=schedule,
                   blocks=None if schedule is None else 2)
    assert found == set(expected)


def test_only_tile_accesses_lose_their_checks():
    """Gathers keep their checks, and arrays that are only gathered from are not spoken of."""
    rows = np.zeros(8, np.int32)
    arguments = {"z": floats(8, 32), "x": floats(9, 32), "rows": rows}
    assert find_inside(cases.gathers_rows, arguments, {"z": (1, 32)}) == {"z"}


def test_a_place_that_a_number_says_is_proved_for_that_number():
    for i, expected in ((0, "x"), (7, "x"), (8, "")):
        arguments = {"z": floats(100), "x": floats(64 * 8 + 60), "i": i}
        assert find_inside(kernels.picks, arguments, {"z": (64,)}) == set(expected)


def test_a_tile_selected_by_data_is_stored_inside_its_piece_or_skipped():
    arguments = {"cache": floats(4, 64, 16, dtype=np.float16), "new": floats(4, 16, dtype=np.float16),
                 "position": np.array([0, 63, 64, -1], np.int32)}
    assert find_inside(others.append, arguments, {"cache": (1, 64, 16)}) == {"new"}
    clean(others.append, arguments, {"cache": (1, 64, 16)})


def test_facts_about_a_wrapping_number_are_not_used():
    """`(i + 1) * 64 <= x.shape[0] + 8` lets the largest of all integers through, as 32 bits wrap."""
    arguments = {"z": floats(100), "x": floats(64 * 8), "i": 2**31 - 1}
    values = {"B": 64}
    del arguments["i"]
    assert proved_inside(kernels.picks, values, arguments, (2, 1, 1)) == frozenset()


def clean(kernel, arguments, tiles, **options):
    """Without the checks that are proved to be superfluous, the sanitizer has nothing to say."""
    entry = make_entry(kernel, arguments, tiles, **options)
    grid = entry.grid({n: arguments[n].shape for n in entry.outputs})
    found = proved_inside(kernel, dict(entry.plan.values), arguments, grid)
    free = make_entry(kernel, arguments, tiles, inside=found, **options)
    report = sanitize(free.function, grid, free.arguments(arguments))
    assert report.clean, (found, str(report))


@settings(max_examples=60, deadline=None)
@given(z=SIZES, x=st.integers(0, 9), y=st.integers(0, 9), tile=st.sampled_from([1, 4, 8, 16]))
def test_add_of_any_extents(z, x, y, tile):
    clean(cases.add, {"z": floats(z), "x": floats(z + x), "y": floats(z + y)}, {"z": (tile,)})


@settings(max_examples=60, deadline=None)
@given(m=SIZES, n=SIZES, k=SIZES, more=st.tuples(*[st.integers(0, 5)] * 3), bm=st.sampled_from([4, 8]),
       bn=st.sampled_from([4, 8]), bk=st.sampled_from([2, 4, 8]), mapped=st.booleans())
def test_products_of_any_extents(m, n, k, more, bm, bn, bk, mapped):
    arguments = {"z": floats(m, n), "x": floats(m + more[0], k, dtype=np.float16),
                 "y": floats(k + more[1], n + more[2], dtype=np.float16)}
    clean(cases.gemm, arguments, {"z": (bm, bn)}, BK=bk, schedule=Grouped(2) if mapped else None,
          blocks=1 if mapped else None)


def test_the_check_is_of_some_use():
    """Were one array too many taken for inside, the sanitizer would say so."""
    arguments = {"z": floats(1000), "x": floats(1000), "y": floats(1024)}
    entry = make_entry(cases.add, arguments, {"z": (128,)}, inside=frozenset("x"))
    assert not sanitize(entry.function, (8, 1, 1), entry.arguments(arguments)).clean
    assert launching.INSIDE is False


def test_scalars_that_change_from_launch_to_launch_make_no_other_kernel(monkeypatch):
    monkeypatch.setattr(refine, "find_toolchain", lambda: type("Tools", (), {"unchecked": True}))
    plan = make_entry(kernels.picks, {"z": floats(128)}, {"z": (64,)}).plan
    numbers = {"B": 64, "z.shape[0]": 128, "x.shape[0]": 512, "grid[0]": 2, "grid[1]": 1, "grid[2]": 1}
    plans = [refine.refine_plan(kernels.picks._pyfunc, plan, {**numbers, "i": i}) for i in (0, 1, 100)]
    assert plans[0] is plans[1] is plans[2]
    assert plans[0].compact and plans[0].inside == {"z"}


def test_a_compiler_that_cannot_leave_out_checks_gets_all_of_them(monkeypatch):
    monkeypatch.setattr(refine, "find_toolchain", lambda: type("Tools", (), {"unchecked": False}))
    plan = make_entry(cases.add, {"z": floats(128)}, {"z": (64,)}).plan
    numbers = {"B": 64, **{f"{n}.shape[0]": 128 for n in "zxy"}, "grid[0]": 2, "grid[1]": 1, "grid[2]": 1}
    assert refine.refine_plan(cases.add._pyfunc, plan, numbers).inside == frozenset()
    monkeypatch.setattr(refine, "find_toolchain", lambda: type("Tools", (), {"unchecked": True}))
    assert refine.refine_plan(cases.add._pyfunc, plan, numbers).inside == {"x", "y", "z"}
