"""Ownership dialect: right kernels, with what is hard to see about them. Comments as in the other case files."""
from __future__ import annotations

from typing import Literal, TypeVar

import cuda.tile as ct

import tilecheck_runtime as tcr
from tilecheck import requires
from tilecheck_runtime import Dyn, Mut, Ref, Shared, f16, f32, i32
from tilecheck_runtime import kernel as tile_kernel

B = TypeVar("B", bound=int)
C = TypeVar("C", bound=int)
D = TypeVar("D", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
P = TypeVar("P", bound=int)
Q = TypeVar("Q", bound=int)
R = TypeVar("R", bound=int)


@tile_kernel
def renamed_decorator(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    # contract: z.shape[0] <= x.shape[0]
    z.store(x.load_like(z) * 2.0)


@tcr.kernel(occupancy=2)
def decorator_of_the_module(z: tcr.Mut[tcr.f32, B], x: "tcr.Ref[f32, Dyn]") -> None:  # verdict: structural  # noqa: UP037
    # contract: z.shape[0] <= x.shape[0]
    z.store(x.load_like(z))


@tcr.kernel
def batched_gemm(z: Mut[f32, Literal[1], BM, BN], x: Ref[f16, Dyn, Dyn, Dyn], y: Ref[f16, Dyn, Dyn, Dyn],
                 bk: BK) -> None:
    # contract: cdiv(x.shape[2], bk) <= cdiv(y.shape[1], bk)
    _, bm, bn = z.tile
    px, py = x.partition(1, bm, bk), y.partition(1, bk, bn)
    for cell in z.cells():
        b, m, n = z.coords(cell)
        acc = ct.zeros((bm, bn), ct.float32)
        for k in range(px.tiles(2)):
            acc = ct.mma(ct.reshape(px[b, m, k], (bm, bk)), ct.reshape(py[b, k, n], (bk, bn)), acc)
        z[cell] = ct.reshape(acc, (1, bm, bn))


@tcr.kernel
def of_rank_five(z: Mut[f32, P, Q, R, BM, BN], x: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: cdiv(z.shape[0], P) <= cdiv(x.shape[0], P)
    px = x.partition(*z.tile)
    for cell in z.cells():
        a, b, c, d, e = z.coords(cell)
        z[cell] = px[a, b, c, d, e]


@tcr.kernel
def of_rank_four(z: Mut[f32, P, Q, BM, BN], x: Ref[f32, Dyn, Dyn, Dyn, Dyn]) -> None:  # verdict: structural
    z.store(x.load_like(z) + 1.0)


@tcr.kernel
def cell_in_a_tuple(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    for cell in z.cells():
        pair = (cell, z.coords(cell))
        again, (i,) = pair
        z[pair[0]] = x.partition(z.tile[0])[i,]
        z[again] += 1.0


@tcr.kernel
def cell_before_a_loop(z: Mut[f32, B], x: Ref[f32, Dyn], n: int) -> None:  # verdict: structural
    cell = z.cell()
    mine = cell
    for _ in range(n):
        z[mine] = x.load_like(z)
        mine = cell


@tcr.kernel
def same_cell_in_both_branches(z: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:  # verdict: structural
    if flag > 0:
        cell = z.cell()
        t = x.load_like(z)
    else:
        cell = z.cell()
        t = -x.load_like(z)
    z[cell] = t


@tcr.kernel
def each_output_in_a_branch(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], on: int) -> None:  # verdict: structural
    # contract: cdiv(a.shape[0], B) == cdiv(b.shape[0], B)
    if on > 0:
        a.store(x.load_like(a))
    else:
        b.store(x.load_like(b))


@tcr.kernel
def outputs_of_two_ranks(z: Mut[f32, BM, BN], s: Mut[f32, BM], x: Ref[f32, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: cdiv(z.shape[1], BN) == 1
    t = x.load_like(z)
    z.store(t)
    s.store(ct.sum(t, axis=1))


def put(z, cell, tile):
    z[cell] = tile


def scaled(x, z, factor):
    return x.load_like(z) * factor


@tcr.kernel
def through_helpers(z: Mut[f32, B], x: Ref[f32, Dyn], s: float) -> None:  # verdict: structural
    for cell in z.cells():
        (i,) = z.coords(cell)
        put(z, cell, x.partition(z.tile[0])[i] * s)


@tcr.kernel
def through_closures(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    cell = z.cell()

    def store(tile):
        z[cell] = tile

    double = lambda t: t + t  # noqa: E731
    store(double(scaled(x, z, 2.0)))


@tcr.kernel
def nested_pieces(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    for inner in z.pieces(16):
        z[inner] = ct.zeros((16,), ct.float32)


@tcr.kernel
def nested_by_a_constant(z: Mut[f32, B, C], bk: BK) -> None:  # verdict: structural
    # contract: C % bk == 0 or z.shape[1] <= C
    for inner in z.pieces(z.tile[0], bk):
        t = z.load_piece(inner, z.tile[0], bk)
        z[inner] = t * 2.0


@tcr.kernel
def append_to_a_cache(cache: Mut[f16, Literal[1], B, D], x: Ref[f16, Dyn, D], at: Ref[i32, Dyn],
                      d: D) -> None:
    # one sequence a block: its position says which row of its own piece is written
    (s, _, _) = cache.coords(cache.cell())
    row = ct.reshape(x.gather_row(s, d), (1, 1, d))
    cache.store_at((0, at.at(s), 0), row)


@tcr.kernel
def scatter_into_my_piece(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    (b,) = z.tile
    back = b - 1 - ct.arange(b, dtype=ct.int32)
    z.scatter((back,), x.load_like(z))


@tcr.kernel
def histogram(counts: Shared[i32, Dyn], x: Ref[i32, Dyn], b: B) -> None:  # verdict: structural
    values = x.load((ct.bid(0),), (b,))
    counts.add((values,), 1)


@tcr.kernel
def accumulates_too(z: Mut[f32, B], total: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    t = x.load_like(z)
    z.store(t)
    total.add((0,), ct.sum(t))


@tcr.kernel
def reads_its_piece_back(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    z.store(z.load() + x.load_like(z))
    for cell in z.cells():
        z[cell] = z[cell] * 0.5
    z.store(z.load_like(z) + 1.0)


@tcr.kernel
def transposed_view(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:  # verdict: structural
    # contract: z.shape[0] <= x.shape[1]
    # contract: z.shape[1] <= x.shape[0]
    z.store(x.permute(1, 0).load_like(z))


@tcr.kernel
def padded_otherwise(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    t = x.padded(ct.PaddingMode.NEG_INF).load_like(z)
    z.store(t - ct.max(t))


@tcr.kernel
@requires("z.shape[0] <= x.shape[0]")
def declared(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    z.store(x.load_like(z))


@tcr.kernel
def loads_under_a_flag(z: Mut[f32, B], x: Ref[f32, Dyn], bias: Ref[f32, Dyn], on: int) -> None:  # verdict: structural
    # contract: on == 0 or z.shape[0] <= bias.shape[0]
    t = x.load_like(z)
    if on != 0:
        t = t + bias.load_like(z)
    z.store(t)


@tcr.kernel
def three_walked_together(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn]) -> None:  # verdict: structural
    # the cell of both, kept under another name
    for cell in b.cells(a):
        both = cell
        t = x.partition(b.tile[0])[b.coords(both)[0],]
        a[both] = t
        b[cell] = t


@tcr.kernel
def in_step_with_an_input(z: Mut[f32, Literal[1], B], x: Ref[f32, Dyn, Dyn], c: C) -> None:  # verdict: structural
    # contract: cdiv(z.shape[1], c) <= cdiv(x.shape[1], c)
    px = x.partition(1, c)
    for inner in z.pieces(1, c):
        z[inner] = px[z.place(inner, 1, c)] * 2.0


@tcr.kernel
def from_the_other_output(a: Mut[f32, B], b: Mut[f32, B]) -> None:  # verdict: structural
    # contract: cdiv(a.shape[0], B) == cdiv(b.shape[0], B)
    a.store(b.load_like(a))


@tcr.kernel
def scatter_by_data(z: Mut[f32, B], x: Ref[f32, Dyn], places: Ref[i32, Dyn], b: B) -> None:
    # tilecheck: requires injective(places) and b <= places.shape[0]
    z.scatter((places.partition(b)[0],), x.load_like(z))
