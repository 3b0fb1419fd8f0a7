"""Arguments as the driver takes them: an array of addresses of consecutive values."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any, Final

from tilecheck_runtime.compile.layout import Slot

__all__ = ["Packed", "Packing"]

_CODES: Final = {
    "pointer": "Q", "bool_": "?", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float16": "e", "float32": "f", "float64": "d",
}
"""Codes of `struct` for parameter types."""


class Packed:
    """A buffer for the arguments of a launch. `address` is passed to the driver."""

    def __init__(self, size: int, offsets: Sequence[int]) -> None:
        self.values = ctypes.create_string_buffer(max(size, 1))
        start = ctypes.addressof(self.values)
        self._pointers = (ctypes.c_void_p * max(len(offsets), 1))(*(start + offset for offset in offsets))
        self.address = ctypes.addressof(self._pointers)


class Packing:
    """The layout in which the arguments of one compiled function are packed."""

    def __init__(self, slots: Sequence[Slot]) -> None:
        text, end = "<", 0
        for slot in slots:
            text += "x" * (slot.offset - end) + _CODES[slot.type]
            end = struct.calcsize(text)
        self._struct: Final = struct.Struct(text)
        self._codes: Final = [_CODES[slot.type] for slot in slots]
        self._offsets: Final = [slot.offset for slot in slots]
        self._taken: Final = tuple((slot.argument, slot.part, slot.axis) for slot in slots)
        self.shared: Final = self.new_buffer()

    def place_of(self, argument: int) -> tuple[str, int]:
        """Returns the `struct` code and the offset of a number among the arguments."""
        number = next(n for n, (place, part, _) in enumerate(self._taken) if (place, part) == (argument, "value"))
        return f"<{self._codes[number]}", self._offsets[number]

    def new_buffer(self) -> Packed:
        """Creates a buffer for the arguments of a launch."""
        return Packed(self._struct.size, self._offsets)

    def into(self, packed: Packed, arguments: Sequence[Any]) -> Packed:
        """Writes arguments into a buffer. Raises struct.error for a number that does not fit."""
        found: list[Any] = []
        for place, part, axis in self._taken:
            argument = arguments[place]
            if part == "value":
                found.append(argument)
            elif part == "pointer":
                found.append(argument.memory.address + argument.offset)
            else:
                found.append((argument.shape if part == "shape" else argument.strides)[axis])
        self._struct.pack_into(packed.values, 0, *found)
        return packed

    def pack_temporary(self, arguments: Sequence[Any]) -> Packed:
        """Packs the arguments of a launch that follows immediately. They are valid until the next call; the caller
        ensures that only one set is in use."""
        return self.into(self.shared, arguments)


