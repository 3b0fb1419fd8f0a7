"""The names that the evaluation of one function gives to unknown values, and the facts about them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tilecheck.interp.host.values import Thing
from tilecheck.symbolic import EXTENTS, Array, ExtentAt, Symbol, Term, of, symbol_from_text


@dataclass(slots=True)
class Symbols:
    """
    things     values that came from a list or a table, by name
    free       values that callers choose: parameters and the extents of their arrays
    given      parameters
    extents    extents and lengths, which are never negative
    positive   symbols that are at least 1
    allocated  names of memory that the function allocates
    copies     memory that may be that of another array: `x.contiguous()` may be `x`
    factors    products, with their two factors
    cuts       by name, where comparisons with integers cut the numbers in two: below an integer, or above it
    points     by name, the integers that a value is compared with for equality
    fractions  names of numbers that are not integers, as comparisons test for a value between two integers
    integers   names of integers: parameters that are declared so, counters of loops, results of conversions
    rounded    results of roundings
    results    names of results of calls that were not followed
    objects    names of objects of classes in the checked files, which need not be arrays
    """

    things: dict[str, Thing] = field(default_factory=dict)
    free: set[str] = field(default_factory=set)
    given: set[str] = field(default_factory=set)
    extents: set[Symbol] = field(default_factory=set)
    positive: set[Symbol] = field(default_factory=set)
    allocated: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)
    factors: dict[Term, tuple[Term, Term]] = field(default_factory=dict)
    cuts: dict[str, set[tuple[int, bool]]] = field(default_factory=dict)
    points: dict[str, set[int]] = field(default_factory=dict)
    fractions: frozenset[str] = frozenset()
    integers: set[str] = field(default_factory=set)
    rounded: set[Term] = field(default_factory=set)
    results: set[str] = field(default_factory=set)
    objects: set[str] = field(default_factory=set)
    _used: dict[str, int] = field(default_factory=dict)

    def invent_name(self, hint: str) -> str:
        """Create an unused name: the hint itself, or the hint with a number."""
        count = self._used.get(hint, 0)
        self._used[hint] = count + 1
        return hint if count == 0 else f"{hint}#{count + 1}"

    def some_extent(self, array: Array) -> ExtentAt:
        """An extent of an array along an axis that is not known, another one each time."""
        count = self._used.get(ExtentAt(array, 1).key, 0) + 1
        self._used[ExtentAt(array, 1).key] = count
        return ExtentAt(array, count)

    def extent(self, symbol: Symbol) -> Term:
        """A symbol that is never negative, as a term; callers choose it if they choose the array."""
        self.extents.add(symbol)
        if isinstance(symbol, EXTENTS) and symbol.array.root in self.free:
            self.free.add(symbol.key)
        return of(symbol)

    def allocation(self, name: str, instead_of: str | None = None) -> str:
        """New memory of that name, or perhaps still that of `instead_of`."""
        self.allocated.add(name)
        if instead_of is not None:
            self.copies[name] = instead_of
        return name

    def roots(self, storage: str) -> frozenset[str] | None:
        """The allocations that the storage may be; None when it may be any."""
        if storage in self.copies:
            base = self.roots(self.copies[storage])
            return None if base is None else base | {storage}
        if storage in self.allocated or storage in self.given:
            return frozenset((storage,))
        # memory that is reached from a parameter existed before all allocations of the function
        root = re.split(r"[.\[(@]", storage, maxsplit=1)[0]
        return frozenset((storage,)) if root in self.given and not set("(@") & set(storage) else None

    def arrays(self) -> set[str]:
        """Names of which the shape was asked for."""
        return {symbol.array.text for symbol in self.extents if isinstance(symbol, EXTENTS)}

    def between_integers(self) -> frozenset[str]:
        """Names of numbers with comparisons that only fractions can distinguish: `0 < p < 1`, and `0 <= p < 1` with
        `p > 0` or `p != 0`. For an integer, such a pair is redundant or contradictory."""
        return frozenset(
            name for name, cuts in self.cuts.items()
            if name not in self.integers and not self.not_negative(symbol_from_text(name)) and (
                any(above and (n + 1, False) in cuts for n, above in cuts)
                or any(_leaves_room(n, cuts) for n in self.points.get(name, ()))))

    def not_negative(self, symbol: Symbol) -> bool:
        return symbol in self.extents or symbol in self.positive


def _leaves_room(n: int, cuts: set[tuple[int, bool]]) -> bool:
    """Whether cuts leave no other integer than one beside it, and fractions."""
    below, above = (n - 1, True) in cuts, (n + 1, False) in cuts
    return (below and (above or (n, True) in cuts)) or (above and (n, False) in cuts)
