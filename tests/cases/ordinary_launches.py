"""Launches of the ordinary kernels in which extents are no multiples of tiles; see `launches`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.cases.launches import Launch

GOOD: Final[Mapping[str, tuple[Launch, ...]]] = {
    "attention_decode": (((2,), {"Q": (2, 4), "K": (6, 4), "V": (6, 4), "out": (2, 4), "D": 4, "N": 4}),),
    "layer_norm": (((3,), {"x": (3, 6), "weight": (6,), "y": (3, 6), "T": 8}),),
    "mean_of_squares": (((3,), {"x": (3, 6), "y": (3, 6), "T": 8}),),
    "split_k_reduce": (((2, 2), {"parts": (2, 3, 6), "lse": (2, 3), "out": (2, 6), "SPLITS": 4, "D": 4}),),
    "rope": (((3,), {"x": (3, 6), "cos": (3, 3), "sin": (3, 3), "y": (3, 6), "T": 4}),),
    "matmul": (((2, 2), {"A": (6, 5), "B": (5, 7), "C": (6, 7), "TM": 4, "TN": 4, "TK": 4}),),
    "matmul_of_whole_tiles": (((2, 2), {"A": (6, 8), "B": (8, 7), "C": (6, 7), "TM": 4, "TN": 4, "TK": 4}),),
    "split_k_matmul": (((1, 2, 2), {"A": (4, 10), "B": (10, 7), "C": (2, 4, 7), "SPLIT": 2, "TM": 4, "TN": 4,
                                    "TK": 4}),),
    "online_softmax": (((3,), {"x": (3, 6), "y": (3, 6), "T": 4}),),
    "running_sum": (((3,), {"x": (3, 6), "y": (3, 6), "T": 8}),),
    "row_argmax": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "rows_of_a_tile": (((2,), {"x": (6, 5), "y": (6,), "R": 4, "T": 8}),),
    "histogram_of_a_tile": (((2,), {"keys": (6,), "counts": (3,), "T": 4}),),
    "im2col": (((3, 4), {"image": (4, 5), "cols": (3, 4, 4), "KH": 2, "KW": 2, "T": 4}),),
    "shifted": (((3,), {"x": (10,), "y": (10,), "T": 4}),),
    "shifted_under_condition": (((3,), {"x": (10,), "y": (10,), "T": 4}),),
    "unchecked_copy": (((3,), {"x": (10,), "y": (11,), "n": 9, "T": 4}),),
    "rebuilt_offsets": (((3,), {"x": (10,), "y": (4, 3), "N": 3, "T": 4}),),
    "row_mask": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "shares_that_end_in_time": (((2,), {"x": (10,), "y": (2, 4), "T": 4}),),
}

BAD: Final[Mapping[str, tuple[Launch, ...]]] = {
    "attention_decode": (((2,), {"Q": (2, 4), "K": (6, 4), "V": (6, 4), "out": (2, 4), "D": 4, "N": 4}),),
    "layer_norm": (((3,), {"x": (3, 6), "y": (3, 6), "T": 8}),),
    "split_k_reduce": (((2, 2), {"parts": (2, 3, 6), "lse": (2, 3), "out": (2, 6), "SPLITS": 4, "D": 4}),),
    "matmul_one_operand": (((2, 2), {"A": (6, 5), "B": (5, 7), "C": (6, 7), "TM": 4, "TN": 4, "TK": 4}),),
    "online_softmax": (((3,), {"x": (3, 6), "y": (3, 1), "T": 4}),),
    "running_sum_from_the_end": (((3,), {"x": (3, 6), "y": (3, 6), "T": 8}),),
    "row_argmax": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "zero_mask": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "mask_one_too_wide": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "histogram_of_a_tile": (((2,), {"keys": (6,), "counts": (3,), "T": 4}),),
    "decides_by_padding": (((3,), {"x": (3, 6), "y": (3,), "T": 8}),),
    "row_loop_too_long": (((3,), {"x": (3, 6), "y": (3,), "T": 4}),),
    "last_tile_and_one": (((2,), {"x": (10,), "y": (8,), "T": 4}),),
    "left_neighbour": (((3,), {"x": (10,), "y": (10,), "T": 4}),),
    "pairs_of_neighbours": (((3,), {"x": (3, 6), "y": (3,), "T": 4}),),
    "unchecked_walk": (((3,), {"x": (3, 8), "y": (3,), "T": 4}),),
    "unchecked_table": (((3,), {"ids": (3,), "x": (3, 6), "y": (3, 8), "T": 8, "values": {"ids": 7}}),),
    "shares_that_run_over": (((2,), {"x": (10,), "y": (2, 4), "T": 4}),),
}
