"""Launches that bring out the faults of the cases in the sanitizer: a tuple is the shape of an array."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np

from tests.cases.launches import BAD, INTEGERS, Launch

Fill = Callable[[str, tuple[int, ...]], Any]

FAULTS: Final[Mapping[str, tuple[Launch, ...]]] = {
    **BAD,
    "element_index_as_tile_index": (((3,), {"a": (12,), "c": (12,), "T": 4}),),
    "negative_tile": (((3,), {"a": (12,), "c": (12,), "T": 4}),),
    "one_past_the_end": (((2,), {"a": (2, 8), "c": (8,), "T": 4}),),
    "unchecked_gather": (((2,), {"a": (5,), "idx": (8,), "c": (8,), "T": 4}),),
    "softmax_over_padding": (((3,), {"x": (3, 6), "o": (3, 6), "T": 8}),),
    "mma_over_padding": (((2, 2), {"A": (8, 6), "B": (6, 8), "C": (8, 8), "tm": 4, "tn": 4, "tk": 4}),),
    "slice_too_long": (((2,), {"x": (8,), "o": (8,), "T": 4}),),
    "moving_slice_store": (((1,), {"x": (32,), "n": 3, "T": 4}),),
}

CODES: Final[Mapping[str, frozenset[str]]] = {
    "TC206": frozenset({"TC101"}),
    "TC203": frozenset({"TC201"}),
}
"""The codes of a fault at run time, where they differ from its code in the source."""

SILENT: Final = frozenset({"TC108", "TC302", "TC304", "TC305", "TC405"})
"""Faults that no execution shows by itself."""


def values(name: str, shape: tuple[int, ...]) -> Any:
    """An array: integers count up, floats are small and differ."""
    count = int(np.prod(shape))
    if name in INTEGERS:
        numbers = np.arange(count, dtype=np.int32)
        return (numbers if name == "idx" else numbers % 4).reshape(shape)
    return np.linspace(0.5, 1.5, max(count, 1), dtype=np.float32)[:count].reshape(shape)


def arguments(function: Any, spec: Mapping[str, Any]) -> list[Any]:
    """Arguments in the order of the parameters. The entry `values` of a launch says which number fills an array."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    made = [values(n, spec[n]) if isinstance(spec[n], tuple) else spec[n] for n in names]
    for name, number in spec.get("values", {}).items():
        made[names.index(name)][...] = number
    return made
