"""Constructors that keep terms canonical; every identity here holds for all integers (divisors are never 0)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache

from tilecheck.symbolic.arrays import Array
from tilecheck.symbolic.atoms import App, Bid, Carried, Counter, FloorDiv, Ite, Lane, Load, Max, Min, Mod, Opaque
from tilecheck.symbolic.conditions import Cond, negate
from tilecheck.symbolic.functions import FUNCTIONS
from tilecheck.symbolic.polynomials import ZERO, Term, const, of, split_multiples
from tilecheck.symbolic.symbols import GridDim, Scalar, Symbol, symbol_from_text


def scalar(name: str) -> Term:
    return of(Scalar(name))


def symbol(text: str) -> Term:
    """The symbol that is written so, as a term."""
    return of(symbol_from_text(text))


def bid(axis: int) -> Term:
    return of(Bid(axis))


@cache
def grid(axis: int) -> Term:
    return of(GridDim(axis))


def counter(name: str) -> Term:
    return of(Counter(name))


def lane(axis: int, size: Term | int) -> Term:
    """The coordinate along `axis` (from the right) of a tile of `size` elements there; 0 for size 1."""
    extent = of(size)
    return ZERO if extent.constant == 1 else of(Lane(axis, extent))


def build_opaque(name: str, uniform: bool = False) -> Term:
    return of(Opaque(name, uniform))


def load(array: Array, index: Iterable[Term]) -> Term:
    return of(Load(array, tuple(index)))


def floordiv(num: Term, den: Term) -> Term:
    """`num // den`. `(q*den + r) // den == q + r // den` for every den != 0."""
    n, d = num.constant, den.constant
    if d == 0:
        return of(FloorDiv(num, den))
    if n is not None and d is not None:
        return const(n // d)
    if d == 1:
        return num
    if d == -1:
        return -num
    if n == 0:
        return ZERO
    quotient, rest = split_multiples(num, den)
    r = rest.constant
    if r is not None and d is not None:
        return quotient + const(r // d)
    if r == 0:
        return quotient
    inner = rest.single
    if isinstance(inner, FloorDiv) and d is not None and d > 0 and (inner.den.constant or 0) > 0:
        # (x // a) // b == x // (a*b) for a, b > 0
        return quotient + floordiv(inner.num, inner.den * den)
    return quotient + of(FloorDiv(rest, den))


def mod(num: Term, den: Term) -> Term:
    """`num % den`. `(q*den + r) % den == r % den` for every den != 0."""
    n, d = num.constant, den.constant
    if d == 0:
        return of(Mod(num, den))
    if n is not None and d is not None:
        return const(n % d)
    if d in (1, -1) or n == 0:
        return ZERO
    _, rest = split_multiples(num, den)
    r = rest.constant
    if r is not None and d is not None:
        return const(r % d)
    if r == 0:
        return ZERO
    inner = rest.single
    if isinstance(inner, Mod) and inner.den == den:
        return rest
    return of(Mod(rest, den))


def cdiv(num: Term, den: Term) -> Term:
    """`ceil(num / den)` for den >= 1, represented as `(num - 1) // den + 1`."""
    return floordiv(num - 1, den) + 1


def _build_extreme(kind: type[Min] | type[Max], pick: Callable[[Iterable[int]], int], terms: Iterable[Term]) -> Term:
    flat: dict[str, Term] = {}
    constants: list[int] = []
    for t in terms:
        inner = t.single
        for part in inner.args if type(inner) is kind else (t,):
            value = part.constant
            if value is None:
                flat[part.key] = part
            else:
                constants.append(value)
    if constants:
        value = pick(constants)
        flat[const(value).key] = const(value)
    # terms that differ by a constant: one of them is never the extreme
    groups: dict[str, list[Term]] = {}
    for t in flat.values():
        groups.setdefault((t - t.offset).key, []).append(t)
    parts = tuple(sorted(
        (next(t for t in g if t.offset == pick([u.offset for u in g])) for g in groups.values()), key=lambda t: t.key))
    return parts[0] if len(parts) == 1 else of(kind(parts))


def minimum(*terms: Term) -> Term:
    return _build_extreme(Min, min, terms)


def maximum(*terms: Term) -> Term:
    return _build_extreme(Max, max, terms)


def ite(cond: Cond, then: Term, other: Term) -> Term:
    if cond.op == "true" or then == other:
        return then
    if cond.op == "false":
        return other
    if cond.op == "bool" and not cond.positive:
        return of(Ite(negate(cond), other, then))
    return of(Ite(cond, then, other))


def app(fn: str | Symbol | Carried, *args: Term) -> Term:
    """A pure function applied; folded when it is a known one and all arguments are constants."""
    known = FUNCTIONS.get(fn)
    values = [a.constant for a in args]
    if known is not None:
        concrete = [v for v in values if v is not None]
        if len(concrete) == len(values):
            try:
                return const(known(*concrete))
            except ArithmeticError:
                return of(App(fn, args))
        if fn == "shl" and values[1] is not None and 0 <= values[1] <= 32:
            return args[0] * (1 << values[1])
        if fn == "shr" and values[1] is not None and 0 <= values[1] <= 32:
            return floordiv(args[0], const(1 << values[1]))
        if fn == "and":
            for x, m in ((args[0], values[1]), (args[1], values[0])):
                if m is not None and m >= 0 and (m & (m + 1)) == 0:
                    return mod(x, const(m + 1))  # x & (2**k - 1) == x % 2**k in two's complement
        if fn in ("and", "or", "xor"):
            return of(App(fn, tuple(sorted(args, key=lambda t: t.key))))
    return of(App(fn, args))
