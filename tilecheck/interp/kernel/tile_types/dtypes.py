"""Element types by name: what is known of each, and what comes out when two meet (cuda.tile, arithmetic promotion).

Beside the names of cuda.tile there are `~bool`, `~int` and `~float` of constants that take the type of what they meet,
`x.dtype` of an array of which no more is known, `SOME_INTEGER` of an extent of an array, `SOME_NUMBER` of a scalar that
a launch passes, and `UNKNOWN`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

__all__ = [
    "ACCUMULATORS", "BITS", "CLASH", "FLOATS", "INTEGERS", "LIMITS", "LOOSE", "RESTRICTED", "SCALED", "SIGNED",
    "SOME_INTEGER", "SOME_NUMBER", "UNKNOWN", "UNSIGNED", "concrete", "divided", "fits_into", "in_range", "known",
    "promoted",
]

UNKNOWN: Final = "?"
SOME_INTEGER: Final = "?int"
"""An integer of 32 or 64 bits, or a constant one."""
SOME_NUMBER: Final = "?number"
"""A truth value, an integer, or a number of type float32, or a constant one of these."""
CLASH: Final = "!"
"""What two types that do not combine yield."""

SIGNED: Final = ("int8", "int16", "int32", "int64")
UNSIGNED: Final = ("uint8", "uint16", "uint32", "uint64")
INTEGERS: Final = frozenset((*SIGNED, *UNSIGNED))
FLOATS: Final = ("float16", "bfloat16", "float32", "float64")
"""Those that promote."""
RESTRICTED: Final = frozenset({
    "tfloat32", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float8_e5m3fnu", "float4_e2m1fn"})
"""Those that are only combined with themselves, and not by arithmetic."""
BITS: Final[Mapping[str, int]] = {
    "bool_": 8, **{f"{sign}int{n}": n for sign in ("", "u") for n in (8, 16, 32, 64)}, "float16": 16, "bfloat16": 16,
    "float32": 32, "float64": 64, "tfloat32": 32, "float8_e4m3fn": 8, "float8_e5m2": 8, "float8_e8m0fnu": 8,
    "float8_e5m3fnu": 8, "float4_e2m1fn": 4,
}
"""Bits of an element."""
LOOSE: Final = ("~bool", "~int", "~float")
"""In the order of their categories."""

ACCUMULATORS: Final[Mapping[str, tuple[str, ...]]] = {
    "float8_e4m3fn": ("float16", "float32"), "float8_e5m2": ("float16", "float32"), "float16": ("float16", "float32"),
    "bfloat16": ("float32",), "float32": ("float32",), "tfloat32": ("float32",), "float64": ("float64",),
    "int8": ("int32",), "uint8": ("int32",),
}
"""What products of elements of a type are added to."""
SCALED: Final[Mapping[str, Mapping[str, tuple[int, ...]]]] = {
    "float8_e4m3fn": {"float8_e8m0fnu": (32,)}, "float8_e5m2": {"float8_e8m0fnu": (32,)},
    "float4_e2m1fn": {"float8_e8m0fnu": (16, 32), "float8_e4m3fn": (16,), "float8_e5m3fnu": (16, 32)},
}
"""By operand and scale type of `mma_scaled`, how many elements may share a scale."""
LIMITS: Final[Mapping[str, tuple[int, int]]] = {
    **{f"int{n}": (-(2 ** (n - 1)), 2 ** (n - 1) - 1) for n in (8, 16, 32, 64)},
    **{f"uint{n}": (0, 2**n - 1) for n in (8, 16, 32, 64)},
}

_CATEGORY: Final[Mapping[str, int]] = {
    "bool_": 0, **dict.fromkeys(INTEGERS, 1), **dict.fromkeys(FLOATS, 2), **dict.fromkeys(RESTRICTED, 2),
    "~bool": 0, "~int": 1, "~float": 2,
}
_SOME: Final[Mapping[str, tuple[str, ...]]] = {SOME_INTEGER: FLOATS, SOME_NUMBER: ("float32", "float64")}
"""Types that remain what they are, whatever it is that they are combined with."""
_DEFAULTS: Final = ("bool_", "int32", "float32")


def known(dtype: str) -> bool:
    """Whether it is a type by name."""
    return dtype in BITS


def concrete(dtype: str, value: int | None = None) -> str:
    """The type that a constant has by itself; `value` is that of an integer one where it is known."""
    if dtype not in LOOSE:
        return dtype or UNKNOWN
    if dtype == "~int":
        return UNKNOWN if value is None else "int32" if in_range(value, "int32") else UNKNOWN
    return _DEFAULTS[LOOSE.index(dtype)]


def in_range(value: int | None, dtype: str) -> bool:
    """Whether an integer type holds a number; a number that is not known is held."""
    low, high = LIMITS.get(dtype, (None, None))
    return value is None or low is None or high is None or low <= value <= high


def promoted(a: str, b: str) -> str:
    """The type of a combination; `CLASH` when there is none."""
    if a == b:
        return a or UNKNOWN
    if {a, b} == {SOME_INTEGER, "int64"}:
        return "int64"
    for some, takes in _SOME.items():
        if some in (a, b):
            other = b if a == some else a
            return other if other in takes else some if other == "~int" else UNKNOWN
    if a not in _CATEGORY or b not in _CATEGORY:
        return UNKNOWN
    if a in LOOSE and b in LOOSE:
        return max(a, b, key=LOOSE.index)
    if a in LOOSE or b in LOOSE:
        loose, dtype = (a, b) if a in LOOSE else (b, a)
        if _CATEGORY[loose] <= _CATEGORY[dtype]:
            return dtype
        return "float32" if loose == "~float" else UNKNOWN if loose == "~int" else dtype
    return _both(a, b)


def _both(a: str, b: str) -> str:
    if a in RESTRICTED or b in RESTRICTED:
        return CLASH
    if "bool_" in (a, b):
        return b if a == "bool_" else a
    for kinds in (SIGNED, UNSIGNED):
        if a in kinds and b in kinds:
            return max(a, b, key=kinds.index)
    if a in FLOATS and b in FLOATS:
        return CLASH if {a, b} == {"float16", "bfloat16"} else max(a, b, key=FLOATS.index)
    if a in INTEGERS and b in INTEGERS:
        return CLASH
    return a if a in FLOATS else b


def divided(dtype: str) -> str:
    """The type of a quotient of two numbers of a type: integers become numbers with a fraction."""
    if dtype in LOOSE:
        return "~float"
    return "float32" if dtype in INTEGERS or dtype == "bool_" else dtype if dtype in FLOATS else UNKNOWN


def fits_into(source: str, target: str, value: int | None = None) -> bool | None:
    """Whether a value is converted to a type without being asked to; None when that is not known."""
    if target not in _CATEGORY or source not in _CATEGORY:
        return True if source == target and source else None
    if source not in LOOSE:
        return promoted(source, target) == target
    if target == "bool_":
        return False if source == "~float" else None if source == "~int" and value is None else (
            source == "~bool" or value in (0, 1))
    if _CATEGORY[source] > _CATEGORY[target]:
        return False
    return in_range(value, target) if source == "~int" and target in INTEGERS else True
