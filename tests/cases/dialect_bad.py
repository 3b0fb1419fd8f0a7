"""Ownership dialect: kernels that break a rule of it. Comments as in the other case files."""
from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct
from elsewhere import do_something

from tilecheck_runtime import Dyn, Mut, Ref, Shared, f16, f32, i32, kernel

B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def cell_of_another_rank(a: Mut[f32, B], z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in a.cells():
        z[cell] = x.load_like(z)  # expect: TC105


@kernel
def numbers_of_a_cell(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in z.cells():
        m, n = z.coords(cell)
        z[m, n] = x.load_like(z)  # expect: TC105


@kernel
def swapped_components(z: Mut[f32, BM, BM], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in z.cells():
        m, n = z.coords(cell)
        z[n, m] = x.load_like(z)  # expect: TC105


@kernel
def next_cell(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    for cell in z.cells():
        z[cell + 1] = x.load_like(z)  # expect: TC105


@kernel
def replaced_by_a_number(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    cell = z.cell()
    cell = 0
    z[cell] = x.load_like(z)  # expect: TC105


@kernel
def lost_in_a_loop(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], n: int) -> None:
    cell = a.cell()
    for _ in range(n):
        a[cell] = x.load_like(a)  # expect: TC105
        cell = b.cell()


@kernel
def lost_after_a_loop(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], n: int) -> None:
    cell = a.cell()
    for _ in range(n):
        cell = b.cell()
    a[cell] = x.load_like(a)  # expect: TC105


@kernel
def chosen_by_an_expression(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    a[a.cell() if flag > 0 else b.cell()] = x.load_like(a)  # expect: TC105


@kernel
def lost_in_a_tuple(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    pair = (a.cell(), b.cell())
    if flag > 0:
        pair = (b.cell(), a.cell())
    b[pair[1]] = x.load_like(b)  # expect: TC105


def put(z, cell, tile):
    z[cell] = tile  # expect: TC105


@kernel
def foreign_through_a_helper(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    put(b, a.cell(), x.load_like(a))


@kernel
def foreign_in_a_closure(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    cell = a.cell()

    def store(tile):
        b[cell] = tile  # expect: TC105

    store(x.load_like(a))


@kernel
def either_output(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    z = a if flag > 0 else b
    z.store(x.load_like(a))  # expect: TC105


@kernel
def item_of_either_output(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:
    z = a
    if flag > 0:
        z = b
    z[a.cell()] = x.load_like(a)  # expect: TC105


@kernel
def reads_the_cell_of_another(a: Mut[f32, B], b: Mut[f32, B]) -> None:
    t = b[a.cell()]  # expect: TC105
    a.store(t)


@kernel
def coordinates_of_another(a: Mut[f32, B], b: Mut[f32, BM, BN], x: Ref[f32, Dyn]) -> None:
    (i,) = a.coords(b.cell())  # expect: TC105
    a.store(ct.full(a.tile, i, ct.float32))


@kernel
def scatters_past_its_piece(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.scatter(z.array, ct.arange(z.tile[0], dtype=ct.int32), x.load_like(z))  # expect: TC105


@kernel
def raw_atomic(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.atomic_add(z.array, (0,), 1.0)  # expect: TC105


@kernel
def slice_of_the_array(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    part = z.array.slice(0, 0, 16)
    ct.store(part, (0,), ct.zeros((16,), ct.float32))  # expect: TC105


@kernel
def raw_store_to_input(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.store(x.array, (ct.bid(0),), z.load())  # expect: TC104


@kernel
def tile_of_an_input(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    px = x.partition(z.tile[0])
    px[0,] = z.load()  # expect: TC104


@kernel
def atomic_on_an_input(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    ct.atomic_add(x.array, (0,), 1.0)  # expect: TC104


@kernel
def input_as_an_output(x: Ref[f32, Dyn]) -> None:
    for cell in x.cells():  # expect: TC104
        x[cell] = ct.zeros((16,), ct.float32)  # expect: TC104


@kernel
def view_of_an_input(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:
    x.permute(1, 0).store(z.load())  # expect: TC104


@kernel
def reads_a_neighbour(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    t = ct.load(z.array, (ct.bid(0) + 1,), z.tile, padding_mode=ct.PaddingMode.ZERO)  # expect: TC103
    z.store(t)


@kernel
def given_away(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    z.store(x.load_like(z))  # expect: TC102
    do_something(z)


@kernel
def plain_store_to_accumulator(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:
    s.store(x.load((ct.bid(0),), (16,)))  # expect: TC107


@kernel
def writes_an_element_twice(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    (b,) = z.tile
    z.scatter((ct.arange(b, dtype=ct.int32) // 2,), x.load_like(z))  # expect: TC106


@kernel
def nested_along_one_axis(z: Mut[f32, Literal[32], Literal[96]]) -> None:
    for inner in z.pieces(32, 64):  # expect: TC109
        z[inner] = ct.zeros((32, 64), ct.float32)


@kernel
def nested_at_a_value(z: Mut[f32, Literal[48]], at: Ref[i32, Dyn]) -> None:
    z.store_at((at.at(0),), ct.zeros((32,), ct.float32))  # expect: TC109


@kernel
def nested_tile_of_another_shape(z: Mut[f32, Literal[64]]) -> None:
    for inner in z.pieces(16):
        z[inner] = ct.zeros((32,), ct.float32)  # expect: TC501


@kernel
def piece_to_a_nested_tile(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn]) -> None:
    for inner in z.pieces(16):
        z[inner] = x.load_like(z)  # expect: TC501


@kernel
def nested_tile_read_as_a_piece(z: Mut[f32, Literal[64]]) -> None:
    for inner in z.pieces(16):
        z[inner] = z[inner]  # expect: TC501


@kernel
def scalar_to_a_piece(z: Mut[f32, B]) -> None:
    z.store(0.0)  # expect: TC501


@kernel
def row_to_a_matrix(z: Mut[f32, BM, BN], x: Ref[f32, Dyn]) -> None:
    z.store(x.partition(z.tile[1])[0,])  # expect: TC501


@kernel
def like_of_another_rank(z: Mut[f32, BM, BN], x: Ref[f32, Dyn]) -> None:
    z.store(ct.broadcast_to(x.load_like(z), z.tile))  # expect: TC501


@kernel
def added_in_the_wrong_orientation(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], y: Ref[f32, Dyn, Dyn]) -> None:
    bm, bn = z.tile
    t = x.partition(bm, bn)[0, 0] + y.partition(bn, bm)[0, 0]  # expect: TC501
    z.store(ct.reshape(t, (bm, bn)))


@kernel
def accumulator_of_another_type(z: Mut[f16, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f16, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    for cell in z.cells():
        m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(1)):
            acc = ct.mma(px[m, k], py[k, n], acc)
        z[cell] = acc  # expect: TC502


@kernel
def operands_of_two_types(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[f32, Dyn, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px, py = x.partition(bm, bk), y.partition(bk, bn)
    z.store(ct.mma(px[0, 0], py[0, 0], ct.zeros((bm, bn), ct.float32)))  # expect: TC505


@kernel
def integers_in_floats(z: Mut[f32, B]) -> None:
    z.store(ct.arange(z.tile[0], dtype=ct.int32))  # expect: TC502


@kernel
def without_an_annotation(z, x: Ref[f32, Dyn]) -> None:  # expect: TC110
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))


@kernel
def bare_kind(z: Mut, x: Ref[f32, Dyn]) -> None:  # expect: TC110
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))


@kernel
def open_extent(z: Mut[f32, Dyn], x: Ref[f32, Dyn]) -> None:  # expect: TC110
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))


@kernel
def of_plain_arrays(z: ct.Array, x: Ref[f32, Dyn]) -> None:  # expect: TC110
    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))


@kernel
def larger_tile_by_a_cell(z: Mut[f32, B]) -> None:
    for cell in z.cells():
        z[cell] = ct.zeros((2 * z.tile[0],), ct.float32)  # expect: TC501


@kernel
def piece_of_an_output_that_is_cut_differently(a: Mut[f32, BM], b: Mut[f32, BN]) -> None:
    a.store(b.load_like(a))  # expect: TC501


@kernel
def walked_together_though_cut_differently(a: Mut[f32, BM], b: Mut[f32, BN]) -> None:
    for _ in a.cells(b):  # expect: TC501
        a[a.cell()] = a.load()
