"""Element types: one table for the checker, the CPU backend and the ownership dialect, and what follows from it.

The names, limits and promotions are those of the front end of cuda-tile 1.7. This module imports nothing but the
standard library.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final, TypeAlias, final

__all__ = [
    "ACCUMULATORS",
    "BF16",
    "BOOL",
    "BY_SHORT_NAME",
    "DTYPES",
    "F4E2M1",
    "F8E4M3",
    "F8E5M2",
    "F8E5M3",
    "F8E8M0",
    "F16",
    "F32",
    "F64",
    "FLOATS",
    "I8",
    "I16",
    "I32",
    "I64",
    "INTEGERS",
    "RESTRICTED",
    "SCALED",
    "SIGNED",
    "SOME_INTEGER",
    "SOME_NUMBER",
    "TF32",
    "U8",
    "U16",
    "U32",
    "U64",
    "UNKNOWN",
    "UNSIGNED",
    "DType",
    "ElementOf",
    "ElementType",
    "Kind",
    "Partial",
    "Weak",
    "fits_into",
    "get_concrete_type",
    "get_number_type",
    "get_quotient_type",
    "holds",
    "is_fraction",
    "promote",
    "promote_dtypes",
]


class Kind(Enum):
    """A family of element types."""

    BOOL = "bool"
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    FLOAT = "float"
    """Numbers with a fraction that are promoted."""
    RESTRICTED = "restricted"
    """Numbers with a fraction that combine with their own type only, and not by arithmetic."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class DType:
    """An element type of cuda.tile. There is one object for each; it is compared by identity.

    name     what cuda.tile calls it
    short    what the ownership dialect calls it; None if the dialect does not have it
    bits     of one element
    storage  the name of the type in NumPy or ml_dtypes that stores it; None if there is none
    compute  the name of the NumPy type in which the CPU backend evaluates operations before it rounds to `storage`
    """

    name: str
    short: str | None
    kind: Kind
    bits: int
    storage: str | None
    compute: str | None

    @property
    def limits(self) -> tuple[int, int] | None:
        """The least and the greatest value of an integer type; None for any other."""
        if self.kind is Kind.SIGNED:
            return -(1 << (self.bits - 1)), (1 << (self.bits - 1)) - 1
        return (0, (1 << self.bits) - 1) if self.kind is Kind.UNSIGNED else None

    def __str__(self) -> str:
        return self.name

    def __reduce__(self) -> tuple[object, ...]:
        return _by_name, (self.name,)


def _by_name(name: str) -> DType:
    return DTYPES[name]


class Weak(Enum):
    """The type of a Python constant: it takes the type of the value that it is combined with."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"


class Partial(Enum):
    """A type of which less is known than its name."""

    UNKNOWN = "unknown"
    SOME_INTEGER = "some integer"
    """An integer of 32 or 64 bits, or a constant one: the type of an extent."""
    SOME_NUMBER = "some number"
    """A truth value, an integer or a float32, or a constant one of these: the type of a scalar that a launch passes."""


@dataclass(frozen=True, slots=True)
class ElementOf:
    """The element type of an array, which only a launch can tell."""

    array: str

    def __str__(self) -> str:
        return f"{self.array}.dtype"


ElementType: TypeAlias = DType | Weak | Partial | ElementOf
UNKNOWN: Final = Partial.UNKNOWN
SOME_INTEGER: Final = Partial.SOME_INTEGER
SOME_NUMBER: Final = Partial.SOME_NUMBER

BOOL: Final = DType("bool_", "bool_", Kind.BOOL, 1, "bool_", "bool_")
I8, I16, I32, I64 = (DType(f"int{n}", f"i{n}", Kind.SIGNED, n, f"int{n}", f"int{n}") for n in (8, 16, 32, 64))
U8, U16, U32, U64 = (DType(f"uint{n}", f"u{n}", Kind.UNSIGNED, n, f"uint{n}", f"uint{n}") for n in (8, 16, 32, 64))
F16: Final = DType("float16", "f16", Kind.FLOAT, 16, "float16", "float32")
BF16: Final = DType("bfloat16", "bf16", Kind.FLOAT, 16, "bfloat16", "float32")
F32: Final = DType("float32", "f32", Kind.FLOAT, 32, "float32", "float32")
F64: Final = DType("float64", "f64", Kind.FLOAT, 64, "float64", "float64")
TF32: Final = DType("tfloat32", "tf32", Kind.RESTRICTED, 32, "float32", "float32")
F8E4M3: Final = DType("float8_e4m3fn", "f8e4m3", Kind.RESTRICTED, 8, "float8_e4m3fn", "float32")
F8E5M2: Final = DType("float8_e5m2", "f8e5m2", Kind.RESTRICTED, 8, "float8_e5m2", "float32")
F8E8M0: Final = DType("float8_e8m0fnu", "f8e8m0", Kind.RESTRICTED, 8, "float8_e8m0fnu", "float32")
F8E5M3: Final = DType("float8_e5m3fnu", None, Kind.RESTRICTED, 8, None, "float32")
F4E2M1: Final = DType("float4_e2m1fn", "f4e2m1", Kind.RESTRICTED, 4, "float4_e2m1fn", "float32")

SIGNED: Final = (I8, I16, I32, I64)
UNSIGNED: Final = (U8, U16, U32, U64)
INTEGERS: Final = frozenset((*SIGNED, *UNSIGNED))
FLOATS: Final = (F16, BF16, F32, F64)
"""Those that are promote, the narrowest first."""
RESTRICTED: Final = frozenset((TF32, F8E4M3, F8E5M2, F8E8M0, F8E5M3, F4E2M1))
DTYPES: Final[Mapping[str, DType]] = {t.name: t for t in (
    BOOL, *(t for pair in zip(SIGNED, UNSIGNED, strict=True) for t in pair), *FLOATS,
    TF32, F8E4M3, F8E5M2, F8E8M0, F8E5M3, F4E2M1)}
"""All element types by name."""
BY_SHORT_NAME: Final[Mapping[str, DType]] = {t.short: t for t in DTYPES.values() if t.short is not None}

ACCUMULATORS: Final[Mapping[DType, tuple[DType, ...]]] = {
    F8E4M3: (F16, F32), F8E5M2: (F16, F32), F16: (F16, F32), BF16: (F32,), F32: (F32,), TF32: (F32,), F64: (F64,),
    I8: (I32,), U8: (I32,),
}
"""The types to which products of elements of a type are added."""
SCALED: Final[Mapping[DType, Mapping[DType, tuple[int, ...]]]] = {
    F8E4M3: {F8E8M0: (32,)}, F8E5M2: {F8E8M0: (32,)},
    F4E2M1: {F8E8M0: (16, 32), F8E4M3: (16,), F8E5M3: (16, 32)},
}
"""For each operand type and scale type of `mma_scaled`, how many elements may share a scale."""

_CATEGORY: Final[Mapping[Kind | Weak, int]] = {
    Kind.BOOL: 0, Kind.SIGNED: 1, Kind.UNSIGNED: 1, Kind.FLOAT: 2, Kind.RESTRICTED: 2,
    Weak.BOOL: 0, Weak.INT: 1, Weak.FLOAT: 2,
}
_WEAK: Final = (Weak.BOOL, Weak.INT, Weak.FLOAT)
_OWN: Final[Mapping[Weak, DType]] = {Weak.BOOL: BOOL, Weak.INT: I32, Weak.FLOAT: F32}
_TAKES: Final[Mapping[Partial, tuple[DType, ...]]] = {SOME_INTEGER: FLOATS, SOME_NUMBER: (F32, F64)}
"""Types that the result has, whichever type the partly known one turns out to be."""


def is_fraction(t: ElementType | None) -> bool:
    """Whether a type is known to hold numbers with a fraction. That of a constant does not count."""
    return isinstance(t, DType) and t.kind in (Kind.FLOAT, Kind.RESTRICTED)


def holds(t: ElementType | None, value: int | None) -> bool:
    """Whether an integer type holds a number. True where the number or the type is not known."""
    limits = t.limits if isinstance(t, DType) else None
    return value is None or limits is None or limits[0] <= value <= limits[1]


def get_number_type(value: bool | int | float) -> DType:
    """The type that a Python number has by itself."""
    if isinstance(value, bool):
        return BOOL
    if isinstance(value, float):
        return F32
    return I32 if holds(I32, value) else I64 if holds(I64, value) else U64


def get_concrete_type(t: ElementType | None, value: int | None = None) -> ElementType:
    """The type of a value that is combined with no other one.

    value  that of an integer constant, where it is known
    """
    if not isinstance(t, Weak):
        return t or UNKNOWN
    if t is Weak.INT and (value is None or not holds(I32, value)):
        return UNKNOWN
    return _OWN[t]


def promote_dtypes(a: DType, b: DType) -> DType | None:
    """The type of an operation on elements of both types; None if cuda.tile asks for a cast."""
    if a is b:
        return a
    if Kind.RESTRICTED in (a.kind, b.kind):
        return None
    low, high = sorted((a, b), key=lambda t: (_CATEGORY[t.kind], t.bits))
    if low.kind is high.kind:
        return None if low.bits == high.bits else high
    return None if _CATEGORY[low.kind] == _CATEGORY[high.kind] else high


def promote(a: ElementType | None, b: ElementType | None) -> ElementType | None:
    """The type of an operation on values of both types, `UNKNOWN` where that is not known; None if there is none."""
    if a == b:
        return a or UNKNOWN
    if isinstance(a, Partial) or isinstance(b, Partial):
        return _promote_partial(a, b) if isinstance(a, Partial) else _promote_partial(b, a)
    if isinstance(a, DType) and isinstance(b, DType):
        return promote_dtypes(a, b)
    if isinstance(a, Weak) and isinstance(b, Weak):
        return max(a, b, key=_WEAK.index)
    if isinstance(a, Weak) and isinstance(b, DType):
        return _promote_weak(a, b)
    if isinstance(a, DType) and isinstance(b, Weak):
        return _promote_weak(b, a)
    return UNKNOWN


def _promote_weak(constant: Weak, t: DType) -> ElementType:
    if _CATEGORY[constant] <= _CATEGORY[t.kind]:
        return t
    # an integer constant gets a type by its value
    return F32 if constant is Weak.FLOAT else UNKNOWN


def _promote_partial(some: ElementType | None, other: ElementType | None) -> ElementType:
    if {some, other} == {SOME_INTEGER, SOME_NUMBER}:
        return UNKNOWN
    if some is UNKNOWN or other is UNKNOWN or not isinstance(some, Partial):
        return UNKNOWN
    if some is SOME_INTEGER and other is I64:
        return I64
    if isinstance(other, DType) and other in _TAKES[some]:
        return other
    return some if other is Weak.INT else UNKNOWN


def get_quotient_type(t: ElementType | None) -> ElementType:
    """The type of a quotient of two numbers of a type: integers become numbers with a fraction."""
    if isinstance(t, Weak):
        return Weak.FLOAT
    return F32 if t in INTEGERS or t is BOOL else t if t in FLOATS and t is not None else UNKNOWN


def fits_into(source: ElementType | None, target: ElementType | None, value: int | None = None) -> bool | None:
    """Whether a value is converted to a type implicitly; None when that is not known.

    value  that of an integer constant, where it is known
    """
    if not isinstance(source, (DType, Weak)) or not isinstance(target, (DType, Weak)):
        return True if source == target and source is not None else None
    if isinstance(source, DType):
        return promote(source, target) == target
    if target is BOOL:
        return False if source is Weak.FLOAT else None if source is Weak.INT and value is None else (
            source is Weak.BOOL or value in (0, 1))
    kind = target if isinstance(target, Weak) else target.kind
    if _CATEGORY[source] > _CATEGORY[kind]:
        return False
    return holds(target, value) if source is Weak.INT and target in INTEGERS else True
