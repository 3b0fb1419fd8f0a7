"""The text of a kernel under construction, and the launches that it is meant for."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

T = TypeVar("T")


class Chooser(Protocol):
    """Where decisions come from: a seeded generator, or Hypothesis (which can then shrink them)."""

    def pick(self, options: Sequence[T]) -> T: ...


class Seeded:
    """Decisions from a seed: equal in every process."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def pick(self, options: Sequence[T]) -> T:
        return options[self._random.randrange(len(options))]


@dataclass(frozen=True)
class Digit:
    """An expression that is the same integer in a block and iteration; `bound` is an exclusive upper bound of it.

    Bounds are written in the language of `Builder.meant`, where `grid[0]` is `ct.num_blocks(0)`.
    """

    expr: str
    bound: str | None = None


@dataclass(frozen=True)
class Scalar:
    """A scalar parameter and the values brute force gives it."""

    name: str
    constant: bool
    values: tuple[int, ...]
    annotation: str = "Int"


@dataclass(frozen=True)
class ArrayParam:
    """An array parameter. `read_shape`: the kernel looks at its extents, so they must stay small.

    The elements of a list parameter are named `outs[0]` and `outs[1]`. `fill` says what data the array holds.
    """

    name: str
    rank: int
    element: str = "float32"
    read_shape: bool = False
    fill: str = "zero"

    @property
    def parameter(self) -> str:
        return self.name.partition("[")[0]


@dataclass
class Builder:
    """Collects lines and parameters. `slips` is how many faults may still be planted."""

    choose: Chooser
    slips: int
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    closing: list[tuple[int, str]] = field(default_factory=list)
    scalars: dict[str, Scalar] = field(default_factory=dict)
    arrays: dict[str, ArrayParam] = field(default_factory=dict)
    meant: list[str] = field(default_factory=list)
    ties: list[tuple[str, str]] = field(default_factory=list)
    declared: list[str] = field(default_factory=list)
    helpers: dict[str, str] = field(default_factory=dict)
    axes: set[int] = field(default_factory=set)
    features: list[str] = field(default_factory=list)
    slipped: list[str] = field(default_factory=list)
    names: int = 0

    def pick(self, *options: T) -> T:
        return self.choose.pick(options)

    def chance(self, percent: int) -> bool:
        return self.choose.pick(range(100)) >= 100 - percent

    def slip(self, name: str, percent: int = 40) -> bool:
        """Whether to plant the fault `name` here."""
        if self.slips and self.chance(percent):
            self.slips -= 1
            self.slipped.append(name)
            return True
        return False

    def feature(self, name: str) -> None:
        self.features.append(name)

    def emit(self, line: str) -> None:
        self.lines.append("    " * self.depth + line)

    def open(self, header: str, closing: str | None = None) -> None:
        """Starts a nested block; `closing` is the last line of its body."""
        self.emit(header)
        self.depth += 1
        if closing is not None:
            self.closing.append((self.depth, closing))

    def close_to(self, depth: int) -> None:
        while self.closing and self.closing[-1][0] > depth:
            level, line = self.closing.pop()
            self.lines.append("    " * level + line)
        self.depth = depth

    def create_name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def let(self, expr: str, stem: str = "v") -> str:
        name = self.create_name(stem)
        self.emit(f"{name} = {expr}")
        return name

    def code(self, expr: str) -> str:
        """An expression of the `meant` language as kernel code."""
        for axis in range(3):
            if f"grid[{axis}]" in expr:
                self.axes.add(axis)
                expr = expr.replace(f"grid[{axis}]", f"ct.num_blocks({axis})")
        return expr

    def bid(self, axis: int) -> str:
        self.axes.add(axis)
        return f"ct.bid({axis})"

    def blocks(self, axis: int) -> str:
        self.axes.add(axis)
        return f"ct.num_blocks({axis})"

    def scalar(self, name: str, values: Sequence[int], constant: bool, annotation: str | None = None) -> str:
        if name not in self.scalars:
            kind = annotation or ("Int" if constant else "int")
            self.scalars[name] = Scalar(name, constant, tuple(values), kind)
        return name

    def tile(self) -> str:
        """A tile extent: a constant parameter or a literal."""
        name = self.pick("T", "T", "T", "U", "2", "4")
        return name if name.isdigit() else self.scalar(name, (1, 2, 2, 4), constant=True)

    def radix(self) -> str:
        """A small positive number: constant, launch scalar or literal."""
        name = self.pick("H", "G", "H", "r", "2", "3")
        return name if name.isdigit() else self.scalar(name, (1, 2, 3, 4), constant=name != "r")

    def stride(self) -> str:
        """A launch scalar that something is multiplied by; 0 is a value of it that authors forget."""
        self.require("S >= 1")
        return self.scalar("S", (0, 1, 2, 3, 4, 6, 8), constant=self.pick(True, False))

    def factor(self) -> str:
        self.require("R >= 1")
        return self.scalar("R", (0, 1, 2, 3, 4, 6), constant=self.pick(True, False))

    def count(self, name: str = "n") -> str:
        """A bound such as a number of tiles or of elements."""
        return self.scalar(name, (1, 2, 3, 5, 7), constant=self.pick(False, False, True))

    def extent(self) -> str:
        """A bound taken from a parameter or from the shape of an input."""
        if self.chance(25):
            self.array("x", 2, read_shape=True)
            return f"x.shape[{self.pick(0, 1)}]"
        return self.count(self.pick("n", "m"))

    def flag(self) -> str:
        return self.scalar(self.pick("FLAG", "MODE"), (0, 1), constant=True, annotation="ct.Constant[bool]")

    def array(self, name: str, rank: int, element: str = "float32", read_shape: bool = False) -> str:
        """Declares an array; returns another name when `name` is in use with another rank."""
        known = self.arrays.get(name)
        if known is not None and known.rank != rank:
            return self.array(f"{name}{rank}", rank, element, read_shape)
        shape = read_shape or (known is not None and known.read_shape)
        self.arrays[name] = ArrayParam(name, rank, element, shape)
        return name

    def array_list(self, name: str) -> str:
        """Declares a list of two vectors."""
        for place in range(2):
            self.array(f"{name}[{place}]", 1)
        return name

    def data(self, name: str, fill: str, clause: str | None = None) -> str:
        """Declares a vector of integers whose values matter, and perhaps what holds of them."""
        self.arrays[name] = ArrayParam(name, 1, "int32", fill=fill)
        if clause is not None and clause not in self.declared:
            self.declared.append(clause)
        return name

    def require(self, condition: str) -> None:
        """A launch that breaks `condition` is not what the author had in mind."""
        if condition not in self.meant:
            self.meant.append(condition)

    def tie(self, scalar: str, expr: str) -> None:
        """Most launches give `scalar` the value of `expr`, in the language of `meant`; `cdiv` is known there."""
        if all(target != scalar for target, _ in self.ties):
            self.ties.append((scalar, expr))

    def add_grid_axis(self, axis: int, blocks: str) -> None:
        """The grid has `blocks` blocks on an axis, or fewer."""
        self.require(f"grid[{axis}] <= {blocks}")
        self.tie(f"grid[{axis}]", blocks)

    def add_small_array(self, name: str, rank: int, element: str = "float32") -> str:
        """An array whose extents stay small, so that tiles reach past its end."""
        return self.array(name, rank, element, read_shape=True)

    def agree(self, first: str, second: str, what: str = "==") -> None:
        """Two extents agree, the first of which was not tied before."""
        self.require(f"{first} {what} {second}")
        self.tie(first, second)

    def helper(self, name: str, text: str) -> str:
        self.helpers.setdefault(name, text)
        return name
