"""Kernels that load past the end of their arrays, and what becomes of the lanes there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from tests.oracle.builder import Builder

_MODES: Final = ("ZERO", "ZERO", "NEG_INF", "NAN")


@dataclass(frozen=True)
class Sheet:
    """A tile under construction. `rows` and `cols` name the element index of each lane of an axis."""

    name: str
    shape: tuple[str, str]
    rows: str
    cols: str
    source: str

    def with_name(self, name: str) -> Sheet:
        return replace(self, name=name)

    @property
    def shape_text(self) -> str:
        return f"({self.shape[0]}, {self.shape[1]})"


def _mode(b: Builder, percent: int) -> str:
    """A padding mode, or none in `percent` of all cases."""
    if b.chance(percent):
        return ""
    return f", padding_mode=ct.PaddingMode.{b.pick(*_MODES)}"


def _lanes(b: Builder, base: str, size: str) -> str:
    return b.let(f"{base} * {size} + ct.arange({size}, dtype=ct.int32)", "offs")


def _sheet(b: Builder) -> Sheet:
    """A tile of rows and columns of `x`: a block for each tile of rows, and for each tile of columns where asked."""
    x = b.add_small_array("x", 2)
    high, wide = b.pick("1", b.tile()), b.tile()
    i = b.let(b.bid(0), "i")
    b.add_grid_axis(0, f"cdiv(x.shape[0], {high})")
    column = "0"
    if b.chance(30):
        column = b.let(b.bid(1), "j")
        b.add_grid_axis(1, f"cdiv(x.shape[1], {wide})")
    elif b.chance(50):
        b.require(f"x.shape[1] <= {wide}")
        b.scalar("WIDE", (4, 8), constant=True)
        wide = "WIDE"
        b.meant[-1] = f"x.shape[1] <= {wide}"
    if b.chance(15):
        b.require(f"x.shape[1] % {wide} == 0")
        b.tie("x.shape[1]", wide)
    mode = _mode(b, 70)
    b.feature("undefined" if not mode else "defined")
    b.emit(f"t = ct.load({x}, ({i}, {column}), ({high}, {wide}){mode})")
    rows, cols = _lanes(b, i, high), _lanes(b, column, wide)
    return Sheet("t", (high, wide), rows, cols, x)


# what happens to the lanes on the way ---------------------------------------------------------------------------------


def elementwise(b: Builder, s: Sheet) -> Sheet:
    t = s.name
    return s.with_name(b.let(b.pick(f"ct.exp({t})", f"{t} * 2 + 1", f"-{t}", f"ct.maximum({t}, 0.0)", f"{t} / 3",
                                f"ct.where({t} > 0, {t}, 0.0)", f"abs({t})", f"ct.astype({t}, ct.float16)",
                                f"{t} - {t}"), "t"))


def second_load(b: Builder, s: Sheet) -> Sheet:
    """Another array of the same extents, or a row of weights."""
    if b.chance(50):
        w = b.add_small_array("w", 2)
        for axis in range(2):
            b.agree(f"w.shape[{axis}]", f"x.shape[{axis}]")
        index = "(i1, 0)" if "j2" not in b.lines[1] else "(i1, j2)"
        b.emit(f"other = ct.load({w}, {index}, {s.shape_text}{_mode(b, 40)})")
    else:
        w = b.add_small_array("g", 1)
        b.agree("g.shape[0]", "x.shape[1]")
        index = "(0,)" if "j2" not in b.lines[1] else "(j2,)"
        b.emit(f"other = ct.load({w}, {index}, ({s.shape[1]},){_mode(b, 40)})[None, :]")
    return s.with_name(b.let(f"{s.name} {b.pick('+', '*', '-')} other", "t"))


def _mask(b: Builder, s: Sheet) -> str:
    """Lanes inside the array on one axis or both; a slip is one off, or takes the wrong axis."""
    axes = b.pick((1,), (1,), (1,), (0,), (0, 1))
    limits = ["x.shape[0]", "x.shape[1]"]
    if b.chance(25):
        n = b.scalar("n", (1, 2, 3, 5, 7), constant=False)
        b.agree(n, "x.shape[1]", b.pick("==", "<="))
        limits[1] = n
    if b.slip("limit of the other axis", 15):
        limits.reverse()
    strict = "<=" if b.slip("mask one too wide", 20) else "<"
    parts = [f"({s.rows} {strict} {limits[0]})[:, None]", f"({s.cols} {strict} {limits[1]})[None, :]"]
    return " & ".join(parts[a] for a in axes)


def clean_lanes(b: Builder, s: Sheet) -> Sheet:
    """`where` puts a number in the place of undefined lanes; a slip in the place of the others."""
    mask = b.let(_mask(b, s), "mask")
    of_data = b.chance(30)
    if of_data:
        sign = "|" if b.slip("either mask", 80) else "&"
        mask = b.let(b.pick(f"{mask} {sign} ({s.name} > 0)", f"({s.name} > 0) {sign} {mask}"), "mask")
    sides = (s.name, b.pick("0.0", "-1e30", "1.0"))
    if b.chance(50 if of_data else 10):
        sides = ("1.0", "0.0")
    if b.slip("sides of where swapped", 20):
        sides = (sides[1], sides[0])
    return s.with_name(b.let(f"ct.where({mask}, {sides[0]}, {sides[1]})", "t"))


def zero_mask(b: Builder, s: Sheet) -> Sheet:
    """Multiplies by zero: undefined lanes stay undefined."""
    mask = b.let(_mask(b, s), "mask")
    return s.with_name(b.let(f"{s.name} * ct.astype({mask}, ct.float32)", "t"))


def row_statistic(b: Builder, s: Sheet) -> Sheet:
    """Less the mean or the largest element of its row."""
    kind = b.pick("max", "sum", "min")
    return s.with_name(b.let(f"{s.name} - ct.{kind}({s.name}, axis=1, keepdims=True)", "t"))


def round_trip(b: Builder, s: Sheet) -> Sheet:
    """Reshaped and permuted there and back."""
    high, wide = s.shape
    name = b.let(b.pick(f"ct.reshape({s.name}, (1, {high}, {wide}))", f"{s.name}[None, :, :]",
                        f"ct.expand_dims({s.name}, 0)"), "t")
    if b.chance(50):
        name = b.let(f"ct.permute(ct.permute({name}, (2, 0, 1)), (1, 2, 0))", "t")
    return s.with_name(b.let(f"ct.reshape({name}, ({high}, {wide}))", "t"))


def loop_over_rows(b: Builder, s: Sheet) -> Sheet:
    """Carried through a loop."""
    depth, k = b.depth, b.create_name("k")
    total = b.let(b.pick(f"ct.zeros({s.shape_text}, ct.float32)", s.name), "total")
    b.open(f"for {k} in range({b.radix()}):")
    b.emit(f"{total} = {total} + {s.name}")
    b.close_to(depth)
    return s.with_name(total)


def under_flag(b: Builder, s: Sheet) -> Sheet:
    """Cleaned, or not, under a flag."""
    depth, flag = b.depth, b.flag()
    name = b.let(s.name, "u")
    b.open(f"if {flag}:")
    b.emit(f"{name} = ct.where({_mask(b, s)}, {s.name}, 0.0)")
    b.close_to(depth)
    if b.chance(60):
        b.open("else:")
        b.emit(f"{name} = {b.pick('ct.full(' + s.shape_text + ', 1, ct.float32)', s.name + ' * 2')}")
        b.close_to(depth)
    return s.with_name(name)


STEPS: Final[tuple[Callable[[Builder, Sheet], Sheet], ...]] = (
    elementwise,
    elementwise,
    elementwise,
    second_load,
    clean_lanes,
    clean_lanes,
    clean_lanes,
    clean_lanes,
    zero_mask,
    row_statistic,
    round_trip,
    loop_over_rows,
    under_flag,
)


# where they may be observed -------------------------------------------------------------------------------------------


def _store(b: Builder, index: str, value: str, like: tuple[str, str]) -> None:
    """A store into `o`, whose extents are those of the input, or not known to be."""
    o = b.add_small_array("o", 2)
    for axis, extent in enumerate(like):
        if extent.isdigit():
            b.agree(f"o.shape[{axis}]", extent)
        elif not b.slip("output larger than the input", 15):
            b.agree(f"o.shape[{axis}]", extent, b.pick("==", "==", "<="))
    b.emit(f"ct.store({o}, {index}, {value})")


def _index(b: Builder) -> tuple[str, str]:
    return ("i1", "j2") if "j2" in b.lines[1] else ("i1", "0")


def store_lanes(b: Builder, s: Sheet) -> None:
    i, j = _index(b)
    _store(b, f"({i}, {j})", s.name, ("x.shape[0]", "x.shape[1]"))


def stored_transposed(b: Builder, s: Sheet) -> None:
    i, j = _index(b)
    turned = b.pick(f"ct.transpose({s.name})", f"ct.permute({s.name}, (1, 0))", f"{s.name}.transpose()")
    _store(b, f"({j}, {i})", turned, ("x.shape[1]", "x.shape[0]"))


def scatter_lanes(b: Builder, s: Sheet) -> None:
    """Into a flat output under a mask, or into one of two axes."""
    if b.chance(50):
        o = b.add_small_array("o", 2)
        for axis in range(2):
            b.agree(f"o.shape[{axis}]", f"x.shape[{axis}]", b.pick("==", "<="))
        b.emit(f"ct.scatter({o}, ({s.rows}[:, None], {s.cols}[None, :]), {s.name})")
        return
    o = b.array("flat", 1)
    mask = f"({s.rows} < x.shape[0])[:, None] & ({s.cols} < x.shape[1])[None, :]"
    if b.slip("mask forgets an axis", 50):
        mask = b.pick(f"({s.rows} < x.shape[0])[:, None]", f"({s.cols} < x.shape[1])[None, :]")
    b.emit(f"offs = {s.rows}[:, None] * x.shape[1] + {s.cols}[None, :]")
    b.emit(f"ct.scatter({o}, offs, {s.name}, mask={mask})")


def row_reduced(b: Builder, s: Sheet) -> None:
    """Along the columns: one number for each row."""
    kind = b.pick("sum", "max", "min", "prod", "argmax")
    result = b.let(f"ct.{kind}({s.name}, axis=1, keepdims=True)", "r")
    if kind == "argmax":
        result = f"ct.astype({result}, ct.float32)"
    _store(b, "(i1, 0)", result, ("x.shape[0]", "1"))


def column_reduced(b: Builder, s: Sheet) -> None:
    """Along the rows."""
    result = b.let(f"ct.{b.pick('sum', 'max')}({s.name}, axis=0, keepdims=True)", "r")
    _store(b, f"(0, {_index(b)[1]})", result, ("1", "x.shape[1]"))


def wholly_reduced(b: Builder, s: Sheet) -> None:
    o = b.array("v", 1)
    b.emit(f"ct.scatter({o}, i1, ct.sum({s.name}))")


def scan_lanes(b: Builder, s: Sheet) -> None:
    axis, reverse = b.pick(1, 1, 0), b.pick("", "", ", reverse=True")
    store_lanes(b, s.with_name(b.let(f"ct.{b.pick('cumsum', 'cumprod')}({s.name}, axis={axis}{reverse})", "t")))


def multiply_lanes(b: Builder, s: Sheet) -> None:
    """By a matrix, from the left."""
    w, size = b.add_small_array("m", 2), b.tile()
    b.agree("m.shape[0]", "x.shape[1]")
    b.emit(f"m0 = ct.load({w}, ({_index(b)[1]}, 0), ({s.shape[1]}, {size}){_mode(b, 40)})")
    acc = f"ct.zeros(({s.shape[0]}, {size}), ct.float32)"
    product = b.pick(f"ct.mma({s.name}, m0, {acc})", f"ct.matmul({s.name}, m0)", f"{s.name} @ m0")
    _store(b, "(i1, 0)", b.let(product, "p"), ("x.shape[0]", "m.shape[1]"))


def gram(b: Builder, s: Sheet) -> None:
    """The product with its own transpose: rows past the end give rows past the end."""
    acc = f"ct.zeros(({s.shape[0]}, {s.shape[0]}), ct.float32)"
    o = b.array("square", 2)
    b.emit(f"p = ct.mma({s.name}, ct.transpose({s.name}), {acc})")
    b.emit(f"ct.store({o}, (i1, 0), p)")


def count_lanes(b: Builder, s: Sheet) -> None:
    """Into a histogram by atomics."""
    o = b.array("count", 1, element="int32")
    keys = b.let(f"ct.astype({s.name}, ct.int32)", "keys")
    if b.chance(50):
        keys = b.let(f"ct.where({_mask(b, s)}, {keys}, -1)", "keys")
    b.emit(f"ct.atomic_add({o}, {keys}, 1)")


def gather_lanes(b: Builder, s: Sheet) -> None:
    """As an index."""
    a = b.array("a", 1)
    keys = b.let(f"ct.astype({s.name}, ct.int32)", "keys")
    mask = f", mask={_mask(b, s)}" if b.chance(60) else ""
    store_lanes(b, s.with_name(b.let(f"ct.gather({a}, {keys}{mask})", "t")))


def decide_by_lanes(b: Builder, s: Sheet) -> None:
    """As a condition."""
    total = b.let(f"ct.max({s.name})", "total")
    o = b.array("v", 1)
    b.open(f"if {total} > 0.5:")
    b.emit(f"ct.scatter({o}, i1, 1.0)")


USES: Final[tuple[Callable[[Builder, Sheet], None], ...]] = (
    store_lanes,
    store_lanes,
    store_lanes,
    stored_transposed,
    scatter_lanes,
    scatter_lanes,
    row_reduced,
    row_reduced,
    row_reduced,
    column_reduced,
    wholly_reduced,
    scan_lanes,
    scan_lanes,
    multiply_lanes,
    multiply_lanes,
    gram,
    count_lanes,
    gather_lanes,
    decide_by_lanes,
)


def sheet(b: Builder) -> None:
    """A tile, some steps, a use."""
    s = _sheet(b)
    for _ in range(b.pick(0, 1, 1, 2, 2, 3)):
        step = b.pick(*STEPS)
        if step is second_load and any("other" in line for line in b.lines):
            continue
        b.feature(step.__name__)
        s = step(b, s)
    use = b.pick(*USES)
    b.feature(use.__name__)
    use(b, s)


# whole kernels --------------------------------------------------------------------------------------------------------


def vector(b: Builder) -> None:
    """Element-wise in one dimension; a slip writes further than it reads."""
    x, o, size = b.add_small_array("x", 1), b.add_small_array("o", 1), b.tile()
    i = b.let(b.bid(0), "i")
    b.add_grid_axis(0, f"cdiv(x.shape[0], {size})")
    form = b.pick("same", "same", "smaller", "scatter", "length")
    t = b.let(f"ct.load({x}, ({i},), ({size},)){b.pick('', ' * 2', ' + 1')}", "t")
    offs = f"{i} * {size} + ct.arange({size}, dtype=ct.int32)"
    if form == "length":
        n = b.scalar("n", (1, 2, 3, 5, 7), constant=False)
        if not b.slip("length unrelated", 50):
            b.agree(n, "x.shape[0]", b.pick("==", "<="))
        b.emit(f"offs = {offs}")
        b.emit(f"ct.scatter({o}, offs, {t}, mask=offs < {n})")
        return
    if not b.slip("output larger than the input", 60):
        b.agree("o.shape[0]", "x.shape[0]", "<=" if form == "smaller" else "==")
    if form == "scatter":
        b.emit(f"ct.scatter({o}, {offs}, {t})")
    else:
        if form != "smaller":
            b.require(f"grid[0] <= cdiv(o.shape[0], {size})")
        b.emit(f"ct.store({o}, ({i},), {t})")


def row_loop(b: Builder) -> None:
    """Sums along a row, tile by tile."""
    x, o, k = b.add_small_array("x", 2), b.add_small_array("o", 2), b.create_name("k")
    high, wide = b.pick("1", b.tile()), b.tile()
    b.add_grid_axis(0, f"cdiv(x.shape[0], {high})")
    b.agree("o.shape[0]", "x.shape[0]")
    i = b.let(b.bid(0), "i")
    mode = _mode(b, 60)
    b.emit(f"total = ct.zeros(({high}, {wide}), ct.float32)")
    depth = b.depth
    full = b.chance(25)
    b.open(f"for {k} in range({f'x.shape[1] // {wide}' if full else f'ct.num_tiles({x}, 1, ({high}, {wide}))'}):")
    b.emit(f"t = ct.load({x}, ({i}, {k}), ({high}, {wide}){mode})")
    clean = b.pick("none", "none", "where", "condition")
    mask = f"({k} * {wide} + ct.arange({wide}, dtype=ct.int32))[None, :] < x.shape[1]"
    if clean == "where":
        b.emit(f"t = ct.where({mask}, t, 0.0)")
    elif clean == "condition":
        inner = b.depth
        b.open(f"if ({k} + 1) * {wide} > x.shape[1]:")
        b.emit(f"t = ct.where({mask}, t, 0.0)")
        b.close_to(inner)
    if b.chance(50):
        b.emit("total = total + t")
        b.close_to(depth)
        b.emit("r = ct.sum(total, axis=1, keepdims=True)")
    else:
        b.emit("total = total + ct.sum(t, axis=1, keepdims=True)")
        b.close_to(depth)
        b.emit("r = ct.max(total, axis=1, keepdims=True)")
    b.emit(f"ct.store({o}, ({i}, 0), r)")


def product(b: Builder) -> None:
    """A matrix product tile by tile; one operand, or both, are padded with zeros."""
    a, w, c, k = b.add_small_array("a", 2), b.add_small_array("b", 2), b.add_small_array("c", 2), b.create_name("k")
    high, wide, deep = b.pick("1", b.tile()), b.tile(), b.tile()
    b.add_grid_axis(0, f"cdiv(c.shape[0], {high})")
    b.add_grid_axis(1, f"cdiv(c.shape[1], {wide})")
    b.agree("a.shape[0]", "c.shape[0]")
    b.agree("b.shape[1]", "c.shape[1]")
    b.agree("b.shape[0]", "a.shape[1]")
    i, j = b.let(b.bid(0), "i"), b.let(b.bid(1), "j")
    modes = [", padding_mode=ct.PaddingMode.ZERO"] * 2
    if b.slip("padding mode missing", 60):
        modes[b.pick(0, 1)] = ""
    if b.slip("padding mode missing", 30):
        modes = ["", ""]
    if b.chance(20):
        b.require(f"a.shape[1] % {deep} == 0")
        b.tie("a.shape[1]", deep)
        b.ties.sort(key=lambda t: t[0] != "a.shape[1]")
    b.emit(f"acc = ct.zeros(({high}, {wide}), ct.float32)")
    depth = b.depth
    b.open(f"for {k} in range(ct.num_tiles({a}, 1, ({high}, {deep}))):")
    b.emit(f"x = ct.load({a}, ({i}, {k}), ({high}, {deep}){modes[0]})")
    b.emit(f"y = ct.load({w}, ({k}, {j}), ({deep}, {wide}){modes[1]})")
    b.emit("acc = ct.mma(x, y, acc)")
    b.close_to(depth)
    b.emit(f"ct.store({c}, ({i}, {j}), acc)")


def attention_tail(b: Builder) -> None:
    """Scores are masked past the end; the values must be defined there too."""
    q, kk, v, o, k = (
        b.add_small_array("q", 2),
        b.add_small_array("kk", 2),
        b.add_small_array("v", 2),
        b.add_small_array("o", 2),
        b.create_name("k"),
    )
    size = b.tile()
    depth_of = b.scalar("D", (2, 4), constant=True)
    for name in ("q", "kk", "v", "o"):
        b.agree(f"{name}.shape[1]", depth_of)
    b.agree("v.shape[0]", "kk.shape[0]")
    b.agree("o.shape[0]", "q.shape[0]")
    b.add_grid_axis(0, "q.shape[0]")
    i = b.let(b.bid(0), "i")
    zero = ", padding_mode=ct.PaddingMode.ZERO"
    of_v = "" if b.slip("values not padded", 60) else zero
    masked = not b.slip("scores not masked", 20)
    b.emit(f"x = ct.transpose(ct.load({q}, ({i}, 0), (1, {depth_of})))")
    b.emit(f"acc = ct.zeros(({depth_of}, 1), ct.float32)")
    depth = b.depth
    b.open(f"for {k} in range(ct.num_tiles({kk}, 0, ({size}, {depth_of}))):")
    b.emit(f"y = ct.load({kk}, ({k}, 0), ({size}, {depth_of}){b.pick('', zero)})")
    b.emit(f"s = ct.mma(y, x, ct.zeros(({size}, 1), ct.float32))")
    if masked:
        b.emit(f"inside = ({k} * {size} + ct.arange({size}, dtype=ct.int32))[:, None] < {kk}.shape[0]")
        b.emit("s = ct.where(inside, s, -1.0e6)")
    b.emit("p = ct.exp(s - ct.max(s, axis=0, keepdims=True))")
    b.emit(f"z = ct.load({v}, ({k}, 0), ({size}, {depth_of}){of_v})")
    b.emit("acc = ct.mma(ct.transpose(z), p, acc)")
    b.close_to(depth)
    b.emit(f"ct.store({o}, ({i}, 0), ct.transpose(acc))")


def layer_norm(b: Builder) -> None:
    """Mean and variance of a row that is shorter than its tile; the deviations of padding are cleaned, or not."""
    x, o = b.add_small_array("x", 2), b.add_small_array("o", 2)
    wide = b.scalar("WIDE", (4, 8), constant=True)
    b.require(f"x.shape[1] <= {wide}")
    b.add_grid_axis(0, "x.shape[0]")
    for axis in range(2):
        b.agree(f"o.shape[{axis}]", f"x.shape[{axis}]")
    i, n = b.let(b.bid(0), "i"), "x.shape[1]"
    b.emit(f"t = ct.load({x}, ({i}, 0), (1, {wide}){'' if b.slip('padding mode missing', 60) else _mode(b, 0)})")
    b.emit(f"mean = ct.sum(t, axis=1, keepdims=True) / {n}")
    if b.chance(50):
        b.emit("d = t - mean")
        if b.chance(60):
            b.emit(f"d = ct.where(ct.arange({wide}, dtype=ct.int32)[None, :] < {n}, d, 0.0)")
        b.emit(f"var = ct.sum(d * d, axis=1, keepdims=True) / {n}")
    else:
        b.emit(f"var = ct.sum(t * t, axis=1, keepdims=True) / {n} - mean * mean")
    if b.chance(40):
        b.emit(f"t = ct.load({x}, ({i}, 0), (1, {wide}))")
    b.emit(f"ct.store({o}, ({i}, 0), (t - mean) * ct.rsqrt(var + 1e-5))")


def parts_of_a_tile(b: Builder) -> None:
    """Splits a tile into halves and joins them."""
    x, o = b.add_small_array("x", 2), b.add_small_array("o", 2)
    wide = b.scalar("WIDE", (4, 8), constant=True)
    b.require(f"x.shape[1] <= {wide}")
    b.add_grid_axis(0, "x.shape[0]")
    for axis in range(2):
        b.agree(f"o.shape[{axis}]", f"x.shape[{axis}]")
    i = b.let(b.bid(0), "i")
    b.emit(f"t = ct.load({x}, ({i}, 0), (1, {wide}){_mode(b, 70)})")
    b.emit(f"a = ct.extract(t, (0, 0), (1, {wide} // 2))")
    b.emit(f"b = ct.extract(t, (0, 1), (1, {wide} // 2))")
    form = b.pick("cat", "swapped", "sum", "both", "zeros", "inserted")
    if form == "zeros":
        b.emit(f"a = ct.zeros((1, {wide} // 2), ct.float32)")
        b.emit(f"ct.store({o}, ({i}, 0), ct.cat((a, b), 1))")
    elif form == "inserted":
        b.emit(f"ct.store({o}, ({i}, 0), ct.insert(ct.zeros((1, {wide}), ct.float32), (0, {b.pick('0', '1')}), b))")
    elif form in ("cat", "swapped"):
        b.emit(f"ct.store({o}, ({i}, 0), ct.cat({'(a, b)' if form == 'cat' else '(b, a)'}, 1))")
    elif form == "sum":
        b.emit(f"ct.store({o}, ({i}, 0), ct.broadcast_to(ct.sum(a, axis=1, keepdims=True), (1, {wide} // 2)))")
    else:
        b.emit(f"ct.store({o}, ({i}, 0), a * b)")


def reuse(b: Builder) -> None:
    """A tile that is only stored beside one that is reduced."""
    x, y, o, v = b.add_small_array("x", 1), b.add_small_array("y", 1), b.add_small_array("o", 1), b.array("v", 1)
    size = b.tile()
    i = b.let(b.bid(0), "i")
    b.add_grid_axis(0, f"cdiv(x.shape[0], {size})")
    b.agree("y.shape[0]", "x.shape[0]")
    b.agree("o.shape[0]", "x.shape[0]")
    b.emit(f"t = ct.load({x}, ({i},), ({size},))")
    b.emit(f"u = ct.load({y}, ({i},), ({size},){_mode(b, 30)})")
    b.emit(f"ct.store({o}, ({i},), t + u)")
    b.emit(f"ct.scatter({v}, {i}, ct.sum(u))")


LANES: Final[tuple[Callable[[Builder], None], ...]] = (
    *(sheet for _ in range(16)), vector, vector, vector, row_loop, row_loop, row_loop, product, product, product,
    attention_tail, attention_tail, layer_norm, layer_norm, parts_of_a_tile, reuse,
)
