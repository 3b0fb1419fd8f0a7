"""Element types for type checkers: those of `cuda.tile`, so that the dialect and `cuda.tile` have one type of tiles."""

from collections.abc import Mapping
from typing import Final

from cuda.tile import _Element as DType
from cuda.tile import _Floating as Floating
from cuda.tile import _Integral as Integral
from cuda.tile import bfloat16 as bf16
from cuda.tile import bool_ as bool_
from cuda.tile import float4_e2m1fn as f4e2m1
from cuda.tile import float8_e4m3fn as f8e4m3
from cuda.tile import float8_e5m2 as f8e5m2
from cuda.tile import float8_e8m0fnu as f8e8m0
from cuda.tile import float16 as f16
from cuda.tile import float32 as f32
from cuda.tile import float64 as f64
from cuda.tile import int8 as i8
from cuda.tile import int16 as i16
from cuda.tile import int32 as i32
from cuda.tile import int64 as i64
from cuda.tile import tfloat32 as tf32
from cuda.tile import uint8 as u8
from cuda.tile import uint16 as u16
from cuda.tile import uint32 as u32
from cuda.tile import uint64 as u64

__all__ = [
    "BY_NAME", "DType", "Floating", "Integral", "bf16", "bool_", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0", "f16", "f32",
    "f64", "i8", "i16", "i32", "i64", "tf32", "u8", "u16", "u32", "u64",
]

BY_NAME: Final[Mapping[str, type[DType]]]
