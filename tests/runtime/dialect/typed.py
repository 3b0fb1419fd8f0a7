"""Results of plain type checkers on the dialect. `# mypy` marks a line that must be an error; other lines are right."""

from __future__ import annotations

from typing import Any, Literal, TypeVar, assert_type

from tilecheck_runtime import Cell, Dyn, Mut, Part, Ref, Shared, Tile, bf16, f16, f32, i32, kernel

B = TypeVar("B", bound=int)
C = TypeVar("C", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)


@kernel
def inferred(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], rows: Ref[i32, Dyn], w: Ref[f32, Dyn], bk: BK) -> None:
    bm, bn = z.tile
    px = x.partition(bm, bk)
    assert_type(px, Part[f16, BM, BK])
    for cell in z.cells():
        assert_type(cell, Cell[BM, BN])
        m, n = z.coords(cell)
        assert_type(px[m, n], Tile[f16, BM, BK])
        assert_type(z[cell], Tile[f32, BM, BN])
    assert_type(x.load_like(z), Tile[f16, BM, BN])
    assert_type(x.gather_row(rows.at(0), bn), Tile[f16, Literal[1], BN])
    assert_type(w.at(0), float)
    t = x.load((0, 0), (bm, bk))
    assert_type(t, Tile[f16, BM, BK])
    assert_type(-t * 2 + 1.5 - t, Tile[f16, BM, BK])
    assert_type(1.0 - t / 3, Tile[f16, BM, BK])
    assert_type(px.tiles(0) + z.extent(1) + x.extent(0), int)
    for inner in z.pieces(bm, bk):
        z[inner] = z.load_piece(inner, bm, bk)


@kernel
def nested(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn], b: B) -> None:
    for inner in z.pieces(b):
        z[inner] = x.load(0, b)
        z[inner] = x.load((0, 0), (b, b))  # mypy
    z.store_at((1,), x.load(0, b))


@kernel
def stores_to_inputs(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[f32, Dyn, Dyn]) -> None:
    x.store(x.load_like(z))  # mypy
    x[z.cell()] = x.load_like(z)  # mypy
    x.scatter((0,), x.load_like(z))  # mypy
    x.store_at((0,), x.load_like(z))  # mypy
    x.partition(8)[0] = x.load_like(z)  # mypy
    y.permute(1, 0).store(x.load_like(z))  # mypy
    y.padded(None).store(x.load_like(z))  # mypy
    x.add((0,), 1.0)  # mypy


@kernel
def uses_of_accumulators(z: Mut[f32, B], s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:
    s.add((0,), x.load_like(z))
    s.store(x.load_like(z))  # mypy
    z.store(s.load(0, 1))  # mypy
    z.store(s.add((0,), 1.0))  # mypy


@kernel
def wrong_tiles(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], h: Ref[bf16, Dyn, Dyn]) -> None:
    bm, bn = z.tile
    z.store(x.load((0, 0), (bn, bm)))  # mypy
    z.store(h.load_like(z))  # mypy
    z[z.cell()] = h.load_like(z)  # mypy
    z.store(x.load_like(z) + h.load_like(z))


@kernel
def turned_over(z: Mut[f32, Literal[1], BN], x: Ref[f32, Dyn, Dyn]) -> None:
    z[z.cell()] = x.load((0, 0), (z.tile[1], z.tile[0]))  # mypy
    z.store(x.load((0, 0), (z.tile[1], z.tile[0])))  # mypy


@kernel
def cells_made_by_hand(z: Mut[f32, B], x: Ref[f32, Dyn], other: Mut[f32, C]) -> None:
    z[0] = x.load_like(z)  # mypy
    z[(0,)] = x.load_like(z)  # mypy
    z[Cell(0)] = x.load_like(z)  # mypy
    for cell in other.cells():
        z[cell] = x.load_like(z)  # mypy
    for cell in other.cells(z):  # mypy
        other[cell] = x.load_like(other)


def helper(t: Tile[f32, B], u: Tile[f32, B]) -> Tile[f32, B]:
    return t * u


@kernel
def helped(z: Mut[f32, B], x: Ref[f32, Dyn], y: Ref[Any, Dyn]) -> None:
    z.store(helper(x.load_like(z), y.load_like(z)))
    z.scatter((0,), 0.0)
