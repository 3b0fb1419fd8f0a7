"""Kernels of these tests."""

from __future__ import annotations

from typing import TypeVar

from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

A = TypeVar("A", bound=int)


@kernel
def increased(z: Mut[f32, A]) -> None:
    z.store(z.load() + 1.0)


@kernel
def declared(z: Mut[f32, A]) -> None:
    z.store(z.load() + 1.0)


@kernel
def both(a: Mut[f32, A], b: Mut[f32, A], x: Ref[f32, Dyn]) -> None:
    a.store(x.load_like(a) + 1.0)
    b.store(x.load_like(b) + 2.0)
