"""Element types as they stand in annotations: `Mut[f32, B]`. Each is a class, so that type checkers tell them apart."""

from __future__ import annotations

from types import MappingProxyType
from typing import ClassVar, Final

__all__ = [
    "BY_NAME", "DType", "Floating", "Integral", "bf16", "bool_", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0", "f16", "f32",
    "f64", "i8", "i16", "i32", "i64", "tf32", "u8", "u16", "u32", "u64",
]


class DType:
    """An element type.

    name  what `cuda.tile` calls it
    """

    name: ClassVar[str]


class Floating(DType):
    """Element types that numbers with a fraction are kept in."""


class Integral(DType):
    """Element types that count, bool among them."""


class bool_(Integral):
    name = "bool_"


class i8(Integral):
    name = "int8"


class i16(Integral):
    name = "int16"


class i32(Integral):
    name = "int32"


class i64(Integral):
    name = "int64"


class u8(Integral):
    name = "uint8"


class u16(Integral):
    name = "uint16"


class u32(Integral):
    name = "uint32"


class u64(Integral):
    name = "uint64"


class f16(Floating):
    name = "float16"


class bf16(Floating):
    name = "bfloat16"


class tf32(Floating):
    name = "tfloat32"


class f32(Floating):
    name = "float32"


class f64(Floating):
    name = "float64"


class f8e4m3(Floating):
    name = "float8_e4m3fn"


class f8e5m2(Floating):
    name = "float8_e5m2"


class f8e8m0(Floating):
    name = "float8_e8m0fnu"


class f4e2m1(Floating):
    name = "float4_e2m1fn"


BY_NAME: Final = MappingProxyType({
    kind.name: kind for kind in (*Integral.__subclasses__(), *Floating.__subclasses__())
})
"""Element types by the name that `cuda.tile` has for them."""
