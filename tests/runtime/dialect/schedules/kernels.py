"""The index code of every schedule, as plain kernels: what the device side of the dialect computes, written out.

The names say the schedule and the rank of the output. The remainder of a division is taken as a difference or by `%`,
whichever the prover follows better: the device computes the difference, which is the same number.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

__all__ = ["DEVICE", "KERNELS"]

_HEAD: Final = """\
import cuda.tile as ct

Int = ct.Constant[int]


"""


def _counts(rank: int) -> str:
    return "".join(f"    n{k} = ct.cdiv(z.shape[{k}], T{k})\n" for k in range(rank))


def _define(name: str, rank: int, body: str, extra: str = "") -> str:
    tiles = ", ".join(f"T{k}: Int" for k in range(rank))
    return f"{_HEAD}@ct.kernel\ndef {name}(z, {tiles}{extra}):\n{_counts(rank)}{body}"


def _store(rank: int, index: str, depth: int = 1) -> str:
    shape = "".join(f"T{k}, " for k in range(rank))
    return "    " * depth + f"ct.store(z, ({index}), ct.zeros(({shape}), ct.float32))\n"


def _digits(number: str, radix: list[str], depth: int, modulo: bool = False) -> tuple[str, list[str]]:
    """A number in mixed radix, last digit fastest: the lines that compute the digits, and their names."""
    pad, lines, digits = "    " * depth, "", []
    rest = number
    for k in range(len(radix) - 1, 0, -1):
        digit = f"{rest} % {radix[k]}" if modulo else f"{rest} - q{k} * {radix[k]}"
        lines += f"{pad}q{k} = {rest} // {radix[k]}\n{pad}d{k} = {digit}\n"
        digits.insert(0, f"d{k}")
        rest = f"q{k}"
    return lines, [rest, *digits]


def _join(parts: list[str]) -> str:
    return ", ".join(parts) + ("," if len(parts) == 1 else "")


def _product(parts: list[str]) -> str:
    return " * ".join(parts) or "1"


def _single(rank: int) -> str:
    """One piece a block; of more than three axes the leading ones share axis 0 of the grid."""
    lead = max(rank - 3, 0) + 1
    lines, leading = _digits("b", [f"n{k}" for k in range(lead)], 1)
    start = "    b = ct.bid(0)\n"
    rest = [f"ct.bid({k + 1})" for k in range(rank - lead)]
    return _define(f"single{rank}", rank, start + lines + _store(rank, _join([*leading, *rest])))


def _linear(rank: int, first: str = "ct.bid(0)", stop: str = "", name: str = "linear", extra: str = "") -> str:
    counts = [f"n{k}" for k in range(rank)]
    lines, digits = _digits("cell", counts, 2)
    loop = f"    for cell in range({first}, {stop or _product(counts)}, ct.num_blocks(0)):\n"
    return _define(f"{name}{rank}", rank, loop + lines + _store(rank, _join(digits), 2), extra)


def _write_grouped(rank: int, first: str = "ct.bid(0)", stop: str = "", name: str = "grouped", extra: str = "",
             modulo: bool = True) -> str:
    counts = [f"n{k}" for k in range(rank)]
    rows, columns = counts[-2:]
    lines, outer = _digits("cell", [*counts[:-2], f"({rows} * {columns})"], 2, modulo)
    loop = f"    for cell in range({first}, {stop or _product(counts)}, ct.num_blocks(0)):\n"
    inside = f"""\
        inside = {outer[-1]}
        many = G * {columns}
        top = inside // many * G
        rows = min({rows} - top, G)
        rest = {"inside % many" if modulo else "inside - inside // many * many"}
        column = rest // rows
"""
    index = _join([*outer[:-1], "top + rest % rows" if modulo else "top + (rest - column * rows)", "column"])
    return _define(f"{name}{rank}", rank, loop + lines + inside + _store(rank, index, 2), ", G: Int" + extra)


def _walk(rank: int, axis: int, name: str = "walk", bounds: str = "", extra: str = "") -> str:
    order = [k for k in range(rank) if k != axis] + [axis]
    counts = [f"n{k}" for k in order]
    lines, digits = _digits("cell", counts, 2)
    place = [digits[order.index(k)] for k in range(rank)]
    lead = bounds or f"""\
    lines = {_product(counts[:-1])}
    run = ct.cdiv(lines, ct.num_blocks(0))
    first = ct.bid(0) * run
    stop = min(lines, first + run)
"""
    loop = f"    for cell in range(first * {counts[-1]}, stop * {counts[-1]}):\n"
    return _define(f"{name}{rank}_{axis}", rank, lead + loop + lines + _store(rank, _join(place), 2), extra)


_PART: Final = """\
    run = ct.cdiv(J - I, ct.num_blocks(0))
    first = ct.bid(0) * run + I
    stop = min(J, first + run)
"""


def _write_nested(rank: int) -> str:
    """Nested tiles of the only piece, R of S along an axis: a loop for each digit of the number that they have."""
    lines = ""
    for k in range(rank):
        lines += (f"    e{k} = min(R{k} * S{k}, z.shape[{k}] - ct.bid({k}) * (R{k} * S{k}))\n"
                  f"    c{k} = ct.cdiv(e{k}, S{k})\n")
    loops = "".join(f"{'    ' * (k + 1)}for d{k} in range(c{k}):\n" for k in range(rank))
    index = _join([f"ct.bid({k}) * R{k} + d{k}" for k in range(rank)])
    shape = "".join(f"S{k}, " for k in range(rank))
    store = f"{'    ' * (rank + 1)}ct.store(z, ({index}), ct.zeros(({shape}), ct.float32))\n"
    constants = ", ".join(f"R{k}: Int, S{k}: Int" for k in range(rank))
    return f"{_HEAD}@ct.kernel\ndef nested{rank}(z, {constants}):\n{lines}{loops}{store}"


def _at(rank: int) -> str:
    """A nested tile at a position that a value selects, if the piece has it."""
    lines, held = "", []
    for k in range(rank):
        lines += (f"    c{k} = ct.cdiv(min(R{k} * S{k}, z.shape[{k}] - ct.bid({k}) * (R{k} * S{k})), S{k})\n"
                  f"    p{k} = ct.gather(positions, ({k},))\n")
        held.append(f"(p{k} >= 0) & (p{k} < c{k})")
    index = _join([f"ct.bid({k}) * R{k} + p{k}" for k in range(rank)])
    shape = "".join(f"S{k}, " for k in range(rank))
    store = f"        ct.store(z, ({index}), ct.zeros(({shape}), ct.float32))\n"
    constants = ", ".join(f"R{k}: Int, S{k}: Int" for k in range(rank))
    guard = f"    if {' & '.join(held)}:\n"
    return f"{_HEAD}@ct.kernel\ndef at{rank}(z, positions, {constants}):\n{lines}{guard}{store}"


def _scatter(rank: int) -> str:
    """Elements of the only piece, by their place in it, which data say."""
    lines, held, index = "", [], []
    for k in range(rank):
        lines += (f"    i{k} = ct.gather(places, (ct.arange(N, dtype=ct.int32), {k}))\n"
                  f"    e{k} = min(T{k}, z.shape[{k}] - ct.bid({k}) * T{k})\n")
        held.append(f"(i{k} >= 0) & (i{k} < e{k})")
        index.append(f"ct.bid({k}) * T{k} + i{k}")
    constants = ", ".join(f"T{k}: Int" for k in range(rank))
    store = (f"    ct.scatter(z, ({_join(index)}), ct.zeros((N,), ct.float32),\n"
             f"               mask={' & '.join(held)})\n")
    return f"{_HEAD}@ct.kernel\ndef scatter{rank}(z, places, {constants}, N: Int):\n{lines}{store}"


def _all(modulo: bool) -> Iterator[tuple[str, str]]:
    part = ", I: Int, J: Int"
    for rank in range(1, 6):
        yield f"single{rank}", _single(rank)
        yield f"linear{rank}", _linear(rank)
        yield f"linear_part{rank}", _linear(rank, "ct.bid(0) + I", "J", "linear_part", part)
        if rank > 1:
            yield f"grouped{rank}", _write_grouped(rank, modulo=modulo)
            yield f"grouped_part{rank}", _write_grouped(rank, "ct.bid(0) + I", "J", "grouped_part", part, modulo)
        for axis in range(rank):
            if rank > 1:
                yield f"walk{rank}_{axis}", _walk(rank, axis)
                yield f"walk_part{rank}_{axis}", _walk(rank, axis, "walk_part", _PART, part)
        if rank <= 3:
            yield f"nested{rank}", _write_nested(rank)
            yield f"at{rank}", _at(rank)
            yield f"scatter{rank}", _scatter(rank)


KERNELS: Final = dict(_all(modulo=True))
DEVICE: Final = dict(_all(modulo=False))
"""With every remainder as the device computes it."""
