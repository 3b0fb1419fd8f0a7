"""Kernels of these tests."""

from __future__ import annotations

from typing import TypeVar

from tilecheck_runtime import Mut, f32, kernel

A = TypeVar("A", bound=int)


@kernel
def increased(z: Mut[f32, A]) -> None:
    z.store(z.load() + 1.0)


@kernel
def declared(z: Mut[f32, A]) -> None:
    z.store(z.load() + 1.0)
