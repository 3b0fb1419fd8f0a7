"""The indivisible quantities of the prover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from tilecheck.proof.terms.conditions import Cond
    from tilecheck.proof.terms.polynomials import Term

class Interned(type):
    """Makes equal atoms one object, so that comparing and hashing them costs nothing."""

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        parts = (cls, args, *kwargs.items())
        known = _BY_PARTS.get(parts)
        if known is None:
            made = super().__call__(*args, **kwargs)
            known = _BY_PARTS[parts] = _ATOMS.setdefault((cls, made.key), made)
        return known


_ATOMS: dict[tuple[type, str], Atom] = {}
_BY_PARTS: dict[tuple[object, ...], Atom] = {}
"""To find an atom without writing out its key."""


class Atom(metaclass=Interned):
    """An indivisible integer quantity. Two atoms are equal exactly when their `key`s are; then they are one object."""

    __slots__ = ("key", "varying")

    key: str
    varying: bool
    """Whether the value may differ between two blocks of one launch (or two iterations, or two lanes)."""

    def _seal(self, key: str, varying: bool) -> None:
        self.key = key
        self.varying = varying

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


class Sym(Atom):
    """A launch scalar: the same in every block. `x.shape[0]`, `x.strides[1]`, `grid[0]`, `BLOCK`, `n`."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name
        self._seal(name, False)

    def _arguments(self) -> tuple[object, ...]:
        return (self.name,)


class Bid(Atom):
    """The block coordinate on grid axis 0, 1 or 2: `0 <= bid(k) < grid[k]`."""

    __slots__ = ("axis", "copy")

    def __init__(self, axis: int, copy: int = 0) -> None:
        self.axis, self.copy = axis, copy
        self._seal(f"bid({axis}){_mark(copy)}", True)

    def _arguments(self) -> tuple[object, ...]:
        return (self.axis, self.copy)


class Counter(Atom):
    """The number of completed iterations of a loop, `>= 0`. Every further fact stands in the guard of an access."""

    __slots__ = ("copy", "name")

    def __init__(self, name: str, copy: int = 0) -> None:
        self.name, self.copy = name, copy
        self._seal(f"#{name}{_mark(copy)}", True)

    def _arguments(self) -> tuple[object, ...]:
        return (self.name, self.copy)


class Lane(Atom):
    """The coordinate of a tile element along one axis, counted from the right (0 is the last axis).

    `0 <= lane < size`. Two `arange` of one size on one axis have the same value at every element, so they are the
    same lane; one `arange` used as a row and as a column is two lanes.
    """

    __slots__ = ("axis", "copy", "size")

    def __init__(self, axis: int, size: Term, copy: int = 0) -> None:
        self.axis, self.size, self.copy = axis, size, copy
        self._seal(f"lane{axis}<{size.key}>{_mark(copy)}", True)

    def _arguments(self) -> tuple[object, ...]:
        return (self.axis, self.size, self.copy)


class Opaque(Atom):
    """A value of which nothing is known, per block, iteration and lane. `uniform` ones are equal in all of them."""

    __slots__ = ("copy", "name", "uniform")

    def __init__(self, name: str, uniform: bool = False, copy: int = 0) -> None:
        self.name, self.uniform, self.copy = name, uniform, copy
        self._seal(f"{'??' if uniform else '?'}{name}{_mark(copy)}", not uniform)

    def _arguments(self) -> tuple[object, ...]:
        return (self.name, self.uniform, self.copy)


class FloorDiv(Atom):
    __slots__ = ("den", "num")

    def __init__(self, num: Term, den: Term) -> None:
        self.num, self.den = num, den
        self._seal(f"({num.key})//({den.key})", num.varying or den.varying)

    def _arguments(self) -> tuple[object, ...]:
        return (self.num, self.den)


class Mod(Atom):
    __slots__ = ("den", "num")

    def __init__(self, num: Term, den: Term) -> None:
        self.num, self.den = num, den
        self._seal(f"({num.key})%({den.key})", num.varying or den.varying)

    def _arguments(self) -> tuple[object, ...]:
        return (self.num, self.den)


class Min(Atom):
    """The least of two or more terms, kept sorted and without repetition."""

    __slots__ = ("args",)

    def __init__(self, args: tuple[Term, ...]) -> None:
        self.args = args
        self._seal(f"min({', '.join(a.key for a in args)})", any(a.varying for a in args))

    def _arguments(self) -> tuple[object, ...]:
        return (self.args,)


class Max(Atom):
    """The greatest of two or more terms, kept sorted and without repetition."""

    __slots__ = ("args",)

    def __init__(self, args: tuple[Term, ...]) -> None:
        self.args = args
        self._seal(f"max({', '.join(a.key for a in args)})", any(a.varying for a in args))

    def _arguments(self) -> tuple[object, ...]:
        return (self.args,)


class Ite(Atom):
    """`then` where the condition holds, else `other`."""

    __slots__ = ("cond", "other", "then")

    def __init__(self, cond: Cond, then: Term, other: Term) -> None:
        self.cond, self.then, self.other = cond, then, other
        self._seal(f"ite({cond.key}, {then.key}, {other.key})", cond.varying or then.varying or other.varying)

    def _arguments(self) -> tuple[object, ...]:
        return (self.cond, self.then, self.other)


class App(Atom):
    """A pure function of its arguments. Known by name: and, or, xor, shl, shr, abs, pow, next_pow2; others are
    uninterpreted, and only their being functions is used."""

    __slots__ = ("args", "fn")

    def __init__(self, fn: str, args: tuple[Term, ...]) -> None:
        self.fn, self.args = fn, args
        self._seal(f"{fn}({', '.join(a.key for a in args)})", any(a.varying for a in args))

    def _arguments(self) -> tuple[object, ...]:
        return (self.fn, self.args)


class Load(Atom):
    """An element of an array that the kernel never writes: a function of its index alone."""

    __slots__ = ("array", "index")

    def __init__(self, array: str, index: tuple[Term, ...]) -> None:
        self.array, self.index = array, index
        # an array parameter may be called `grid`, and its first element is not the extent `grid[0]`
        shown = "grid@" if array == "grid" else array
        self._seal(f"{shown}[{', '.join(i.key for i in index)}]", any(i.varying for i in index))

    def _arguments(self) -> tuple[object, ...]:
        return (self.array, self.index)


Monomial: TypeAlias = tuple[Atom, ...]
