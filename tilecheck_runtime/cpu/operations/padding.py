"""The values of lanes of a load outside of the array."""

from __future__ import annotations

from typing import Any, Final

from tilecheck_runtime.cpu.dtypes import FLOAT, DType
from tilecheck_runtime.errors.language import TileTypeError

__all__ = ["fill_value", "is_undefined"]

_VALUES: Final = {"ZERO": 0.0, "NEG_ZERO": -0.0, "NAN": float("nan"), "POS_INF": float("inf"),
                  "NEG_INF": float("-inf")}
_NO_INFINITY: Final = frozenset({"float8_e4m3fn", "float4_e2m1fn", "float8_e8m0fnu"})


def is_undefined(mode: Any) -> bool:
    """Whether the padding mode leaves lanes undefined."""
    return bool(mode.name == "UNDETERMINED")


def fill_value(dtype: DType, mode: Any) -> Any:
    """The element that pads. Undefined padding is NaN, or -1: no index, and no loop over it takes long.

    Raises TileTypeError for a value that the element type does not have.
    """
    if is_undefined(mode):
        if dtype.category >= FLOAT:
            return dtype.storage.type(float("nan") if dtype.name != "float4_e2m1fn" else 6.0)
        return dtype.storage.type(-1 if dtype.storage.kind == "i" else 1)
    if mode.name == "ZERO":
        return dtype.storage.type(0)
    if dtype.category < FLOAT or (mode.name.endswith("INF") and dtype.name in _NO_INFINITY):
        raise TileTypeError(f"padding mode {mode.name} for elements of {dtype}, which do not have that value")
    return dtype.storage.type(_VALUES[mode.name])
