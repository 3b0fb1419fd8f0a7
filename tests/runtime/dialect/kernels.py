"""Right kernels that use the rest of the dialect."""

from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct

from tilecheck_runtime import Dyn, Mut, Ref, Shared, SystemShared, f16, f32, i32, kernel

A = TypeVar("A", bound=int)
B = TypeVar("B", bound=int)
C = TypeVar("C", bound=int)
D = TypeVar("D", bound=int)
E = TypeVar("E", bound=int)
F = TypeVar("F", bound=int)
S = TypeVar("S", bound=int)
T = TypeVar("T", bound=int)


@kernel
def copy1(z: Mut[f32, A], x: Ref[f32, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = x.partition(*z.tile)[z.coords(cell)]


@kernel
def copy2(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = x.partition(*z.tile)[z.coords(cell)]


@kernel
def copy3(z: Mut[f32, A, B, C], x: Ref[f32, Dyn, Dyn, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = x.partition(*z.tile)[z.coords(cell)]


@kernel
def copy4(z: Mut[f32, A, B, C, D], x: Ref[f32, Dyn, Dyn, Dyn, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = x.partition(*z.tile)[z.coords(cell)]


@kernel
def copy5(z: Mut[f32, A, B, C, D, E], x: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:
    for cell in z.cells():
        z[cell] = x.partition(*z.tile)[z.coords(cell)]


COPIES = (copy1, copy2, copy3, copy4, copy5)


@kernel
def like4(z: Mut[f32, A, B, C, D], x: Ref[f32, Dyn, Dyn, Dyn, Dyn]) -> None:
    z.store(x.load_like(z) * 2.0)


@kernel
def like5(z: Mut[f32, A, B, C, D, E], x: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:
    z.store(x.load_like(z) * 2.0)


@kernel
def two_outputs_walked(a: Mut[f32, A, B], b: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    px = x.partition(*a.tile)
    for cell in a.cells(b):
        t = px[a.coords(cell)]
        a[cell] = t
        b[cell] = t * 2.0


@kernel
def numbered(z: Mut[f32, A, B]) -> None:
    """Pieces by the turn in which the only block visits them."""
    turn = 0
    for cell in z.cells():
        z[cell] = ct.full(z.tile, turn, ct.float32)
        turn = turn + 1


@kernel
def in_place(z: Mut[f32, A, B]) -> None:
    z.store(z.load() + 1.0)


@kernel
def in_place_by_cell(z: Mut[f32, A, B], y: Mut[f32, A, B]) -> None:
    for cell in z.cells(y):
        z[cell] = z[cell] + y[cell]


@kernel
def both_pieces(z: Mut[f32, A], y: Mut[f32, A]) -> None:
    z.store(y.load_like(z))


@kernel
def nested(z: Mut[f32, A, B], s: S, t: T) -> None:
    for inner in z.pieces(s, t):
        z[inner] = z.load_piece(inner, s, t) + 1.0
    for row in z.pieces(1, t):
        z[row] = z.load_piece(row, 1, t) * 2.0


@kernel
def long_rows(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn], t: T) -> None:
    row = z.coords(z.cell())[0]
    px = x.partition(1, t)
    total = ct.zeros((1, t), ct.float32)
    for k in range(px.tiles(1)):
        total = total + px[row, k]
    mean = ct.sum(total, axis=1, keepdims=True) / z.extent(1)
    for inner in z.pieces(1, t):
        z[inner] = px[z.place(inner, 1, t)] - mean


@kernel
def nested_inputs(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn], s: S, t: T) -> None:
    px = x.partition(s, t)
    for inner in z.pieces(s, t):
        i, j = z.place(inner, s, t)
        z[inner] = px[i, j] * 2.0


@kernel
def append(cache: Mut[f16, Literal[1], S, D], new: Ref[f16, Dyn, Dyn], position: Ref[i32, Dyn]) -> None:
    head = cache.coords(cache.cell())[0]
    d = cache.tile[2]
    row = new.load((head, 0), (1, d))
    cache.store_at((0, position.at(head), 0), ct.reshape(row, (1, 1, d)))


@kernel
def one_hot(z: Mut[f32, A, B], labels: Ref[i32, Dyn]) -> None:
    rows = z.tile[0]
    row = ct.arange(rows, dtype=ct.int32)
    label = labels.gather((z.coords(z.cell())[0] * rows + row,))
    z.scatter((row, label), 1.0)


@kernel
def one_hot_masked(z: Mut[f32, A, B], labels: Ref[i32, Dyn]) -> None:
    rows = z.tile[0]
    row = ct.arange(rows, dtype=ct.int32)
    label = labels.gather((z.coords(z.cell())[0] * rows + row,))
    z.scatter((row, label), ct.full((rows,), 2.0, ct.float32), mask=label != 3)


@kernel
def transposed(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    z.store(x.permute(1, 0).load_like(z))


@kernel
def turned(z: Mut[f32, A, B, C], x: Ref[f32, Dyn, Dyn, Dyn]) -> None:
    view = x.permute(2, 0, 1)
    i, j, k = z.coords(z.cell())
    t = view.partition(*z.tile)[i, j, k]
    own = view.gather((0, 0, 0)) * 0.0 + view.at(0, 0, 0) * 0.0
    z.store(t + own + (view.extent(0) * 100 + view.extent(1) * 10 + view.extent(2)))


@kernel
def gathered(z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    rows, columns = z.tile
    view = x.permute(1, 0)
    r = ct.arange(rows, dtype=ct.int32)[:, None]
    c = ct.arange(columns, dtype=ct.int32)[None, :]
    z.store(view.gather((r, c)))


@kernel
def least(z: Mut[f32, A], x: Ref[f32, Dyn, Dyn], n: B) -> None:
    low = x.padded(ct.PaddingMode.POS_INF)
    z.store(ct.min(low.load((z.coords(z.cell())[0], 0), (z.tile[0], n)), axis=1))


@kernel
def column_sums(total: Shared[f32, Dyn], z: Mut[f32, A, B], x: Ref[f32, Dyn, Dyn]) -> None:
    t = x.load_like(z)
    columns = z.tile[1]
    total.add((z.coords(z.cell())[1] * columns + ct.arange(columns, dtype=ct.int32),), ct.sum(t, axis=0))
    z.store(t)


@kernel
def every_update(low: Shared[i32, Dyn], high: Shared[i32, Dyn], ones: Shared[i32, Dyn], common: SystemShared[i32, Dyn],
                 odd: Shared[i32, Dyn], z: Mut[i32, A]) -> None:
    value = z.coords(z.cell())[0] + 5
    low.min((0,), value)
    high.max((0,), value)
    ones.or_((0,), value)
    common.and_((0,), value)
    odd.xor((0,), value)
    z.store(ct.full(z.tile, low.extent(0), ct.int32))


@kernel
def turned_twice(z: Mut[f32, A, B, C], x: Ref[f32, Dyn, Dyn, Dyn]) -> None:
    view = x.permute(1, 2, 0).permute(0, 2, 1)
    i, j, k = z.coords(z.cell())
    z.store(view.load_like(z) + view.partition(*z.tile)[i, j, k] + view.at(0, 0, 0) * view.extent(1))


@kernel
def any_order(z: Mut[f32, A, B, C], x: Ref[f32, Dyn, Dyn, Dyn], d: D, e: E, f: F) -> None:
    view = x.permute(d, e, f)
    i, j, k = z.coords(z.cell())
    a, b, c = z.tile
    one = ct.arange(a, dtype=ct.int32)[:, None, None] + i * a
    two = ct.arange(b, dtype=ct.int32)[None, :, None] + j * b
    three = ct.arange(c, dtype=ct.int32)[None, None, :] + k * c
    z.store(view.partition(*z.tile)[i, j, k] + view.gather((one, two, three)))
