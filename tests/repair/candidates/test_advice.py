"""The advice beside a finding: the lines that cause it, and an edit, where one was tried."""

from __future__ import annotations

import pytest

from tests.repair.helpers import findings, kernel
from tilecheck.api import check_source
from tilecheck.diagnostics import Diagnostic
from tilecheck.repair.candidates import recheck

FLAT = "o = ct.bid(0) * H + ct.arange(T, dtype=ct.int32)\n"


def only_finding(body: str, parameters: str, code: str) -> Diagnostic:
    (finding,) = findings(kernel(body, parameters), code)
    return finding


def origin_notes(finding: Diagnostic) -> list[tuple[int, str]]:
    """The notes on lines that compute a number; the first line of a kernel is 1."""
    return [(n.span.line - 7, n.message) for n in finding.notes if n.span is not None and n.origin]


# --- blocks that write one element -----------------------------------------------------------------------------------

HEADS = ("bh, place = ct.bid(0), ct.bid(1)\nb, h = bh // H, bh % H\n"
         "for m in range(ct.num_tiles(a, axis=2, shape=(1, 1, T, T))):\n"
         "    t = ct.load(a, index=(b, h, m, 0), shape=(1, 1, T, T))\n")


def test_the_lost_part_is_shown_at_its_definition() -> None:
    finding = only_finding(HEADS + "    ct.store(c, index=(b, m, place, 0), tile=ct.permute(t, (0, 2, 1, 3)))",
                    "a, c, H: Int, T: Int", "TC101")
    assert origin_notes(finding) == [
        (1, "`place` is 0 in both blocks"),
        (2, "`b` is 0 in both blocks"), (2, "`h` is 0 in block (0, 0) and 1 in (1, 0), and not in the index"),
        (5, "tile (0, 0, 0, 0) in both blocks")]
    assert finding.help == (
        "on line 12, store at `(b, m, h, 0)` in place of `(b, m, place, 0)`, as the tile is loaded from `a` and "
        "permuted; `place` (line 8) is in no index then: remove it, and launch one block on grid axis 1: no two blocks "
        "write one element of `c` then")
    # the launch would also have to change
    assert finding.proposal is not None and finding.proposal.edits == ()


def test_a_kernel_with_all_suggestions_applied_has_no_finding() -> None:
    store = "    ct.store(c, index=(b, m, h, 0), tile=ct.permute(t, (0, 2, 1, 3)))"
    without = HEADS.replace("bh, place = ct.bid(0), ct.bid(1)", "bh = ct.bid(0)") + store
    assert not findings(kernel(without, "a, c, H: Int, T: Int"), "TC101")
    # as long as it reads the coordinate, it is meant for several blocks there
    assert findings(kernel(HEADS + store, "a, c, H: Int, T: Int"), "TC101")


def test_a_coordinate_with_another_use_is_not_given_up() -> None:
    finding = only_finding(HEADS + "    ct.store(d, index=(b, h, m, place), tile=t)\n"
                    "    ct.store(c, index=(b, m, place, 0), tile=ct.permute(t, (0, 2, 1, 3)))",
                    "a, c, d, H: Int, T: Int", "TC101")
    assert finding.help == ("each of these edits makes the blocks disjoint; choose the one that you mean:\n"
                            "(a) on line 13, store at `(b, m, place, h)` in place of `(b, m, place, 0)`\n"
                            "(b) on line 13, store at `(b, m, place, bh)` in place of `(b, m, place, 0)`")


def test_a_loop_is_not_given_up_for_a_coordinate() -> None:
    # `(i, 0)` and `(i, j)` also keep blocks disjoint, and all iterations would write one tile
    finding = only_finding("i = ct.bid(0)\nfor k in range(ct.num_tiles(a, 1, (1, T))):\n"
                    "    ct.store(c, (k, 0), ct.load(a, (i, k), (1, T)))", "a, c, T: Int", "TC101")
    assert finding.help == (
        "on line 10, store at `(i, k)` in place of `(k, 0)`, as the tile is loaded from `a`: no two blocks write one "
        "element of `c` then")
    plain = only_finding("i = ct.bid(0)\nfor k in range(n):\n    ct.store(c, (k,), ct.load(a, (i,), (T,)))",
                  "a, c, n: int, T: Int", "TC101")
    assert plain.proposal is not None and plain.proposal.edits == ()
    assert plain.help is not None and plain.help.startswith("let the index of `c` depend on `ct.bid(0)`")


def test_several_working_edits_are_listed() -> None:
    body = "i, j = ct.bid(0), ct.bid(1)\n{}ct.store(c, (i, 0), ct.full((T, T), 1, ct.float32))\n{}"
    before = only_finding(body.format("k = 2 * j\n", ""), "c, T: Int", "TC101").help
    after = only_finding(body.format("", "k = 2 * j"), "c, T: Int", "TC101").help
    assert before == ("each of these edits makes the blocks disjoint; choose the one that you mean:\n"
                      "(a) on line 10, store at `(i, k)` in place of `(i, 0)`\n"
                      "(b) on line 10, store at `(i, j)` in place of `(i, 0)`")
    # a name that is bound later is not an index here
    assert after == "on line 9, store at `(i, j)` in place of `(i, 0)`: no two blocks write one element of `c` then"


def test_equal_values_may_be_written_by_one_block() -> None:
    finding = only_finding("i = ct.bid(0)\nif i >= 0:\n    ct.store(c, (0,), ct.full((T,), 1, ct.int32))", "c, T: Int",
                    "TC101")
    assert finding.help == ("each of these edits makes the blocks disjoint; choose the one that you mean:\n"
                            "(a) on line 10, store at `(i,)` in place of `(0,)`\n"
                            "(b) on line 10, let one block do it, under `if ct.bid(0) == 0:`")
    assert finding.proposal is not None and finding.proposal.edits == ()


def test_an_edit_with_a_remaining_collision_is_not_suggested() -> None:
    # one block for the second store, and the blocks of the first one still meet it
    finding = only_finding("i = ct.bid(0)\nt = ct.full((T,), 1, ct.int32)\nct.store(c, (i,), t)\nif i >= 0:\n"
                    "    ct.store(c, (1,), t)", "c, T: Int", "TC101")
    assert finding.help is not None and "if ct.bid(0) == 0" not in finding.help


def test_a_store_in_a_helper_gets_the_help_of_all() -> None:
    text = "import cuda.tile as ct\n\n\ndef put(c, i, t):\n    ct.store(c, (i, 0), t)\n" + kernel(
        "put(c, ct.bid(0), ct.load(a, (ct.bid(0), ct.bid(1)), (T, T)))", "a, c, T: Int").replace(
            "import cuda.tile as ct\n", "")
    (finding,) = findings(text, "TC101")
    assert origin_notes(finding) == []
    assert finding.help == ("let the index of `c` depend on `ct.bid(1)`: blocks that differ only in it write the same "
                            "location")


@pytest.mark.parametrize(("put", "help_"), [
    ("ct.store(c, (i // 2,), t)", "compute the index of `c` from all of `ct.bid(0)`, not from a part of it: these "
                                  "blocks differ and have the same index"),
    ("ct.scatter(c, i * (T // 2) + ct.arange(T, dtype=ct.int32), t)",
     "advance from block to block by at least the whole tile that is written to `c`"),
    ("for k in range(i, 8):\n        ct.store(c, (k,), t)",
     "step the loop by the number of blocks, `ct.num_blocks(0)`, so that no two blocks use the same index of `c`"),
    ("ct.store(c, (2 * i,), t)\n    ct.store(c, (i + 1,), t)",
     "make the two writes to `c` disjoint: no block may write an element that another one writes"),
])
def test_findings_without_a_tried_edit_have_the_general_help(put: str, help_: str) -> None:
    text = f"import cuda.tile as ct\n\n\ndef put(c, i, t, T):\n    {put}\n" + kernel(
        "put(c, ct.bid(0), ct.load(a, (ct.bid(0),), (T,)), T)", "a, c, T: Int").replace("import cuda.tile as ct\n", "")
    assert [d.help for d in findings(text, "TC101")] == [help_]


def test_an_index_that_has_a_name_is_changed_where_it_is_used() -> None:
    finding = only_finding("i, j = ct.bid(0), ct.bid(1)\nat = (i, 0)\nt = ct.load(a, (i, j), (T, T))\n"
                    "ct.store(c, at, t + ct.load(b, at, (T, T)))", "a, b, c, T: Int", "TC101")
    assert finding.proposal is not None
    assert {(span.line - 7, text) for span, text in finding.proposal.edits} <= {(4, "(i, j)")}


# --- a block that reads what another one writes ----------------------------------------------------------------------

def test_a_kernel_that_reads_its_neighbours_gets_another_array() -> None:
    finding = only_finding("i = ct.bid(0)\nt = ct.load(c, (i + 1,), (T,))\nct.store(c, (i,), t)", "c, T: Int", "TC103")
    assert origin_notes(finding) == [(3, "tile 1 in block 1"), (2, "tile 1 in block 0")]
    assert finding.help == (
        "each of these ends the race, and only you know which is meant:\n"
        "(a) on line 10, write `ct.store(out, (i,), t)`, with `out` one more array of the kernel: all blocks read `c` "
        "as it was before the launch then\n"
        "(b) on line 9, read at `(i,)` in place of `(i + 1,)`, if a block is to read what it writes itself")


def test_a_suggested_array_has_a_new_name() -> None:
    finding = only_finding(
        "i = ct.bid(0)\nresult = ct.load(c, (i + 1,), (T,))\nct.store(c, (i,), result)", "c, out, T: Int", "TC103"
    )
    assert finding.help is not None and "(a) on line 10, write `ct.store(c_out1, (i,), result)`, " in finding.help


def test_a_kernel_in_two_phases_is_two_launches() -> None:
    finding = only_finding("i = ct.bid(0)\nct.store(c, (i,), ct.load(a, (i,), (T,)))\nt = ct.zeros((T,), ct.float32)\n"
                    "for j in range(ct.num_blocks(0)):\n    t = t + ct.load(c, (j,), (T,))\nct.store(d, (i,), t)",
                    "a, c, d, T: Int", "TC103")
    assert finding.help == ("end the kernel before line 12 reads `c`, and read that in a second launch, which begins "
                            "when all blocks of the first are done")


# --- tiles outside ---------------------------------------------------------------------------------------------------

def test_the_loop_that_goes_too_far_is_shown_with_its_end() -> None:
    finding = only_finding(
        "i = ct.bid(0)\nt = ct.zeros((1, T), ct.float32)\nfor k in range(ct.num_tiles(a, 1, (1, T)) + 1):\n"
        "    t = t + ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO)\nct.store(c, (i, 0), t)",
        "a, c, T: Int",
        "TC201",
    )
    assert origin_notes(finding) == [(3, "`k` comes to 2 here"), (4, "2 in block 0; tiles are 0 to 1")]
    assert finding.help == (
        "on line 10, write `range(ct.num_tiles(a, 1, (1, T)))` in place of `range(ct.num_tiles(a, 1, (1, T)) + 1)`: "
        "then the loop ends with the last tile of `a`")


@pytest.mark.parametrize(("index", "help_"), [
    ("i - 1", "on line 9, write `max(i - 1, 0)` in place of `i - 1`, or leave out the blocks for which it is negative "
              "with `if i - 1 >= 0:`; tiles are not counted from the end"),
    ("i + ct.num_tiles(a, 0, (T,))", "on line 9, write `min(i + ct.num_tiles(a, 0, (T,)), ct.num_tiles(a, 0, (T,)) - "
     "1)` in place of `i + ct.num_tiles(a, 0, (T,))`, or leave out the tiles past the end with "
     "`if i + ct.num_tiles(a, 0, (T,)) < ct.num_tiles(a, 0, (T,)):`"),
])
def test_an_index_outside_is_clamped(index: str, help_: str) -> None:
    finding = only_finding(f"i = ct.bid(0)\nct.store(c, (i,), ct.load(a, ({index},), (T,)))", "a, c, T: Int", "TC201")
    assert finding.help == help_


# --- rows ------------------------------------------------------------------------------------------------------------

def test_a_row_that_is_too_short_gets_its_mask() -> None:
    finding = only_finding(FLAT + "ct.scatter(c, o, ct.load(a, (ct.bid(0),), (T,)))", "a, c, H: Int, T: Int", "TC206")
    assert origin_notes(finding) == [(1, "a row has `H` elements"), (1, "a block takes `T` elements of its row"),
                             (2, "element 3 in both blocks")]
    assert finding.help == (
        "each of these keeps the blocks to their rows:\n"
        "(a) on line 9, add `mask=ct.arange(T, dtype=ct.int32) < H`: the lanes past the end of the row are left out "
        'then\n(b) declare what every launch satisfies, if it does: @requires("T <= H")')


def test_an_existing_mask_is_not_replaced() -> None:
    finding = only_finding(FLAT + "ct.scatter(c, o, ct.load(a, (ct.bid(0),), (T,)), mask=o < n)",
                    "a, c, n: int, H: Int, T: Int", "TC206")
    assert finding.help == ("mask the lanes past the end of the row, or declare what every launch satisfies: "
                            '@requires("T <= H")')


def test_the_line_on_which_data_choose_the_place_is_shown() -> None:
    finding = only_finding(
        "row = ct.load(ids, (ct.bid(0),), (1,)).item()\nct.store(c, (row, 0), ct.load(a, (0, 0), (1, T)))",
        "a, ids, c, T: Int",
        "TC102",
    )
    assert origin_notes(finding) == [(1, "the place is read from `ids` here")]


# --- what it may cost ------------------------------------------------------------------------------------------------

def test_a_kernel_that_is_costly_to_follow_is_tried_a_few_times_only(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []
    original = recheck.execute_measured

    def costly(*args: object) -> object:
        model, _ = original(*args)  # type: ignore[arg-type]
        tries.append(1)
        return model, 1_000_000

    monkeypatch.setattr(recheck, "execute_measured", costly)
    body = "i, j = ct.bid(0), ct.bid(1)\nh, k = 2 * j, 3 * j\nct.store(c, (i, 0), ct.full((T, T), 1, ct.float32))"
    assert only_finding(body, "c, T: Int", "TC101").help is not None and len(tries) == 1


def test_an_error_in_advice_does_not_lose_the_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("no advice")

    monkeypatch.setattr("tilecheck.repair.candidates.overlapping_write.separate_blocks", broken)
    body = "i, j = ct.bid(0), ct.bid(1)\nct.store(c, (i, 0), ct.full((T, T), 1, ct.float32))"
    monkeypatch.delenv("TILECHECK_DEBUG", raising=False)
    assert origin_notes(only_finding(body, "c, T: Int", "TC101")) == []
    monkeypatch.setenv("TILECHECK_DEBUG", "1")
    assert "no advice" in check_source(kernel(body, "c, T: Int")).failures[0].message
