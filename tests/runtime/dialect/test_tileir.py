"""The dialect costs nothing: compiled kernels have the operations of hand-written ones, loop by loop."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("cuda.tile._compile", reason="compiling to Tile IR takes the package cuda-tile")

from tests.cases import dialect
from tests.runtime.dialect import kernels, looping, raw
from tests.runtime.dialect.launching import make_entry
from tests.runtime.dialect.tileir import export_bytecode, operations, parameters
from tilecheck_runtime import Grouped, Kernel, Linear, Range, Walk

OUTSIDE = 2
"""Operations that the dialect may have more outside of loops."""

SCHEDULES = {
    "single": (None, None),
    "linear": (Linear(), 10),
    "linear_range": (Range(Linear(), 3, 11), 4),
    "grouped": (Grouped(8), 10),
    "walk_rows": (Walk(0), 4),
    "walk_columns": (Walk(1), 4),
}


def compare_operations(kernel: Kernel, function, arguments, tiles, **options) -> None:
    entry = make_entry(kernel, arguments, tiles, compact=True, **options)
    given = parameters(entry, kernel.signature)
    mine, theirs = operations(entry.function, given), operations(function, given)
    assert mine.keys() == theirs.keys()
    for depth, names in mine.items():
        more = names - theirs[depth]
        assert more.total() <= (0 if depth else OUTSIDE), (depth, more, theirs[depth] - names)
    assert export_bytecode(entry.function, given)


def test_an_elementwise_add_has_the_operations_of_a_hand_written_one():
    entry = make_entry(dialect.add, {"z": np.zeros(1000)}, {"z": (128,)})
    given = parameters(entry, dialect.add.signature)
    assert operations(entry.function, given) == operations(raw.add, given)


@pytest.mark.parametrize("name", SCHEDULES)
def test_a_matrix_product_has_the_operations_of_a_hand_written_one(name):
    schedule, blocks = SCHEDULES[name]
    compare_operations(dialect.gemm, getattr(raw, f"gemm_{name}"), {"z": np.zeros((1000, 1000))}, {"z": (64, 64)},
             schedule=schedule, blocks=blocks, BK=32)


RANKS = {
    "add": 1, "gemm": 2, "rms_norm": 2, "gathers_rows": 2, "two_outputs": 1, "like4": 4, "like5": 5,
    "two_outputs_walked": 2, "numbered": 2, "in_place": 2, "in_place_by_cell": 2, "both_pieces": 1, "nested": 2,
    "nested_inputs": 2, "long_rows": 2, "append": 3, "one_hot": 2, "one_hot_masked": 2, "transposed": 2, "turned": 3,
    "turned_twice": 3,
    "any_order": 3, "gathered": 2, "least": 1, "column_sums": 2, "every_update": 1,
    **{f"copy{n}": n for n in range(1, 6)},
}
CONSTANTS = {"any_order": {"D": 2, "E": 0, "F": 1}}
ALL = {name: getattr(dialect, name, None) or getattr(kernels, name) for name in RANKS}


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("name", RANKS)
def test_every_kernel_compiles(name, compact):
    kernel = ALL[name]
    outputs = [p.name for p in kernel.signature.outputs]
    tile = [e if isinstance(e, int) else 8 for e in kernel.signature.outputs[0].extents]
    arguments = dict.fromkeys(outputs, np.zeros((20,) * RANKS[name]))
    constants = {**dict.fromkeys(kernel.signature.variables, 4), **CONSTANTS.get(name, {})}
    entry = make_entry(kernel, arguments, dict.fromkeys(outputs, tuple(tile)), compact=compact, **constants)
    assert export_bytecode(entry.function, parameters(entry, kernel.signature))


WALKING = ["copy1", "copy2", "copy3", "copy4", "copy5", "two_outputs", "two_outputs_walked", "in_place_by_cell",
           "numbered", "gemm"]


@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("name", WALKING)
def test_kernels_that_walk_compile_with_every_schedule(name, compact):
    kernel, rank = ALL[name], RANKS[name]
    outputs = [p.name for p in kernel.signature.outputs]
    arguments = dict.fromkeys(outputs, np.zeros((20,) * rank))
    for schedule in (Linear(), Grouped(2), Walk(rank - 1), Range(Walk(0), 0, 1)):
        if isinstance(schedule, Grouped) and rank < 2:
            continue
        entry = make_entry(kernel, arguments, dict.fromkeys(outputs, (4,) * rank), schedule=schedule, blocks=1,
                            compact=compact, BK=4)
        assert export_bytecode(entry.function, parameters(entry, kernel.signature))


@pytest.mark.parametrize("schedule", [None, Linear()])
@pytest.mark.parametrize("compact", [False, True])
@pytest.mark.parametrize("name", looping.ALL)
def test_every_kind_of_loop_compiles(name, compact, schedule):
    kernel = getattr(looping, name)
    entry = make_entry(kernel, {"z": np.zeros(20)}, {"z": (4,)}, schedule=schedule,
                        blocks=None if schedule is None else 2, compact=compact)
    assert export_bytecode(entry.function, parameters(entry, kernel.signature))


def test_every_right_kernel_is_compiled():
    defined = {n for n, k in vars(kernels).items() if isinstance(k, Kernel)}
    assert defined <= set(RANKS)
