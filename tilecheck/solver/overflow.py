"""How large the values get that an index is computed through.

Numbers that the launch passes are assumed to be sizes, which are not negative. A bound that depends on that needs a
clause for the numbers in the bound (`numbers`), and for those that a search dropped because of their sign.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final

from tilecheck.symbolic import (
    ONE,
    SYMBOLS,
    ZERO,
    App,
    Atom,
    Bid,
    Cond,
    Counter,
    FloorDiv,
    Ite,
    Lane,
    Load,
    Max,
    Min,
    Mod,
    Monomial,
    Opaque,
    Symbol,
    Term,
    atoms_of,
    conjuncts,
    const,
    divide_monomial,
    grid,
    negate,
    of,
)

__all__ = [
    "bound_above",
    "bound_below",
    "bound_size",
    "grows",
    "is_data",
    "list_divided",
    "numbers",
    "size_of",
    "without_quotients",
]


def bound_size(t: Term, wide: Container[Atom] = ()) -> Iterator[Term]:
    """Upper bounds, over launch scalars that are not negative, of the absolute value of a term and of its dividends;
    none for a part without such a bound. Dividends of the atoms `wide` are left out.

    Of `x - 1`, with one `x` that is not negative, the bound is that of `x`: the value -1 has no need of one."""
    for inner in list_divided(t, wide):
        yield from bound_size(inner, wide)
    high = t - t.offset
    bound = size_of(high if t.offset == -1 and high.single and _from(0, bound_below(high)) else t)
    if bound is not None:
        yield bound


def list_divided(t: Term, wide: Container[Atom] = ()) -> Iterator[Term]:
    """The dividends and the alternatives in a term: values that may be larger than the term itself."""
    return (inner for m in t.monos for a in m if a not in wide for inner in _list_divided(a))


def _list_divided(a: Atom) -> tuple[Term, ...]:
    if isinstance(a, (FloorDiv, Mod)):
        return (a.num, a.den)
    if isinstance(a, Ite):
        return (a.then, a.other)
    return a.args if isinstance(a, (Min, Max, App)) else ()


def grows(bound: Term) -> bool:
    """Whether a bound is more than one number that is held in 32 bits, or than a few extents and the like.

    Numbers that the launch passes may be as large as their type allows, such as one that means "no limit": a sum with
    one of them may exceed that. Extents and counts of blocks are not that large."""
    free = [m for m in bound.monos if len(m) == 1 and _is_number(m[0])]
    added = any(c > 0 for m, c in bound.monos.items() if m not in free[:1])
    several = len(free) > 1 or bool(free and added)
    return several or any(len(m) > 1 or (m and abs(c) > 1) for m, c in bound.monos.items())


def _is_number(a: Atom) -> bool:
    return isinstance(a, Symbol) and a.name.isidentifier()


def numbers(*terms: Term) -> set[str]:
    """The names of the numbers in some terms that the launch passes as such, and that may have either sign."""
    return {a.name for t in terms for a in atoms_of(t) if isinstance(a, Symbol) and _is_number(a)}


def size_of(t: Term) -> Term | None:
    """A bound of the absolute value of a term, over launch scalars that are not negative; None if there is none."""
    total = ZERO
    for m, c in t.monos.items():
        part = const(abs(c))
        for a in m:
            size = of(a) if _is_shown(a) else _SIZES.get(type(a), _bound_unknown)(a)
            if size is None:
                return None
            part = part * size
        total = total + part
    return total


def _is_shown(a: Atom) -> bool:
    """Whether a quantity of the launch is its own bound in a clause."""
    return not a.varying and _from(-1, _least_of(a)) and all(isinstance(x, _SHOWN) for x in atoms_of(of(a)))


def _bound_unknown(a: Atom) -> Term | None:
    return None


def _bound_minimum(a: Min) -> Term | None:
    # the least of some numbers is at most as large as one of them, unless it is negative
    if not _from(-1, _least_of(a)):
        return _all(a.args)
    return next((size for size in map(size_of, a.args) if size is not None), None)


def _all(parts: tuple[Term, ...]) -> Term | None:
    total = ZERO
    for part in parts:
        size = size_of(part)
        if size is None:
            return None
        total = total + size
    return total


_SIZES: Final[Mapping[type[Atom], Callable[..., Term | None]]] = {
    **dict.fromkeys(SYMBOLS, of),
    Bid: lambda a: grid(a.axis),
    Lane: lambda a: a.size,
    FloorDiv: lambda a: size_of(a.num),
    Mod: lambda a: size_of(a.den),
    Min: _bound_minimum,
    Max: lambda a: _all(a.args),
    Ite: lambda a: _all((a.then, a.other)),
}


# --- bounds from facts at the use of a value -------------------------------------------------------------------------

_STEPS: Final = 60
"""How many substitutions are tried for one bound."""


def bound_below(t: Term) -> int | None:
    """The largest number that a term is known not to be less than, over launch scalars that are not negative."""
    total = 0
    for m, c in t.monos.items():
        low = _least_product(m)
        if not m:
            total += c
        elif c < 0 or low is None:
            return None
        else:
            total += c * low
    return total


def _from(number: int, low: int | None) -> bool:
    """Whether a value with the lower bound `low` is at least a number."""
    return low is not None and low >= number


def _least_product(m: Monomial) -> int | None:
    lows = [_least_of(a) for a in m]
    if all(_from(0, low) for low in lows):
        return 0
    return lows[0] if len(m) == 1 else None


@lru_cache(maxsize=1 << 14)
def _least_of(a: Atom) -> int | None:
    return _LEAST.get(type(a), _unknown)(a)


def _unknown(a: Atom) -> int | None:
    return None


def _least_quotient(a: FloorDiv) -> int | None:
    # what is divided by a negative number changes its sign
    low = bound_below(a.num) if _from(0, bound_below(a.den)) else None
    return None if low is None else 0 if low >= 0 else low


def _least_remainder(a: Mod) -> int | None:
    # it has the sign of the divisor
    return 0 if _from(0, bound_below(a.den)) else None


def _least_both(parts: Sequence[Term]) -> int | None:
    lows = [bound_below(p) for p in parts]
    known = [low for low in lows if low is not None]
    return min(known) if len(known) == len(lows) else None


def _least_any(parts: Sequence[Term]) -> int | None:
    return max((low for low in map(bound_below, parts) if low is not None), default=None)


_LEAST: Final[Mapping[type[Atom], Callable[..., int | None]]] = {
    **dict.fromkeys((*SYMBOLS, Bid, Counter, Lane), lambda a: 0),
    Mod: _least_remainder,
    FloorDiv: _least_quotient,
    Min: lambda a: _least_both(a.args),
    Max: lambda a: _least_any(a.args),
    Ite: lambda a: _least_both((a.then, a.other)),
    App: lambda a: 0 if a.fn == "and" and any(_from(0, bound_below(x)) for x in a.args) else None,
}


def bound_above(t: Term, known: Cond, signs: set[str] | None = None) -> Term | None:
    """An upper bound of a term under a condition, over launch scalars that are not negative and equal in all blocks;
    None if there is none. Numbers that come from data, and are not multiplied, are left out.

    signs    grows by the names of numbers that are not in the bound, and that it needs not to be negative
    """
    found, needed = _bound(t, known)
    if found is not None and signs is not None:
        signs |= needed
    return found


@lru_cache(maxsize=1 << 12)
def _bound(t: Term, known: Cond) -> tuple[Term | None, frozenset[str]]:
    """The bound and the signs that it needs; each iteration that is executed asks the same."""
    search = _Search(_facts(known), set())
    return search.bound(t, True), frozenset(search.signs)


def _facts(known: Cond) -> tuple[Term, ...]:
    """Terms that are not negative where a condition holds."""
    parts = conjuncts(known)
    return (*(p.term for p in parts if p.op == "ge"), *(t for p in parts if p.op == "eq" for t in (p.term, -p.term)))


class _Search:
    """Replaces unbounded parts of a term by the bounds that facts (terms >= 0) give for them."""

    def __init__(self, facts: tuple[Term, ...], signs: set[str]) -> None:
        self.facts = facts
        self.signs = signs
        self.steps = _STEPS

    def bound(self, t: Term, alone: bool = False) -> Term | None:
        """The bound; `alone` where it is not multiplied with anything."""
        self.steps -= 1
        if self.steps < 0:
            return None
        t = without_quotients(t)
        total = ZERO
        for m, c in t.monos.items():
            held = not m or (alone and len(m) == 1 and abs(c) == 1 and is_data(m[0]))
            part = (ZERO if m else const(c)) if held else self._product(m, c)
            if part is None:
                return self._exchange(t, m, c, alone)
            total = total + part
        return total

    def _product(self, m: Monomial, c: int) -> Term | None:
        """An upper bound of one monomial that needs no fact about the whole monomial."""
        if c < 0:
            self.signs |= numbers(Term({m: 1}))
            return ZERO if _from(0, _least_product(m)) else self._below(m, -c)
        return self._product_of_sizes(m, c)

    def _below(self, m: Monomial, c: int) -> Term | None:
        """The negation of a lower bound of a product."""
        short = [a for a in m if not _from(0, _least_of(a))]
        if len(short) > 2 or not all(_from(-1, _least_of(a)) for a in short):
            return self._product_of_sizes(m, c)
        # one of two factors is at least -1 where the other one is at most its size
        rest = self._product_of_sizes(tuple(a for a in m if a not in short), c)
        sizes = self.all([of(a) for a in short]) if len(short) == 2 else ONE
        return None if rest is None or sizes is None else rest * sizes

    def all(self, parts: Sequence[Term]) -> Term | None:
        total = ZERO
        for part in parts:
            size = self.size(part)
            if size is None:
                return None
            total = total + size
        return total

    def _product_of_sizes(self, m: Monomial, c: int) -> Term | None:
        total = const(c)
        for a in m:
            size = self._size(a)
            if size is None:
                return None
            total = total * size
        return total

    def _size(self, a: Atom) -> Term | None:
        if _is_shown(a):
            return of(a)
        return _SEARCHED.get(type(a), _no_size)(self, a)

    def size(self, t: Term) -> Term | None:
        """An upper bound of the absolute value of a term."""
        high = self.bound(t)
        if high is None or _from(-1, bound_below(t)):
            self.signs |= numbers(t)
            return high
        low = self.bound(-t)
        return None if low is None else high + low

    def _exchange(self, t: Term, m: Monomial, c: int, alone: bool) -> Term | None:
        """The bound of a term after one monomial is replaced by its bound from a fact."""
        for fact in self.facts:
            for part, factor in sorted(fact.monos.items(), key=_rank_length):
                if not part or (factor > 0) == (c > 0):
                    continue
                rest = divide_monomial(m, part)
                if rest is None or not _from(0, _least_product(rest)):
                    continue
                times = -(-abs(c) // abs(factor))
                if times * abs(factor) != abs(c) and (c < 0 or not _from(0, _least_product(m))):
                    continue
                found = self.bound(t + Term({rest: times}) * fact, alone)
                if found is not None:
                    self.signs |= numbers(Term({rest: 1}))
                    return found
        return None


def _rank_length(part: tuple[Monomial, int]) -> int:
    return -len(part[0])


def is_data(a: Atom) -> bool:
    """Whether a quantity is a value that was read, or is carried by a loop, and so is held in its type."""
    return isinstance(a, (Load, Opaque)) or (isinstance(a, App) and a.fn not in ("shl", "pow"))


def without_quotients(t: Term) -> Term:
    """`d*(x//d)` is at most x, for d > 0."""
    for m, c in t.monos.items():
        for a in m if c > 0 else ():
            if not isinstance(a, FloorDiv) or len(a.den.monos) != 1:
                continue
            ((dm, dc),) = a.den.monos.items()
            rest = divide_monomial(divide_monomial(m, (a,)) or (), dm)
            if rest is None or dc <= 0 or c % dc or not _from(0, _least_product(rest)):
                continue
            return without_quotients(t - Term({m: c}) + Term({rest: c // dc}) * a.num)
    return t


def _no_size(search: _Search, a: Atom) -> Term | None:
    return None


def _search_least(search: _Search, a: Min) -> Term | None:
    if _from(-1, _least_of(a)):
        search.signs |= numbers(of(a))
        return next((s for s in map(search.bound, a.args) if s is not None), None)
    return search.all(a.args)


def _search_either(search: _Search, a: Ite) -> Term | None:
    then, other = (_Search((*search.facts, *_facts(c)), search.signs) for c in (a.cond, negate(a.cond)))
    first, second = then.size(a.then), other.size(a.other)
    return None if first is None or second is None else first if first == second else first + second


_SHOWN: Final = (Symbol, FloorDiv, Mod, Min, Max)
"""Symbols that a clause about a launch may contain."""
_SEARCHED: Final[Mapping[type[Atom], Callable[..., Term | None]]] = {
    Bid: lambda s, a: grid(a.axis),
    Lane: lambda s, a: a.size,
    FloorDiv: lambda s, a: s.size(a.num),
    Mod: lambda s, a: s.size(a.den) if a.den.constant is None else const(abs(a.den.constant) - 1),
    Min: _search_least,
    Max: lambda s, a: s.all(a.args),
    Ite: _search_either,
}
