"""Kernels that the tests of the host launch."""

from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct

from tilecheck import requires
from tilecheck_runtime import Dyn, Mut, Ref, Shared, bf16, f32, i32, kernel

B = TypeVar("B", bound=int)
C = TypeVar("C", bound=int)
N = TypeVar("N", bound=int)


@kernel
def add(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z) + y.load_like(z))


@kernel
def double(z: Mut[f32, B]) -> None:
    z.store(z.load() * 2.0)


@kernel
def half_filled(z: Mut[bf16, B]) -> None:
    z.store(ct.full(z.tile, 0.5, ct.bfloat16))


@kernel
def walked(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    p = x.partition(z.tile[0])
    for cell in z.cells():
        z[cell] = p[z.coords(cell)[0],] + 1.0


@kernel
def walked2(z: Mut[f32, B, C], x: Ref[f32, Dyn, Dyn]) -> None:
    b, c = z.tile
    p = x.partition(b, c)
    for cell in z.cells():
        m, n = z.coords(cell)
        z[cell] = p[m, n] + 1.0


@kernel
def both(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    t = x.load_like(a)
    a.store(t)
    b.store(t * 2.0)


@kernel
def write_both(a: Mut[f32, B], b: Mut[f32, C]) -> None:
    a.store(a.load() + 1.0)
    b.store(b.load() + 2.0)


@kernel
def sixteen(z: Mut[f32, Literal[16]], x: Ref[f32, Literal[64]]) -> None:
    z.store(x.load_like(z))


@kernel
def square(z: Mut[f32, B, B], x: Ref[f32, N, N], n: N) -> None:
    z.store(x.load_like(z) * n)


@kernel
def scaled(z: Mut[f32, B], x: Ref[f32, Dyn], s: float, n: int, up: bool) -> None:
    z.store(x.load_like(z) * s + n)


@kernel
def total(s: Shared[f32, Dyn], x: Ref[f32, Dyn], b: B) -> None:
    t = x.load((ct.bid(0),), (b,))
    s.add((0,), ct.sum(t))


@kernel
def outside(z: Mut[f32, B], x: Ref[f32, Dyn], where: Ref[i32, Dyn]) -> None:
    z.store(x.load((where.at(0),), z.tile))


@kernel
def failing(z: Mut[f32, B]) -> None:
    z.store(ct.reshape(z.load(), (3,)))


@requires("z.shape[0] % 4 == 0", "n <= 8")
@kernel
def declared(z: Mut[f32, B], n: int) -> None:
    z.store(z.load() + n)


@requires("m < 4")
@kernel
def declares_nonsense(z: Mut[f32, B]) -> None:
    z.store(z.load())


@requires("n * n == 2")
@kernel
def declares_the_impossible(z: Mut[f32, B], n: int) -> None:
    z.store(z.load() + n)


@requires("n == 0 or z.shape[0] % 4 == 0")
@kernel
def declares_alternatives(z: Mut[f32, B], n: int) -> None:
    z.store(z.load() + n)


@requires("injective(rows)", "range(rows, 0, x.shape[0])")
@kernel
def picked(z: Mut[f32, B], x: Ref[f32, Dyn], rows: Ref[i32, Dyn]) -> None:
    z.store(x.gather((rows.load_like(z),)))


n = TypeVar("n", bound=int)


@kernel
def shifted(z: Mut[f32, n], x: Ref[f32, Dyn], n: int) -> None:
    z.store(x.load((n,), z.tile))


@kernel
def walked_by(z: Mut[f32, n], x: Ref[f32, Dyn], n: B) -> None:
    p = x.partition(n)
    for cell in z.cells():
        z[cell] = p[z.coords(cell)[0],]


FACTOR = 2.0


@kernel
def by_factor(z: Mut[f32, B]) -> None:
    z.store(z.load() * FACTOR)


@kernel
def a_number_called_like_a_type_variable(z: Mut[f32, B], B: int) -> None:
    for inner in z.pieces(2):
        z[inner] = ct.full((2,), B, ct.float32)


@kernel
def calls_another(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn]) -> None:
    add(z, x, y)
