"""The rules of ownership as far as the device keeps them; numbers are those of the rules in `docs/dialect.md`.

Other tests cover the rules that the checker and the host enforce. The device is the last line: even an unchecked
kernel cannot store through an input, or outside its piece of a plain partition.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from tests.cases import dialect
from tests.runtime.dialect import kernels, wrong
from tests.runtime.dialect.launching import make_entry, run
from tilecheck_runtime import Grouped, Linear, Range, Walk, sanitize
from tilecheck_runtime.dialect.device.reference import Part, Ref
from tilecheck_runtime.dialect.device.shared import Shared
from tilecheck_runtime.dialect.plan import Output, Plan, PlanError

try:
    from tests.runtime.dialect.tileir import export_bytecode, parameters
except ImportError:  # cuda-tile is not installed
    export_bytecode = parameters = None
ARRAYS = {1: (20,), 2: (20, 20), 3: (20, 20, 20)}


def arguments(kernel):
    return {p.name: np.ones(ARRAYS[len(p.extents)], np.float32) for p in kernel.signature.parameters
            if p.kind != "constant"}


def check_refusal(kernel, tiles, message: str, **options) -> None:
    """The kernel stops with a message, on the CPU and, where there is one, in the compiler."""
    given = arguments(kernel)
    entry = make_entry(kernel, given, tiles, **options)
    with pytest.raises(Exception, match=message):
        sanitize(entry.function, (1, 1, 1), entry.arguments(given))
    if export_bytecode is None:
        return
    with pytest.raises(Exception, match=message):
        export_bytecode(entry.function, parameters(entry, kernel.signature))


class TestStoresExistOnMutableKindsOnly:
    """Rule 2."""

    @pytest.mark.parametrize("kind", [Ref, Part])
    def test_inputs_have_no_way_to_write(self, kind):
        writes = {"store", "store_at", "scatter", "__setitem__", "resolve_cell", "cells", "pieces"}
        assert not writes & set(dir(kind))

    def test_accumulators_are_not_read_nor_overwritten(self):
        assert not {"store", "load", "__setitem__", "__getitem__", "scatter", "gather"} & set(dir(Shared))

    def test_a_store_to_an_input(self):
        check_refusal(dialect.store_to_input, {"z": (4,)}, "store")

    def test_a_store_to_a_tile_of_an_input(self):
        check_refusal(wrong.stores_to_a_part, {"z": (4,)}, "item assignment|__setitem__")

    def test_a_store_to_an_accumulator(self):
        check_refusal(wrong.stores_to_an_accumulator, {"z": (4,)}, "store")
        check_refusal(wrong.reads_an_accumulator, {"z": (4,)}, "load")


class TestExtentsNeedNotDivide:
    """Rule 4."""

    @pytest.mark.parametrize(("shape", "tile"), [((5, 7), (4, 4)), ((1, 1), (8, 8)), ((9, 3), (8, 2))])
    @pytest.mark.parametrize("schedule", [None, Linear(), Walk(1)])
    def test_edge_pieces_are_clipped(self, shape, tile, schedule):
        around = np.full((16, 16), -1, np.float32)
        z, x = around[3:3 + shape[0], 4:4 + shape[1]], np.ones(shape, np.float32)
        report = run(kernels.copy2, {"z": z, "x": x}, {"z": tile}, schedule=schedule,
                     blocks=None if schedule is None else 1)
        assert report.clean, str(report)
        assert (z == 1).all() and (around == 1).sum() == z.size


class TestMappedPartitions:
    """Rule 7. That every schedule deals out every piece once is in `test_values.py`."""

    @pytest.mark.parametrize(("schedule", "most"), [(Linear(), 25), (Grouped(2), 25), (Walk(0), 5), (Walk(1), 5)])
    def test_blocks_are_between_one_and_the_items(self, schedule, most):
        z = np.zeros((20, 20), np.float32)
        for blocks in (0, most + 1):
            entry = make_entry(kernels.copy2, {"z": z}, {"z": (4, 4)}, schedule=schedule, blocks=blocks)
            with pytest.raises(PlanError, match=f"'z' is mapped to {blocks} blocks: between 1 and {most}"):
                entry.grid({"z": z.shape})
        entry = make_entry(kernels.copy2, {"z": z}, {"z": (4, 4)}, schedule=schedule, blocks=most)
        assert entry.grid({"z": z.shape}) == (most, 1, 1)

    @pytest.mark.parametrize(("schedule", "message"), [
        (Walk(2), "'z' has 2 axes; it cannot be walked along axis 2"),
        (Walk(-1), "cannot be walked along axis -1"),
        (Grouped(0), "'z' cannot be walked in groups of 0"),
    ])
    def test_meaningless_schedules_are_refused(self, schedule, message):
        with pytest.raises(PlanError, match=message):
            make_entry(kernels.copy2, {"z": np.zeros((20, 20))}, {"z": (4, 4)}, schedule=schedule, blocks=1)

    def test_groups_take_two_axes(self):
        with pytest.raises(PlanError, match="takes two axes"):
            make_entry(kernels.copy1, {"z": np.zeros(20)}, {"z": (4,)}, schedule=Grouped(2), blocks=1)

    def test_blocks_belong_to_mapped_outputs(self):
        for schedule, blocks in ((None, 3), (Linear(), None)):
            with pytest.raises(PlanError, match="'z': a mapped output, and only that, has a number of blocks"):
                make_entry(kernels.copy1, {"z": np.zeros(20)}, {"z": (4,)}, schedule=schedule, blocks=blocks)

    @pytest.mark.parametrize("compact", [False, True])
    def test_a_block_of_many_pieces_has_no_single_one(self, compact):
        options = {"schedule": Linear(), "blocks": 2, "compact": compact}
        check_refusal(wrong.only_piece_of_many, {"z": (4,)}, "TC105: an output with schedule Linear", **options)
        check_refusal(wrong.extent_of_many, {"z": (4,)}, "TC105: an output with schedule Linear", **options)


class TestOnlyCellsOfTheOwnPartition:
    """Rule 8, where a block owns one piece: any index writes the own piece."""

    @pytest.mark.parametrize("kernel", [dialect.foreign_cell, dialect.cell_lost_at_join])
    def test_a_foreign_cell_writes_the_own_piece(self, kernel):
        given = {"a": np.zeros(20, np.float32), "b": np.zeros(20, np.float32),
                 "x": np.arange(20, dtype=np.float32), "flag": 1}
        if kernel is dialect.foreign_cell:
            del given["flag"]
        report = run(kernel, given, {"a": (4,), "b": (4,)})
        assert report.clean, str(report)
        assert np.array_equal(given["a"] + given["b"], given["x"])

    def test_an_index_written_by_hand_writes_the_own_piece(self):
        z, x = np.zeros((8, 8), np.float32), np.arange(64, dtype=np.float32).reshape(8, 8)
        report = run(dialect.hand_made_index, {"z": z, "x": x}, {"z": (4, 4)})
        assert report.clean, str(report)
        assert np.array_equal(z, x)

    def test_a_tile_of_another_shape_is_refused(self):
        message = r"TC501: a tile of shape \(2,\) is stored to the piece of 'z', whose shape is \(4,\)"
        check_refusal(wrong.stores_a_smaller_tile, {"z": (4,)}, message)

    def test_a_tile_larger_than_the_piece_is_refused(self):
        check_refusal(wrong.stores_a_larger_tile_by_cell, {"z": (4,)}, "TC109: nested tiles of shape")
        check_refusal(dialect.wrong_shape, {"z": (4, 8)}, "TC501")

    def test_the_raw_array_is_a_suppression_that_the_sanitizer_checks(self):
        given = {"z": np.zeros(20, np.float32), "x": np.ones(20, np.float32)}
        report = run(dialect.raw_store_into_piece, given, {"z": (4,)})
        assert report.codes() == {"TC101"}


class TestOutputsWalkedTogether:
    """Rule 9."""

    MESSAGE = "TC105: 'a' and 'b' cannot be walked together"

    def test_unequal_pieces(self):
        check_refusal(wrong.walks_unequal_outputs, {"a": (4,), "b": (2,)}, self.MESSAGE, schedule=Linear(), blocks=2)
        check_refusal(wrong.reads_unequal_outputs, {"a": (4,), "b": (2,)}, "TC501: 'b' is in pieces of")

    @pytest.mark.parametrize("compact", [False, True])
    @pytest.mark.parametrize(("first", "second"), [
        (Linear(), Walk(0)), (Range(Linear(), 0, 2), Linear()), (Range(Linear(), 0, 2), Range(Linear(), 1, 2)),
    ])
    def test_unequal_schedules(self, first, second, compact):
        plan = Plan((("B", 4),), (Output((4,), first, 1), Output((4,), second, 1)), compact=compact)
        entry = dialect.two_outputs.entry(plan)
        arrays = {name: np.zeros(20, np.float32) for name in ("a", "b", "x")}
        with pytest.raises(Exception, match=self.MESSAGE):
            sanitize(entry.function, (1, 1, 1), entry.arguments(arrays))

    def test_a_mapped_and_a_plain_one(self):
        plan = Plan((("B", 4),), (Output((4,), Linear(), 5), Output((4,))))
        entry = dialect.two_outputs.entry(plan)
        arrays = {name: np.zeros(20, np.float32) for name in ("a", "b", "x")}
        with pytest.raises(Exception, match=self.MESSAGE):
            sanitize(entry.function, entry.grid({"a": (20,), "b": (20,)}), entry.arguments(arrays))

    def test_grids_agree_axis_by_axis_not_in_total(self):
        plan = Plan((("A", 4), ("B", 4)), (Output((4, 4)), Output((4, 4))))
        entry = kernels.two_outputs_walked.entry(plan)
        assert entry.grid({"a": (8, 12), "b": (7, 11)}) == (2, 3, 1)
        with pytest.raises(PlanError, match=r"'a' asks for grid \(2, 3, 1\), 'b' for grid \(3, 2, 1\)"):
            entry.grid({"a": (8, 12), "b": (12, 8)})


class TestSubRanges:
    """Rule 10."""

    @pytest.mark.parametrize(("start", "stop"), [(-1, 3), (4, 3), (0, 26), (26, 26), (2, 2**63), (-(2**63), 1)])
    def test_a_range_lies_in_its_grid(self, start, stop):
        entry = make_entry(kernels.copy2, {"z": np.zeros((20, 20))}, {"z": (4, 4)},
                            schedule=Range(Linear(), start, stop), blocks=1)
        with pytest.raises(PlanError, match=f"'z': items {start} to {stop} of a schedule that has 25"):
            entry.grid({"z": (20, 20)})

    def test_a_range_of_lines(self):
        entry = make_entry(kernels.copy2, {"z": np.zeros((20, 20))}, {"z": (4, 4)},
                            schedule=Range(Walk(0), 0, 6), blocks=1)
        with pytest.raises(PlanError, match="items 0 to 6 of a schedule that has 5"):
            entry.grid({"z": (20, 20)})

    def test_an_empty_range_has_nothing_to_do(self):
        entry = make_entry(kernels.copy1, {"z": np.zeros(20)}, {"z": (4,)}, schedule=Range(Linear(), 2, 2), blocks=1)
        with pytest.raises(PlanError, match="mapped to 1 blocks"):
            entry.grid({"z": (20,)})


class TestNumbersOfPieces:
    """Rule 10: pieces are counted in 32 bits, which never wrap around."""

    @pytest.mark.parametrize(("schedule", "shape"), [
        (Linear(), (65536, 32768)), (Linear(), (2**31 - 3, 1)), (Walk(0), (65536, 32768)), (Walk(1), (3, 2**29)),
        (Range(Linear(), 0, 9), (65536, 65536)), (Grouped(2), (65536, 65536)), (Grouped(2**30), (4, 4)),
    ])
    def test_more_than_can_be_counted(self, schedule, shape):
        entry = make_entry(kernels.copy2, {"z": np.zeros((2, 2))}, {"z": (1, 1)}, schedule=schedule, blocks=3)
        with pytest.raises(PlanError, match=r"'z' has \d+ pieces, more than .* can number in 32 bits: take larger"):
            entry.grid({"z": shape})

    @pytest.mark.parametrize(("schedule", "shape"), [
        (Linear(), (2**31 - 5, 1)), (Walk(1), (3, 2**28)), (Grouped(2**29), (4, 3)),
    ])
    def test_as_many_items_as_can_be_counted(self, schedule, shape):
        entry = make_entry(kernels.copy2, {"z": np.zeros((2, 2))}, {"z": (1, 1)}, schedule=schedule, blocks=3)
        assert entry.grid({"z": shape}) == (3, 1, 1)


class TestPermutedViews:
    """Rule 11."""

    def test_a_permuted_view_is_read_only(self):
        check_refusal(wrong.stores_to_a_view, {"z": (4, 4)}, "store")

    def test_extents_are_those_of_the_axes_of_the_view(self):
        z, x = np.zeros(4, np.float32), np.zeros((3, 7), np.float32)
        assert run(wrong.extent_of_a_turned_view, {"z": z, "x": x}, {"z": (4,)}).clean
        assert z[0] == 4 * 10_000 + 7 * 100 + 3

    def test_invalid_permutations_are_refused(self):
        check_refusal(wrong.turns_badly, {"z": (4, 4)}, r"\(0, 0\) is not a permutation of 2 axes")

    def test_every_permutation_reads_the_right_elements(self):
        x = np.arange(60, dtype=np.float32).reshape(3, 4, 5)
        for axes in itertools.permutations(range(3)):
            shape = tuple(x.shape[a] for a in axes)
            z = np.zeros(shape, np.float32)
            report = run(kernels.any_order, {"z": z, "x": x}, {"z": (2, 4, 2)},
                         **dict(zip("DEF", axes, strict=True)))
            assert report.clean, str(report)
            assert np.array_equal(z, x.transpose(axes) * 2)


class TestNestedPieces:
    """Rule 12."""

    MESSAGE = r"TC109: nested tiles of shape \(4,\) do not divide the piece of 'z', \(6,\)"

    def test_a_nested_tile_divides_the_piece_of_one_of_several_blocks(self):
        check_refusal(wrong.nests, {"z": (6,)}, self.MESSAGE, T=4)
        check_refusal(wrong.nests_by_position, {"z": (6,)}, self.MESSAGE, T=4)

    def test_a_nested_tile_reaches_into_another_piece(self):
        z, x = np.zeros(100, np.float32), np.zeros(100, np.float32)
        with pytest.raises(Exception, match="TC109"):
            run(dialect.nested_does_not_divide, {"z": z, "x": x}, {"z": (48,)})

    def test_a_nested_tile_need_not_divide_the_piece_of_a_single_block(self):
        z = np.ones(6, np.float32)
        assert run(wrong.nests, {"z": z}, {"z": (6,)}, T=4).clean
        assert not z.any()
        z = np.ones(5, np.float32)
        assert run(wrong.nests, {"z": z}, {"z": (6,)}, T=4).clean
        assert not z.any()

    def test_nested_tiles_have_the_rank_of_the_piece(self):
        check_refusal(wrong.nests_in_another_rank, {"z": (8,)}, "TC501: a nested tile of shape", T=4)
        check_refusal(wrong.scatters_in_another_rank, {"z": (8,)}, "TC501: 2 indices for 'z'")

    def test_a_plan_that_claims_one_piece_is_checked(self):
        entry = wrong.nests.entry(Plan((("A", 6), ("T", 4)), (Output((6,), whole=(True,)),)))
        assert entry.grid({"z": (6,)}) == (1, 1, 1)
        with pytest.raises(PlanError, match="'z' is planned as one piece along axis 0, where it has 2"):
            entry.grid({"z": (7,)})


def test_rows_are_gathered_of_matrices():
    check_refusal(wrong.gathers_rows_of_a_cube, {"z": (1, 4)}, "gather_row takes a matrix, not an array of 3 axes")
