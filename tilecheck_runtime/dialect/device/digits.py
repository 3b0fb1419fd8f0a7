"""Splits a number into digits in mixed radix, last digit fastest: one function per rank.

The remainder is computed as a difference: Python's `%` depends on signs, which costs six more operations on a device.
"""

from __future__ import annotations

from typing import Any

__all__ = ["digits1", "digits2", "digits3", "digits4", "digits5"]


def digits1(number: Any, radix: Any) -> Any:
    return (number,)


def digits2(number: Any, radix: Any) -> Any:
    a = number // radix[1]
    return (a, number - a * radix[1])


def digits3(number: Any, radix: Any) -> Any:
    b = number // radix[2]
    a = b // radix[1]
    return (a, b - a * radix[1], number - b * radix[2])


def digits4(number: Any, radix: Any) -> Any:
    c = number // radix[3]
    b = c // radix[2]
    a = b // radix[1]
    return (a, b - a * radix[1], c - b * radix[2], number - c * radix[3])


def digits5(number: Any, radix: Any) -> Any:
    d = number // radix[4]
    c = d // radix[3]
    b = c // radix[2]
    a = b // radix[1]
    return (a, b - a * radix[1], c - b * radix[2], d - c * radix[3], number - d * radix[4])
