"""Memory by offset from the base of an array, which nothing checks on a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.lib.stride_tricks import as_strided

from tilecheck_runtime.cpu.arrays import Array
from tilecheck_runtime.cpu.dtypes import DType
from tilecheck_runtime.cpu.operations.atomics import COMBINE, update
from tilecheck_runtime.cpu.operations.lanes import places, read, write
from tilecheck_runtime.cpu.tile import Tile, extend
from tilecheck_runtime.sanitizer.shadow import View
from tilecheck_runtime.tile_language.modes import MemoryOrder, MemoryScope

__all__ = ["RawArrayMemory"]


class RawArrayMemory:
    """The elements from the base of an array to the end of its memory, by offset."""

    __slots__ = ("_line",)

    def __init__(self, array: Array) -> None:
        view = array.shadow
        reach = sum((n - 1) * s for n, s in zip(view.shape, view.strides, strict=True) if s > 0) + 1
        count = reach if array.data.size else 0
        line = as_strided(array.data, (count,), (array.data.itemsize,))
        self._line = Array(line, array.dtype, View(view.storage, view.offset, (count,), (1,)), array.name)

    @property
    def dtype(self) -> DType:
        return self._line.dtype

    def load_offset(self, offset: Any, /, *, mask: Any = None, padding_value: Any = 0, latency: Any = None) -> Tile:
        found = places(self._line, offset, mask, False, "load_offset")
        return read(self._line, found, padding_value, "load_offset")

    def store_offset(self, offset: Any, value: Any, /, *, mask: Any = None, latency: Any = None) -> None:
        write(self._line, places(self._line, offset, mask, False, "store_offset"), value, "store_offset")


def _atomic(name: str) -> Callable[..., Tile]:
    def operation(memory: RawArrayMemory, offset: Any, /, *values: Any, mask: Any = None,
                  memory_order: Any = MemoryOrder.ACQ_REL, memory_scope: Any = MemoryScope.DEVICE) -> Tile:
        line = memory._line
        found = places(line, offset, mask, False, f"atomic_{name}_offset")
        return update(line, found, name, values, memory_order, memory_scope)

    return operation


extend(RawArrayMemory, {f"atomic_{name}_offset": _atomic(name) for name in (*COMBINE, "cas")})
extend(Array, {"get_raw_memory": lambda array: RawArrayMemory(array)})
