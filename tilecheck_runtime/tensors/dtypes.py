"""Element types of tensors, under any of their names."""

from __future__ import annotations

from typing import Any

from tilecheck_runtime.cpu.dtypes import DType, as_dtype
from tilecheck_runtime.errors.language import TileError

__all__ = ["element_type"]


def element_type(value: Any) -> DType:
    """The element type: of the dialect (`f32`), of `cuda.tile`, NumPy, ml_dtypes or torch. Raises TypeError for other
    objects."""
    try:
        return as_dtype(value)
    except TileError as error:
        raise TypeError(f"{error}: write one of the dialect's, such as `f32`") from None
