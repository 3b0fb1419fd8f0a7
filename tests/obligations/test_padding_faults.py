"""Kernels on which a verdict on padding or bounds was wrong, or a right kernel was reported."""

from __future__ import annotations

import textwrap

import pytest

from tilecheck.api import check_source
from tilecheck.diagnostics import Obligation, Report

HEADER = "import cuda.tile as ct\nfrom tilecheck import requires\nInt = ct.Constant[int]\n"


def report_of(text: str) -> Report:
    return check_source(HEADER + textwrap.dedent(text))


def of_kind(report: Report, kind: str) -> list[Obligation]:
    (kernel,) = report.kernels
    return [o for o in kernel.obligations if o.kind == kind]


def flagged_lines(report: Report) -> list[tuple[str, int]]:
    return [(d.code, d.span.line - HEADER.count("\n")) for d in report.diagnostics if d.severity != "note"]


def test_a_condition_that_selects_one_array_does_not_cover_another() -> None:
    # with n < T the tile reaches past the end of `short`, regardless of the path that takes `long`
    report = report_of("""
        @ct.kernel
        def k(long, short, o, n: int, T: Int):
            z = long if n >= T else short.slice(0, 0, n)
            ct.store(o, (ct.bid(0),), ct.full((T,), 1, ct.float32) * ct.sum(ct.load(z, (0,), (T,))))
    """)
    (padding,) = of_kind(report, "padding")
    assert padding.verdict not in ("proved", "atomic")
    assert padding.verdict != "conditional" or "T <= n" in padding.clauses


def test_a_bounds_check_that_a_flag_leaves_in_pads() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, o, T: Int, CHECK: Int):
            i = ct.bid(0)
            ct.store(o, (i,), ct.sum(ct.load(x, (i,), (T,), check_bounds=CHECK == 1)))
    """)
    (padding,) = of_kind(report, "padding")
    assert padding.verdict == "conditional"
    assert all("CHECK" in c for c in padding.clauses)


def test_the_last_tile_is_loaded_by_itself() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, o, T: Int):
            i = ct.bid(0)
            if i == ct.num_tiles(x, 0, (T,)) - 1:
                t = ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO)
            else:
                t = ct.load(x, (i,), (T,))
            ct.store(o, (i,), ct.sum(t))
    """)
    assert not flagged_lines(report)
    assert {o.verdict for o in of_kind(report, "padding")} == {"proved"}


def test_the_last_block_need_not_have_the_last_tile() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, o, T: Int):
            i = ct.bid(0)
            if i == ct.num_blocks(0) - 2:
                t = ct.load(x, (i,), (T,), padding_mode=ct.PaddingMode.ZERO)
            else:
                t = ct.load(x, (i,), (T,))
            ct.store(o, (i,), ct.sum(t))
    """)
    assert {o.verdict for o in of_kind(report, "padding")} == {"conditional"}


def test_a_mask_that_is_wider_in_one_variant_is_followed() -> None:
    report = report_of("""
        @ct.kernel
        def k(p, v, o, T: Int, CAUSAL: ct.Constant[bool]):
            i = ct.bid(0)
            rows = i * T + ct.arange(T, dtype=ct.int32)[:, None]
            acc = ct.zeros((T, T), ct.float32)
            for j in range(ct.cdiv(v.shape[0], T)):
                columns = j * T + ct.arange(T, dtype=ct.int32)[None, :]
                ok = columns < v.shape[0]
                if CAUSAL:
                    ok = ok & (rows >= columns)
                s = ct.where(ok, ct.load(p, (i, j), (T, T)), 0.0)
                acc = ct.mma(s, ct.load(v, (j, 0), (T, T)), acc)
            ct.store(o, (i, 0), acc)
    """)
    found = {o.array: o for o in of_kind(report, "padding")}
    assert found["p"].verdict == "proved"
    assert found["v"].verdict == "conditional" and "v.shape[0] % T == 0" in found["v"].clauses
    assert [code for code, _ in flagged_lines(report)] == ["TC301"]


ROWS = """
    @ct.kernel
    def k(x, o, T: Int, W: Int):
        rows = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
        t = ct.load_advanced_indexing(x, ({rows}, ct.Slice(0, W)))
        ct.store_advanced_indexing(o, (rows, ct.Slice(0, W)), t)
"""


def test_rows_that_are_selected_one_by_one_may_begin_outside() -> None:
    # only a tile of which no row is inside is undefined; row -1 of the first block is padded, and stored
    report = report_of(ROWS.format(rows="rows - 1"))
    assert all(o.verdict != "refuted" for o in of_kind(report, "bounds"))
    assert {o.verdict for o in of_kind(report, "padding")} == {"unproven"}


def test_rows_from_the_last_to_the_first() -> None:
    # right wherever there are as many rows to read as to write
    report = report_of(ROWS.format(rows="x.shape[0] - 1 - rows"))
    assert not flagged_lines(report)
    (padding,) = of_kind(report, "padding")
    assert padding.verdict == "proved" and "o.shape[0] <= x.shape[0]" in padding.clauses


def test_a_dense_range_begins_inside() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, o, T: Int):
            rows = ct.arange(T, dtype=ct.int32)
            i = ct.bid(0)
            t = ct.load_advanced_indexing(x, (rows, ct.Slice(i * T - 1, T)), padding_mode=ct.PaddingMode.ZERO)
            ct.store(o, (0, i), t)
    """)
    assert "TC201" in {code for code, _ in flagged_lines(report)}


def test_a_failed_search_does_not_refute_every_launch() -> None:
    # slices that move with the loop: right wherever the two arrays have as many elements
    report = report_of("""
        @ct.kernel
        def k(x, o, T: Int):
            n = x.shape[0]
            for j in range(ct.cdiv(n, T)):
                part = x.slice(0, j * T, min((j + 1) * T, n))
                ct.store(o, (j,), ct.load(part, (0,), (T,)))
    """)
    assert all(o.verdict != "refuted" for o in of_kind(report, "padding"))
    assert not flagged_lines(report)


def test_lanes_that_every_launch_leaves_undefined_are_an_error() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, o):
            i = ct.bid(0)
            ct.store(o, (i,), ct.sum(ct.load(x.slice(0, 4 * i, 4 * i + 3), (0,), (4,))))
    """)
    assert [(d.code, d.severity) for d in report.diagnostics] == [("TC301", "error")]


def test_a_loop_over_whole_tiles_of_an_assumed_multiple() -> None:
    text = """
        @ct.kernel
        def k(x, o, T: Int, EXACT: Int):
            i = ct.bid(0)
            n = x.shape[1]
            {assume}
            s = ct.zeros((1, T), ct.float32)
            for j in range(n // T):
                s = s + ct.load(x, (i, j), (1, T), padding_mode=ct.PaddingMode.ZERO)
            ct.store(o, (i,), ct.sum(s, axis=1))
    """
    always = text.format(assume="n = ct.assume_divisible_by(n, T)")
    sometimes = text.format(assume="m = ct.assume_divisible_by(n, T) if EXACT else n")
    assert "TC305" not in {code for code, _ in flagged_lines(report_of(always))}
    assert "TC305" in {code for code, _ in flagged_lines(report_of(sometimes))}


PRINTS = """
    @ct.kernel
    def k(x, o, T: Int, U: Int):
        i = ct.bid(0)
        t = ct.load(x, (i, {at}), (T, U))
        print(f"{{t}}")
        ct.store(o, (i,), ct.ones((T,), ct.float32))
"""


def test_lanes_that_are_not_followed_are_defined_in_whole_tiles() -> None:
    (padding,) = of_kind(report_of(PRINTS.format(at=0)), "padding")
    assert padding.verdict == "conditional"
    # one clause for each axis along which the tile may reach out
    assert set(padding.clauses) == {"x.shape[0] % T == 0", "U <= x.shape[1]"}


def test_whole_tiles_are_not_reported_where_sizes_may_be_ragged() -> None:
    assert not flagged_lines(report_of(PRINTS.format(at=0)))


@pytest.mark.parametrize(("width", "clauses"), [
    ("m", {"x.shape[0] % T == 0", "U <= m"}),
    # a width that each block reads has no clause, and the other axis alone does not help
    ("ct.gather(widths, i)", None),
])
def test_every_axis_of_unfollowed_lanes_has_a_clause(width: str, clauses: set[str] | None) -> None:
    loaded = f"ct.load(x.slice(1, n, n + {width}), (i, 0), (T, U))"
    text = PRINTS.format(at=0).replace("ct.load(x, (i, 0), (T, U))", loaded)
    (padding,) = of_kind(report_of(text.replace("T: Int, U", "widths, n: int, m: int, T: Int, U")), "padding")
    assert padding.verdict == ("unproven" if clauses is None else "conditional")
    assert clauses is None or set(padding.clauses) == clauses


def test_elements_that_an_index_selects_have_no_whole_tiles() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, rows, o, T: Int):
            i = ct.bid(0)
            t = ct.load_advanced_indexing(x, (ct.load(rows, (i,), (T,)), ct.Slice(0, T)))
            print(f"{t}")
    """)
    assert {o.verdict for o in of_kind(report, "padding") if o.array == "x"} == {"unproven"}


def test_lanes_that_a_flag_uses_ask_for_whole_tiles_under_the_flag() -> None:
    report = report_of("""
        @ct.kernel
        def k(x, mask, o, T: Int, SHOW: Int):
            i = ct.bid(0)
            t = ct.load(x, (i,), (T,))
            if SHOW == 1:
                m = ct.load(mask, (i,), (T,), padding_mode=ct.PaddingMode.ZERO) == 1
                ct.store(o, (i,), ct.sum(ct.where(m, t, 0)))
    """)
    (padding,) = of_kind(report, "padding")
    assert padding.verdict == "conditional"
    assert padding.clauses == ("x.shape[0] % T == 0 or SHOW != 1",)


def test_a_launch_without_whole_tiles_leaves_unfollowed_lanes_unproven() -> None:
    launch = """
        def run(x, o):
            x = torch.zeros(({n}, 16), device="cuda")
            ct.launch(0, (2, 1, 1), k, (x, o, 8, 16))
    """
    for n, verdict in ((16, "conditional"), (15, "unproven")):
        text = "\nimport torch\n" + textwrap.dedent(PRINTS.format(at=0)) + textwrap.dedent(launch.format(n=n))
        (padding,) = of_kind(report_of(text), "padding")
        assert padding.verdict == verdict


INSERTS = """
    @ct.kernel
    def k(x, z, y, n: int, T: Int):
        i = ct.bid(0)
        t = ct.load(x, (i,), (16,), padding_mode=ct.PaddingMode.ZERO)
        t = ct.insert(t, ({at},), ct.load(z, (i,), (4,)))
        ct.store(y, (i,), {stored})
"""


@pytest.mark.parametrize(("at", "stored", "clauses"), [
    # the lanes 8 to 11
    ("2", "ct.extract(t, (0,), (8,))", ()),
    ("2", "ct.extract(t, (3,), (4,))", ()),
    ("2", "ct.extract(t, (1,), (8,))", ("z.shape[0] % 4 == 0",)),
    ("n", "ct.extract(t, (0,), (8,))", ("z.shape[0] % 4 == 0",)),
])
def test_an_inserted_part_is_undefined_where_it_lies(at: str, stored: str, clauses: tuple[str, ...]) -> None:
    (found,) = of_kind(report_of(INSERTS.format(at=at, stored=stored)), "padding")
    assert found.clauses == clauses


def test_a_part_that_is_put_back_leaves_the_tile_as_far_undefined() -> None:
    (found,) = of_kind(report_of("""
        @ct.kernel
        def k(x, y, T: Int, U: Int, AT: Int):
            t = ct.load(x, (0,), (T,))
            t = ct.insert(t, (AT,), ct.extract(t, (AT,), (U,)) + 5)
            ct.store(y, (0,), t)
    """), "padding")
    assert (found.verdict, found.clauses) == ("proved", ("y.shape[0] <= x.shape[0]",))


def test_a_part_that_is_put_elsewhere_carries_its_undefined_lanes() -> None:
    (found,) = of_kind(report_of("""
        @ct.kernel
        def k(x, y, T: Int, U: Int, AT: Int):
            t = ct.load(x, (0,), (T,))
            t = ct.insert(t, (0,), ct.extract(t, (AT,), (U,)) + 5)
            ct.store(y, (0,), t)
    """), "padding")
    assert found.clauses != ("y.shape[0] <= x.shape[0]",)
