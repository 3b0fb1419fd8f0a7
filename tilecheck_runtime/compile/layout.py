"""The parameter layout of a compiled function. Source: `cuda.tile`'s documentation of its calling conventions.

An array is passed as a pointer, all its extents and all its strides (in elements), whether or not the code uses them; a
number as itself; constants are not passed. Parameters are aligned as in C.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from tilecheck_runtime.compile.constraints import ArrayParameter, ScalarParameter, Signature
from tilecheck_runtime.compile.facts import address

__all__ = ["Slot", "layout", "pack_values"]

Part: TypeAlias = Literal["pointer", "shape", "stride", "value"]
SIZES: Final = {
    "pointer": 8, "bool_": 1, "int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "float16": 2, "bfloat16": 2, "int32": 4,
    "uint32": 4, "float32": 4, "tfloat32": 4, "int64": 8, "uint64": 8, "float64": 8, "float8_e4m3fn": 1,
    "float8_e5m2": 1, "float8_e8m0fnu": 1,
}
"""Bytes, by type."""


@dataclass(frozen=True)
class Slot:
    """One parameter of the compiled function.

    argument  position of the argument that it is part of
    part      which part of it; `axis` for extents and strides
    type      "pointer", or the name of a number's type
    offset    in bytes
    size      in bytes
    """

    argument: int
    part: Part
    axis: int
    type: str
    offset: int
    size: int


def layout(signature: Signature) -> tuple[Slot, ...]:
    """The parameters of the compiled function, in order."""
    slots, offset = [], 0
    for argument, part, axis, kind in _parts(signature):
        size = SIZES[kind]
        offset += -offset % size
        slots.append(Slot(argument, part, axis, kind, offset, size))
        offset += size
    return tuple(slots)


def _parts(signature: Signature) -> Iterator[tuple[int, Part, int, str]]:
    for n, p in enumerate(signature.parameters):
        if isinstance(p, ArrayParameter):
            yield n, "pointer", 0, "pointer"
            yield from ((n, "shape", axis, p.index) for axis in range(p.rank))
            yield from ((n, "stride", axis, p.index) for axis in range(p.rank))
        elif isinstance(p, ScalarParameter):
            yield n, "value", 0, p.dtype


_READ: Final[Mapping[str, Callable[[Any, int], Any]]] = {
    "pointer": lambda a, axis: address(a),
    "shape": lambda a, axis: a.shape[axis],
    "stride": lambda a, axis: a.strides[axis],
    "value": lambda a, axis: a,
}


def pack_values(slots: Sequence[Slot], arguments: Sequence[Any]) -> tuple[Any, ...]:
    """Returns the values to pass, in the order of the parameters."""
    return tuple(_READ[s.part](arguments[s.argument], s.axis) for s in slots)
