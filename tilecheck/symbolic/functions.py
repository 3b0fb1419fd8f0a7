"""The pure functions whose meaning is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from tilecheck.dtypes import SIGNED, UNSIGNED, Kind


def _next_pow2(n: int) -> int:
    return 1 if n <= 1 else 1 << (n - 1).bit_length()


def _shift_left(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("shift count")
    return a << b


def _shift_right(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("shift count")
    return a >> b


def _power(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("exponent")
    return int(a**b)


def _wrap(bits: int, signed: bool) -> Callable[..., int]:
    half = 1 << (bits - 1) if signed else 0
    return lambda a: (a + half) % (1 << bits) - half


WRAPPED: Final[dict[object, Callable[..., int]]] = {
   t.name: _wrap(t.bits, t.kind is Kind.SIGNED) for t in (*SIGNED, *UNSIGNED)}
"""Functions that wrap a number to an integer type, by the name of the type."""
FUNCTIONS: Final[Mapping[object, Callable[..., int]]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": _shift_left,
    "shr": _shift_right,
    "abs": abs,
    "pow": _power,
    "next_pow2": _next_pow2,
    **WRAPPED,
}

"""The pure functions whose meaning is known. Each raises ArithmeticError outside its domain."""
