"""Element types: what NumPy stores them as, what they are computed in, and how two of them are promoted."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np

from tilecheck_runtime.errors.language import TileTypeError, TileUnsupportedFeatureError

__all__ = ["DTYPES", "INTEGRAL", "DType", "as_dtype", "common", "loose_dtype", "of_numpy", "promote", "widens"]

BOOL, INTEGRAL, FLOAT, RESTRICTED = range(4)
"""Categories, in the order in which a Python number may be taken for one of them."""


class DType:
    """An element type. Calling it converts a scalar, as in kernels.

    storage  the NumPy type of elements in memory and in tiles; None when there is none
    compute  the NumPy type in which operations are evaluated before they are rounded to `storage`
    """

    __slots__ = ("bits", "category", "compute", "name", "signed", "storage")

    convert: Callable[[Any, DType], Any]

    def __init__(self, name: str, category: int, bits: int, storage: Any, compute: Any = None,
                 signed: bool = True) -> None:
        self.name, self.category, self.bits, self.signed = name, category, bits, signed
        self.storage: Any = None if storage is None else np.dtype(storage)
        self.compute: Any = self.storage if compute is None else np.dtype(compute)

    @property
    def bitwidth(self) -> int:
        return self.bits

    def __call__(self, value: Any) -> Any:
        return DType.convert(value, self)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other).__name__ == "DType" and getattr(other, "name", None) == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def _table() -> Mapping[str, DType]:
    single = np.float32
    rows = [DType("bool_", BOOL, 1, np.bool_)]
    for bits in (8, 16, 32, 64):
        rows.append(DType(f"int{bits}", INTEGRAL, bits, f"i{bits // 8}"))
        rows.append(DType(f"uint{bits}", INTEGRAL, bits, f"u{bits // 8}", signed=False))
    rows += [
        DType("float16", FLOAT, 16, np.float16, single),
        DType("bfloat16", FLOAT, 16, ml_dtypes.bfloat16, single),
        DType("float32", FLOAT, 32, single),
        DType("float64", FLOAT, 64, np.float64),
        DType("tfloat32", RESTRICTED, 32, single),
        DType("float8_e4m3fn", RESTRICTED, 8, ml_dtypes.float8_e4m3fn, single),
        DType("float8_e5m2", RESTRICTED, 8, ml_dtypes.float8_e5m2, single),
        DType("float8_e8m0fnu", RESTRICTED, 8, ml_dtypes.float8_e8m0fnu, single),
        DType("float8_e5m3fnu", RESTRICTED, 8, None, single),
        DType("float4_e2m1fn", RESTRICTED, 4, ml_dtypes.float4_e2m1fn, single),
    ]
    return MappingProxyType({row.name: row for row in rows})


DTYPES: Final = _table()
_BY_NUMPY: Final = {row.storage: row for row in reversed(list(DTYPES.values())) if row.name != "tfloat32"}
_ALIASES: Final = {"bool": "bool_", "float": "float32", "double": "float64", "half": "float16", "long": "int64"}
INT32, INT64, FLOAT32 = DTYPES["int32"], DTYPES["int64"], DTYPES["float32"]


def as_dtype(value: Any) -> DType:
    """The element type that a value names: ours, that of the real package, of NumPy or of torch.

    Raises TileUnsupportedFeatureError for one that the CPU does not have, TileTypeError for anything else.
    """
    if isinstance(value, DType):
        found: DType | None = value
    else:
        name = getattr(value, "name", None)
        name = name if isinstance(name, str) else str(value).rpartition(".")[2]
        found = DTYPES.get(_ALIASES.get(name, name))
    if found is None:
        try:
            found = of_numpy(np.dtype(value))
        except TypeError:
            raise TileTypeError(f"{value!r} is not an element type") from None
    if found.storage is None:
        raise TileUnsupportedFeatureError(f"element type {found.name} is not supported on the CPU")
    return found


def of_numpy(dtype: Any) -> DType:
    """The element type of a NumPy type. Raises TileUnsupportedFeatureError when there is none."""
    found = _BY_NUMPY.get(np.dtype(dtype))
    if found is None:
        raise TileUnsupportedFeatureError(f"arrays of {dtype} are not supported")
    return found


def promote(a: DType, b: DType) -> DType:
    """The type of an operation on elements of both types. Raises TileTypeError when cuTile asks for a cast."""
    if a is b:
        return a
    low, high = (a, b) if (a.category, a.bits) <= (b.category, b.bits) else (b, a)
    refused = (
        high.category == RESTRICTED
        or (low.category == high.category == INTEGRAL and low.signed != high.signed)
        or (low.category == high.category == FLOAT and low.bits == high.bits)
    )
    if refused:
        raise TileTypeError(f"no implicit promotion of {a} and {b}: cast one of them")
    return high


def loose_dtype(value: Any) -> DType:
    """The type that a Python number has by itself."""
    if isinstance(value, bool):
        return DTYPES["bool_"]
    if isinstance(value, int):
        return INT32 if -(1 << 31) <= value < 1 << 31 else INT64
    if isinstance(value, float):
        return FLOAT32
    raise TileTypeError(f"{value!r} is neither a tile nor a number")


def common(dtype: DType, value: Any) -> DType:
    """The type of an operation on elements of `dtype` and a Python number, which adapts where it can."""
    loose = loose_dtype(value)
    return dtype if loose.category <= dtype.category else loose


def widens(source: DType, target: DType) -> bool:
    """Whether elements are cast implicitly from one type to the other."""
    try:
        return promote(source, target) is target
    except TileTypeError:
        return False
