"""The part that `ct.extract` or `ct.insert` selects lies inside the tile, or the kernel is not simply proved."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config

HEAD = "import cuda.tile as ct\n\n\n@ct.kernel\ndef k(src, dst, at, T: ct.Constant[int], S: ct.Constant[int]):\n"


def parts(*lines: str):
    body = "".join(f"    {line}\n" for line in ("i = ct.bid(0)", "t = ct.load(src, (0,), (8,))", *lines))
    report = check_source(HEAD + body, "k.py", Config(use_cache=False, jobs=1))
    (kernel,) = report.kernels
    return kernel, [o for o in kernel.obligations if o.kind == "slice"], report.diagnostics


@pytest.mark.parametrize("operation", [
    "ct.extract(t, (i,), (2,))",
    "t.extract((i,), (2,))",
    "ct.insert(t, (i,), ct.zeros((2,), ct.float32))",
    "ct.insert(t, i, ct.zeros((2,), ct.float32))",
])
def test_a_part_selected_by_the_block_bounds_the_grid(operation):
    kernel, (found,), _ = parts(f"p = {operation}", "ct.store(dst, (i,), p)")
    assert (found.array, found.verdict, found.clauses) == ("tile", "proved", ("grid[0] <= 4",))
    assert "grid[0] <= 4" in {c.clause for c in kernel.contract}


@pytest.mark.parametrize("lines", [
    ("p = ct.extract(t, (3,), (2,))",),
    ("p = ct.extract(t, (i % 4,), (2,))",),
    ("p = ct.extract(t, (ct.minimum(i, 3),), (2,))",),
    ("p = ct.zeros((2,), ct.float32)", "for j in range(4):", "    p = p + ct.extract(t, (j,), (2,))"),
    ("p = ct.zeros((2,), ct.float32)", "if i < 4:", "    p = ct.extract(t, (i,), (2,))"),
    ("u = ct.load(src, (0,), (T,))", "p = ct.zeros((S,), ct.float32)", "for j in range(T // S):",
     "    p = p + ct.extract(u, (j,), (S,))"),
    ("p = ct.insert(t, (0,), ct.zeros((T,), ct.float32))",),
])
def test_a_part_inside_the_tile_needs_no_clause(lines):
    kernel, found, said = parts(*lines, "ct.store(dst, (i,), p)")
    assert {(o.verdict, o.clauses) for o in found} <= {("proved", ())}
    assert kernel.verdict == "proved"
    assert not [d for d in said if d.code == "TC204"]


@pytest.mark.parametrize(("index", "place"), [("-1", "begins at `-2`, before the tile"),
                                              ("4", "ends at `10`, past the extent `8`")])
def test_a_part_that_is_always_outside_is_an_error(index, place):
    kernel, (found,), said = parts(f"ct.store(dst, (i,), ct.extract(t, ({index},), (2,)))")
    assert (found.verdict, kernel.verdict) == ("refuted", "refuted")
    assert [(d.code, d.severity, d.message) for d in said if d.code == "TC204"] == [
        ("TC204", "error", f"this part of the tile along axis 0 {place}")]


@pytest.mark.parametrize("lines", [
    ("p = ct.extract(t, (ct.load(at, (i,), (1,)).item(),), (2,))",),
    ("p = ct.insert(t, (ct.load(at, (i,), (1,)).item(),), ct.zeros((2,), ct.float32))",),
    ("p = ct.extract(t.frobnicate(), (i,), (2,))",),
    ("p = ct.extract(t, (i,), at.other)",),
])
def test_a_part_that_is_not_understood_leaves_the_kernel_unproven(lines):
    kernel, (found,), _ = parts(*lines, "ct.store(dst, (i,), p)")
    assert (found.verdict, kernel.verdict) == ("unproven", "unproven")


@pytest.mark.parametrize(("index", "extent", "found"), [
    # an offset of S elements, before a part of several times as many
    ("S", "S * S", True),
    ("S", "S * T", True),
    # a number of parts
    ("S", "T", False),
    ("2", "S * S", False),
    ("i", "S * S", False),
    ("S", "2 * S", False),
])
def test_an_offset_inside_a_part_is_suspicious(index, extent, found):
    _, _, said = parts("u = ct.load(src, (0,), (128,))", f"ct.store(dst, (i,), ct.extract(u, ({index},), ({extent},)))")
    assert any(d.code == "TC203" for d in said) is found
