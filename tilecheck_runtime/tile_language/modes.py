"""The enumerations of `cuda.tile`. Operations read member names only, so members of the real package work as well."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

__all__ = ["NARROW", "PLAIN", "STRONG", "MemoryOrder", "MemoryScope", "PaddingMode", "RoundingMode", "strength"]

PLAIN, NARROW, STRONG = range(3)


class PaddingMode(Enum):
    """The values of lanes of a load outside the array."""

    UNDETERMINED = "undetermined"
    ZERO = "zero"
    NEG_ZERO = "neg_zero"
    NAN = "nan"
    POS_INF = "pos_inf"
    NEG_INF = "neg_inf"


class RoundingMode(Enum):
    """How a result is rounded."""

    RN = "nearest_even"
    RZ = "zero"
    RM = "negative_inf"
    RP = "positive_inf"
    RA = "nearest_away"
    FULL = "full"
    APPROX = "approx"
    RZI = "nearest_int_to_zero"


class MemoryOrder(Enum):
    """How an access orders the others of its block."""

    WEAK = "weak"
    RELAXED = "relaxed"
    ACQUIRE = "acquire"
    RELEASE = "release"
    ACQ_REL = "acq_rel"


class MemoryScope(Enum):
    """The participants in that order."""

    NONE = "none"
    BLOCK = "block"
    CLUSTER = "cluster"
    DEVICE = "device"
    SYS = "sys"


WIDE: Final = frozenset({"DEVICE", "SYS"})
"""Scopes that include every block of a launch."""


def strength(order: Any, scope: Any) -> int:
    """Whether an access may meet an access of another block without a data race: two STRONG accesses may meet; an
    access whose order would allow it but whose scope is too narrow is NARROW; all others are PLAIN."""
    if order.name == "WEAK":
        return PLAIN
    return STRONG if scope.name in WIDE else NARROW
