"""Kernels that do not pass the checker, and one that takes responsibility."""

from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct

from tilecheck_runtime import Dyn, Mut, Ref, f32, i32, kernel, unsafe

B = TypeVar("B", bound=int)


@kernel
def racing(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(z.array, (0,), x.load_like(z))


@kernel
def placed(z: Mut[f32, B], x: Ref[f32, Dyn], where: Ref[i32, Dyn]) -> None:
    z.store(x.load((where.at(0),), z.tile))


@unsafe("every block has its own number")
@kernel
def trusted(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(z.array, (ct.bid(0),), x.load_like(z))


@kernel
def allowed(z: Mut[f32, B], x: Ref[f32, Dyn], where: Ref[i32, Dyn]) -> None:
    z.store(x.load((where.at(0),), z.tile))  # tilecheck: allow[TC201] whoever launches it looks
