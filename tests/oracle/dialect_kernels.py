"""Random kernels of the ownership dialect, and random launches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

__all__ = ["Generated", "Sizes", "generate", "sizes"]

HEAD: Final = """\
from __future__ import annotations
from typing import Literal, TypeVar
import cuda.tile as ct
from tilecheck_runtime import Dyn, Mut, Ref, f32, i32, kernel
A = TypeVar("A", bound=int)
B = TypeVar("B", bound=int)
T = TypeVar("T", bound=int)
"""
_EXTENTS: Final = ("A", "B", "Literal[4]", "Literal[8]")


@dataclass(frozen=True)
class Generated:
    """A kernel `k`. `z` is its output, `y` a second one if there are two, `x` an input of the same rank.

    tiles   the extents of the pieces, as they are annotated, by output
    mapped  whether it only walks cells, so that it may be launched with a schedule
    """

    text: str
    tiles: dict[str, tuple[str, ...]]
    mapped: bool

    @property
    def rank(self) -> int:
        return len(self.tiles["z"])


class _Writer:
    """Writes the body of one kernel."""

    def __init__(self, rng: Random, rank: int, second: bool, mapped: bool) -> None:
        self.rng = rng
        self.rank = rank
        self.second = second
        self.mapped = mapped
        self.names = [f"i{k}" for k in range(rank)]
        self.lines: list[str] = []

    def tuple(self, items: Sequence[str]) -> str:
        return ", ".join(items) + ("," if self.rank == 1 else "")

    def index(self) -> str:
        """An index of a tile of `x`: near the block's own place, and sometimes past an end."""
        out = []
        for k in range(self.rank):
            name = self.rng.choice(self.names) if self.rng.random() < 0.3 else self.names[k]
            out.append(self.rng.choices(
                (name, f"{name} + 1", f"{name} - 1", f"{name} // 2", "0", f"max({name} - 1, 0)",
                 f"min({name}, px.tiles({k}) - 1)", "n"), (12, 2, 1, 1, 1, 1, 1, 1))[0])
        return self.tuple(out)

    def tile(self) -> str:
        """A tile of the shape of a piece of `z`."""
        if not self.mapped and self.rng.random() < 0.4:
            return "x.load_like(z)"
        return self.rng.choices(
            (f"px[{self.index()}]", "ct.full(z.tile, 1.0, ct.float32)", "z[cell] + 1.0"), (3, 1, 1))[0]

    def sub(self) -> list[str]:
        """The shape of a nested tile."""
        return [self.rng.choice(("t", "1", "2", "4", f"z.tile[{k}]")) for k in range(self.rank)]

    def statement(self, pad: str) -> None:
        rng = self.rng
        if rng.random() < 0.25:
            head = rng.choice((
                "if n > 2:", f"if {self.names[0]} + 1 < px.tiles(0):", "for _ in range(2):",
                f"if {self.names[-1]} > 0:"))
            self.lines.append(pad + head)
            pad += "    "
        single = () if self.mapped else (self.own, self.pieces, self.at, self.scatter)
        rng.choice((self.by_cell, self.by_cell, *single, *((self.write_other,) if self.second else ())))(pad)

    def by_cell(self, pad: str) -> None:
        self.lines.append(pad + f"z[cell] = {self.tile()}")

    def own(self, pad: str) -> None:
        self.lines.append(pad + f"z.store({self.tile()})")

    def write_other(self, pad: str) -> None:
        own = ("y.store(y.load() * 2.0)", "z.store(y.load_like(z))")
        self.lines.append(pad + self.rng.choice((f"y[cell] = {self.tile()}", "z[cell] = y[cell]", *(
            () if self.mapped else own))))

    def pieces(self, pad: str) -> None:
        sub = self.sub()
        shape, words = self.tuple(sub), ", ".join(sub)
        read = self.rng.choice((
            f"ct.zeros(({shape}), ct.float32)", f"z.load_piece(p, {words}) * 2.0", f"ps[z.place(p, {words})]",
            f"ps[{self.index()}]"))
        self.lines += [
            pad + f"ps = x.partition({words})", pad + f"for p in z.pieces({words}):", pad + f"    z[p] = {read}"]

    def at(self, pad: str) -> None:
        position = [self.rng.choice(("n", "r.at(0)", "0", f"r.at({self.names[0]})", "n - 3")) for _ in range(self.rank)]
        self.lines.append(
            pad + f"z.store_at(({self.tuple(position)}), ct.zeros(({self.tuple(self.sub())}), ct.float32))")

    def scatter(self, pad: str) -> None:
        if self.rank == 1:
            start = self.rng.choice(("0", "n", "-1", "z.tile[0] // 2"))
            self.lines.append(
                pad + f"z.scatter((ct.arange(z.tile[0], dtype=ct.int32) + {start},), {self.tile()})")
        else:
            self.own(pad)

    def write(self) -> str:
        pad = "    "
        self.lines.append(pad + "px = x.partition(*z.tile)")
        if self.mapped:
            self.lines.append(pad + f"for cell in z.cells({'y' if self.second else ''}):")
            pad += "    "
        else:
            self.lines.append(pad + "cell = z.cell()")
        self.lines.append(pad + f"{self.tuple(self.names)} = z.coords(cell)")
        for _ in range(self.rng.randint(1, 4)):
            self.statement(pad)
        return "\n".join(self.lines)


def generate(rng: Random) -> Generated:
    """A kernel that compiles, whose indices may leave their arrays."""
    rank = rng.choice((1, 1, 2, 2, 3))
    first = tuple(rng.choice(_EXTENTS) for _ in range(rank))
    second, mapped = rng.random() < 0.4, rng.random() < 0.4
    tiles = {"z": first, **({"y": first if rng.random() < 0.8 else tuple(rng.choice(_EXTENTS) for _ in first)}
                            if second else {})}
    outputs = ", ".join(f"{name}: Mut[f32, {', '.join(tile)}]" for name, tile in tiles.items())
    parameters = f"{outputs}, x: Ref[f32, {', '.join(['Dyn'] * rank)}], r: Ref[i32, Dyn], n: int, t: T"
    body = _Writer(rng, rank, second, mapped).write()
    return Generated(f"{HEAD}@kernel\ndef k({parameters}) -> None:\n{body}\n", tiles, mapped)


@dataclass(frozen=True)
class Sizes:
    """The arguments of a launch: values of type variables, extents of pieces and of arrays, numbers."""

    variables: dict[str, int]
    tiles: dict[str, tuple[int, ...]]
    shapes: dict[str, tuple[int, ...]]
    n: int


def sizes(rng: Random, made: Generated) -> Sizes:
    """Draws small sizes, among them edges, single pieces and inputs that are slightly too small."""
    variables = {name: rng.choice((1, 2, 4, 8)) for name in "ABT"}
    tiles = {name: tuple(int(e[8:-1]) if e.startswith("Literal") else variables[e] for e in tile)
             for name, tile in made.tiles.items()}
    z = tuple(max(1, rng.choice((1, 2, 3)) * e + rng.choice((0, 0, -1, 1))) for e in tiles["z"])
    shapes = dict.fromkeys(tiles, z)
    shapes["x"] = tuple(max(1, n + rng.choice((0, 0, 0, 1, -1, 4, 9, e, 2 * e))) for n, e in zip(
        z, tiles["z"], strict=True))
    shapes["r"] = (rng.choice((1, 3, 7)),)
    return Sizes(variables, tiles, shapes, rng.randint(-2, 6))
