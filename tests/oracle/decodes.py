"""How a generated kernel turns block ids into digits: the left half of its index arithmetic."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.oracle.builder import Builder, Digit


def _ceil(total: str | None, part: str) -> str | None:
    return None if total is None else f"(({total}) + {part} - 1) // {part}"


def direct(b: Builder) -> list[Digit]:
    axes = b.pick((0,), (0,), (0, 1), (0, 1), (1, 0), (0, 1, 2))
    if len(axes) == 2 and b.chance(30):
        names = [b.create_name("i"), b.create_name("i")]
        b.emit(f"{', '.join(names)} = {', '.join(b.bid(a) for a in axes)}")
    else:
        names = [b.let(b.bid(a), "i") for a in axes]
    return [Digit(name, f"grid[{axis}]") for name, axis in zip(names, axes, strict=True)]


def affine_of_bid(b: Builder) -> list[Digit]:
    """`bid * A + k`, with the loop over `k` bounded by `A`."""
    size, k = b.radix(), b.create_name("k")
    factor = f"({size} - 1)" if b.slip("factor too small") else size
    trips = f"{size} + 1" if b.slip("one trip too many") else size
    block = b.let(b.bid(0), "i")
    b.open(f"for {k} in range({trips}):")
    return [Digit(b.let(f"{block} * {factor} + {k}", "p"), f"(grid[0] * {size})")]


def chunk_of_range(b: Builder) -> list[Digit]:
    """`range(bid * A, min(bid * A + A, n))`."""
    size, total, p = b.radix(), b.extent(), b.create_name("p")
    start = b.let(f"{b.bid(0)} * {size}", "start")
    reach = f"{start} + {size} + 1" if b.slip("chunk one too long") else f"{start} + {size}"
    b.open(f"for {p} in range({start}, {b.pick('min', 'ct.minimum')}({reach}, {total})):")
    return [Digit(p, total)]


def strided_by_hand(b: Builder) -> list[Digit]:
    """`k * num_blocks + bid`."""
    k, total = b.create_name("k"), b.count()
    block = b.let(b.bid(0), "i")
    factor = b.blocks(0)
    if b.slip("stride too small"):
        factor = f"({factor} - 1)"
    b.open(f"for {k} in range({total}):")
    expr = f"{k} * {factor} + {block}"
    if b.slip("stride forgotten", 20):
        expr = f"{k} + {block}"
    return [Digit(b.let(expr, "p"), f"(grid[0] * {total})")]


def _stride(b: Builder) -> str:
    step = b.blocks(0)
    if b.slip("wrong persistent step"):
        return b.pick("1", f"{step} - 1", f"{step} // 2", "2")
    return step


def persistent_for(b: Builder, total: str | None = None) -> list[Digit]:
    total, p = total or b.extent(), b.create_name("p")
    b.open(f"for {p} in range({b.bid(0)}, {total}, {_stride(b)}):")
    return [Digit(p, total)]


def persistent_while(b: Builder, total: str | None = None) -> list[Digit]:
    total = total or b.extent()
    p, step = b.let(b.bid(0), "p"), _stride(b)
    b.open(f"while {p} < {total}:", f"{p} {b.pick('+=', '= ' + p + ' +')} {step}")
    return [Digit(p, total)]


def nested_carry(b: Builder) -> list[Digit]:
    """A counter that starts at the block and steps by the number of blocks through two nested loops."""
    p, step = b.let(b.bid(0), "p"), _stride(b)
    outer, inner = b.count("n"), b.radix()
    b.open(f"for {b.create_name('u')} in range({outer}):")
    b.open(f"for {b.create_name('u')} in range({inner}):", f"{p} = {p} + {step}")
    return [Digit(p, f"(grid[0] * ({outer}) * ({inner}))")]


def linear_of_grid(b: Builder) -> list[Digit]:
    """Two grid axes folded into one number."""
    i, j = b.bid(0), b.bid(1)
    if b.chance(50):
        width = b.blocks(0)
        if b.slip("width of the other axis"):
            width = b.blocks(1)
        return [Digit(b.let(f"{j} * {width} + {i}", "p"), "(grid[0] * grid[1])")]
    width = b.scalar("W", (0, 1, 2, 3, 4), constant=b.pick(True, False))
    b.require(f"grid[1] <= {width}")
    factor = f"({width} - 1)" if b.slip("width one short") else width
    return [Digit(b.let(f"{i} * {factor} + {j}", "p"), f"(grid[0] * {width})")]


def reversed_block(b: Builder) -> list[Digit]:
    total = b.count()
    b.require(f"grid[0] <= {total}")
    return [Digit(b.let(f"{total} - 1 - {b.bid(0)}", "p"), total)]


def clamp_digit(b: Builder) -> list[Digit]:
    total = b.count()
    b.require(f"grid[0] <= {total}")
    kind = b.pick("min({0}, {1} - 1)", "ct.minimum({0}, {1} - 1)", "max(min({0}, {1} - 1), 0)")
    return [Digit(b.let(kind.format(b.bid(0), total), "p"), total)]


def plain_block(b: Builder) -> list[Digit]:
    return [Digit(b.let(b.bid(0), "p"), "grid[0]")]


BASES: Final[tuple[Callable[[Builder], list[Digit]], ...]] = (
    plain_block, plain_block, plain_block, persistent_for, persistent_for, persistent_while, affine_of_bid,
    chunk_of_range, strided_by_hand, nested_carry, linear_of_grid, reversed_block, clamp_digit,
)


def _base(b: Builder) -> Digit:
    make = b.pick(*BASES)
    b.feature(make.__name__)
    return make(b)[0]


def divmod_of(b: Builder, p: Digit | None = None) -> list[Digit]:
    p = p or _base(b)
    size = b.radix()
    q, r = b.create_name("q"), b.create_name("r")
    divisor = modulus = size
    if b.slip("wrong modulus"):
        modulus = b.pick(f"max({size} - 1, 1)", f"({size} + 1)", "2", f"({size} * 2)")
    elif b.slip("wrong divisor", 30):
        divisor = b.pick(f"({size} * 2)", f"({size} + 1)", "3")
    form = b.pick("pair", "lines", "remainder", "divmod", "helper")
    if form == "remainder" and modulus == divisor:
        b.emit(f"{q} = {p.expr} // {divisor}")
        b.emit(f"{r} = {p.expr} - {q} * {divisor}")
    elif form == "divmod" and modulus == divisor:
        b.emit(f"{q}, {r} = divmod({p.expr}, {divisor})")
    elif form == "helper":
        b.helper("split", "def split(p, d, m):\n    return p // d, p % m\n")
        b.emit(f"{q}, {r} = split({p.expr}, {divisor}, {modulus})")
    elif form == "pair":
        b.emit(f"{q}, {r} = {p.expr} // {divisor}, {p.expr} % {modulus}")
    else:
        b.emit(f"{q} = {p.expr} // {divisor}")
        b.emit(f"{r} = {p.expr} % {modulus}")
    return [Digit(q, _ceil(p.bound, size)), Digit(r, modulus)]


def bits_of(b: Builder) -> list[Digit]:
    p = _base(b)
    shift = b.pick(1, 2)
    mask = (1 << shift) - 1
    if b.slip("mask too narrow"):
        mask >>= 1
    q, r = b.let(f"{p.expr} >> {shift}", "q"), b.let(f"{p.expr} & {mask}", "r")
    return [Digit(q, _ceil(p.bound, str(1 << shift))), Digit(r, str(mask + 1))]


def mixed_radix(b: Builder) -> list[Digit]:
    p, h, g = _base(b), b.radix(), b.radix()
    wrong = b.slip("wrong radix")
    inner = b.pick("2", f"max({g} - 1, 1)", f"({g} + 1)") if wrong else g
    top = b.let(f"{p.expr} // ({h} * {g})", "d")
    if b.chance(50):
        rest = b.let(f"{p.expr} % ({h} * {g})", "rest")
        middle, low = b.let(f"{rest} // {g}", "d"), b.let(f"{rest} % {inner}", "d")
    else:
        middle, low = b.let(f"({p.expr} // {g}) % {h}", "d"), b.let(f"{p.expr} % {inner}", "d")
    return [Digit(top, _ceil(p.bound, f"({h} * {g})")), Digit(middle, h), Digit(low, inner)]


_GROUPED = """def grouped{suffix}(p, nm, nn, group):
    width = group * nn
    first = (p // width) * group
    size = min(nm - first, group)
    return {row}, {col}
"""


def group_digits(b: Builder) -> list[Digit]:
    """A grouped order over a grid of tiles: one block a tile, or persistent."""
    rows, cols = b.count("nm"), b.count("nn")
    group = b.pick("2", "3", b.radix())
    row, col = b.pick(("first + p % size", "(p % width) // size"),
                      ("first + (p % width) % size", "(p % width) // size"))
    suffix = "_" + str(len(row))
    if b.slip("wrong group arithmetic", 55):
        row, col = b.pick((row, "(p % width) // group"), ("first + p % group", col), (row, "p // size"),
                          ("p % size", col))
        suffix += b.create_name("w")
    name = b.helper(f"grouped{suffix}", _GROUPED.format(suffix=suffix, row=row, col=col))
    if b.chance(50):
        total = b.let(f"{rows} * {cols}", "total")
        p = b.pick(persistent_for, persistent_while)(b, total)[0]
    else:
        p = Digit(b.let(b.bid(0), "p"))
        b.require(f"grid[0] <= {rows} * {cols}")
    i, j = b.create_name("i"), b.create_name("j")
    b.emit(f"{i}, {j} = {name}({p.expr}, {rows}, {cols}, {group})")
    return [Digit(i, rows), Digit(j, cols)]


def batch_and_grouped(b: Builder) -> list[Digit]:
    """A persistent number split into a batch and a tile of it."""
    rows, cols = b.count("nm"), b.count("nn")
    tiles = b.let(f"{rows} * {cols}", "tiles")
    batch = b.radix()
    p = persistent_for(b, f"{batch} * {tiles}")[0]
    q, r = b.let(f"{p.expr} // {tiles}", "q"), b.let(f"{p.expr} % {tiles}", "r")
    i, j = b.let(f"{r} // {cols}", "i"), b.let(f"{r} % {cols}", "j")
    if b.slip("column by rows"):
        j = b.let(f"{r} % {rows}", "j")
    return [Digit(q, batch), Digit(i, rows), Digit(j, cols)]


def uniform_choice(b: Builder) -> list[Digit]:
    """Digits that depend on a compile-time flag."""
    flag, i, j = b.flag(), b.bid(0), b.bid(1)
    if b.chance(50):
        p, q = b.create_name("p"), b.create_name("q")
        other = f"({j}, {j})" if b.slip("one branch repeats a digit") else f"({j}, {i})"
        b.emit(f"{p}, {q} = ({i}, {j}) if {flag} else {other}")
        return [Digit(p, "max(grid[0], grid[1])"), Digit(q, "max(grid[0], grid[1])")]
    p = b.create_name("p")
    b.open(f"if {flag}:")
    b.emit(f"{p} = {i} * 2 + 1")
    b.close_to(b.depth - 1)
    b.open("else:")
    b.emit(f"{p} = {i} // 2" if b.slip("one branch halves") else f"{p} = {i}")
    b.close_to(b.depth - 1)
    return [Digit(p, "(2 * grid[0])"), Digit(b.let(j, "q"), "grid[1]")]


def in_tuple(b: Builder) -> list[Digit]:
    """Digits that travel through a tuple and a helper."""
    digits = divmod_of(b)
    coords = b.let(f"({digits[0].expr}, {digits[1].expr}, 7)", "coords")
    b.helper("pack", "def pack(coords, swap):\n    if swap:\n        return coords[1], coords[0]\n"
                     "    return coords[0], coords[1]\n")
    p, q = b.create_name("p"), b.create_name("q")
    swap = b.pick(True, False)
    b.emit(f"{p}, {q} = pack({coords}, {swap})")
    first, second = (digits[1], digits[0]) if swap else digits
    return [Digit(p, first.bound), Digit(q, second.bound)]


def block_and_loop(b: Builder) -> list[Digit]:
    """The block, and a counter of its own."""
    block, k = b.let(b.bid(0), "i"), b.create_name("k")
    total = b.count()
    b.open(f"for {k} in range({total}):")
    return [Digit(block, "grid[0]"), Digit(k, total)]


def three_by_divmod(b: Builder) -> list[Digit]:
    """One axis split in two, the other as it is."""
    q, r = divmod_of(b, Digit(b.let(b.bid(1), "p"), "grid[1]"))
    return [Digit(b.let(b.bid(0), "i"), "grid[0]"), q, r]


def single(b: Builder) -> list[Digit]:
    return [_base(b)]


DECODES: Final[tuple[Callable[[Builder], list[Digit]], ...]] = (
    direct, direct, direct, single, single, single, divmod_of, divmod_of, divmod_of, mixed_radix, mixed_radix,
    group_digits, group_digits, batch_and_grouped, uniform_choice, in_tuple, block_and_loop, three_by_divmod, bits_of,
)
