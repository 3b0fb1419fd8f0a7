"""The enumerations of `cuda.tile`. Operations look at member names only, so those of the real package do as well."""

from __future__ import annotations

from enum import Enum
from typing import Any, Final

__all__ = ["NARROW", "PLAIN", "STRONG", "MemoryOrder", "MemoryScope", "PaddingMode", "RoundingMode", "strength"]

PLAIN, NARROW, STRONG = range(3)


class PaddingMode(Enum):
    """What the lanes of a load hold that lie outside the array."""

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
    """Who takes part in that order."""

    NONE = "none"
    BLOCK = "block"
    CLUSTER = "cluster"
    DEVICE = "device"
    SYS = "sys"


WIDE: Final = frozenset({"DEVICE", "SYS"})
"""Scopes that include every block of a launch."""


def strength(order: Any, scope: Any) -> int:
    """Whether an access may meet one of another block without a data race: STRONG ones may meet each other, those of
    an order that would allow it but of a scope too narrow are NARROW, all others PLAIN.
    """
    if order.name == "WEAK":
        return PLAIN
    return STRONG if scope.name in WIDE else NARROW
