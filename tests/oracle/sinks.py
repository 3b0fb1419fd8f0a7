"""The use of digits in a generated kernel: the right half of its index arithmetic, and the memory operation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tests.oracle.builder import Builder, Digit


@dataclass(frozen=True)
class Place:
    """Where a kernel writes: enough to write or read the same place again, or its neighbour's.

    `write` makes the statement from a value, `read` the expression from an index; `shape` is that of the value.
    """

    array: str
    write: Callable[[str], str]
    read: Callable[[str], str]
    index: str
    shape: str = "1"
    neighbour: str | None = None

    def with_value(self, shape: str) -> Place:
        return replace(self, shape=shape)


def _shape(parts: Sequence[str]) -> str:
    return f"({', '.join(parts)}{',' if len(parts) == 1 else ''})"


def _distort(b: Builder, digits: list[Digit]) -> list[Digit]:
    """Perhaps loses a digit."""
    if len(digits) > 1 and b.slip("digit dropped"):
        lost = b.pick(*range(len(digits)))
        return [Digit("0", "1") if n == lost else d for n, d in enumerate(digits)]
    if b.slip("digit halved", 15):
        lost = b.pick(*range(len(digits)))
        return [Digit(f"({d.expr} // 2)", d.bound) if n == lost else d for n, d in enumerate(digits)]
    return digits


def _times_a_scalar(b: Builder, digit: Digit) -> str:
    b.feature("times a scalar")
    return f"{digit.expr} * {b.stride()}"


def _stretch(b: Builder, digit: Digit) -> str:
    """Perhaps an affine function of a digit."""
    make = b.pick(*(lambda: digit.expr,) * 5, lambda: f"{digit.expr} + 1", lambda: f"{digit.expr} * 2",
                  lambda: f"2 * {digit.expr} + 1", lambda: f"{digit.expr} * {b.radix()}",
                  lambda: _times_a_scalar(b, digit))
    return make()


def _fold(b: Builder, digits: Sequence[Digit]) -> Digit:
    """Digits folded into one number, most significant first; the radix is a bound or a parameter known to be one."""
    total = digits[0]
    for digit in digits[1:]:
        if digit.bound is not None and b.chance(70):
            radix = digit.bound
        else:
            radix = b.pick(b.stride, b.stride, b.factor)()
            if digit.bound is not None:
                b.require(f"({digit.bound}) <= {radix}")
        bound = None if total.bound is None else f"(({total.bound}) * ({radix}))"
        factor = b.code(radix)
        if b.slip("radix one short"):
            factor = f"({factor} - 1)"
        if b.slip("radix on the wrong digit", 15):
            total = Digit(f"({total.expr} + {digit.expr} * ({factor}))", bound)
        else:
            total = Digit(f"({total.expr} * ({factor}) + {digit.expr})", bound)
    return total


def tile_store(b: Builder, digits: list[Digit]) -> Place:
    digits = _distort(b, digits)
    parts = [_stretch(b, d) for d in digits]
    spare = b.pick(0, 0, 1) if len(parts) < 3 else 0
    parts += ["0"] * spare
    order = sorted(range(len(parts)), key=lambda n: b.pick(0, 1, 2))
    parts = [parts[n] for n in order]
    shape = [b.pick("1", "1", b.tile()) if len(parts) > 1 else b.tile() for _ in parts]
    array = b.array("c", len(parts))
    index = _shape(parts)
    options = ", order=(1, 0)" if len(parts) == 2 and b.chance(20) else ""
    near = _shape([f"{parts[0]} + 1", *parts[1:]])
    form = b.pick("ct.store({0}, index={1}, tile={2}{3})", "ct.store({0}, {1}, {2}{3})")
    return Place(array, lambda v: form.format(array, index, v, options),
                 lambda i: f"ct.load({array}, {i}, {_shape(shape)}{options})", index, _shape(shape), near)


def folded_store(b: Builder, digits: list[Digit]) -> Place:
    digits = _distort(b, digits)
    place = _stretch(b, _fold(b, digits))
    array, shape, index = b.array("c", 1), _shape([b.tile()]), _shape([place])
    return Place(array, lambda v: f"ct.store({array}, {index}, {v})",
                 lambda i: f"ct.load({array}, {i}, {shape})", index, shape, _shape([f"{place} + 1"]))


def _lanes(b: Builder, size: str, axis: str = "") -> str:
    return f"ct.arange({size}, dtype=ct.int32){axis}"


def _scatter(b: Builder, array: str, offsets: str, mask: str | None, shape: str) -> Place:
    """A 1-D scatter, its mask written as a mask, as an out-of-range sentinel, or not at all."""
    offs = b.let(offsets, "offs")
    form = "plain" if mask is None else b.pick("mask", "mask", "named", "sentinel", "negative")
    if mask is not None and form == "named":
        mask = b.let(mask, "mask")
    if form == "sentinel":
        b.array(array, 1)
        offs = b.let(f"ct.where({mask}, {offs}, {array}.shape[0])", "offs")
    elif form == "negative":
        offs = b.let(f"ct.where({mask}, {offs}, -1)", "offs")
    option = f", mask={mask}" if form in ("mask", "named") else ""
    return Place(array, lambda v: f"ct.scatter({array}, {offs}, {v}{option})",
                 lambda i: f"ct.gather({array}, {i}{option})", offs, shape, f"{offs} + 1")


def flat_scatter(b: Builder, digits: list[Digit]) -> Place:
    """`p * T + arange(T)`."""
    p, size = _fold(b, _distort(b, digits)), b.tile()
    factor = size
    if b.slip("lanes overlap"):
        factor = b.pick(f"({size} - 1)", f"max({size} // 2, 1)")
    lanes = _lanes(b, size)
    if b.slip("duplicate lanes", 15):
        lanes = f"{lanes} // 2"
    mask = f"{p.expr} * {factor} + {lanes} < {b.count('n')}" if b.chance(50) else None
    return _scatter(b, b.array("c", 1), f"{p.expr} * {factor} + {lanes}", mask, _shape([size]))


def row_scatter(b: Builder, digits: list[Digit]) -> Place:
    """`row * S + col`, where the columns of a row come in tiles and are masked."""
    digits = _distort(b, digits)
    size, length = b.tile(), b.scalar("N", (1, 2, 3, 5, 6, 8), constant=b.pick(True, False))
    if len(digits) > 1 and b.chance(50):
        row, column = _fold(b, digits[:-1]), digits[-1].expr
    else:
        row, column = _fold(b, digits), b.create_name("k")
        b.open(f"for {column} in range(ct.cdiv({length}, {size})):")
    cols = b.let(f"{column} * {size} + {_lanes(b, size)}", "cols")
    stride = length
    if b.chance(60):
        stride = b.stride()
        b.require(f"{length} <= {stride}")
    if b.slip("row stride one short"):
        stride = f"({stride} - 1)"
    mask: str | None = f"{cols} < {length}"
    if b.slip("mask forgotten"):
        mask = None
    return _scatter(b, b.array("c", 1), f"{row.expr} * {stride} + {cols}", mask, _shape([size]))


def unmasked_row(b: Builder, digits: list[Digit]) -> Place:
    """`row * S + arange(T)`: right where T fits into S."""
    row, size = _fold(b, _distort(b, digits)), b.tile()
    stride = b.stride()
    b.require(f"{size} <= {stride}")
    return _scatter(b, b.array("c", 1), f"{row.expr} * {stride} + {_lanes(b, size)}", None, _shape([size]))


def lanes_2d(b: Builder, digits: list[Digit]) -> Place:
    """Row-major flattening of a tile of rows and columns."""
    digits = _distort(b, digits)
    first, second = (_fold(b, digits[:-1]), digits[-1]) if len(digits) > 1 else (digits[0], Digit("0", "1"))
    high, wide = b.tile(), b.tile()
    length = b.scalar("N", (1, 2, 3, 5, 6, 8), constant=b.pick(True, False))
    rows = b.let(f"{first.expr} * {high} + {_lanes(b, high)}", "rows")
    cols = b.let(f"{second.expr} * {wide} + {_lanes(b, wide)}", "cols")
    offsets = f"{rows}[:, None] * {length} + {cols}[None, :]"
    masks = [] if b.slip("column mask forgotten") else [f"({cols} < {length})[None, :]"]
    if b.chance(50):
        masks.append(f"({rows} < {b.count('m')})[:, None]")
    return _scatter(b, b.array("c", 1), offsets, " & ".join(masks) or None, _shape([high, wide]))


def scatter_2d(b: Builder, digits: list[Digit]) -> Place:
    """Element indices per dimension."""
    digits = _distort(b, digits)
    size = b.tile()
    array = b.array("c", 2)
    if len(digits) > 1:
        row, column = _fold(b, digits[:-1]).expr, digits[-1].expr
    else:
        row, column = digits[0].expr, b.pick("0", "1")
    factor = f"({size} - 1)" if b.slip("lanes overlap") else size
    cols = b.let(f"{column} * {factor} + {_lanes(b, size)}", "cols")
    form = b.pick("row", "lane", "swapped")
    index = {"row": f"({row}, {cols})", "swapped": f"({cols}, {row})"}.get(form)
    shape = _shape([size])
    if index is None:
        high = b.tile()
        rows = b.let(f"{row} * {high} + {_lanes(b, high)}", "rows")
        index, shape = f"({rows}[:, None], {cols}[None, :])", _shape([high, size])
    option = f", mask={cols} < {b.count('n')}" if form == "row" and b.chance(40) else ""
    return Place(array, lambda v: f"ct.scatter({array}, {index}, {v}{option})",
                 lambda i: f"ct.gather({array}, {i}{option})", index).with_value(shape)


def interleave_digits(b: Builder, digits: list[Digit]) -> Place:
    """`lane * G + p` with p < G: neighbouring elements belong to different blocks."""
    size, digits = b.tile(), _distort(b, digits)
    low = digits[-1]
    if low.bound is not None and b.chance(60):
        factor = b.code(low.bound)
    else:
        factor = b.stride()
        if low.bound is not None:
            b.require(f"({low.bound}) <= {factor}")
    if b.slip("interleaving one short"):
        factor = f"({factor}) - 1"
    offsets = f"{_lanes(b, size)} * ({factor}) + {low.expr}"
    if len(digits) > 1:
        offsets = f"{_fold(b, digits[:-1]).expr} * ({size} * ({factor})) + {offsets}"
    return _scatter(b, b.array("c", 1), offsets, None, _shape([size]))


def view_store(b: Builder, digits: list[Digit]) -> Place:
    digits = _distort(b, digits)[:2]
    sizes = [b.pick("4", "2", b.scalar("T", (1, 2, 2, 4), constant=True)) for _ in digits]
    steps = [b.pick(s, s, f"2 * {s}", f"{s} + 1") for s in sizes]
    if b.slip("steps shorter than the tile", 60):
        steps[0] = b.pick(f"{sizes[0]} // 2" if sizes[0].isdigit() else f"max({sizes[0]} // 2, 1)", "1")
    array = b.array("c", len(digits))
    option = "" if steps == sizes else f", traversal_steps={_shape(steps)}"
    view = b.let(f"{array}.tiled_view({_shape(sizes)}{option})", "view")
    index = _shape([d.expr for d in digits])
    return Place(array, lambda v: f"{view}.store({index}, {v})", lambda i: f"{view}.load({i})",
                 index).with_value(_shape(sizes))


def slice_store(b: Builder, digits: list[Digit]) -> Place:
    """A slice for each block, stored tile by tile."""
    p, size, count, k = _fold(b, _distort(b, digits)), b.tile(), b.radix(), b.create_name("k")
    array = b.array("c", 1)
    length = b.let(f"{size} * {count}", "length")
    start = b.let(f"{p.expr} * {length}", "start")
    stop = f"{start} + {length}"
    trips = count
    if b.slip("slice one tile too long"):
        stop, trips = f"{stop} + {size}", f"{count} + 1"
    part = b.let(f"{array}.slice(0, {start}, {stop})", "part")
    b.open(f"for {k} in range({trips}):")
    return Place(array, lambda v: f"ct.store({part}, ({k},), {v})",
                 lambda i: f"ct.load({part}, {i}, {_shape([size])})", f"({k},)").with_value(_shape([size]))


def raw_store(b: Builder, digits: list[Digit]) -> Place:
    p, size = _fold(b, _distort(b, digits)), b.tile()
    array = b.array("c", 1)
    factor = f"max({size} // 2, 1)" if b.slip("lanes overlap") else size
    memory = b.let(f"{array}.get_raw_memory()", "memory")
    offs = b.let(f"{p.expr} * {factor} + {_lanes(b, size)}", "offs")
    option = f", mask={offs} < {b.count('n')}" if b.chance(40) else ""
    return Place(array, lambda v: f"{memory}.store_offset({offs}, {v}{option})",
                 lambda i: f"{memory}.load_offset({i}{option})", offs).with_value(_shape([size]))


def advanced_store(b: Builder, digits: list[Digit]) -> Place:
    digits = _distort(b, digits)
    high, wide, array = b.tile(), b.tile(), b.array("c", 2)
    row = _fold(b, digits[:-1]) if len(digits) > 1 else digits[0]
    start = f"{digits[-1].expr} * {wide}" if len(digits) > 1 else "0"
    factor = f"({high} - 1)" if b.slip("lanes overlap") else high
    rows = b.let(f"{row.expr} * {factor} + {_lanes(b, high)}", "rows")
    index = f"({rows}, ct.Slice({start}, {wide}))"
    return Place(array, lambda v: f"ct.store_advanced_indexing({array}, {index}, {v})",
                 lambda i: f"ct.load_advanced_indexing({array}, {i})", index).with_value(_shape([high, wide]))


def atomic(b: Builder, digits: list[Digit]) -> Place:
    """Atomics may collide; a plain access beside them may not."""
    array = b.array("count", 1, element="int32")
    op = b.pick("atomic_add", "atomic_max", "atomic_xchg", "atomic_or")
    index = b.let(f"{digits[0].expr} // 2", "slot")
    return Place(array, lambda v: f"ct.{op}({array}, {index}, 1)", lambda i: f"ct.gather({array}, {i})", index)


def chosen_array(b: Builder, digits: list[Digit]) -> Place:
    """The array itself depends on a flag."""
    digits = _distort(b, digits)
    first, second, flag = b.array("c", len(digits)), b.array("d", len(digits)), b.flag()
    out = b.let(f"{first} if {flag} else {second}", "out")
    shape = [b.tile() for _ in digits]
    index = _shape([d.expr for d in digits])
    return Place(out, lambda v: f"ct.store({out}, {index}, {v})",
                 lambda i: f"ct.load({out}, {i}, {_shape(shape)})", index).with_value(_shape(shape))


SINKS: Final[tuple[Callable[[Builder, list[Digit]], Place], ...]] = (
    tile_store, tile_store, tile_store, tile_store, tile_store, folded_store, folded_store, flat_scatter, flat_scatter,
    flat_scatter, row_scatter, row_scatter, unmasked_row, lanes_2d, lanes_2d, scatter_2d, scatter_2d, interleave_digits,
    view_store, slice_store, raw_store, advanced_store, atomic, chosen_array,
)
