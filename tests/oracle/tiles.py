"""Kernels whose tiles are inside their arrays, or only just outside: how index arithmetic meets extents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.oracle.builder import Builder


def _tiles(b: Builder, array: str, axis: int, shape: str, size: str) -> str:
    """The number of tiles of an array, in one of the forms kernels have."""
    extent = f"{array}.shape[{axis}]"
    return b.pick(f"ct.num_tiles({array}, {axis}, {shape})", f"ct.num_tiles({array}, axis={axis}, shape={shape})",
                  f"ct.cdiv({extent}, {size})", f"({extent} + {size} - 1) // {size}")


def _shift_index(b: Builder, index: str, size: str) -> str:
    """An index that may be one off, or in the wrong space."""
    if b.slip("index one off", 25):
        return b.pick(f"{index} + 1", f"{index} - 1")
    if b.slip("element index", 15):
        return f"{index} * {size}"
    if b.slip("index doubled", 10):
        return f"2 * {index}"
    return index


def _assume_same_extents(b: Builder, array: str, other: str, rank: int = 1, slip: bool = True) -> None:
    """`array` is at least as large as `other`; a slip says nothing of it."""
    for axis in range(rank):
        if not (slip and b.slip("extents unrelated", 10)):
            b.agree(f"{array}.shape[{axis}]", f"{other}.shape[{axis}]", b.pick("==", "==", ">="))


def _full(b: Builder, shape: str) -> str:
    return b.let(f"ct.full({shape}, 1, ct.float32)", "value")


def own_tile(b: Builder) -> None:
    """A tile for each block, of one to three axes."""
    rank = b.pick(1, 1, 2, 2, 3)
    a, c = b.add_small_array("a", rank), b.add_small_array("c", rank)
    sizes = [b.tile() if rank < 3 or n == 2 else "1" for n in range(rank)]
    shape = f"({', '.join(sizes)},)"
    order = list(range(rank))
    if rank == 2 and b.chance(25):
        order = [1, 0]
    ids = [b.let(b.bid(axis), "i") for axis in order]
    if rank == 2 and b.slip("axes swapped", 25):
        ids.reverse()
    for axis in order:
        b.add_grid_axis(axis, f"cdiv(c.shape[{order.index(axis)}], {sizes[order.index(axis)]})")
    _assume_same_extents(b, a, c, rank)
    index = f"({', '.join(_shift_index(b, i, s) for i, s in zip(ids, sizes, strict=True))},)"
    b.emit(f"t = ct.load({a}, {index}, {shape})")
    b.emit(f"ct.store({c}, ({', '.join(ids)},), t + 1)")


def row_loop(b: Builder) -> None:
    """A block for each row of tiles, a loop along it; bounds of the loop in all their forms."""
    a, c, k = b.add_small_array("a", 2), b.add_small_array("c", 2), b.create_name("k")
    high, wide = b.pick("1", b.tile()), b.tile()
    b.add_grid_axis(0, f"cdiv(c.shape[0], {high})")
    _assume_same_extents(b, a, c, 2)
    i, walked = b.let(b.bid(0), "i"), b.pick(a, a, c)
    trips = _tiles(b, walked, 1, f"({high}, {wide})", wide)
    if walked == c:
        b.require("a.shape[1] >= c.shape[1]")
    start = "0"
    if b.slip("loop one too far", 50):
        trips = f"{trips} + 1"
    elif b.slip("tiles of half the size", 20):
        trips = f"ct.cdiv({walked}.shape[1], max({wide} // 2, 1))"
    elif b.slip("loop from minus one", 20):
        start = "-1"
    elif b.slip("the other axis", 20):
        trips = f"ct.cdiv({walked}.shape[0], {wide})"
    if b.chance(20):
        b.emit(f"{k} = {start}")
        b.open(f"while {k} < {trips}:", f"{k} += 1")
    else:
        first = f"{start}, " if start != "0" or b.chance(20) else ""
        b.open(f"for {k} in range({first}{trips}):")
    b.emit(f"t = ct.load({a}, ({i}, {k}), ({high}, {wide}))")
    if walked == c:
        b.emit(f"ct.store({c}, ({i}, {k}), t * 2)")
    else:
        b.open(f"if {k} < {_tiles(b, c, 1, f'({high}, {wide})', wide)}:")
        b.emit(f"ct.store({c}, ({i}, {k}), t * 2)")


def given_length(b: Builder) -> None:
    """The loop is bounded by a launch scalar, which is no larger than the extent."""
    a, c, k, n = b.add_small_array("a", 2), b.add_small_array("c", 1), b.create_name("k"), b.count()
    size = b.tile()
    b.add_grid_axis(0, "c.shape[0]")
    b.agree("a.shape[0]", "c.shape[0]")
    if b.chance(60):
        b.agree(n, "a.shape[1]", "<=")
        trips = b.pick(f"ct.cdiv({n}, {size})", f"{n} // {size}", f"({n} + {size} - 1) // {size}")
    else:
        b.agree(n, f"cdiv(a.shape[1], {size})", "<=")
        trips = n
    if b.slip("loop one too far", 50):
        trips = f"{trips} + 1"
    i = b.let(b.bid(0), "i")
    b.emit(f"total = ct.zeros((1, {size}), ct.float32)")
    depth = b.depth
    b.open(f"for {k} in range({trips}):")
    padding = ", padding_mode=ct.PaddingMode.ZERO"
    b.emit(f"total = total + ct.load({a}, ({i}, {k}), (1, {size}){padding})")
    b.close_to(depth)
    b.emit(f"ct.store({c}, ({i},), ct.reshape(ct.sum(total, axis=1), (1,)))")


def clamp_tile(b: Builder) -> None:
    """A neighbour's tile, or the last one where there is none."""
    a, c, size = b.add_small_array("a", 1), b.add_small_array("c", 1), b.tile()
    b.add_grid_axis(0, f"cdiv(c.shape[0], {size})")
    _assume_same_extents(b, a, c)
    i = b.let(b.bid(0), "i")
    last = b.let(f"{_tiles(b, a, 0, f'({size},)', size)} - 1", "last")
    forms = [f"min({i} + 1, {last})", f"max({i} - 1, 0)", f"ct.minimum({i} + {b.radix()}, {last})",
             f"max(min({i} + 2, {last}), 0)", f"min(max({i} - 1, 0), {last})", f"{last} - {i}",
             f"ct.maximum({last} - {i}, 0)"]
    near = b.pick(*forms)
    if b.slip("clamp missing", 45):
        near = b.pick(f"{i} + 1", f"{i} - 1")
    elif b.slip("clamped one too late", 40):
        near = b.pick(f"min({i} + 1, {last} + 1)", f"max({i} - 1, -1)", f"{last} + 1 - {i}")
    if b.chance(50):
        near = b.let(near, "near")
    b.emit(f"t = ct.load({a}, ({near},), ({size},))")
    b.emit(f"ct.store({c}, ({i},), t)")


def guard_tile(b: Builder) -> None:
    """A condition keeps the tile inside."""
    a, c, size = b.add_small_array("a", 1), b.add_small_array("c", 1), b.tile()
    _assume_same_extents(b, c, a)
    i = b.let(b.bid(0), "i")
    count = _tiles(b, a, 0, f"({size},)", size)
    strict = "<=" if b.slip("condition one too weak", 50) else "<"
    form = b.pick("if", "return", "next", "previous")
    if form == "if":
        b.open(f"if {i} {strict} {count}:")
        index = i
    elif form == "return":
        b.open(f"if {i} {'>' if strict == '<=' else '>='} {count}:")
        b.emit("return")
        b.close_to(1)
        index = i
    elif form == "next":
        b.open(f"if {i} + 1 {strict} {count}:")
        index = f"{i} + 1"
    else:
        b.add_grid_axis(0, f"cdiv(a.shape[0], {size})")
        b.open(f"if {i} {'>=' if strict == '<=' else '>'} 0:")
        index = f"{i} - 1"
    b.emit(f"t = ct.load({a}, ({index},), ({size},))")
    b.emit(f"ct.store({c}, ({index},), t)")


def split(b: Builder) -> None:
    """The tiles of a row are dealt to the blocks of an axis in ranges."""
    a, out, size, k = b.add_small_array("a", 1), b.array("c", 1), b.tile(), b.create_name("k")
    parts = b.blocks(0) if b.chance(50) else b.scalar("SPLIT", (1, 2, 3, 4), constant=True)
    if parts == "SPLIT":
        b.add_grid_axis(0, "SPLIT")
    i, count = b.let(b.bid(0), "i"), b.let(_tiles(b, a, 0, f"({size},)", size), "count")
    each = b.let(b.pick(f"ct.cdiv({count}, {parts})", f"({count} + {parts} - 1) // {parts}"), "each")
    end = f"{i} * {each} + {each}"
    stop = end if b.slip("range not clamped", 60) else b.pick(f"min({end}, {count})", f"ct.minimum({count}, {end})")
    b.open(f"for {k} in range({i} * {each}, {stop}):")
    b.emit(f"t = ct.load({a}, ({k},), ({size},))")
    b.emit(f"ct.store({out}, ({k},), t)")


def split_elements(b: Builder) -> None:
    """As `split`, in elements: each block has a range of whole tiles."""
    a, out, size, k = b.add_small_array("a", 1), b.array("c", 1), b.tile(), b.create_name("k")
    length = b.let(f"{size} * {b.radix()}", "length")
    i = b.let(b.bid(0), "i")
    low, high = b.let(f"{i} * {length}", "low"), b.let(f"min({i} * {length} + {length}, {a}.shape[0])", "high")
    if b.slip("range not clamped", 60):
        high = f"{low} + {length}"
    b.open(f"for {k} in range({low} // {size}, ct.cdiv({high}, {size})):")
    b.emit(f"t = ct.load({a}, ({k},), ({size},))")
    b.emit(f"ct.store({out}, ({k},), t)")


def folded_grid(b: Builder) -> None:
    """One grid axis, or a persistent walk, over the tiles of a matrix; swizzled or not."""
    a, c, high, wide = b.add_small_array("a", 2), b.add_small_array("c", 2), b.tile(), b.tile()
    shape = f"({high}, {wide})"
    rows, cols = b.let(_tiles(b, c, 0, shape, high), "rows"), b.let(_tiles(b, c, 1, shape, wide), "cols")
    _assume_same_extents(b, a, c, 2)
    total = f"cdiv(c.shape[0], {high}) * cdiv(c.shape[1], {wide})"
    if b.chance(50):
        p = b.let(b.bid(0), "p")
        b.add_grid_axis(0, total)
    else:
        p = b.create_name("p")
        end = f"{rows} * {cols} + 1" if b.slip("walk one too far", 40) else f"{rows} * {cols}"
        b.open(f"for {p} in range({b.bid(0)}, {end}, {b.blocks(0)}):")
    width = rows if b.slip("wrong radix", 30) else cols
    if b.chance(60):
        i, j = b.let(f"{p} // {width}", "i"), b.let(f"{p} % {width}", "j")
    else:
        group = b.pick("2", b.scalar("GROUP", (1, 2, 3), constant=True))
        b.emit(f"span = {group} * {width}")
        b.emit(f"first = ({p} // span) * {group}")
        size = group if b.slip("last group too large", 40) else f"min({rows} - first, {group})"
        b.emit(f"size = {size}")
        i, j = b.let(f"first + {p} % span % size", "i"), b.let(f"({p} % span) // size", "j")
    b.emit(f"t = ct.load({a}, ({i}, {j}), {shape})")
    b.emit(f"ct.store({c}, ({i}, {j}), t)")


def contraction(b: Builder) -> None:
    """A matrix product: the loop counts the tiles of one operand."""
    a, w, c, k = b.add_small_array("a", 2), b.add_small_array("b", 2), b.add_small_array("c", 2), b.create_name("k")
    high, wide, deep = b.pick("1", b.tile()), b.tile(), b.tile()
    b.add_grid_axis(0, f"cdiv(c.shape[0], {high})")
    b.add_grid_axis(1, f"cdiv(c.shape[1], {wide})")
    b.agree("a.shape[0]", "c.shape[0]")
    b.agree("b.shape[1]", "c.shape[1]")
    if not b.slip("extents unrelated", 30):
        b.agree("b.shape[0]", "a.shape[1]")
    i, j = b.let(b.bid(0), "i"), b.let(b.bid(1), "j")
    trips = _tiles(b, a, 1, f"({high}, {deep})", deep)
    if b.slip("loop one too far", 40):
        trips = f"{trips} + 1"
    b.emit(f"acc = ct.zeros(({high}, {wide}), ct.float32)")
    depth = b.depth
    b.open(f"for {k} in range({trips}):")
    index = f"({j}, {k})" if b.slip("operand transposed", 30) else f"({k}, {j})"
    b.emit(f"x = ct.load({a}, ({i}, {k}), ({high}, {deep}), padding_mode=ct.PaddingMode.ZERO)")
    b.emit(f"y = ct.load({w}, {index}, ({deep}, {wide}), padding_mode=ct.PaddingMode.ZERO)")
    b.emit("acc = ct.mma(x, y, acc)")
    b.close_to(depth)
    b.emit(f"ct.store({c}, ({i}, {j}), acc)")


def heads(b: Builder) -> None:
    """A folded axis, batch and heads; grouped heads read the array of fewer heads."""
    q, kv, o = b.add_small_array("q", 3), b.add_small_array("kv", 3), b.add_small_array("o", 3)
    size, group = b.tile(), b.scalar("GROUP", (1, 2, 3), constant=True)
    for axis in range(3):
        b.agree(f"q.shape[{axis}]", f"o.shape[{axis}]")
    b.agree("kv.shape[0]", "o.shape[0]")
    b.agree("kv.shape[2]", "o.shape[2]")
    b.tie("o.shape[1]", "kv.shape[1] * GROUP")
    b.ties.sort(key=lambda t: t[0] != "o.shape[1]")
    b.require("o.shape[1] == kv.shape[1] * GROUP")
    count = b.pick("o.shape[1]", "q.shape[1]")
    b.add_grid_axis(0, "o.shape[0] * o.shape[1]")
    b.add_grid_axis(1, f"cdiv(o.shape[2], {size})")
    p, j = b.let(b.bid(0), "p"), b.let(b.bid(1), "j")
    if b.slip("wrong radix", 40):
        count = "kv.shape[1]"
    n, h = b.let(f"{p} // {count}", "n"), b.let(f"{p} % {count}", "h")
    shared = h if b.slip("group forgotten", 40) else f"{h} // {group}"
    b.emit(f"x = ct.load({q}, ({n}, {h}, {j}), (1, 1, {size}))")
    b.emit(f"y = ct.load({kv}, ({n}, {shared}, {j}), (1, 1, {size}))")
    b.emit(f"ct.store({o}, ({n}, {h}, {j}), x + y)")


def slice_array(b: Builder) -> None:
    """Tiles of a part of an array; their indices count from its start."""
    a, out, size, k = b.add_small_array("a", 1), b.array("c", 1), b.tile(), b.create_name("k")
    i = b.let(b.bid(0), "i")
    length = b.radix()
    b.add_grid_axis(0, f"a.shape[0] // {length}")
    low = b.let(f"{i} * {length}", "low")
    high = f"{low} + {length}"
    part = b.let(f"{a}.slice(0, {low}, {high})", "part")
    trips = b.pick(f"ct.num_tiles({part}, 0, ({size},))", f"ct.cdiv({length}, {size})",
                   f"ct.cdiv({part}.shape[0], {size})")
    index = k
    if b.slip("loop one too far", 40):
        trips = f"{trips} + 1"
    elif b.slip("index of the whole array", 40):
        index = f"{i} + {k}"
    b.open(f"for {k} in range({trips}):")
    b.emit(f"t = ct.load({part}, ({index},), ({size},))")
    b.emit(f"ct.scatter({out}, {low} + {k} * {size} + ct.arange({size}, dtype=ct.int32), t)")


def view_as_tiles(b: Builder) -> None:
    """A view as tiles; the distance of their starts may be smaller or larger than their length."""
    a, c, size = b.add_small_array("a", 1), b.array("c", 1), b.tile()
    step = b.pick(size, size, "1", "2", f"2 * {size}")
    steps = "" if step == size else f", traversal_steps=({step},)"
    view = b.let(f"{a}.tiled_view(({size},){steps})", "view")
    i = b.let(b.bid(0), "i")
    if b.chance(50):
        b.add_grid_axis(0, f"cdiv(a.shape[0], {step})")
        index = _shift_index(b, i, size)
    else:
        index = b.create_name("k")
        trips = f"{view}.num_tiles(0)"
        if b.slip("loop one too far", 50):
            trips = f"{trips} + 1"
        b.open(f"for {index} in range({i}, {trips}, {b.blocks(0)}):")
    b.emit(f"t = {view}.load(({index},))")
    b.emit(f"ct.store({c}, ({index},), t)")


def access_unchecked(b: Builder) -> None:
    """Unchecked element accesses under a mask."""
    a, c, size = b.add_small_array("a", 1), b.add_small_array("c", 1), b.tile()
    i = b.let(b.bid(0), "i")
    offs = b.let(f"{i} * {size} + ct.arange({size}, dtype=ct.int32)", "offs")
    _assume_same_extents(b, c, a)
    limit = b.pick("n", "a.shape[0]", "c.shape[0]")
    if limit == "n":
        b.agree(b.scalar("n", (1, 2, 3, 5, 7), constant=False), "a.shape[0]", "<=")
    elif limit == "c.shape[0]":
        b.agree("c.shape[0]", "a.shape[0]", "==")
    strict = "<=" if b.slip("mask one too wide", 30) else "<"
    mask = f", mask={offs} {strict} {limit}"
    if b.slip("mask forgotten", 30):
        mask = ""
    if b.slip("offset one off", 20):
        offs = b.let(f"{offs} + 1", "offs")
    form = b.pick("gather", "gather", "raw")
    if form == "raw":
        b.emit(f"t = {a}.get_raw_memory().load_offset({offs}{mask})")
    else:
        b.emit(f"t = ct.gather({a}, {offs}{mask}, check_bounds=False)")
    if b.chance(50):
        b.emit(f"ct.scatter({c}, {offs}, t{mask}, check_bounds=False)")
    else:
        b.emit(f"ct.scatter({c}, {offs}, t)")


def whole_tiles(b: Builder) -> None:
    """Unchecked tiles where extents divide, or where a flag says so."""
    a, c, size = b.add_small_array("a", 1), b.add_small_array("c", 1), b.tile()
    i = b.let(b.bid(0), "i")
    b.require(f"a.shape[0] % {size} == 0")
    b.tie("a.shape[0]", f"a.shape[0] * {size}")
    _assume_same_extents(b, c, a, slip=False)
    b.tie("c.shape[0]", "a.shape[0]")
    count = f"cdiv(a.shape[0], {size})" if b.slip("remainder forgotten", 50) else f"a.shape[0] // {size}"
    if count.startswith("cdiv"):
        b.meant.remove(f"a.shape[0] % {size} == 0")
        b.ties.remove(("a.shape[0]", f"a.shape[0] * {size}"))
    b.add_grid_axis(0, count)
    b.emit(f"t = ct.load({a}, ({i},), ({size},), check_bounds=False)")
    b.emit(f"ct.store({c}, ({i},), t{b.pick('', ', check_bounds=False')})")


def reversed_order(b: Builder) -> None:
    """From the last tile to the first."""
    a, c, size, k = b.add_small_array("a", 1), b.array("c", 1), b.tile(), b.create_name("k")
    count = b.let(_tiles(b, a, 0, f"({size},)", size), "count")
    less = "" if b.slip("one past the end", 60) else " - 1"
    if b.chance(50):
        i = b.let(b.bid(0), "i")
        b.add_grid_axis(0, f"cdiv(a.shape[0], {size})")
        index = f"{count}{less} - {i}"
    else:
        b.open(f"for {k} in range({b.bid(0)}, {count}, {b.blocks(0)}):")
        index = f"{count}{less} - {k}"
    b.emit(f"t = ct.load({a}, ({index},), ({size},))")
    b.emit(f"ct.scatter({c}, ct.arange({size}, dtype=ct.int32) + {b.bid(0)} * {size}, t)")


def step_by_view(b: Builder) -> None:
    """Two tiles an iteration."""
    a, c, size, k = b.add_small_array("a", 1), b.array("c", 1), b.tile(), b.create_name("k")
    b.axes.add(0)
    count = b.let(_tiles(b, a, 0, f"({size},)", size), "count")
    form = b.pick("whole", "step", "condition")
    if form == "whole":
        b.open(f"for {k} in range({count} // 2):")
        index, other = f"2 * {k}", f"2 * {k} + 1"
        if b.slip("half too many", 60):
            b.lines[-1] = b.lines[-1].replace(f"{count} // 2", f"ct.cdiv({count}, 2)")
    elif form == "step":
        end = count if b.slip("half too many", 60) else f"{count} - 1"
        b.open(f"for {k} in range(0, {end}, 2):")
        index, other = k, f"{k} + 1"
    else:
        b.open(f"for {k} in range(0, {count}, 2):")
        index, other = k, f"min({k} + 1, {count} - 1)"
    b.emit(f"t = ct.load({a}, ({index},), ({size},)) + ct.load({a}, ({other},), ({size},))")
    b.emit(f"ct.store({c}, ({b.bid(0)},), t)")


def page_table(b: Builder) -> None:
    """An index from memory, as it is or clamped."""
    clause = b.pick(None, "range(pages, 0, a.shape[0])", "range(pages, 0, n)")
    if clause is not None and "n" in clause:
        b.agree(b.count(), "a.shape[0]", "<=")
    table, a, c, size = b.data("pages", "few", clause), b.add_small_array("a", 2), b.array("c", 2), b.tile()
    i = b.let(b.bid(0), "i")
    page = b.let(f"ct.gather({table}, {i}).item()", "page")
    index = b.pick(page, f"max(min({page}, {a}.shape[0] - 1), 0)", f"{page} % {a}.shape[0]")
    b.emit(f"t = ct.load({a}, ({index}, 0), (1, {size}))")
    b.emit(f"ct.store({c}, ({i}, 0), t)")


def moved_by_a_scalar(b: Builder) -> None:
    """A distance that the launch gives, which may be negative unless a clause excludes it."""
    a, c, size = b.add_small_array("a", 1), b.array("c", 1), b.tile()
    d = b.scalar("d", (-2, -1, 0, 1, 2), constant=b.pick(True, False))
    i, count = b.let(b.bid(0), "i"), _tiles(b, a, 0, f"({size},)", size)
    form = b.pick("sum", "product", "loop", "clamped")
    if form != "clamped":
        b.require("d >= 0")
        b.add_grid_axis(0, f"cdiv(a.shape[0], {size}) - max(d, 0)" if form == "sum" else "cdiv(a.shape[0], 8)")
    index = {"sum": f"{i} + {d}", "product": f"{i} * {d}", "clamped": f"min(max({i} + {d}, 0), {count} - 1)"}.get(form)
    if index is None:
        index = b.create_name("k")
        b.open(f"for {index} in range({d}, {count}):")
    elif form == "clamped" and b.slip("clamp missing", 50):
        index = f"min({i} + {d}, {count} - 1)"
    b.emit(f"t = ct.load({a}, ({index},), ({size},))")
    b.emit(f"ct.store({c}, ({i},), t)")


def chosen_place(b: Builder) -> None:
    """A choice inside of a quotient."""
    a, c, size = b.add_small_array("a", 1), b.array("c", 1), b.tile()
    n = b.count()
    b.agree(n, f"cdiv(a.shape[0], {size})", "<=")
    b.add_grid_axis(0, f"cdiv(a.shape[0], {size})")
    i = b.let(b.bid(0), "i")
    far = f"{i} + 2 * {n}" if b.slip("twice as far", 50) else f"{i} + {n}"
    choice = b.pick(f"min({i}, {n})", f"max({i}, {n})", f"({i} if {i} % 2 == 0 else {far})", f"min({far}, {i} + 1)",
                    f"ct.where({i} < {n}, {i}, {far})", f"max({far}, {i})")
    b.emit(f"t = ct.load({a}, (({choice}) // {b.pick('2', '2', '3')},), ({size},))")
    b.emit(f"ct.store({c}, ({i},), t)")


def fixed_place(b: Builder) -> None:
    """A tile or lanes that are the same in every block, and an array that is long enough, or not."""
    a, c, size = b.add_small_array("a", 2), b.array("c", 1), b.pick("1", "2", "4")
    place = b.pick("0", "1", "2")
    last = f"{place} * {size}" if b.chance(50) else f"{place} * {size} + {size} - 1"
    i = b.let(b.bid(0), "i")
    b.add_grid_axis(0, "a.shape[0]")
    b.require(f"a.shape[1] > {last}")
    b.tie("a.shape[1]", f"{place} * {size} + {size}")
    if last.endswith("- 1"):
        offs = f"{place} * {size} + ct.arange({size}, dtype=ct.int32)"
        b.emit(f"t = ct.gather({a}, ({i}, {offs}), check_bounds=False)")
    else:
        b.emit(f"t = ct.reshape(ct.load({a}, ({i}, {place}), (1, {size})), ({size},))")
    b.emit(f"ct.store({c}, ({i},), t)")


TILES: Final[tuple[Callable[[Builder], None], ...]] = (
    own_tile,
    own_tile,
    own_tile,
    row_loop,
    row_loop,
    row_loop,
    given_length,
    given_length,
    clamp_tile,
    clamp_tile,
    guard_tile,
    guard_tile,
    split,
    split,
    split_elements,
    folded_grid,
    folded_grid,
    folded_grid,
    contraction,
    contraction,
    heads,
    slice_array,
    view_as_tiles,
    access_unchecked,
    access_unchecked,
    access_unchecked,
    whole_tiles,
    reversed_order,
    step_by_view,
    page_table,
    moved_by_a_scalar,
    moved_by_a_scalar,
    chosen_place,
    chosen_place,
    fixed_place,
)
