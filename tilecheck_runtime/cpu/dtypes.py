"""Element types on the CPU: the NumPy types that store and compute the types of `tilecheck.dtypes`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import ml_dtypes
import numpy as np

from tilecheck import dtypes
from tilecheck.dtypes import Kind
from tilecheck_runtime.errors.language import TileTypeError, TileUnsupportedFeatureError

__all__ = ["DTYPES", "INTEGRAL", "DType", "as_dtype", "common_dtype", "loose_dtype", "of_numpy", "promote", "widens"]

BOOL, INTEGRAL, FLOAT, RESTRICTED = range(4)
"""Categories, in the order in which a Python number may be taken for one of them."""
_CATEGORIES: Final[Mapping[Kind, int]] = {
    Kind.BOOL: BOOL, Kind.SIGNED: INTEGRAL, Kind.UNSIGNED: INTEGRAL, Kind.FLOAT: FLOAT, Kind.RESTRICTED: RESTRICTED}


class DType:
    """An element type on the CPU. Calling it converts a scalar, as in kernels.

    element  the type as the checker knows it
    storage  the NumPy type of elements in memory and in tiles; None when there is none
    compute  the NumPy type in which operations are evaluated before they are rounded to `storage`
    """

    __slots__ = ("bits", "category", "compute", "element", "name", "storage")

    convert: Callable[[Any, DType], Any]

    def __init__(self, element: dtypes.DType) -> None:
        self.element = element
        self.name, self.bits, self.category = element.name, element.bits, _CATEGORIES[element.kind]
        self.storage: Any = _numpy_type(element.storage)
        self.compute: Any = _numpy_type(element.compute)

    @property
    def bitwidth(self) -> int:
        return self.bits

    def __call__(self, value: Any = 0, /) -> Any:
        return DType.convert(value, self)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other).__name__ == "DType" and getattr(other, "name", None) == self.name)

    def __hash__(self) -> int:
        return hash(self.name)

    def __repr__(self) -> str:
        return self.name


def _numpy_type(name: str | None) -> Any:
    return None if name is None else np.dtype(getattr(ml_dtypes, name, None) or getattr(np, name))


DTYPES: Final = MappingProxyType({name: DType(element) for name, element in dtypes.DTYPES.items()})
_BY_NUMPY: Final = {row.storage: row for row in reversed(list(DTYPES.values())) if row.element is not dtypes.TF32}
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
    found = dtypes.promote_dtypes(a.element, b.element)
    if found is None:
        raise TileTypeError(f"no implicit promotion of {a} and {b}: cast one of them")
    return a if found is a.element else b


def loose_dtype(value: Any) -> DType:
    """The type that a Python number has by itself."""
    if not isinstance(value, (bool, int, float)):
        raise TileTypeError(f"{value!r} is neither a tile nor a number")
    return DTYPES[dtypes.get_number_type(value).name]


def common_dtype(dtype: DType, value: Any) -> DType:
    """The type of an operation on elements of `dtype` and a Python number, which adapts where it can."""
    loose = loose_dtype(value)
    return dtype if loose.category <= dtype.category else loose


def widens(source: DType, target: DType) -> bool:
    """Whether elements are cast implicitly from one type to the other."""
    try:
        return promote(source, target) is target
    except TileTypeError:
        return False
