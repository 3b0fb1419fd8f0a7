"""The taint of a tile: undefined lanes, and synchronization that its values would prove."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Taint", "merge_taints", "taint_of_lanes"]


@dataclass(frozen=True, slots=True)
class Taint:
    """Immutable, shared between tiles.

    lanes    bool array of the shape of the tile: True where the value is undefined; None if all are defined
    sources  origins of undefined lanes: numbers of the recorder
    tokens   acquires that take effect when a branch depends on this scalar
    """

    lanes: Any = None
    sources: tuple[int, ...] = ()
    tokens: tuple[Any, ...] = ()


def taint_of_lanes(lanes: Any, sources: Iterable[int]) -> Taint | None:
    """A taint of undefined lanes, or None when there are none."""
    return Taint(lanes, tuple(sources)) if lanes is not None and lanes.any() else None


def merge_taints(taints: Iterable[Taint | None], shape: tuple[int, ...]) -> Taint | None:
    """The taint of the result of an element-wise operation: undefined where an operand is."""
    lanes: Any = None
    sources: dict[int, None] = {}
    tokens: tuple[Any, ...] = ()
    for taint in taints:
        if taint is None:
            continue
        tokens += taint.tokens
        if taint.lanes is not None:
            sources.update(dict.fromkeys(taint.sources))
            lanes = taint.lanes if lanes is None else lanes | taint.lanes
    if lanes is None:
        return Taint(tokens=tokens) if tokens else None
    if np.shape(lanes) != shape:
        lanes = np.broadcast_to(lanes, shape)
    return Taint(lanes, tuple(sources), tokens)
