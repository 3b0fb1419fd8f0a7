"""Concrete launches of the cases: a tuple is the shape of an array, a number a scalar."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

from tests.oracle.memory import array
from tests.oracle.values import DTYPES

Launch: TypeAlias = tuple[tuple[int, ...], Mapping[str, Any]]

INTEGERS: Final = {"count", "keys", "counts", "idx", "ids", "flag"}
"""Arrays of int32."""

BAD: Final[Mapping[str, tuple[Launch, ...]]] = {
    "everyone_writes_tile_zero": (((3,), {"a": (12,), "c": (12,), "T": 4}),),
    "dropped_axis": (((2, 3), {"a": (8, 8), "c": (8, 8), "T": 2, "U": 2}),),
    "permuted_store": (((4, 2), {"src": (2, 2, 8, 4), "dst": (2, 8, 4, 4), "H": 2, "BM": 2, "BD": 4}),),
    "permuted_store_published_fix": (((4, 2), {"src": (2, 2, 4, 4), "dst": (2, 2, 4, 4), "H": 2, "BM": 2, "BD": 4}),),
    "same_value_everywhere": (((2,), {"flag": (4,), "T": 4}),),
    "half_step_scatter": (((3,), {"a": (16,), "c": (16,), "T": 4}),),
    "strided_view_overlaps": (((3,), {"a": (16,), "c": (16,), "T": 4}),),
    "wrong_radix": (((6,), {"a": (4, 4, 4), "c": (4, 4, 4), "H": 3, "T": 4}),),
    "persistent_without_stride": (((2,), {"a": (16,), "c": (16,), "n": 3, "T": 4}),),
    "two_stores_meet": (((4,), {"a": (32,), "c": (32,), "T": 4}),),
    "mask_does_not_help": (((2,), {"a": (16,), "c": (16,), "n": 3, "T": 4}),),
    "neighbour_read": (((2,), {"c": (16,), "T": 4}),),
    "two_phase": (((3,), {"a": (16,), "ws": (16,), "c": (16,), "T": 4}),),
    "atomic_then_plain_read": (((2,), {"count": (1,), "c": (8,), "T": 4}),),
    "duplicate_lanes": (((1,), {"a": (4,), "c": (4,), "T": 4}),),
    "head_spills_into_next": (((2,), {"x": (200,), "o": (200,), "HD": 96, "T": 64}),),
    "element_index_as_tile_index": (((3,), {"a": (12,), "c": (12,), "T": 4}),),
    "negative_tile": (((3,), {"a": (12,), "c": (12,), "T": 4}),),
    "one_past_the_end": (((3,), {"a": (3, 8), "c": (12,), "T": 4}),),
    "unchecked_gather": (((3,), {"a": (10,), "idx": (12,), "c": (12,), "T": 4, "values": {"idx": 11}}),),
    "softmax_over_padding": (((3,), {"x": (3, 6), "o": (3, 6), "T": 8}),),
    "mma_over_padding": (((2, 2), {"A": (6, 6), "B": (6, 8), "C": (6, 8), "tm": 4, "tn": 4, "tk": 4}),),
    "slice_too_long": (((3,), {"x": (12,), "o": (12,), "T": 4}),),
}

GOOD: Final[Mapping[str, tuple[Launch, ...]]] = {
    "vadd": (((3,), {"a": (10,), "b": (10,), "c": (10,), "T": 4}), ((1,), {"a": (4,), "b": (4,), "c": (4,), "T": 8})),
    "transpose": (((2, 3), {"x": (8, 6), "y": (6, 8), "T": 4, "U": 2}),),
    "mixed_radix": (((12,), {"x": (2, 3, 2, 4), "y": (2, 3, 2, 4), "H": 3, "G": 2, "T": 4}),
                    ((5,), {"x": (5, 1, 1, 4), "y": (5, 1, 1, 4), "H": 1, "G": 1, "T": 4})),
    "flat_scatter": (((3,), {"x": (12,), "y": (12,), "n": 10, "T": 4}), ((2,), {"x": (3,), "y": (3,), "n": 9, "T": 4})),
    "rows_2d_scatter": (((3,), {"x": (3, 6), "y": (3, 6), "N": 6, "T": 4}),),
    "persistent": (((2,), {"x": (20,), "y": (20,), "n": 5, "T": 4}), ((7,), {"x": (20,), "y": (20,), "n": 3, "T": 4})),
    "grouped_gemm": (((6,), {"A": (12, 8), "B": (8, 8), "C": (12, 8), "tm": 4, "tn": 4, "tk": 4}),
                     ((22,), {"A": (11, 2), "B": (2, 4), "C": (11, 4), "tm": 1, "tn": 2, "tk": 2})),
    "persistent_grouped": (((2,), {"A": (12, 8), "B": (8, 8), "C": (12, 8), "tm": 4, "tn": 4, "tk": 4}),
                           ((5,), {"A": (11, 2), "B": (2, 4), "C": (11, 4), "tm": 1, "tn": 2, "tk": 2})),
    "in_place_own_tile": (((3,), {"c": (12,), "T": 4}),),
    "even_odd": (((3,), {"a": (12,), "c": (24,), "T": 4}),),
    "only_block_zero_writes": (((3,), {"a": (4,), "c": (4,), "T": 4}),),
    "histogram": (((3,), {"keys": (10,), "counts": (4,), "T": 4}),),
    "padded_softmax": (((3,), {"x": (3, 6), "o": (3, 6), "T": 8}),),
    "undefined_padding_never_observed": (((3,), {"x": (10,), "o": (10,), "T": 4}),),
    "masked_after_load": (((3,), {"x": (3, 6), "o": (3, 1), "n": 5, "T": 8}),),
    "halves_of_a_row": (((3,), {"x": (24,), "o": (24,), "HD": 8, "T": 4}),),
    "single_block": (((1,), {"c": (4,), "T": 4}),),
}


def arguments(spec: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments by parameter name. The entry `values` of a launch says which number an array is filled with."""
    fills = spec.get("values", {})
    return {
        name: array(name, value, DTYPES["int32" if name in INTEGERS else "float32"], fills.get(name, 0))
        if isinstance(value, tuple) else value
        for name, value in spec.items() if name != "values"
    }


def scalars(grid: tuple[int, ...], spec: Mapping[str, Any]) -> dict[str, int]:
    """Launch scalars by name, as contracts speak of them."""
    values = {f"grid[{axis}]": extent for axis, extent in enumerate((*grid, 1, 1)[:3])}
    for name, value in spec.items():
        if isinstance(value, tuple):
            values.update({f"{name}.shape[{axis}]": extent for axis, extent in enumerate(value)})
            values.update({f"{name}.strides[{axis}]": stride for axis, stride in enumerate(_strides(value))})
        else:
            values[name] = value
    return values


def _strides(shape: tuple[int, ...]) -> Iterator[int]:
    for axis in range(len(shape)):
        stride = 1
        for extent in shape[axis + 1:]:
            stride *= extent
        yield stride
