"""Atomic read-modify-writes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from tilecheck_runtime.cpu import machine
from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.operations.lanes import Places, places, spread, taint_of
from tilecheck_runtime.cpu.operations.operands import astile_like
from tilecheck_runtime.cpu.operations.windows import convert_for_store
from tilecheck_runtime.cpu.taint import Taint
from tilecheck_runtime.cpu.tile import Tile
from tilecheck_runtime.errors.language import TileTypeError
from tilecheck_runtime.tile_language.modes import STRONG, MemoryOrder, MemoryScope, strength

__all__ = ["COMBINE", "NAMES", "check_types", "update"]

COMBINE: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "add": np.add, "max": np.fmax, "min": np.fmin, "and": np.bitwise_and, "or": np.bitwise_or, "xor": np.bitwise_xor,
    "xchg": lambda old, new: new,
}
"""Functions from the old and the new elements to the written ones."""


_WIDE: Final = frozenset({"int32", "uint32", "int64", "uint64"})
_NUMBERS: Final = _WIDE | {"float32", "float64"}
_TYPES: Final = {"add": _NUMBERS | {"float16", "bfloat16"}, "xchg": _NUMBERS, "cas": _NUMBERS}
"""The element types that an atomic takes; others take integers of 32 and 64 bits."""
_BITWISE: Final = frozenset({"and", "or", "xor"})


def check_types(name: str, dtype: DType, values: Sequence[Any]) -> None:
    """Raises TileTypeError for an atomic on elements that do not have it."""
    if dtype.name not in _TYPES.get(name, _WIDE):
        raise TileTypeError(f"atomic_{name} of elements of {dtype}")
    for value in values:
        update = astile_like(value).dtype
        if name in _BITWISE and update is not dtype:
            raise TileTypeError(f"atomic_{name} of elements of {dtype} with {update}: bitwise atomics take one type")


def _exchange(old: Any, expected: Any, desired: Any) -> Any:
    return np.where(old == expected, desired, old)


def _compute(name: str, dtype: DType, old: Any, operands: list[Any]) -> Any:
    if name == "cas":
        return _exchange(old, *operands)
    wide = [np.asarray(v).astype(dtype.compute, copy=False) for v in (old, *operands)]
    return np.asarray(COMBINE[name](*wide)).astype(dtype.storage)


def _apply_lanes(name: str, dtype: DType, memory: Any, index: tuple[Any, ...], positions: Any,
                 operands: list[Any]) -> Any:
    """Updates memory lane by lane and returns the old value of each lane."""
    if positions.size < 2 or (positions[1:] > positions[:-1]).all() or np.unique(positions).size == positions.size:
        old = np.ravel(memory[index])
        memory[index] = _compute(name, dtype, old, operands).reshape(np.shape(memory[index]))
        return old
    found = np.empty(positions.size, dtype.storage)
    flat = [np.ravel(np.broadcast_to(i, np.broadcast_shapes(*(np.shape(j) for j in index)))) for i in index]
    for lane, place in enumerate(zip(*(f.tolist() for f in flat), strict=True)):
        found[lane] = memory[place]
        memory[place] = _compute(name, dtype, found[lane], [o[lane] for o in operands])
    return found


def update(array: Array, found: Places, name: str, values: tuple[Any, ...], order: Any, scope: Any) -> Tile:
    """Applies an atomic to the active lanes. The result is the old value of each lane."""
    recorder, dtype, lanes = machine.recorder(), array.dtype, found.lanes
    check_types(name, dtype, values)
    tiles = [convert_for_store(v, dtype, f"atomic_{name} of '{array.name}'") for v in values]
    for tile in tiles:
        undefined = taint_of(tile, found.shape)
        if undefined is None or tile.taint is None:
            continue
        if (undefined if found.active is None else undefined[found.active]).any():
            recorder.undefined_used(tile.taint.sources, f"atomic_{name}", array.name)
    result = np.array(np.broadcast_to(tiles[0].data, found.shape), dtype.storage)
    taint: Taint | None = None
    if lanes.size:
        power = strength(order, scope)
        strong = power == STRONG
        recorder.write(lanes, array.name, power)
        tokens = recorder.tokens(lanes, order.name, name != "xchg") if strong else ()
        operands = [spread(t, found.shape, found.active) for t in tiles]
        old = _apply_lanes(name, dtype, array.data, found.index, lanes.positions, operands)
        if found.active is None:
            result = old.reshape(found.shape)
        else:
            result[found.active] = old
        if strong:
            failed = name == "cas" and not (old == operands[0]).any()
            if failed:
                recorder.note_waiting()
            else:
                recorder.note_progress()
                recorder.release(lanes, order.name, True)
        taint = Taint(tokens=tokens) if tokens else None
    if found.active is not None and name != "cas":
        source = machine.register_undefined(f"the result of atomic_{name} outside the array")
        taint = Taint(~found.active, (source,), taint.tokens if taint else ())
    return Tile(result[()], dtype, taint)


def _function(name: str) -> Callable[..., Tile]:
    count = 2 if name == "cas" else 1

    def operation(array: Array, indices: Any, /, *values: Any, check_bounds: Any = True,
                  memory_order: Any = MemoryOrder.ACQ_REL, memory_scope: Any = MemoryScope.DEVICE) -> Tile:
        if len(values) != count:
            raise TypeError(f"atomic_{name} takes {count + 2} arguments, {len(values) + 2} were given")
        found = places(array, indices, None, operator.truth(check_bounds), f"atomic_{name}")
        return update(array, found, name, values, memory_order, memory_scope)

    return operation


NAMES: Final[dict[str, Callable[..., Any]]] = {f"atomic_{name}": _function(name) for name in (*COMBINE, "cas")}
