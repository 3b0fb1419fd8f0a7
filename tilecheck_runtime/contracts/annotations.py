"""Checks declared facts about the contents of arrays against the arrays of a launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from tilecheck.contracts import Annotation

__all__ = ["DECIDABLE", "find_contradiction"]


def find_contradiction(annotation: Annotation, arrays: Mapping[str, Any], terms: Sequence[int]) -> str | None:
    """Describes how arrays contradict an annotation; None if they do not, or if only a run can show it (`ticket`,
    `lock`)."""
    look = _LOOKS.get(annotation.name)
    names = [array.text for array in annotation.arrays]
    if look is None or any(name not in arrays for name in names):
        return None
    return look(names, [np.ravel(arrays[name]) for name in names], terms)


def _injective(names: Sequence[str], arrays: Sequence[Any], terms: Sequence[int]) -> str | None:
    (values,) = arrays
    places = np.arange(values.size)
    if terms:
        places = places[(values >= 0) & (values < terms[0])]
    kept = values[places]
    order = np.argsort(kept, kind="stable")
    same = np.flatnonzero(kept[order][1:] == kept[order][:-1])
    if not same.size:
        return None
    first, second = places[order[same[0]]], places[order[same[0] + 1]]
    return f"{names[0]}[{first}] and {names[0]}[{second}] are both {values[first]}"


def _monotone(names: Sequence[str], arrays: Sequence[Any], terms: Sequence[int]) -> str | None:
    (values,) = arrays
    falls = np.flatnonzero(values[1:] < values[:-1])
    if not falls.size:
        return None
    at = int(falls[0])
    return f"{names[0]}[{at}] is {values[at]} and {names[0]}[{at + 1}] is {values[at + 1]}"


def _range(names: Sequence[str], arrays: Sequence[Any], terms: Sequence[int]) -> str | None:
    (values,), (low, high) = arrays, terms
    return _first_violation(names[0], values, (values < low) | (values >= high))


def _multiple(names: Sequence[str], arrays: Sequence[Any], terms: Sequence[int]) -> str | None:
    (values,), (divisor,) = arrays, terms
    return _first_violation(names[0], values, values % divisor != 0) if divisor else None


def _first_violation(name: str, values: Any, wrong: Any) -> str | None:
    places = np.flatnonzero(wrong)
    return f"{name}[{places[0]}] is {values[places[0]]}" if places.size else None


def _segments(names: Sequence[str], arrays: Sequence[Any], terms: Sequence[int]) -> str | None:
    if len(arrays) == 1:
        return _monotone(names, arrays, terms)
    offsets, lengths = (a.astype(np.int64) for a in arrays)
    ranges = sorted((int(o), int(o + n), i) for i, (o, n) in enumerate(zip(offsets, lengths, strict=False)) if n > 0)
    for (start, stop, i), (other, end, j) in pairwise(ranges):
        if other < stop:
            return f"segment {i} is {start} to {stop} and segment {j} is {other} to {end}"
    return None


_LOOKS: Final[Mapping[str, Callable[[Sequence[str], Sequence[Any], Sequence[int]], str | None]]] = MappingProxyType({
    "injective": _injective, "monotone": _monotone, "range": _range, "multiple": _multiple, "segments": _segments,
})

DECIDABLE: Final = frozenset(_LOOKS)
"""Annotations that the contents of arrays can contradict. Disjointness of arrays follows from their addresses."""
