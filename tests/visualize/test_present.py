"""The picture of a finding opens at its witness, and says what happens and what to change."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.cases.expectations import cases
from tests.visualize.scenes import marks, request_for, scene, study_example
from tilecheck.config import Config
from tilecheck.pipeline.single_kernel import study as studied_file
from tilecheck.visualize.build import BY
from tilecheck.visualize.legend import legend
from tilecheck.visualize.present import Request, present
from tilecheck.visualize.scene import Scene
from tilecheck.visualize.setting import CannotDraw
from tilecheck.visualize.svg import array_picture

RACES = [c.name for c in cases("raw_bad.py") if {code for _, code in c.expected} & {"TC101", "TC103"}]


def _element(shown: Scene) -> tuple[str, tuple[int, ...]]:
    """The array and the cell that are ringed."""
    for array in shown.arrays:
        for panel in array.panels:
            for m in panel.marks:
                if m.ringed:
                    (rect,) = m.rects
                    lead = tuple(int(n) for n in panel.label.strip("[]").split(", ")[:-2]) if panel.label else ()
                    own = (rect.column,) if panel.size[0] == 1 and BY not in array.shape else (rect.row, rect.column)
                    return array.name, (*lead, *own)
    raise AssertionError("nothing is ringed")


@pytest.mark.parametrize("name", RACES)
def test_the_element_of_the_witness_is_ringed_and_its_blocks_are_named(name: str) -> None:
    shown, study = scene("raw_bad.py", name), study_example("raw_bad.py", name)
    finding = next(d for d in study.diagnostics if d.severity == "error" and d.witness is not None)
    assert shown.headline is not None and finding.witness is not None
    assert shown.headline.what == finding.message
    assert finding.help is not None
    for (place, what), line in zip(shown.headline.changes, finding.help.splitlines(), strict=True):
        said = re.fullmatch(r"(\([a-z]\) )?on (line \d+), (.*)", line)
        assert what.endswith(line if said is None else said[3])
        assert said is None or place == f"{said[1] or ''}{said[2]}"
    assert shown.headline.shown == ""
    array, element = _element(shown)
    assert element == finding.witness.element
    assert set(shown.headline.blocks) <= {finding.witness.first.block, finding.witness.second.block}
    assert len(set(shown.headline.blocks)) == 2
    assert shown.grid == finding.witness.grid
    words = next(a for a in shown.arrays if a.name == array).alarms
    names = [shown.names[shown.blocks.index(b)] for b in shown.headline.blocks]
    assert any(all(f"block {n}" in w for n in names) for w in words)


def test_colliding_elements_are_hatched_with_the_names_of_their_blocks() -> None:
    clashes = [m for m in marks(scene("raw_bad.py", "permuted_store")) if m.kind == "clash" and not m.ringed]
    assert {m.label for m in clashes} == {"(0, 0) + (1, 0)", "(0, 1) + (1, 1)"}
    assert all(m.title.startswith("Collision: block ") and "both write dst[" in m.title for m in clashes)


def test_a_read_and_a_write_are_distinguished() -> None:
    (array,) = scene("raw_bad.py", "neighbour_read").arrays
    assert array.alarms == (
        "Collision: block 1 writes and block 0 reads c[2:4] (block 0 on line 91, block 1 on line 92).",)


def test_a_tile_outside_is_marked_where_it_would_be() -> None:
    shown = scene("raw_bad.py", "negative_tile")
    (mark,) = [m for m in marks(shown) if m.kind == "outside"]
    assert shown.arrays[0].name == "a" and mark.rects[0].column == -2 and mark.label == "0"
    assert shown.headline is not None and "tile -1" in shown.headline.what
    assert shown.arrays[0].alarms == (
        "Outside: block 0 addresses a[-2:0] (line 130), which does not exist: undefined.",)


def test_a_row_that_spills_is_drawn_in_rows() -> None:
    shown = scene("raw_bad.py", "head_spills_into_next")
    output = next(a for a in shown.arrays if a.name == "o")
    assert output.folded == int(dict(shown.values)["HD"])
    assert output.alarms and shown.broken == ("HD // 2 + T <= HD",)
    assert shown.headline is not None and shown.headline.code == "TC206"


def test_undefined_lanes_are_marked() -> None:
    shown = scene("raw_bad.py", "softmax_over_padding")
    assert shown.headline is not None and shown.headline.code == "TC301"
    found = [m for m in marks(shown) if m.kind == "undefined"]
    assert found and all(r.column >= 2 for m in found for r in m.rects)
    assert shown.headline.change == "line 170: load `x` with padding_mode=ct.PaddingMode.NEG_INF"
    assert shown.headline.look == (
        "`x[0:3, 2:4]`, which block 0, block 1 and block 2 load (line 170) and which do not exist")
    assert [x.number for x in shown.source if x.flagged] == [171]
    assert [x.number for x in shown.source if x.related] == [170]


def test_notes_on_undefined_lanes_describe_the_drawn_launch() -> None:
    for name, told in (("softmax_over_padding", {"x": "In this launch block 0 loads x[0, 2:4], which"}),
                       ("mma_over_padding", {"A": "In this launch block (0, 0) loads A[0:2, 11], ",
                                             "B": "In this launch block (0, 0) loads B["})):
        shown = scene("raw_bad.py", name)
        open_ = [o for o in shown.obligations if o.verdict == "conditional"]
        assert {o.array for o in open_} == set(told)
        for o in open_:
            assert told[o.array] in o.why and "which the array does not have" in o.why
            assert "another launch" not in o.why


def test_every_operand_with_undefined_lanes_is_named_and_marked() -> None:
    shown = scene("raw_bad.py", "mma_over_padding")
    assert shown.headline is not None
    assert shown.headline.changes == (("line 180", "load `A` with padding_mode=ct.PaddingMode.ZERO"),
                                      ("line 181", "load `B` with padding_mode=ct.PaddingMode.ZERO"))
    marked = {a.name for a in shown.arrays for p in a.panels for m in p.marks if m.kind == "undefined"}
    assert marked == {"A", "B"}
    assert [x.number for x in shown.source if x.related] == [180, 181]


def test_the_part_of_a_coordinate_that_is_missing_is_named_with_its_line() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    assert shown.headline is not None
    assert shown.headline.change.startswith("`h1` (line 23) is not in the index of `dst`: each of ")
    assert [place for place, _ in shown.headline.changes] == ["", "(a) line 26", "(b) line 26"]
    assert [x.number for x in shown.source if x.related] == [22, 23, 24]
    plain = scene("raw_bad.py", "dropped_axis").headline
    assert plain is not None and "is not in the index" not in plain.change


def test_every_part_of_the_index_has_its_location_and_value_in_both_blocks() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    assert shown.headline is not None and shown.headline.met == ((0, 0, 0), (1, 0, 0))
    assert [(p.name, p.line, p.values, p.remark) for p in shown.headline.parts] == [
        ("bh", 22, ("0", "1"), ""), ("h2", 22, ("0", "0"), ""), ("b", 23, ("0", "0"), ""),
        ("h1", 23, ("0", "1"), "not in the index"), ("m", 24, ("0", "0"), ""),
        ("tile of dst", 26, ("(0, 0, 0, 0)", "(0, 0, 0, 0)"), "the same")]
    notes = {x.number: x.note for x in shown.source if x.note}
    assert notes == {
        22: "bh: 0 and 1; h2: 0 in both blocks", 23: "b: 0 in both blocks; h1: 0 and 1, not in the index",
        24: "m: 0 in both blocks", 26: "tile of dst: (0, 0, 0, 0) in both blocks"}


def test_parts_of_an_index_are_valued_where_the_blocks_differ() -> None:
    shown = scene("raw_bad.py", "neighbour_read")
    assert shown.headline is not None
    assert [(p.name, p.line, p.values, p.remark) for p in shown.headline.parts] == [
        ("i", 90, ("0", "1"), ""), ("tile of c", 92, ("1 (line 91)", "1 (line 92)"), "the same")]
    # both sides of the collision look alike
    assert [x.number for x in shown.source if x.flagged] == [91, 92]


def test_the_element_is_named_with_its_lanes(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(OVERLAPPING)
    headline = present(studied_file(f"{tmp_path / 'k.py'}::k", Config(use_cache=False)), Request({})).headline
    assert headline is not None and [(p.name, p.place, p.values, p.remark) for p in headline.parts] == [
        ("i", "line 6", ("0", "1"), ""), ("element of c", "line 8", ("1 (lane 1)", "1 (lane 0)"), "the same")]


def test_a_finding_says_how_much_is_due_to_its_two_blocks() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    assert shown.headline is not None
    own = next(m for m in marks(shown) if m.label == "(0, 0) + (1, 0)")
    collide = [m for m in marks(shown) if m.kind == "clash" and not m.ringed]
    assert own in collide
    count = {m.label: 0 for m in collide}
    for m in collide:
        count[m.label] += sum(r.height * r.width for r in m.rects)
    assert shown.headline.look == (
        f"block (0, 0) and block (1, 0), outlined in the grid: {count[own.label]} elements of `dst` collide between "
        f"them, of {sum(count.values())} in this launch")
    assert {shown.names[n] for n in shown.amiss} == {"(0, 0)", "(0, 1)", "(1, 0)", "(1, 1)"}


LAUNCHED = '''import cuda.tile as ct
import numpy as np

@ct.kernel
def add(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, (i,), ct.load(x, (i,), (T,)) + 1)

def main():
    x, y = np.zeros(8, np.float32), np.zeros(8, np.float32)
    ct.launch(0, (4,), add, (x, y, 2))
'''


def test_the_picture_names_the_source_of_its_launch(tmp_path: Path) -> None:
    path = tmp_path / "add.py"
    path.write_text(LAUNCHED, encoding="utf-8")
    seen = studied_file(f"{path}::add", Config(use_cache=False))
    sizes = {"grid[0]": 4, "grid[1]": 1, "grid[2]": 1, "T": 2, "x.shape[0]": 8, "y.shape[0]": 8}
    assert present(seen, request_for(sizes)).origin == f"drawn is the launch at {path}:11 (grid 4)"
    for change in ({"T": 4}, {"x.shape[0]": 9}, {"grid[0]": 2}):
        assert present(seen, request_for({**sizes, **change})).origin == (
            f"sizes as asked for, others chosen by tilecheck; the kernel is launched at {path}:11 (grid 4)")
    assert scene("raw_bad.py", "permuted_store").origin == "no seen launch: sizes chosen by tilecheck to be small"


OUTSIDE = '''import cuda.tile as ct

@ct.kernel
def row_sums(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    acc = ct.zeros((T,), ct.float32)
    for k in range(ct.num_tiles(a, 1, (1, T)) + 1):
        acc = acc + ct.reshape(ct.load(a, (i, k), (1, T), padding_mode=ct.PaddingMode.ZERO), (T,))
    ct.store(c, (i,), acc)
'''


def test_every_block_that_reaches_outside_is_named_without_advice_on_padding(tmp_path: Path) -> None:
    path = tmp_path / "sums.py"
    path.write_text(OUTSIDE, encoding="utf-8")
    shown = present(studied_file(f"{path}::row_sums", Config(use_cache=False)), Request({}))
    assert shown.headline is not None and shown.headline.code == "TC201"
    assert shown.headline.what.startswith("block 0 at k = 2 asks for tile 2 along axis 1")
    assert shown.headline.what.endswith("; so does block 1")
    assert shown.headline.blocks == ((0, 0, 0), (1, 0, 0))
    assert any(n.startswith("`padding_mode` ZERO does not help") for n in shown.headline.notes)
    assert {p.name: p.values for p in shown.headline.parts} == {
        "i": ("0", "1"), "k": ("2", "2"), "tile of a": ("(0, 2)", "(1, 2)")}
    assert {m.label for m in marks(shown) if m.kind == "outside"} == {"0 \u00b7 k #2", "1 \u00b7 k #2"}


def test_a_tile_outside_without_a_padding_mode_does_not_mention_padding() -> None:
    headline = scene("raw_bad.py", "negative_tile").headline
    assert headline is not None and not any("does not help" in n for n in headline.notes)


def test_the_same_launch_with_other_arrays_is_not_called_another_launch(tmp_path: Path) -> None:
    path = tmp_path / "heads.py"
    path.write_text(HEADS, encoding="utf-8")
    headline = present(studied_file(f"{path}::heads", Config(use_cache=False)), Request({})).headline
    assert headline is not None
    assert headline.elsewhere.startswith("grid and constants are those of the report's example, whose arrays ")
    assert "dst.shape[0] = 4" in headline.elsewhere and "another launch" not in headline.elsewhere


HEADS = '''import cuda.tile as ct

Int = ct.Constant[int]

@ct.kernel
def heads(src, dst, H: Int, BM: Int, BD: Int):
    p, place = ct.bid(0), ct.bid(1)
    b, h = p // H, p % H
    for m in range(ct.num_tiles(src, axis=2, shape=(1, 1, BM, BD))):
        t = ct.load(src, index=(b, h, m, 0), shape=(1, 1, BM, BD))
        ct.store(dst, index=(b, m, place, 0), tile=ct.permute(t, (0, 2, 1, 3)))
'''


def test_few_slices_are_all_drawn() -> None:
    shown = scene("raw_bad.py", "permuted_store")
    src = next(a for a in shown.arrays if a.name == "src")
    assert src.untouched == 0 and not src.omitted
    drawn = [p.label for p in src.panels]
    assert any(not p.marks for p in src.panels) and len(drawn) == len(set(drawn))


def test_proofs_cover_every_launch() -> None:
    shown = scene("raw_good.py", "grouped_gemm")
    assert shown.claim.startswith(
        f"what must hold is proved for every launch that satisfies the {len(shown.contract)} clauses below; ")
    bad = scene("raw_bad.py", "permuted_store")
    assert bad.claim == bad.summary


WHOLE = '''import cuda.tile as ct

@ct.kernel
def kernel(x, o, H: ct.Constant[int]):
    p = ct.bid(0)
    b, h = p // H, p % H
    t = ct.load(x, (b, h), (1, 1))
    ct.scatter(o, p * 2 + ct.arange(4, dtype=ct.int32), ct.full((4,), 1, ct.float32))
'''


def test_a_part_is_not_missing_where_the_whole_coordinate_is_in_the_index(tmp_path: Path) -> None:
    path = tmp_path / "whole.py"
    path.write_text(WHOLE, encoding="utf-8")
    found = present(studied_file(f"{path}::kernel", Config(use_cache=False)), Request({})).headline
    assert found is not None and found.code == "TC101" and "is not in the index" not in found.change


def test_a_witness_of_another_launch_is_labelled() -> None:
    study = study_example("raw_bad.py", "permuted_store")
    given = {"grid[0]": 2, "grid[1]": 1, "grid[2]": 1, "BD": 2, "BM": 2, "H": 2}
    shown = present(study, request_for(given))
    assert shown.headline is not None
    assert shown.headline.elsewhere.startswith("the example of the report is another launch, with grid (2, 2, 1) and ")
    assert shown.obligations[0].verdict == "refuted"
    # the same two blocks meet there in the launch that is drawn
    assert "another launch" not in shown.obligations[0].why
    alone = present(study, request_for({**given, "grid[0]": 1}))
    assert "In another launch, grid (2, 2), " in alone.obligations[0].why


def test_failures_come_first_and_broken_clauses_have_numbers() -> None:
    shown = scene("raw_bad.py", "softmax_over_padding")
    assert shown.obligations[0].verdict == "conditional"
    assert shown.breach == "this launch breaks `T <= x.shape[1]` (4 <= 2 is false), which the kernel needs"


def test_padding_with_a_value_is_not_marked_as_a_fault() -> None:
    shown = scene("raw_good.py", "padded_softmax")
    assert not any(a.alarms for a in shown.arrays)


def test_an_element_written_twice_by_one_block_is_marked() -> None:
    shown = scene("raw_bad.py", "duplicate_lanes")
    assert "twice" in {m.kind for m in marks(shown)}
    assert shown.summary == "in this launch 2 elements of `c` are written twice by one operation"


def test_a_plain_access_among_atomics_collides() -> None:
    assert any(a.alarms for a in scene("raw_bad.py", "atomic_then_plain_read").arrays)
    assert not any(a.alarms for a in scene("raw_good.py", "histogram").arrays)


def test_another_finding_can_be_selected() -> None:
    study = study_example("raw_bad.py", "head_spills_into_next")
    first, second = (present(study, Request({}, n)).headline for n in (1, 2))
    assert first is not None and second is not None and first.what != second.what
    with pytest.raises(CannotDraw, match=r"there is no finding 9 of this kernel: there are \d"):
        present(study, Request({}, 9))


def test_a_finding_that_is_not_about_places_says_so() -> None:
    shown = scene("raw_bad.py", "mask_forgotten")
    assert shown.headline is not None and shown.headline.shown == "it is not about which block touches what."


def test_a_launch_without_the_fault_says_so() -> None:
    study = study_example("raw_bad.py", "negative_tile")
    shown = present(study, request_for({"grid[0]": 1, "grid[1]": 1, "grid[2]": 1, "T": 2, "a.shape[0]": 4}))
    assert shown.headline is not None and shown.headline.shown == ""  # block 0 is outside in any launch
    study = study_example("raw_bad.py", "permuted_store")
    shown = present(study, request_for({"grid[0]": 1, "grid[1]": 1, "grid[2]": 1}))
    assert shown.headline is not None
    assert shown.headline.shown.startswith("at this launch it does not happen")


def test_assumptions_on_data_are_listed() -> None:
    assert any(r.startswith("The contents of `keys` are assumed: keys[0] = 0")
               for r in scene("raw_good.py", "histogram").remarks)


def test_steps_are_in_the_order_of_the_program() -> None:
    steps = scene("raw_good.py", "persistent_grouped").steps
    assert steps[:3] == ("p: iteration 0, k: iteration 0", "p: iteration 0, k: iteration 1",
                         "p: iteration 0, k: iteration 2")
    assert steps[3] == "p: iteration 0, after the inner loop"
    assert scene("raw_good.py", "grouped_gemm").steps[-1] == "after the loop"


LISTS = '''import cuda.tile as ct

@ct.kernel
def kernel(o: list, T: ct.Constant[int]):
    ct.store(o[ct.bid(0) // 2], (0,), ct.full((T,), 1, ct.float32))
'''


def test_arrays_of_a_list_are_named_by_their_position(tmp_path: Path) -> None:
    path = tmp_path / "lists.py"
    path.write_text(LISTS, encoding="utf-8")
    (array,) = present(studied_file(f"{path}::kernel", Config(use_cache=False)), Request({})).arrays
    assert array.shape == "2 arrays of 2"
    assert array.alarms[-1] == "Collision: block 2 and block 3 both write o[1][0:2] (line 5)."


OVERLAPPING = """\
import cuda.tile as ct


@ct.kernel
def k(a, c, T: ct.Constant[int]):
    i = ct.bid(0)
    offs = i * (T // 2) + ct.arange(T, dtype=ct.int32)
    ct.scatter(c, offs, ct.gather(a, offs))
"""


def test_overlapping_reads_show_the_names_of_all_blocks(tmp_path: Path) -> None:
    (tmp_path / "k.py").write_text(OVERLAPPING)
    shown = present(studied_file(f"{tmp_path / 'k.py'}::k", Config(use_cache=False)), request_for({"T": 4}))
    labels: dict[str, dict[int, str]] = {}
    for array in shown.arrays:
        cells = labels.setdefault(array.name, {})
        for m in array.panels[0].marks:
            for r in m.free if m.label else ():
                cells.update(dict.fromkeys(range(r.column, r.column + r.width), m.label))
    assert labels["a"] == labels["c"] and set(labels["a"].values()) >= {"0", "0 + 1", "1 + 2"}
    # the label also stands in the drawing
    body = array_picture(next(a for a in shown.arrays if a.name == "a")).body
    assert ">0 + 1<" in body and ">1 + 2<" in body


def test_the_picture_of_a_spilled_row_shows_the_reported_launch() -> None:
    shown, study = scene("raw_bad.py", "head_spills_into_next"), study_example("raw_bad.py", "head_spills_into_next")
    finding = next(d for d in study.diagnostics if d.code == "TC206" and d.witness is not None)
    assert finding.witness is not None and shown.headline is not None
    assert shown.grid == finding.witness.grid
    sizes = {a.key: n for a, n in finding.witness.scalars}
    assert {n: int(v) for n, v in shown.values} == {"HD": sizes["HD"], "T": sizes["T"]}
    assert shown.broken == ("HD // 2 + T <= HD",)
    (ring,) = [m for m in marks(shown) if m.ringed]
    assert [ring.rects[0].row * sizes["HD"] + ring.rects[0].column] == list(finding.witness.element)
    assert dict(legend(shown))["ringed"] == "the element of the report's example"


def test_no_element_is_ringed_where_the_finding_has_no_example_of_it() -> None:
    study = study_example("raw_bad.py", "head_spills_into_next")
    numbers = [n for n, d in enumerate(sorted(
        study.diagnostics, key=lambda d: (d.severity != "error", d.witness is None, d.span)), 1) if d.witness is None]
    shown = present(study, Request({}, numbers[0]))
    assert shown.headline is not None and shown.headline.code == "TC206"
    assert not any(m.ringed for m in marks(shown)) and "ringed" not in dict(legend(shown))
