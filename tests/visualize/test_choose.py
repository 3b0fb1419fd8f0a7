"""Sizes that are chosen for a picture show several blocks and several tiles, and satisfy the contract."""

from __future__ import annotations

import pytest

from tests.cases.expectations import cases
from tests.visualize.scenes import scene, study_example
from tilecheck.visualize.present import Request, present
from tilecheck.visualize.values import given_values

GOOD = [c.name for c in cases("raw_good.py")]
ONE_TILE = {"only_block_zero_writes", "single_block"}


@pytest.mark.parametrize("name", GOOD)
def test_right_kernels_are_shown_as_right(name: str) -> None:
    shown = scene("raw_good.py", name)
    assert shown.headline is None
    assert shown.broken == ()
    assert shown.summary == "in this launch no two blocks collide, and nothing lies outside"


@pytest.mark.parametrize("name", GOOD)
def test_every_used_axis_has_several_blocks(name: str) -> None:
    shown, study = scene("raw_good.py", name), study_example("raw_good.py", name)
    assert all((shown.grid[k] > 1) == (k in study.model.axes_read) for k in range(3))


@pytest.mark.parametrize("name", [n for n in GOOD if n not in ONE_TILE])
def test_several_blocks_write_different_places(name: str) -> None:
    shown = scene("raw_good.py", name)
    writers = {b for a in shown.arrays for p in a.panels for m in p.marks if m.kind in ("write", "atomic")
               for b, _ in m.at}
    assert len(writers) > 1


@pytest.mark.parametrize("name", ["transpose", "grouped_gemm", "persistent_grouped"])
def test_every_axis_of_a_matrix_has_several_tiles(name: str) -> None:
    for array in scene("raw_good.py", name).arrays:
        (panel,) = array.panels
        rects = [r for m in panel.marks for r in m.rects]
        assert len({r.row for r in rects}) > 1, array.name
        assert len({r.column for r in rects}) > 1, array.name


def test_the_whole_of_the_output_is_written() -> None:
    for name in ("vadd", "transpose", "grouped_gemm", "persistent", "mixed_radix"):
        output = scene("raw_good.py", name).arrays[0]
        for panel in output.panels:
            cells = {(r.row + i, r.column + j) for m in panel.marks if m.kind == "write" for r in m.rects
                     for i in range(r.height) for j in range(r.width)}
            rows, columns = panel.size
            assert cells == {(i, j) for i in range(rows) for j in range(columns)}, name


def test_loops_have_several_iterations() -> None:
    assert len(scene("raw_good.py", "grouped_gemm").steps) > 2
    assert len(scene("raw_good.py", "persistent").steps) > 1
    assert scene("raw_good.py", "vadd").steps == ()


def test_the_choice_is_the_same_every_time() -> None:
    study = study_example("raw_good.py", "transpose")
    assert present(study, Request({})) == present(study, Request({})) == scene("raw_good.py", "transpose")


def test_the_requested_launch_is_drawn() -> None:
    study = study_example("raw_good.py", "vadd")
    given = given_values(study.model, "4", ("T=4",), ("a=16", "b=16", "c=16"))
    shown = present(study, Request(given))
    assert shown.grid == (4, 1, 1)
    assert shown.values == (("T", "4"),)
    assert {a.name: a.shape for a in shown.arrays} == dict.fromkeys("abc", "16 elements")
    assert [m.label for m in shown.arrays[0].panels[0].marks] == ["0", "1", "2", "3"]


def test_a_launch_that_breaks_the_contract_is_drawn_with_a_note() -> None:
    study = study_example("raw_good.py", "vadd")
    shown = present(study, Request(given_values(study.model, "4", ("T=4",), ("a=13", "c=16"))))
    assert shown.broken == ("c.shape[0] <= a.shape[0]",)
    assert shown.breach == "this launch breaks `c.shape[0] <= a.shape[0]` (16 <= 13 is false), which the kernel needs"
    words = [w for a in shown.arrays for w in a.alarms]
    assert words == ["Undefined lanes: block 3 loads a[13:16] (line 14), which does not exist: any value may come."]


def test_the_grid_of_a_dialect_kernel_follows_from_its_output() -> None:
    shown = scene("dialect.py", "gemm")
    output = shown.arrays[0]
    assert output.name == "z" and shown.headline is None
    assert {m.label for m in output.panels[0].marks} == set(shown.names)
    assert any("one piece a block" in r for r in shown.remarks)


def test_more_than_three_axes_of_pieces_share_the_first_axis_of_the_grid() -> None:
    shown = scene("dialect_good.py", "of_rank_four")
    output = next(a for a in shown.arrays if a.name == "z")
    labels = [m.label for p in output.panels for m in p.marks if m.kind == "write"]
    assert set(labels) == set(shown.names)
    assert shown.summary == "in this launch no two blocks collide, and nothing lies outside"
