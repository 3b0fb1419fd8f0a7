"""Kernels that break a rule: the device refuses them, or keeps them from doing harm."""

from __future__ import annotations

from typing import TypeVar

import cuda.tile as ct

from tilecheck_runtime import Dyn, Mut, Ref, Shared, f32, kernel

A = TypeVar("A", bound=int)
B = TypeVar("B", bound=int)
T = TypeVar("T", bound=int)


@kernel
def stores_to_a_part(z: Mut[f32, A], x: Ref[f32, Dyn]) -> None:
    x.partition(4)[0] = x.load_like(z)


@kernel
def stores_to_a_view(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    x.permute(1, 0).store(x.load_like(z))


@kernel
def stores_to_an_accumulator(z: Mut[f32, A], s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:
    s.store(x.load_like(z))


@kernel
def reads_an_accumulator(z: Mut[f32, A], s: Shared[f32, Dyn]) -> None:
    z.store(s.load())


@kernel
def stores_a_smaller_tile(z: Mut[f32, A]) -> None:
    z.store(ct.zeros((2,), ct.float32))


@kernel
def stores_a_larger_tile_by_cell(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        z[cell] = ct.zeros((z.tile[0] * 2,), ct.float32)


@kernel
def walks_unequal_outputs(a: Mut[f32, A], b: Mut[f32, B]) -> None:
    for cell in a.cells(b):
        b[cell] = ct.zeros(b.tile, ct.float32)


@kernel
def reads_unequal_outputs(a: Mut[f32, A], b: Mut[f32, B]) -> None:
    a.store(b.load_like(a))


@kernel
def nests(z: Mut[f32, A], t: T) -> None:
    for inner in z.pieces(t):
        z[inner] = ct.zeros((t,), ct.float32)


@kernel
def nests_by_position(z: Mut[f32, A], t: T) -> None:
    z.store_at((0,), ct.zeros((t,), ct.float32))


@kernel
def nests_in_another_rank(z: Mut[f32, A], t: T) -> None:
    z.store_at((0,), ct.zeros((t, t), ct.float32))


@kernel
def scatters_in_another_rank(z: Mut[f32, A]) -> None:
    z.scatter((0, 0), 1.0)


@kernel
def turns_badly(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.permute(0, 0).load_like(z))


@kernel
def gathers_rows_of_a_cube(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn, Dyn]) -> None:
    z.store(x.gather_row(0, z.tile[1]))


@kernel
def extent_of_a_turned_view(z: Mut[f32, A], x: Ref[f32, Dyn, Dyn]) -> None:
    view = x.permute(1, 0)
    z.store(ct.full(z.tile, view.extent(0) * 100 + view.extent(1) + view.partition(2, 4).tiles(0) * 10_000, ct.float32))


@kernel
def only_piece_of_many(z: Mut[f32, A], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))


@kernel
def extent_of_many(z: Mut[f32, A]) -> None:
    for cell in z.cells():
        z[cell] = ct.full(z.tile, z.extent(0), ct.float32)
