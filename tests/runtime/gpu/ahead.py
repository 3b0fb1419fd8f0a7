"""A kernel that is built ahead of time, of a file without `cuda.tile`."""

from __future__ import annotations

from typing import TypeVar

from tilecheck_runtime import Dyn, Mut, Ref, f32, kernel

B = TypeVar("B", bound=int)


@kernel
def plus(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))
