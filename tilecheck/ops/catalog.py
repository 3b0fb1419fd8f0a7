"""All operations of cuda.tile that the checker knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tilecheck.interp.kernel.operation import Method, Operation
from tilecheck.ops import (
    accesses,
    atomics,
    conversions,
    creation,
    elementwise,
    grid,
    parts,
    products,
    reductions,
    shapes,
    statics,
    views,
)

__all__ = ["FAMILIES", "METHODS", "OPERATIONS", "TILE_METHODS"]

FAMILIES: Final = (
    grid, creation, elementwise, conversions, shapes, parts, reductions, products, accesses, atomics, statics)
"""Modules with records, in the order of the documentation."""

_ALL: Final[tuple[Operation, ...]] = tuple(o for family in FAMILIES for o in family.OPERATIONS)

OPERATIONS: Final[Mapping[str, Operation]] = {o.name: o for o in _ALL if o.function}
"""Functions of `cuda.tile` by name."""

TILE_METHODS: Final[Mapping[str, Operation]] = {o.name: o for o in _ALL if o.method is not None}
"""Methods of tiles by name."""

METHODS: Final[Mapping[str, Method]] = {method.name: method for method in views.METHODS}
"""Methods of arrays, views and raw memory by name."""
