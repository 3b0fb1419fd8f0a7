"""What findings about the ownership dialect say, word for word: they are what an author reads."""

from __future__ import annotations

import pytest

from tilecheck.api import check_source
from tilecheck.config import Config
from tilecheck.diagnostics import Diagnostic

HEAD = """\
from __future__ import annotations
from typing import Literal, TypeVar
import cuda.tile as ct
from elsewhere import anything
from tilecheck_runtime import Dyn, Mut, Ref, Shared, f8e8m0, f16, f32, i32, kernel
B = TypeVar("B", bound=int)
BM = TypeVar("BM", bound=int)
BN = TypeVar("BN", bound=int)
BK = TypeVar("BK", bound=int)
@kernel
"""
OWN_A = "use a cell that `a` itself mints: `for cell in a.cells():`, or `a.store(t)` for the only piece"
OWN_Z = "use a cell that `z` itself mints: `for cell in z.cells():`, or `z.store(t)` for the only piece"
TOGETHER = "walk both together, `for cell in b.cells(a):`, or use a cell of `b`"
LENT = "declare `x: Mut[...]` if the kernel is to write it; else store to an output"
ATOMIC = "update it with `s.add(indices, update)` and the like; read it in another launch"
ONE = "def k(z: Mut[f32, B], x: Ref[f32, Dyn]) -> None:\n"
TWO = "def k(a: Mut[f32, B], b: Mut[f32, B], x: Ref[f32, Dyn], flag: int) -> None:\n"
MATRIX = "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn]) -> None:\n"
NESTED = "def k(z: Mut[f32, Literal[64]]) -> None:\n    for p in z.pieces(16):\n"
GEMM = ("def k(z: Mut[f32, BM, BN], x: Ref[f16, Dyn, Dyn], y: Ref[{}, Dyn, Dyn], bk: BK) -> None:\n"
        "    bm, bn = z.tile\n    px, py = x.partition(bm, bk), y.partition(bk, bn)\n"
        "    acc = ct.zeros((bm, bn), {})\n")

MESSAGES = {
    "store to an input": (
        ONE + "    x.store(z.load())\n", "TC104",
        "`x.store` writes to `x`, which is only lent to the kernel: it is a `Ref`", LENT),
    "item of an input": (
        ONE + "    x.partition(z.tile[0])[0] = z.load()\n", "TC104",
        "an assignment to an item of `x` writes to `x`, which is only lent to the kernel: it is a `Ref`", LENT),
    "raw store to an input": (
        ONE + "    ct.store(x.array, (0,), z.load())\n", "TC104",
        "`ct.store` writes to `x`, which is only lent to the kernel: it is a `Ref`", LENT),
    "numbers": (
        ONE + "    z[ct.bid(0)] = x.load_like(z)\n", "TC105",
        "`z` is indexed by numbers, and only a cell that `z` minted selects a piece", OWN_Z),
    "arithmetic": (
        ONE + "    z[z.cell() + 1] = x.load_like(z)\n", "TC105",
        "`z` is indexed by the result of arithmetic: what is computed from a cell is no cell", OWN_Z),
    "another's cell": (
        TWO + "    b[a.cell()] = x.load_like(a)\n", "TC105",
        "the cell of `a` selects a piece of `b`, whose pieces are others", TOGETHER),
    "another's cell, read": (
        TWO + "    a.store(b[a.cell()])\n", "TC105",
        "the cell of `a` selects a piece of `b`, whose pieces are others", TOGETHER),
    "cell of another rank": (
        "def k(z: Mut[f32, BM, BN], a: Mut[f32, B], x: Ref[f32, Dyn, Dyn]) -> None:\n"
        "    z[a.cell()] = x.load_like(z)\n", "TC105",
        "the cell of `a` selects a piece of `z`, whose pieces are others", OWN_Z),
    "coordinates of another's cell": (
        TWO + "    (i,) = a.coords(b.cell())\n    a.store(ct.full(a.tile, i, ct.float32))\n", "TC105",
        "`a.coords` is asked for a cell of `b`, whose pieces are others", "`b.coords(cell)`"),
    "coordinates of a number": (
        ONE + "    (i,) = z.coords(ct.bid(0))\n    z.store(ct.full(z.tile, i, ct.float32))\n", "TC105",
        "`z.coords` is asked for a number, and only a cell has coordinates",
        "ask for those of a cell that `z` minted: `for cell in z.cells():`"),
    "coordinates of the next cell": (
        ONE + "    (i,) = z.coords(z.cell() + 1)\n    z.store(ct.full(z.tile, i, ct.float32))\n", "TC105",
        "`z.coords` is asked for a number, and only a cell has coordinates",
        "ask for those of a cell that `z` minted: `for cell in z.cells():`"),
    "lost at a join": (
        TWO + "    c = a.cell()\n    if flag > 0:\n        c = b.cell()\n    a[c] = x.load_like(a)\n", "TC105",
        "what indexes `a` is a cell of `a` or `b`, depending on a condition: where the ways meet nobody knows whose",
        "store in each branch, through the cell that `a` minted there"),
    "lost in a loop": (
        TWO + "    c = a.cell()\n    for _ in range(flag):\n        c = b.cell()\n    a[c] = x.load_like(a)\n", "TC105",
        "what indexes `a` is not known to be a cell of it: a loop puts another value in its place", OWN_A),
    "from elsewhere": (
        TWO + "    a[anything(flag)] = x.load_like(a)\n", "TC105",
        "what indexes `a` is not known to be a cell of it: nothing is known of where it comes from", OWN_A),
    "either output": (
        TWO + "    z = a if flag > 0 else b\n    z.store(x.load_like(a))\n", "TC105",
        "this is one of the outputs `a` or `b`, depending on a condition: neither its tile nor its place is known when "
        "the kernel is compiled", "store to each output in its own branch"),
    "past the pieces": (
        ONE + "    ct.store(z.array, (0,), x.load_like(z))\n", "TC105",
        "`ct.store` writes to the whole array behind `z`, past the pieces that blocks own",
        'write through `z`, or take responsibility: @unsafe("why no two blocks meet")'),
    "plain store to an accumulator": (
        "def k(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:\n    s.store(x.load((ct.bid(0),), (16,)))\n", "TC107",
        "`s.store` is no atomic, and `s` is an accumulator that all blocks update", ATOMIC),
    "plain assignment to an accumulator": (
        "def k(s: Shared[f32, Dyn], x: Ref[f32, Dyn]) -> None:\n    s[0] = x.load((ct.bid(0),), (16,))\n", "TC107",
        "a plain assignment to `s`, which is an accumulator that all blocks update", ATOMIC),
    "partial nesting": (
        "def k(z: Mut[f32, Literal[48]]) -> None:\n    for p in z.pieces(32):\n        pass\n", "TC109",
        "tiles of 32 do not divide the piece of `z`, which is 48 along axis 0: the last one reaches 16 past its end, "
        "into the next block's piece", "nest tiles of 16, or make the piece 64 long"),
    "nesting that nobody can check": (
        "def k(z: Mut[f32, B], n: Ref[i32, Dyn]) -> None:\n    for p in z.pieces(n.at(0)):\n        pass\n", "TC109",
        "whether the tiles nested in a piece of `z` divide it is not known when the kernel is launched",
        "nest tiles whose extents are constants of the kernel"),
    "plain array": (
        "def k(z: ct.Array, x: Ref[f32, Dyn]) -> None:\n    ct.store(z, (ct.bid(0),), x.load((ct.bid(0),), (16,)))\n",
        "TC110", "`z` is an array, and its annotation does not say who owns it",
        "annotate it `z: Mut[dtype, extents]`: the kernel writes it"),
    "no annotation": (
        "def k(z: Mut[f32, Literal[16]], x) -> None:\n    z.store(ct.load(x, (ct.bid(0),), (16,),\n"
        "                    padding_mode=ct.PaddingMode.ZERO))\n",
        "TC110", "`x` is used as an array, and nothing says who owns it",
        "annotate it `x: Ref[dtype, extents]`: the kernel only reads it"),
    "no extents": (
        "def k(z: Mut) -> None:\n    pass\n", "TC110",
        "the annotation of `z` names no element type, or not the extent of each axis",
        "write both: `z: Mut[f32, B]` for an output, `Ref[f32, Dyn]` for an input"),
    "a number without Literal": (
        "def k(z: Mut[f32, 48]) -> None:\n    pass\n", "TC110",
        "an extent in the annotation of `z` is neither a type variable nor one fixed number from 1 up",
        "write a type variable, whose value comes from the launch, or a number as `Literal[48]`"),
    "several numbers": (
        "def k(z: Mut[f32, Literal[16, 32]]) -> None:\n    pass\n", "TC110",
        "an extent in the annotation of `z` is neither a type variable nor one fixed number from 1 up",
        "write a type variable, whose value comes from the launch, or a number as `Literal[48]`"),
    "six axes": (
        "def k(z: Ref[f32, Dyn, Dyn, Dyn, Dyn, Dyn, Dyn]) -> None:\n    pass\n", "TC110",
        "`z` is annotated with more than 5 axes", "merge axes of `z` on the host: `.reshape(...)`"),
    "a type of Python": (
        "def k(z: Ref[int, Dyn]) -> None:\n    pass\n", "TC110",
        "the annotation of `z` names a type of Python, and elements have one of the device",
        "write it first: `z: Ref[f32, Dyn]`, or `i32`, `bool_`"),
    "any number of arrays": (
        "def k(*arrays) -> None:\n    pass\n", "TC110",
        "`arrays` takes any number of arguments, and a kernel has a fixed number of parameters",
        "write them out: `x: Ref[f32, Dyn], y: Ref[f32, Dyn]`"),
    "open piece": (
        "def k(z: Mut[f32, Dyn]) -> None:\n    pass\n", "TC110",
        "the annotation of `z` leaves an extent of its pieces open, and a piece has fixed extents",
        "write a type variable instead of `Dyn`: its value comes from the partition"),
    "an item of an input": (
        ONE + "    t = x[0]\n    z.store(z.load())\n", "TC102",
        "could not prove anything of `x`: `x[...]` (it has no items: load a tile with `x.load(index, shape)`, an "
        "element with `x.at(i)`)", "use operations of cuda.tile, or a helper whose source is in the checked files"),
    "an item of an accumulator": (
        "def k(z: Mut[f32, B], s: Shared[f32, Dyn]) -> None:\n    t = s[0]\n    z.store(z.load())\n", "TC102",
        "could not prove anything of `s`: `s[...]` (it has no items: update it with `s.add(indices, update)`, read it "
        "in another launch)", "use operations of cuda.tile, or a helper whose source is in the checked files"),
    "a partition by a tuple": (
        ONE + "    x.partition(z.tile)\n    z.store(z.load())\n", "TC501",
        "`x.partition` takes the extents of a tile one by one, and this is a tuple of them",
        "put a star before it: `x.partition(*tile)`"),
    "pieces by a tuple": (
        "def k(z: Mut[f32, Literal[16]]) -> None:\n    z.pieces((4,))\n    z.store(z.load())\n", "TC501",
        "`z.pieces` takes the extents of a tile one by one, and this is a tuple of them",
        "put a star before it: `z.pieces(*tile)`"),
    "arguments of another method": (
        ONE + "    x.extent(0, 1)\n    z.store(z.load())\n", "TC102",
        "could not prove anything of `x`: call of method extent with other arguments than it takes, which is not known",
        "use operations of cuda.tile, or a helper whose source is in the checked files"),
    "an axis twice": (
        MATRIX + "    z.store(x.permute(1, 1).load_like(z))\n", "TC501",
        "`x` has 2 axes, and `permute(1, 1)` does not name each of them once",
        "name the axes 0, 1 in the order of the view: `x.permute(1, 0)`"),
    "axes from the end": (
        MATRIX + "    z.store(x.permute(-1, 0).load_like(z))\n", "TC501",
        "`x` has 2 axes, and `permute(-1, 0)` does not name each of them once",
        "name the axes 0, 1 in the order of the view: `x.permute(1, 0)`"),
    "axes in a tuple": (
        MATRIX + "    z.store(x.permute((1, 0)).load_like(z))\n", "TC501",
        "`x` has 2 axes, and `permute(?)` does not name each of them once",
        "name the axes 0, 1 in the order of the view: `x.permute(1, 0)`"),
    "axes from data": (
        "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn, Dyn], r: Ref[i32, Dyn]) -> None:\n"
        "    x.permute(r.at(0), r.at(1))\n    z.store(z.load())\n", "TC501",
        "in which order `permute` puts the 2 axes of `x` is not known when the kernel is checked",
        "write the axes as numbers: `x.permute(1, 0)`"),
    "transposed": (
        MATRIX + "    z.store(x.partition(z.tile[1], z.tile[0])[0, 0])\n", "TC501",
        "a tile of shape (BN, BM) is stored to a piece of `z`, which is (BM, BN)", "store a tile of shape (BM, BN)"),
    "scalar": (
        MATRIX + "    z.store(0.0)\n", "TC501", "a scalar is stored to a piece of `z`, which is (BM, BN)",
        "store a tile of shape (BM, BN): `ct.full(z.tile, ...)`"),
    "nested tile": (
        NESTED + "        z[p] = ct.zeros((32,), ct.float32)\n", "TC501",
        "a tile of shape (32,) is stored to a nested piece of `z`, which is (16,)", "store a tile of shape (16,)"),
    "nested tile read as a piece": (
        NESTED + "        t = z[p]\n        z.store(t)\n", "TC501",
        "`z[...]` reads the whole piece back, (64,), and this is the cell of a nested tile of (16,)",
        "`z.load_piece(cell, 16)`"),
    "nested tile of another shape": (
        NESTED + "        t = z.load_piece(p, 32)\n        z.store(ct.cat((t, t), 0))\n", "TC501",
        "a tile of shape (32,) is read back from a nested piece of `z`, which is (16,)", "`z.load_piece(cell, 16)`"),
    "another rank": (
        "def k(z: Mut[f32, BM, BN], x: Ref[f32, Dyn]) -> None:\n    t = x.load_like(z)\n"
        "    z.store(ct.broadcast_to(t, z.tile))\n", "TC501",
        "`x` has 1 axis, and a piece of `z` has 2",
        "load the tile by its index instead: `x.partition(...)[...]`"),
    "index of another rank": (
        MATRIX + "    z.store(ct.broadcast_to(x.load((0,), (16,)), z.tile))\n", "TC501",
        "`x` has 2 axes, and the index has 1", "give one index for each axis"),
    "partition of another rank": (
        MATRIX + "    px = x.partition(z.tile[0])\n", "TC501",
        "`x` has 2 axes, and is partitioned into tiles of 1", "give one extent for each axis"),
    "nested pieces of another rank": (
        MATRIX + "    for p in z.pieces(16):\n        pass\n", "TC501",
        "`z` has 2 axes, and is partitioned into tiles of 1", "give one extent for each axis"),
    "walked together": (
        "def k(a: Mut[f32, B], b: Mut[f32, BM, BN]) -> None:\n    for c in a.cells(b):\n        pass\n", "TC501",
        "`a` and `b` cannot be walked together: pieces of (B,) and of (BM, BN)",
        "walk each by itself, or give both the same tile"),
    "operands": (
        GEMM.format("f16", "ct.float32") + "    z.store(ct.mma(py[0, 0], px[0, 0], acc))\n", "TC501",
        "the operands of `ct.mma` do not fit: (bk, BN) times (BM, bk), added to (BM, BN)",
        "the first is (M, K), the second (K, N) and what is added to (M, N)"),
    "combined": (
        MATRIX + "    t = x.partition(*z.tile)[0, 0] + x.partition(z.tile[1], z.tile[0])[0, 0]\n"
        "    z.store(ct.reshape(t, z.tile))\n", "TC501",
        "tiles of shapes (BM, BN) and (BN, BM) are combined", "give both the same extents, or extents of 1"),
    "element type": (
        "def k(z: Mut[f16, B], x: Ref[f32, Dyn]) -> None:\n    z.store(x.load_like(z))\n", "TC502",
        "a tile of float32 is stored to a piece of `z`, whose elements are float16",
        "convert it first: `ct.astype(t, ct.float16)`"),
    "operands of two types": (
        GEMM.format("f32", "ct.float32") + "    z.store(ct.mma(px[0, 0], py[0, 0], acc))\n", "TC505",
        "the operands of `ct.mma` are of float16 and of float32", "convert one of them: `ct.astype(t, ct.float16)`"),
    "accumulator": (
        GEMM.format("f16", "ct.int32") + "    t = ct.mma(px[0, 0], py[0, 0], acc)\n"
        "    z.store(ct.astype(t, ct.float32))\n", "TC505",
        "`ct.mma` of float16 cannot be added to int32", "accumulate in float32: `ct.zeros(..., ct.float32)`"),
    "padding that integers do not have": (
        "def k(z: Mut[i32, B], x: Ref[i32, Dyn]) -> None:\n"
        "    z.store(x.padded(ct.PaddingMode.NEG_INF).load_like(z))\n", "TC303",
        "`x` holds int32 elements, which have no negative infinity to pad with",
        "leave `padded` out, which pads with zero, and replace the lanes outside of `x` with `ct.where`"),
    "padding with a zero that there is not": (
        "def k(z: Mut[f8e8m0, B], x: Ref[f8e8m0, Dyn]) -> None:\n    z.store(x.load_like(z))\n", "TC303",
        "`x` holds float8_e8m0fnu elements, which have no zero to pad with",
        "pad it with another value: `x.padded(ct.PaddingMode...)`"),
    "call with an output": (
        ONE + "    anything(z)\n", "TC102",
        "could not prove anything of `z`: call of elsewhere.anything, which is not known",
        "use operations of cuda.tile, or a helper whose source is in the checked files"),
    "index that is not proved": (
        ONE + "    px = x.partition(z.tile[0])\n    for c in z.cells():\n        (i,) = z.coords(c)\n"
        "        z[c] = px[i - 1]\n", "TC201",
        "could not prove that the index `z.coords(cell)[0] - 1` along axis 0 of `x` stays inside: no proof was found "
        "that it stays inside", "compare the index with `ct.num_tiles(...)` in the kernel, or clamp it"),
}


def found(text: str) -> tuple[Diagnostic, ...]:
    report = check_source(HEAD + text, "k.py", Config(use_cache=False, jobs=1))
    assert not report.failures
    return report.diagnostics


@pytest.mark.parametrize("name", MESSAGES)
def test_message_and_help(name):
    text, code, message, help_ = MESSAGES[name]
    (d,) = found(text)
    assert (d.code, d.severity, d.message, d.help) == (code, "error", message, help_)


@pytest.mark.parametrize("annotation", ["Mut[f32, 48]", "Mut[f32, Dyn]", "Mut"])
def test_nothing_else_is_said_of_what_is_annotated_wrongly(annotation):
    text = f"def k(z: {annotation}, x: Ref[f32, Dyn]) -> None:\n    z.store(x.load_like(z))\n    z.pieces(4)\n"
    assert [d.code for d in found(text)] == ["TC110"]


def test_shapes_say_where_their_extents_come_from():
    (d,) = found(MESSAGES["operands"][0])
    assert [(n.message, n.span.line, n.span.column) for n in d.notes] == [
        ("bk is a constant that the launch passes", 11, 73), ("BM and BN from the annotation of `z`", 11, 6)]


def test_an_element_type_says_where_it_comes_from():
    (d,) = found(MESSAGES["element type"][0])
    assert [(n.message, n.span.line) for n in d.notes] == [("float16 from the annotation of `z`", 11)]


def test_a_write_to_an_input_points_at_its_declaration():
    (d,) = found(MESSAGES["store to an input"][0])
    assert [(n.message, n.span.line, n.span.column) for n in d.notes] == [("`x` is declared here", 11, 22)]


def test_partial_nesting_counts_the_elements():
    (d,) = found(MESSAGES["partial nesting"][0])
    assert [n.message for n in d.notes] == [
        "block 0 owns the elements 0 to 47, and its nested tile 1 covers 32 to 63"]
