"""Element types as a type checker sees them: what arithmetic on two of them yields, None where that is not known."""

from __future__ import annotations

from tilecheck.interp.kernel.tile_types import dtypes
from tilecheck.interp.kernel.tile_types.dtypes import ACCUMULATORS, FLOATS, INTEGERS

__all__ = ["ACCUMULATORS", "FLOATS", "divided", "promoted"]


def promoted(a: str | None, b: str | None) -> str | None:
    """The type of the result; None when it is not known, or there is none."""
    if a is None or b is None:
        return None
    found = dtypes.promoted(a, b)
    return None if found in (dtypes.CLASH, dtypes.UNKNOWN) else found


def divided(dtype: str | None) -> str | None:
    """The type of a quotient of two numbers of a type: integers become numbers with a fraction."""
    return "float32" if dtype == "bool_" or dtype in INTEGERS else dtype
