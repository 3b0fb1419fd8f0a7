"""Element types: what arithmetic on two of them yields (cuda.tile, arithmetic promotion), and what products take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = ["ACCUMULATORS", "FLOATS", "divided", "promoted"]

_SIGNED: Final = ("int8", "int16", "int32", "int64")
_UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
FLOATS: Final = ("float16", "bfloat16", "float32", "float64")
"""Those that promote; the others are only combined with themselves."""

ACCUMULATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "float8_e4m3fn": ("float16", "float32"), "float8_e5m2": ("float16", "float32"), "float16": ("float16", "float32"),
    "bfloat16": ("float32",), "float32": ("float32",), "tfloat32": ("float32",), "float64": ("float64",),
    "int8": ("int32",), "uint8": ("int32",),
}
"""What products of elements of a type are added to."""


def promoted(a: str | None, b: str | None) -> str | None:
    """The type of the result; None when it is not known, or there is none."""
    if a is None or b is None or a == b:
        return a if a == b else None
    if a == "bool_" or b == "bool_":
        other = b if a == "bool_" else a
        return other if other in (*_SIGNED, *_UNSIGNED, *FLOATS) else None
    for kinds in (_SIGNED, _UNSIGNED):
        if a in kinds and b in kinds:
            return max(a, b, key=kinds.index)
    if a in FLOATS and b in FLOATS:
        return None if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOATS.index)
    number, other = (a, b) if a in FLOATS else (b, a)
    return number if number in FLOATS and other in (*_SIGNED, *_UNSIGNED) else None


def divided(dtype: str | None) -> str | None:
    """The type of a quotient of two numbers of a type: integers become numbers with a fraction."""
    return "float32" if dtype in (*_SIGNED, *_UNSIGNED, "bool_") else dtype
