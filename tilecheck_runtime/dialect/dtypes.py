"""Element types in annotations: `Mut[f32, B]`. Each is a class, so that type checkers distinguish them."""

from __future__ import annotations

from types import MappingProxyType
from typing import ClassVar, Final

from tilecheck.dtypes import BY_SHORT_NAME, is_fraction

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
    """Element types of numbers with a fraction."""


class Integral(DType):
    """Element types of integers and truth values."""


def _class_of(short: str) -> type[DType]:
    element = BY_SHORT_NAME[short]
    base = Floating if is_fraction(element) else Integral
    return type(short, (base,), {"name": element.name, "__module__": __name__})


bool_ = _class_of("bool_")
i8, i16, i32, i64 = map(_class_of, ("i8", "i16", "i32", "i64"))
u8, u16, u32, u64 = map(_class_of, ("u8", "u16", "u32", "u64"))
f16, bf16, f32, f64, tf32 = map(_class_of, ("f16", "bf16", "f32", "f64", "tf32"))
f8e4m3, f8e5m2, f8e8m0, f4e2m1 = map(_class_of, ("f8e4m3", "f8e5m2", "f8e8m0", "f4e2m1"))

BY_NAME: Final = MappingProxyType({
    kind.name: kind for kind in (*Integral.__subclasses__(), *Floating.__subclasses__())
})
"""Element types by the name that `cuda.tile` has for them."""
