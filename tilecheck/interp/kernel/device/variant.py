"""A variant of a kernel: what the compiler knows of the arguments of one launch.

The compiler translates a kernel for the types of its arguments and for the values of its constants. An execution with
a variant takes the branches that the compiler takes.
"""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from tilecheck.dtypes import DType
from tilecheck.interp.kernel.values import Value
from tilecheck.symbolic import Array

__all__ = ["Variant"]


class Variant(Struct, frozen=True):
    """
    values  of constants and numbers: a constant, or a number of a known type
    arrays  parameters that are arrays, with their ranks; None where the rank is not known
    dtypes  the element types of arrays, where they are known
    passed  parameters that are not constants
    """

    values: Mapping[str, Value] = msgspec.field(default_factory=dict)
    arrays: Mapping[Array, int | None] = msgspec.field(default_factory=dict)
    dtypes: tuple[tuple[str, DType], ...] = ()
    passed: frozenset[str] = frozenset()
