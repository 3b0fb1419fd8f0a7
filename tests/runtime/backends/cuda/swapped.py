"""Kernels whose helpers and numbers a program may change under them: each is proved as it is written here."""

from __future__ import annotations

from typing import TypeVar

import tilecheck_runtime as tcr
from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)
TIMES = 2


def double_tile(tile):
    return tile * 2.0


def triple_tile(tile):
    return tile * 3.0


@kernel
def scaled(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(double_tile(x.load_like(z)))


@kernel
def numbered(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) * TIMES)


def two_of_a_name():
    """Two kernels that are called the same."""
    @kernel
    def same(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
        z.store(x.load_like(z) + 1.0)

    first = same

    @kernel
    def same(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
        z.store(x.load_like(z) + 2.0)

    return first, same


__all__ = ["double_tile", "numbered", "scaled", "tcr", "triple_tile", "two_of_a_name"]
