"""The indivisible quantities of the prover."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from tilecheck.symbolic.arrays import Array

if TYPE_CHECKING:
    from tilecheck.symbolic.conditions import Cond
    from tilecheck.symbolic.polynomials import Term
    from tilecheck.symbolic.symbols import Symbol

_ATOMS: dict[tuple[type, str], Any] = {}
BY_PARTS: dict[tuple[object, ...], Any] = {}
"""Atoms by their type and arguments, to find one without writing out its key."""


class Atom:
    """An indivisible integer quantity. Two atoms are equal exactly when their `key`s are; then they are one object, so
    that comparing and hashing them costs nothing."""

    __slots__ = ("key", "varying")

    key: str
    varying: bool
    """Whether the value may differ between two blocks of one launch (or two iterations, or two lanes)."""

    def _intern(self, parts: tuple[object, ...], key: str, varying: bool) -> Any:
        """This atom, or the one with its key that there is already; from now on it is the one for its parts."""
        self.key = key
        self.varying = varying
        out = BY_PARTS[parts] = _ATOMS.setdefault((type(self), key), self)
        return out

    def __lt__(self, other: Atom) -> bool:
        return self.key < other.key

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> tuple[object, ...]:
        return (type(self), self._arguments())

    def _arguments(self) -> tuple[object, ...]:
        raise TypeError(type(self).__name__)


def _mark(copy: int) -> str:
    return "'" * copy


class Bid(Atom):
    """The block coordinate on grid axis 0, 1 or 2: `0 <= bid(k) < grid[k]`."""

    __slots__ = ("axis", "copy")

    axis: int
    copy: int

    def __new__(cls, axis: int, copy: int = 0) -> Bid:
        known: Bid | None = BY_PARTS.get((cls, axis, copy))
        if known is None:
            made = object.__new__(cls)
            made.axis, made.copy = axis, copy
            known = made._intern((cls, axis, copy), f"bid({axis}){_mark(copy)}", True)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.axis, self.copy)


class Counter(Atom):
    """The number of completed iterations of a loop, `>= 0`. Every further fact stands in the guard of an access.

    earlier   whether it counts in an iteration before the one that is looked at
    """

    __slots__ = ("copy", "earlier", "name")

    name: str
    copy: int
    earlier: bool

    def __new__(cls, name: str, copy: int = 0, earlier: bool = False) -> Counter:
        known: Counter | None = BY_PARTS.get((cls, name, copy, earlier))
        if known is None:
            made = object.__new__(cls)
            made.name, made.copy, made.earlier = name, copy, earlier
            known = made._intern((cls, name, copy, earlier), f"#{name}{_mark(copy)}", True)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.name, self.copy, self.earlier)


class Lane(Atom):
    """The coordinate of a tile element along one axis, counted from the right (0 is the last axis).

    `0 <= lane < size`. Two `arange` of one size on one axis have the same value at every element, so they are the
    same lane; one `arange` used as a row and as a column is two lanes.
    """

    __slots__ = ("axis", "copy", "size")

    axis: int
    size: Term
    copy: int

    def __new__(cls, axis: int, size: Term, copy: int = 0) -> Lane:
        known: Lane | None = BY_PARTS.get((cls, axis, size, copy))
        if known is None:
            made = object.__new__(cls)
            made.axis, made.size, made.copy = axis, size, copy
            known = made._intern((cls, axis, size, copy), f"lane{axis}<{size.key}>{_mark(copy)}", True)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.axis, self.size, self.copy)


class Source(Enum):
    """The source of an unknown value."""

    DATA = "data"
    """A condition on the contents of arrays: it may have either result."""
    EARLIER = "earlier"
    """A value of an iteration before the one that is looked at."""
    LAYOUT = "layout"
    """A condition on the layout of an array in memory."""
    LAUNCH = "launch"
    """A quantity that the launch determines and the analysis of host code does not know."""


class Ticket(NamedTuple):
    """The result of an atomic addition that no other operation on its counter has.

    step   what each addition adds
    """

    counter: Array
    step: int = 1


class Opaque(Atom):
    """A value of which nothing is known, per block, iteration and lane. `uniform` ones are equal in all of them.

    One name has one `source`, except that a uniform value with a source differs from one without.
    """

    __slots__ = ("copy", "name", "source", "uniform")

    name: str
    uniform: bool
    copy: int
    source: Source | Ticket | None

    def __new__(
        cls, name: str, uniform: bool = False, copy: int = 0, source: Source | Ticket | None = None,
    ) -> Opaque:
        known: Opaque | None = BY_PARTS.get((cls, name, uniform, copy, source))
        if known is None:
            made = object.__new__(cls)
            made.name, made.uniform, made.copy, made.source = name, uniform, copy, source
            # a uniform value may have its name from the code under check: the key tells it from one with a source
            of = f"!{source.value}" if uniform and isinstance(source, Source) else ""
            key = f"{'??' if uniform else '?'}{name}{of}{_mark(copy)}"
            known = made._intern((cls, name, uniform, copy, source), key, not uniform)
            if known.source != source:
                raise ValueError(f"`{name}` has two sources")
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.name, self.uniform, self.copy, self.source)


class FloorDiv(Atom):
    __slots__ = ("den", "num")

    num: Term
    den: Term

    def __new__(cls, num: Term, den: Term) -> FloorDiv:
        known: FloorDiv | None = BY_PARTS.get((cls, num, den))
        if known is None:
            made = object.__new__(cls)
            made.num, made.den = num, den
            known = made._intern((cls, num, den), f"({num.key})//({den.key})", num.varying or den.varying)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.num, self.den)


class Mod(Atom):
    __slots__ = ("den", "num")

    num: Term
    den: Term

    def __new__(cls, num: Term, den: Term) -> Mod:
        known: Mod | None = BY_PARTS.get((cls, num, den))
        if known is None:
            made = object.__new__(cls)
            made.num, made.den = num, den
            known = made._intern((cls, num, den), f"({num.key})%({den.key})", num.varying or den.varying)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.num, self.den)


class Min(Atom):
    """The least of two or more terms, sorted and without repetition."""

    __slots__ = ("args",)

    args: tuple[Term, ...]

    def __new__(cls, args: tuple[Term, ...]) -> Min:
        known: Min | None = BY_PARTS.get((cls, args))
        if known is None:
            made = object.__new__(cls)
            made.args = args
            known = made._intern((cls, args), f"min({', '.join(a.key for a in args)})", any(a.varying for a in args))
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.args,)


class Max(Atom):
    """The greatest of two or more terms, sorted and without repetition."""

    __slots__ = ("args",)

    args: tuple[Term, ...]

    def __new__(cls, args: tuple[Term, ...]) -> Max:
        known: Max | None = BY_PARTS.get((cls, args))
        if known is None:
            made = object.__new__(cls)
            made.args = args
            known = made._intern((cls, args), f"max({', '.join(a.key for a in args)})", any(a.varying for a in args))
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.args,)


class Ite(Atom):
    """`then` where the condition holds, else `other`."""

    __slots__ = ("cond", "other", "then")

    cond: Cond
    then: Term
    other: Term

    def __new__(cls, cond: Cond, then: Term, other: Term) -> Ite:
        known: Ite | None = BY_PARTS.get((cls, cond, then, other))
        if known is None:
            made = object.__new__(cls)
            made.cond, made.then, made.other = cond, then, other
            key = f"ite({cond.key}, {then.key}, {other.key})"
            known = made._intern((cls, cond, then, other), key, cond.varying or then.varying or other.varying)
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.cond, self.then, self.other)


class Carried(NamedTuple):
    """The function that gives a loop-carried variable at the start of an iteration.

    loop   the counter of the loop
    """

    variable: str
    loop: str

    def __str__(self) -> str:
        return f"carry:{self.variable}@{self.loop}"


class App(Atom):
    """A pure function of its arguments. Known by name: and, or, xor, shl, shr, abs, pow, next_pow2; others are
    uninterpreted, and only their being functions is used.

    fn   a name; a loop-carried variable; or a symbol of an array at any position of a list, which is what it is at the
         position in `args`
    """

    __slots__ = ("args", "fn")

    fn: str | Symbol | Carried
    args: tuple[Term, ...]

    def __new__(cls, fn: str | Symbol | Carried, args: tuple[Term, ...]) -> App:
        known: App | None = BY_PARTS.get((cls, fn, args))
        if known is None:
            made = object.__new__(cls)
            made.fn, made.args = fn, args
            key = f"{fn}({', '.join(a.key for a in args)})"
            known = made._intern((cls, fn, args), key, any(a.varying for a in args))
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.fn, self.args)


class Load(Atom):
    """An element of an array that the kernel never writes: a function of its index alone."""

    __slots__ = ("array", "index")

    array: Array
    index: tuple[Term, ...]

    def __new__(cls, array: Array, index: tuple[Term, ...]) -> Load:
        known: Load | None = BY_PARTS.get((cls, array, index))
        if known is None:
            made = object.__new__(cls)
            made.array, made.index = array, index
            # an array parameter may be called `grid`, and its first element is not the extent `grid[0]`
            shown = "grid@" if array.text == "grid" else array.text
            key = f"{shown}[{', '.join(i.key for i in index)}]"
            known = made._intern((cls, array, index), key, any(i.varying for i in index))
        return known

    def _arguments(self) -> tuple[object, ...]:
        return (self.array, self.index)


Monomial: TypeAlias = tuple[Atom, ...]
