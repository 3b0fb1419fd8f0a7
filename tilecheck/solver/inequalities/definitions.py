"""Definitions of atoms as inequalities: lower bounds 0 and 1, and bounds in terms of their operands.

Each entry states its side condition and returns its assumptions on the signs of launch scalars.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from tilecheck.solver.inequalities.certificates import Facts

from tilecheck.solver.inequalities.assumed import NOTHING, Assumed
from tilecheck.symbolic import (
    EXTENTS,
    App,
    Atom,
    Bid,
    Counter,
    FloorDiv,
    GridDim,
    Ite,
    Lane,
    Length,
    Max,
    Min,
    Mod,
    Symbol,
    Term,
    atoms_of,
    grid,
    of,
)

_COUNTS: Final = (*EXTENTS, Length)
"""Symbols that are at least 0; a dimension of the grid is at least 1."""


@cache
def at_least_by_itself(a: Atom, bound: int) -> bool:
    """Whether an atom is at least 0 or 1 by its definition alone."""
    if isinstance(a, Symbol):
        return isinstance(a, GridDim) or (bound == 0 and isinstance(a, _COUNTS))
    return bound == 0 and isinstance(a, (Bid, Counter, Lane))


@cache
def _multiple_below(num: Term, den: Term, times: int) -> Term:
    return num - den * times


@cache
def bounds_of_quotient(a: FloorDiv) -> tuple[Term, Term, Term, Term]:
    """Of `n // d`: `n - d*(n // d)`, `n - n // d`, `d*(n // d) + d - 1 - n` and `n // d + 1`."""
    return a.num - a.den * of(a), a.num - of(a), a.den * of(a) + a.den - 1 - a.num, of(a) + 1


@cache
def _bounds_of_remainder(a: Mod) -> tuple[Term, Term]:
    """Of `n % d`: `d - 1 - n % d` and `n - n % d`."""
    return a.den - 1 - of(a), a.num - of(a)


@cache
def _below_extent(a: Bid | Lane) -> Term:
    """Of a coordinate: the extent less 1 and it."""
    return (grid(a.axis) if isinstance(a, Bid) else a.size) - 1 - of(a)


@cache
def _list_distances(a: Min | Max) -> tuple[Term, ...]:
    """Of a minimum or maximum: how far each of the terms lies beyond it."""
    return tuple(t - of(a) if isinstance(a, Min) else of(a) - t for t in a.args)


def _lower_floordiv(f: Facts, a: FloorDiv, bound: int) -> Assumed | None:
    # n >= b*d and d >= 1 give n // d >= b
    den = f.prove_positive(a.den)
    if den is None:
        return None
    num = f.prove_quickly(_multiple_below(a.num, a.den, bound))
    return None if num is None else den | num


def _lower_mod(f: Facts, a: Mod, bound: int) -> Assumed | None:
    return f.prove_positive(a.den) if bound == 0 else None


def _lower_all(f: Facts, terms: Iterable[Term], bound: int) -> Assumed | None:
    total = NOTHING
    for t in terms:
        got = f.prove_quickly(t - bound)
        if got is None:
            return None
        total |= got
    return total


def _lower_min(f: Facts, a: Min, bound: int) -> Assumed | None:
    return _lower_all(f, a.args, bound)


def _lower_max(f: Facts, a: Max, bound: int) -> Assumed | None:
    for t in sorted(a.args, key=lambda t: (t.constant is None, t.key)):
        got = f.prove_quickly(t - bound)
        if got is not None:
            return got
    return None


def _lower_ite(f: Facts, a: Ite, bound: int) -> Assumed | None:
    return _lower_all(f, (a.then, a.other), bound)


def _lower_app(f: Facts, a: App, bound: int) -> Assumed | None:
    if a.fn == "next_pow2":
        return NOTHING
    if a.fn == "abs" and bound == 0:
        return NOTHING
    if a.fn == "and" and bound == 0:
        # x & y >= 0 when either is >= 0
        for t in a.args:
            got = f.prove_quickly(t)
            if got is not None:
                return got
    if a.fn in ("or", "xor", "shl", "shr", "pow") and bound == 0:
        return _lower_all(f, a.args, 0)
    return None


LOWER: Final[Mapping[type[Atom], Callable[..., Assumed | None]]] = {
    FloorDiv: _lower_floordiv,
    Mod: _lower_mod,
    Min: _lower_min,
    Max: _lower_max,
    Ite: _lower_ite,
    App: _lower_app,
}


Bounds: TypeAlias = Iterator[tuple[Term, Assumed]]


def _upper_bid(f: Facts, a: Bid) -> Bounds:
    yield _below_extent(a), NOTHING


def _upper_lane(f: Facts, a: Lane) -> Bounds:
    yield _below_extent(a), NOTHING


def _upper_mod(f: Facts, a: Mod) -> Bounds:
    # d >= 1 gives n % d <= d - 1; n >= 0 besides gives n % d <= n; n % d is n - d*(n//d), of use where n // d is at
    # least some launch scalar
    den = f.prove_positive(a.den)
    if den is None:
        return
    below, rest = _bounds_of_remainder(a)
    yield below, den
    quotient = FloorDiv(a.num, a.den)
    if quotient in f.raised:
        yield a.num - a.den * of(quotient) - of(a), den
    num = None if f.tight else f.prove(a.num)
    if num is not None:
        yield rest, den | num


def _upper_floordiv(f: Facts, a: FloorDiv) -> Bounds:
    # d >= 1 gives d * (n // d) <= n; n >= 0 besides gives n // d <= n
    den = f.prove_positive(a.den)
    if den is None:
        return
    product, quotient, _, _ = bounds_of_quotient(a)
    yield product, den
    num = None if f.tight else f.prove(a.num)
    if num is not None:
        yield quotient, den | num


def _upper_min(f: Facts, a: Min) -> Bounds:
    for t in _list_distances(a):
        yield t, NOTHING


def _upper_app(f: Facts, a: App) -> Bounds:
    if a.fn == "next_pow2":
        # next_pow2(x) <= 2*x - 1 for x >= 1
        low = f.prove_positive(a.args[0])
        if low is not None:
            yield a.args[0] * 2 - 1 - of(a), low
    if a.fn == "and":
        # 0 <= x gives x & y <= x
        for t in a.args:
            low = f.prove(t)
            if low is not None:
                yield t - of(a), low


UPPER: Final[Mapping[type[Atom], Callable[..., Bounds]]] = {
    Bid: _upper_bid,
    Lane: _upper_lane,
    Mod: _upper_mod,
    FloorDiv: _upper_floordiv,
    Min: _upper_min,
    App: _upper_app,
}


def _below_floordiv(f: Facts, a: FloorDiv) -> Bounds:
    # d >= 1 gives n < d * (n // d) + d; n + d >= 0 besides gives n // d >= -1
    den = f.prove_positive(a.den)
    if den is None:
        return
    _, _, above, raised = bounds_of_quotient(a)
    yield above, den
    low = f.prove(a.num + a.den)
    if low is not None:
        yield raised, den | low


def _below_max(f: Facts, a: Max) -> Bounds:
    for t in _list_distances(a):
        yield t, NOTHING


def _below_app(f: Facts, a: App) -> Bounds:
    if a.fn == "next_pow2":
        yield of(a) - a.args[0], NOTHING


BELOW: Final[Mapping[type[Atom], Callable[..., Bounds]]] = {
    FloorDiv: _below_floordiv,
    Max: _below_max,
    App: _below_app,
}


@lru_cache(maxsize=65536)
def depth_of(a: Atom) -> int:
    """The height of a definition: an atom is cancelled before those that it is defined from."""
    if isinstance(a, Symbol):
        return 0
    inner = atoms_of(of(a)) - {a}
    return 1 + max((depth_of(x) for x in inner), default=0)


def _plainly_nonnegative(a: Atom) -> bool:
    if isinstance(a, (Bid, Counter, Lane)):
        return True
    if isinstance(a, Mod):
        return (a.den.constant or 0) > 0
    return isinstance(a, (GridDim, *_COUNTS))


def all_nonnegative(p: Term) -> bool:
    """Every coefficient >= 0 over atoms that are >= 0 by definition, with a divisor that is a positive constant."""
    return all(c > 0 and all(_plainly_nonnegative(a) for a in m) for m, c in p.monos.items())
