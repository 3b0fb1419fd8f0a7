"""Assumptions of compiled code on its arguments, which every launch must satisfy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["ArrayParameter", "ConstantParameter", "Parameter", "ScalarParameter", "Signature"]


@dataclass(frozen=True)
class ArrayParameter:
    """The assumptions on an array.

    dtype            of the elements, as `cuda.tile` names it
    alignment        divides the address of element 0, in bytes
    strides          constant strides, in elements; None for the others, which are not negative
    stride_divisors  divide the strides, in elements
    shape            constant extents; None for the others
    shape_divisors   divide the extents
    groups           arrays without a common group share no memory
    self_overlap     whether two elements may share memory
    index            type of extents and strides: "int32", "uint32" or "int64"
    """

    dtype: str
    alignment: int
    strides: tuple[int | None, ...]
    stride_divisors: tuple[int, ...]
    shape: tuple[int | None, ...]
    shape_divisors: tuple[int, ...]
    groups: tuple[str, ...] = ()
    self_overlap: bool = False
    index: str = "int32"

    @property
    def rank(self) -> int:
        return len(self.shape)


@dataclass(frozen=True)
class ScalarParameter:
    """A number that is passed at each launch."""

    dtype: str


@dataclass(frozen=True)
class ConstantParameter:
    """A number that is part of the code."""

    value: int | float | bool


Parameter: TypeAlias = ArrayParameter | ScalarParameter | ConstantParameter


@dataclass(frozen=True)
class Signature:
    """The parameters of a compiled function, in order. A key of caches."""

    names: tuple[str, ...]
    parameters: tuple[Parameter, ...]
