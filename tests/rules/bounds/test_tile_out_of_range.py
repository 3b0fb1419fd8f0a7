"""TC201: every message, word for word."""

from __future__ import annotations

import pytest

from tests.rules.cases import Case, check, dialect, raw

CASES = (
    Case("below", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(a, (i - 1,), (T,)))
"""), """\
TC201 error on line 13: block 0 asks for tile -1 along axis 0 of `a`, which has 2 tiles (4 elements)
    note: with grid (2, 1, 1) and T = 2, a.shape[0] = 4: block 0 asks for tile -1 along axis 0 of `a`, which
        has 2 tiles (4 elements)
    note on line 13: -1 in block 0; tiles are 0 to 1
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: on line 13, write `max(i - 1, 0)` in place of `i - 1`, or leave out the blocks for which it is
        negative with `if i - 1 >= 0:`; tiles are not counted from the end
"""),
    Case("shares", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    tiles = ct.num_tiles(a, 0, (T,))
    size = ct.cdiv(tiles, ct.num_blocks(0))
    total = ct.zeros((T,), ct.float32)
    for j in range(size):
        total = total + ct.load(a, (i * size + j,), (T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i,), total)
"""), """\
TC201 warning on line 17: the index along axis 0 of `a` runs past the end in the last blocks unless
    `grid[0]*((cdiv(a.shape[0], T) - 1) // grid[0]) + grid[0] <= cdiv(a.shape[0], T)`
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: end each share at the number of tiles: `min((s + 1) * size, ct.num_tiles(...))`
"""),
    Case("beyond", raw("""\
@ct.kernel
def k(a, c, T: Int):
    i = ct.bid(0)
    acc = ct.zeros((1, T), ct.float32)
    for j in range(ct.num_tiles(a, 1, (1, T)) + 1):
        acc = acc + ct.load(a, (i, j), (1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(c, (i, 0), acc)
"""), """\
TC201 error on line 15: block 0 at j = 2 asks for tile 2 along axis 1 of `a`, which has 2 tiles (4 elements)
    note: with grid (2, 1, 1) and T = 2, a.shape[1] = 4: block 0 at j = 2 asks for tile 2 along axis 1 of `a`,
        which has 2 tiles (4 elements)
    note on line 14: `j` comes to 2 here
    note on line 15: 2 in block 0; tiles are 0 to 1
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: on line 14, write `range(ct.num_tiles(a, 1, (1, T)))` in place of `range(ct.num_tiles(a, 1, (1, T))
        + 1)`: then the loop ends with the last tile of `a`
"""),
    Case("list", raw("""\
@requires("len(xs) == 2")
@ct.kernel
def k(xs, c, T: Int):
    i = ct.bid(0)
    ct.store(c, (i,), ct.load(xs[2], (i,), (T,)))
"""), """\
TC201 error on line 14: block 0 asks for array 2 in `xs`, which has 2
    note: with grid (2, 1, 1) and len(xs) = 2: block 0 asks for array 2 in `xs`, which has 2
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: keep the index in `xs` below `len(xs)`
"""),
    Case("index that is not proved", dialect("""\
def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:
    px = x.partition(z.tile[0])
    for c in z.cells():
        (i,) = z.coords(c)
        z[c] = px[i - 1]
"""), """\
TC201 error on line 15: could not prove that the index `z.coords(cell)[0] - 1` along axis 0 of `x` stays
    inside: no proof was found that it stays inside
    help: compare the index with `ct.num_tiles(...)` in the kernel, or clamp it
"""),
    Case("negative index in a helper", raw("""\
def read(x, i, T):
    return ct.load(x, (i - 1,), (T,), padding_mode=ZERO)


@ct.kernel
def k(x, o, T: Int):
    i = ct.bid(0)
    ct.store(o, (i,), read(x, i, T))
"""), """\
TC201 error on line 11: block 0 asks for tile -1 along axis 0 of `x`, which has 2 tiles (4 elements)
    note: with grid (2, 1, 1) and T = 2, x.shape[0] = 4: block 0 asks for tile -1 along axis 0 of `x`, which
        has 2 tiles (4 elements)
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: keep the index along axis 0 of `x` at 0 or above, with `max(..., 0)` or under a condition: tiles are
        not counted from the end
"""),
    Case("last iteration", raw("""\
@ct.kernel
def k(xs, ys, BLOCKS: Int, T: Int):
    tile = ct.bid(0)
    done = 0
    for g in range(len(xs)):
        x, y = xs[g], ys[g]
        rows = ct.num_tiles(x, 0, (T, T))
        while tile >= done and tile < done + rows:
            acc = ct.zeros((T, T), ct.float32)
            for j in range(ct.num_tiles(x, 1, (T, T)) + 1):
                acc = acc + ct.load(x, (tile - done, j), (T, T), padding_mode=ZERO)
            ct.store(y, (tile - done, 0), acc)
            tile += BLOCKS
        done = done + rows
"""), """\
TC201 warning on line 20: in the last iteration of the loop on line 19, the index `j` begins past the end
    along axis 1 of `xs[*]`, in every launch
    note on line 19: the loop runs one iteration too far here
    note: an access to a tile that lies wholly outside is undefined behaviour, even with bounds checks
    help: end the loop at the number of tiles: `ct.num_tiles(...)`
TC102 warning on line 21: blocks write disjoint parts of `ys[*]` only if `grid[0] <= BLOCKS`
    help: declare what every launch satisfies: @requires("grid[0] <= BLOCKS")
"""),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_findings_have_these_words(case: Case) -> None:
    check(case)
