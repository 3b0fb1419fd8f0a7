"""Kernels of the dialect that seem to follow its rules: none of them may be proved."""

from __future__ import annotations

import pytest

from tests.obligations.dialect.test_static_rules import ONE, TWO, check

BODIES = {
    "before the first tile": ONE + """\
    px = x.partition(*z.tile)
    for cell in z.cells():
        (i,) = z.coords(cell)
        z[cell] = px[i - 1]
""",
    "coordinates of the iteration before": ONE + """\
    px = x.partition(*z.tile)
    before = 0
    for cell in z.cells():
        z[cell] = px[before]
        (before,) = z.coords(cell)
""",
    "another output under the same name": TWO + """\
    z = a
    for cell in z.cells():
        z[cell] = x.load_like(a)
        z = b
""",
    "names exchanged": TWO + """\
    p, q = a, b
    p, q = q, p
    for cell in p.cells():
        q[cell] = x.load_like(a)
""",
    "the array itself": ONE + "    ct.store(z, (ct.bid(0),), x.load_like(z))\n",
    "the array by a helper": ONE + """\
    def put(c, i, t):
        ct.store(c, (i,), t)

    put(z.array, ct.bid(0), x.load_like(z))
""",
    "raw memory": ONE + "    z.array.get_raw_memory().store_offset(0, 1.0)\n    t = x.load_like(z)\n    z.store(t)\n",
    "a view of the array": ONE + "    z.array.tiled_view(z.tile).store((0,), x.load_like(z))\n",
    "the neighbour's piece": ONE + """\
    t = ct.load(z.array, (ct.bid(0) + 1,), z.tile, padding_mode=ct.PaddingMode.ZERO)
    z.store(t)
""",
    "an index from data": "def k(z: Mut[f32, B], x: Ref[f32, Dyn], rows: Ref[i32, Dyn]) -> None:\n" + """\
    z.store(x.partition(*z.tile)[rows.at(ct.bid(0))])
""",
    "coordinates asked with one argument too many": ONE + """\
    px = x.partition(*z.tile)
    z.store(px[z.coords(z.cell(), 16)[0]])
""",
    "a store with one argument too many": ONE + "    z.store(x.load_like(z), 1)\n",
    "a store without anything": ONE + "    z.store()\n    t = x.load_like(z)\n    z.store(t)\n",
    "a keyword that nobody knows": ONE + "    z.store(x.load_like(z, where=3))\n",
    "arguments that nobody can count": ONE + "    z.store(*anything(z))\n    z.store(x.load_like(z))\n",
    "the place of a nested tile, in other tiles": """\
def k(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn]) -> None:
    px = x.partition(16)
    for p in z.pieces(16):
        z[p] = px[z.place(p, 8)]
""",
    "one coordinate too many": ONE + """\
    m, n, k = z.coords(z.cell())
    z.store(x.partition(*z.tile)[k])
""",
    "a place that is no cell of a dictionary": ONE + """\
    cells = {0: z.cell()}
    z[cells[ct.bid(0)]] = x.load_like(z)
""",
    "an item that a call returns": ONE + "    z[anything(z.cell())] = x.load_like(z)\n",
    "an attribute that is set": ONE + "    z.array = x\n    z.store(x.load_like(z))\n",
    "coordinates of a nested tile": """\
def k(z: Mut[f32, Literal[64]], x: Ref[f32, Dyn]) -> None:
    px = x.partition(16)
    for p in z.pieces(16):
        z[p] = px[z.place(p, 16)[0] - 1]
""",
    "a nested tile of a shape that depends on data": """\
def k(z: Mut[f32, Literal[64]], n: Ref[i32, Dyn]) -> None:
    for p in z.pieces(16):
        z[p] = anything(p)
""",
    "a plain read of an accumulator": """\
def k(z: Mut[f32, B], s: Shared[f32, Dyn]) -> None:
    s.add((0,), 1.0)
    z.store(ct.full(z.tile, ct.load(s.array, (0,), (1,)).item(), ct.float32))
""",
    "a scatter of one element twice": ONE + """\
    z.scatter((ct.zeros(z.tile, ct.int32),), x.load_like(z))
""",
    "a scatter by data": "def k(z: Mut[f32, B], x: Ref[f32, Dyn], rows: Ref[i32, Dyn]) -> None:\n" + """\
    z.scatter((rows.load_like(z),), x.load_like(z))
""",
}


@pytest.mark.parametrize("name", BODIES)
def test_a_faulty_kernel_is_not_proved(name):
    report = check(BODIES[name])
    (kernel,) = report.kernels
    assert kernel.verdict in ("unproven", "refuted", "conditional")
    assert report.diagnostics


def test_a_loop_that_another_value_leaves_early_keeps_its_cells():
    report = check(ONE + """\
    for cell in z.cells():
        if z.coords(cell)[0] > 4:
            break
        z[cell] = ct.zeros(z.tile, ct.float32)
""")
    assert report.kernels[0].verdict == "proved" and report.diagnostics == ()


def test_the_next_tile_needs_a_clause():
    (kernel,) = check(ONE + """\
    px = x.partition(*z.tile)
    for cell in z.cells():
        z[cell] = px[z.coords(cell)[0] + 1]
""").kernels
    assert "cdiv(z.shape[0], B) < cdiv(x.shape[0], B)" in [c.clause for c in kernel.contract]
