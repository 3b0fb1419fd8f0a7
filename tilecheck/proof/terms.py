"""Integer terms of the prover: polynomials over atoms, and conditions over terms.

A `Term` is a polynomial with integer coefficients over `Atom`s; a `Cond` is a boolean combination of comparisons of
terms with zero. Both are immutable, canonical (equal values have equal `key`s wherever an unconditional identity of
integer arithmetic says so) and ordered by their keys, so that every decision is the same in every process.

All identities used by the constructors hold for every integer value of the atoms, with one standing assumption: a
divisor is never zero (division by zero is undefined behaviour in Tile IR, so no execution has it). Division and
remainder round towards minus infinity, as Python's do. Identities that need a range live in the prover.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, reduce
from math import gcd
from typing import Final, Literal, TypeAlias

from tilecheck.record import dataclass

__all__ = [
    "FALSE",
    "ONE",
    "TRUE",
    "ZERO",
    "App",
    "Atom",
    "Bid",
    "Cond",
    "Counter",
    "FloorDiv",
    "Ite",
    "Lane",
    "Load",
    "Max",
    "Min",
    "Mod",
    "Opaque",
    "Sym",
    "Term",
    "app",
    "atoms_of",
    "bid",
    "bool_opaque",
    "cdiv",
    "conj",
    "const",
    "counter",
    "disj", "divide_monomial",
    "eq",
    "evaluate",
    "floordiv",
    "ge",
    "grid",
    "gt",
    "holds",
    "ite",
    "lane",
    "le",
    "load",
    "lt",
    "maximum",
    "minimum",
    "mod",
    "ne",
    "negate",
    "of",
    "opaque",
    "substitute",
    "substitute_cond",
    "sym",
]


class Atom:
    """An indivisible integer quantity. Two atoms are equal exactly when their `key`s are."""

    __slots__ = ("_hash", "key", "varying")

    key: str
    varying: bool
    """Whether the value may differ between two blocks of one launch (or two iterations, or two lanes)."""

    def _seal(self, key: str, varying: bool) -> None:
        self.key = key
        self.varying = varying
        self._hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Atom) and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash

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


class Term:
    """A polynomial: monomials (sorted tuples of atoms, with repetition for powers) to non-zero coefficients."""

    __slots__ = ("_hash", "_key", "monos", "varying")

    monos: dict[Monomial, int]

    def __init__(self, monos: dict[Monomial, int]) -> None:
        self.monos = monos
        self._key: str | None = None
        self._hash: int | None = None
        self.varying: bool = False
        for m in monos:
            for a in m:
                if a.varying:
                    self.varying = True
                    return

    @property
    def key(self) -> str:
        if self._key is None:
            self._key = _render(self.monos)
        return self._key

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Term) and self.monos == other.monos)

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(frozenset(self.monos.items()))
        return self._hash

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> tuple[object, ...]:
        return (Term, (self.monos,))

    def __add__(self, other: Term | int) -> Term:
        right = of(other)
        if not right.monos:
            return self
        if not self.monos:
            return right
        out = dict(self.monos)
        for m, c in right.monos.items():
            total = out.get(m, 0) + c
            if total:
                out[m] = total
            else:
                out.pop(m, None)
        return Term(out)

    def __radd__(self, other: int) -> Term:
        return self + other

    def __neg__(self) -> Term:
        return Term({m: -c for m, c in self.monos.items()})

    def __sub__(self, other: Term | int) -> Term:
        return self + (-of(other))

    def __rsub__(self, other: int) -> Term:
        return of(other) - self

    def __mul__(self, other: Term | int) -> Term:
        right = of(other)
        out: dict[Monomial, int] = {}
        for m, c in self.monos.items():
            for n, d in right.monos.items():
                product = _join(m, n)
                total = out.get(product, 0) + c * d
                if total:
                    out[product] = total
                else:
                    out.pop(product, None)
        return Term(out)

    def __rmul__(self, other: int) -> Term:
        return self * other

    @property
    def constant(self) -> int | None:
        """The value, when there is no atom in it; else None."""
        if not self.monos:
            return 0
        if len(self.monos) == 1 and () in self.monos:
            return self.monos[()]
        return None

    @property
    def offset(self) -> int:
        """The constant part."""
        return self.monos.get((), 0)

    @property
    def single(self) -> Atom | None:
        """The atom, when the term is just that atom; else None."""
        if len(self.monos) == 1:
            ((m, c),) = self.monos.items()
            if c == 1 and len(m) == 1:
                return m[0]
        return None

    def atoms(self) -> set[Atom]:
        """The atoms of the polynomial itself, not those inside them."""
        return {a for m in self.monos for a in m}


def _join(m: Monomial, n: Monomial) -> Monomial:
    if not m:
        return n
    if not n:
        return m
    return tuple(sorted(m + n))


def _render(monos: dict[Monomial, int]) -> str:
    if not monos:
        return "0"
    parts: list[str] = []
    for m, c in sorted(monos.items(), key=lambda item: (not item[0], tuple(a.key for a in item[0]))):
        body = "*".join(a.key for a in m)
        magnitude = abs(c)
        text = str(magnitude) if not body else body if magnitude == 1 else f"{magnitude}*{body}"
        parts.append(("-" if c < 0 else "") + text if not parts else (" - " if c < 0 else " + ") + text)
    return "".join(parts)


ZERO: Final = Term({})
ONE: Final = Term({(): 1})


def const(value: int) -> Term:
    return Term({(): value}) if value else ZERO


def of(value: Term | Atom | int) -> Term:
    """A term from a term, an atom or an integer."""
    if isinstance(value, Term):
        return value
    if isinstance(value, Atom):
        return Term({(value,): 1})
    return const(value)


def sym(name: str) -> Term:
    return of(Sym(name))


def bid(axis: int) -> Term:
    return of(Bid(axis))


def grid(axis: int) -> Term:
    return of(Sym(f"grid[{axis}]"))


def counter(name: str) -> Term:
    return of(Counter(name))


def lane(axis: int, size: Term | int) -> Term:
    """The coordinate along `axis` (from the right) of a tile of `size` elements there; 0 for size 1."""
    extent = of(size)
    return ZERO if extent.constant == 1 else of(Lane(axis, extent))


def opaque(name: str, uniform: bool = False) -> Term:
    return of(Opaque(name, uniform))


def load(array: str, index: Iterable[Term]) -> Term:
    return of(Load(array, tuple(index)))


def divide_monomial(m: Monomial, d: Monomial) -> Monomial | None:
    """The monomial that times `d` is `m`, or None."""
    rest = list(m)
    for a in d:
        if a not in rest:
            return None
        rest.remove(a)
    return tuple(rest)


def split_multiples(term: Term, divisor: Term) -> tuple[Term, Term]:
    """(q, r) with `term == q * divisor + r`, where q takes what is divisible monomial by monomial.

    For a divisor of one monomial (`T`, `2*T`, `8*N`) only. For a sum such as `a + b` division is tried as a whole.
    """
    if len(divisor.monos) != 1:
        return _split_by_sum(term, divisor)
    ((dm, dc),) = divisor.monos.items()
    quotient: dict[Monomial, int] = {}
    rest: dict[Monomial, int] = {}
    for m, c in term.monos.items():
        reduced = divide_monomial(m, dm)
        if reduced is None:
            rest[m] = c
            continue
        q, r = divmod(c, dc)
        if q:
            quotient[reduced] = quotient.get(reduced, 0) + q
        if r:
            rest[m] = r
    return Term({m: c for m, c in quotient.items() if c}), Term(rest)


def _split_by_sum(term: Term, divisor: Term) -> tuple[Term, Term]:
    lead = max((m for m in divisor.monos if m), key=lambda m: (len(m), tuple(a.key for a in m)), default=None)
    if lead is None:
        return ZERO, term
    lead_coefficient = divisor.monos[lead]
    quotient, rest = ZERO, term
    for _ in range(4):
        step: dict[Monomial, int] = {}
        for m, c in rest.monos.items():
            reduced = divide_monomial(m, lead)
            if reduced is not None and c % lead_coefficient == 0:
                step[reduced] = c // lead_coefficient
        if not step:
            break
        candidate = rest - Term(step) * divisor
        if len(candidate.monos) >= len(rest.monos):
            break
        quotient, rest = quotient + Term(step), candidate
    return quotient, rest


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
    """`ceil(num / den)` for den >= 1, kept as `(num - 1) // den + 1`."""
    return floordiv(num - 1, den) + 1


def _extreme(kind: type[Min] | type[Max], pick: Callable[[Iterable[int]], int], terms: Iterable[Term]) -> Term:
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
    return _extreme(Min, min, terms)


def maximum(*terms: Term) -> Term:
    return _extreme(Max, max, terms)


def ite(cond: Cond, then: Term, other: Term) -> Term:
    if cond.op == "true" or then == other:
        return then
    if cond.op == "false":
        return other
    if cond.op == "bool" and not cond.positive:
        return of(Ite(negate(cond), other, then))
    return of(Ite(cond, then, other))


def _next_pow2(n: int) -> int:
    return 1 if n <= 1 else 1 << (n - 1).bit_length()


def _shift_left(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("shift count")
    return a << b


def _shift_right(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("shift count")
    return a >> b


def _power(a: int, b: int) -> int:
    if not 0 <= b <= 64:
        raise ArithmeticError("exponent")
    return int(a**b)


FUNCTIONS: Final[Mapping[str, Callable[..., int]]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
    "shl": _shift_left,
    "shr": _shift_right,
    "abs": abs,
    "pow": _power,
    "next_pow2": _next_pow2,
}
"""The pure functions whose meaning is known. Each raises ArithmeticError outside its domain."""


def app(fn: str, *args: Term) -> Term:
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


# --- conditions ------------------------------------------------------------------------------------------------------

Op: TypeAlias = Literal["true", "false", "ge", "eq", "ne", "bool", "and", "or"]


@dataclass(frozen=True, eq=False)
class Cond:
    """A condition in negation normal form.

    op       ge: `term >= 0`; eq: `term == 0`; ne: `term != 0`; bool: an unknown truth value called `name`, or its
             negation when `positive` is false; and, or: of `args`, which are sorted; true, false.
    """

    op: Op
    key: str
    varying: bool
    term: Term = ZERO
    args: tuple[Cond, ...] = ()
    atom: Atom | None = None
    positive: bool = True

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Cond) and self.key == other.key)

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return self.key


TRUE: Final = Cond("true", "true", False)
FALSE: Final = Cond("false", "false", False)


def _content(term: Term) -> int:
    return reduce(gcd, (abs(c) for m, c in term.monos.items() if m), 0)


def _nonnegative(term: Term) -> Cond:
    value = term.constant
    if value is not None:
        return TRUE if value >= 0 else FALSE
    g = _content(term)
    if g > 1:
        # g*p + c >= 0 over the integers is p + floor(c / g) >= 0
        scaled = {m: c // g for m, c in term.monos.items()}
        term = Term({m: c for m, c in scaled.items() if c})
    return Cond("ge", f"{term.key} >= 0", term.varying, term)


def ge(a: Term | int, b: Term | int) -> Cond:
    return _nonnegative(of(a) - of(b))


def gt(a: Term | int, b: Term | int) -> Cond:
    return _nonnegative(of(a) - of(b) - 1)


def le(a: Term | int, b: Term | int) -> Cond:
    return ge(b, a)


def lt(a: Term | int, b: Term | int) -> Cond:
    return gt(b, a)


def _oriented(term: Term) -> Term:
    """The term or its negation, whichever has a positive first coefficient, divided by the gcd of all coefficients."""
    first = min((m for m in term.monos if m), key=lambda m: tuple(a.key for a in m))
    g = reduce(gcd, (abs(c) for c in term.monos.values()), 0)
    sign = 1 if term.monos[first] > 0 else -1
    return Term({m: sign * c // g for m, c in term.monos.items()})


def eq(a: Term | int, b: Term | int) -> Cond:
    term = of(a) - of(b)
    value = term.constant
    if value is not None:
        return TRUE if value == 0 else FALSE
    g = _content(term)
    if term.offset % g:
        return FALSE
    term = _oriented(term)
    return Cond("eq", f"{term.key} == 0", term.varying, term)


def ne(a: Term | int, b: Term | int) -> Cond:
    same = eq(a, b)
    if same.op in ("true", "false"):
        return negate(same)
    return Cond("ne", f"{same.term.key} != 0", same.varying, same.term)


def bool_opaque(atom: Atom, positive: bool = True) -> Cond:
    """An unknown truth value. The atom tells where it comes from, and so whether it varies."""
    return Cond("bool", ("" if positive else "not ") + f"<{atom.key}>", atom.varying, ZERO, (), atom, positive)


def _combine(op: Literal["and", "or"], conds: Iterable[Cond]) -> Cond:
    absorbing, neutral = (FALSE, TRUE) if op == "and" else (TRUE, FALSE)
    parts: dict[str, Cond] = {}
    for c in conds:
        if c.op == absorbing.op:
            return absorbing
        if c.op == neutral.op:
            continue
        for part in c.args if c.op == op else (c,):
            parts[part.key] = part
    if any(negate(p).key in parts for p in parts.values() if p.op in ("ge", "eq", "ne", "bool")):
        return absorbing
    if not parts:
        return neutral
    ordered = tuple(parts[k] for k in sorted(parts))
    if len(ordered) == 1:
        return ordered[0]
    text = f" {op} ".join(f"({p.key})" if p.op in ("and", "or") else p.key for p in ordered)
    return Cond(op, text, any(p.varying for p in ordered), ZERO, ordered)


def conj(*conds: Cond) -> Cond:
    return _combine("and", conds)


def disj(*conds: Cond) -> Cond:
    return _combine("or", conds)


@lru_cache(maxsize=1 << 16)
def negate(c: Cond) -> Cond:
    return _NEGATE[c.op](c)


_NEGATE: Final[Mapping[str, Callable[[Cond], Cond]]] = {
    "true": lambda c: FALSE,
    "false": lambda c: TRUE,
    "ge": lambda c: _nonnegative(-c.term - 1),
    "eq": lambda c: ne(c.term, 0),
    "ne": lambda c: eq(c.term, 0),
    "bool": lambda c: bool_opaque(c.atom, not c.positive) if c.atom is not None else c,
    "and": lambda c: disj(*(negate(a) for a in c.args)),
    "or": lambda c: conj(*(negate(a) for a in c.args)),
}


# --- walking ---------------------------------------------------------------------------------------------------------

def _children(atom: Atom) -> Iterator[Term | Cond]:
    if isinstance(atom, (FloorDiv, Mod)):
        yield atom.num
        yield atom.den
    elif isinstance(atom, (Min, Max, App)):
        yield from atom.args
    elif isinstance(atom, Ite):
        yield atom.cond
        yield atom.then
        yield atom.other
    elif isinstance(atom, Load):
        yield from atom.index
    elif isinstance(atom, Lane):
        yield atom.size


def atoms_of(value: Term | Cond, into: set[Atom] | None = None) -> set[Atom]:
    """Every atom in a term or condition, those inside other atoms too (sizes of lanes included)."""
    out: set[Atom] = set() if into is None else into
    if isinstance(value, Cond):
        if value.atom is not None and value.atom not in out:
            out.add(value.atom)
            for child in _children(value.atom):
                atoms_of(child, out)
        atoms_of(value.term, out)
        for a in value.args:
            atoms_of(a, out)
        return out
    for m in value.monos:
        for atom in m:
            if atom not in out:
                out.add(atom)
                for child in _children(atom):
                    atoms_of(child, out)
    return out


class Substitution:
    """Replaces atoms by terms everywhere, rebuilding through the constructors; remembers what it rebuilt."""

    def __init__(self, mapping: Mapping[Atom, Term]) -> None:
        self._done: dict[Atom, Term] = dict(mapping)
        self._conds: dict[str, Cond] = {}

    def term(self, t: Term) -> Term:
        out: Term | None = None
        for m, c in t.monos.items():
            changed = [self.atom(a) for a in m]
            if all(new.single is a or new.single == a for new, a in zip(changed, m, strict=True)):
                part = Term({m: c})
            else:
                part = reduce(lambda x, y: x * y, changed, const(c))
            out = part if out is None else out + part
        return ZERO if out is None else out

    def atom(self, a: Atom) -> Term:
        known = self._done.get(a)
        if known is None:
            known = self._rebuild(a)
            self._done[a] = known
        return known

    def _rebuild(self, a: Atom) -> Term:
        rebuild = _REBUILD.get(type(a))
        return of(a) if rebuild is None else rebuild(self, a)

    def cond(self, c: Cond) -> Cond:
        known = self._conds.get(c.key)
        if known is None:
            known = _SUBSTITUTE[c.op](self, c)
            self._conds[c.key] = known
        return known

    def _bool(self, c: Cond) -> Cond:
        if c.atom is None:
            return c
        new = self.atom(c.atom)
        atom = new.single
        if atom is not None:
            return bool_opaque(atom, c.positive)
        value = new.constant
        if value is not None:
            return TRUE if (value != 0) == c.positive else FALSE
        return ne(new, 0) if c.positive else eq(new, 0)

    def _lane(self, a: Lane) -> Term:
        size = self.term(a.size)
        return ZERO if size.constant == 1 else of(Lane(a.axis, size, a.copy))


_REBUILD: Final[Mapping[type[Atom], Callable[[Substitution, object], Term]]] = {
    FloorDiv: lambda s, a: floordiv(s.term(a.num), s.term(a.den)),  # type: ignore[attr-defined]
    Mod: lambda s, a: mod(s.term(a.num), s.term(a.den)),  # type: ignore[attr-defined]
    Min: lambda s, a: minimum(*(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Max: lambda s, a: maximum(*(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Ite: lambda s, a: ite(s.cond(a.cond), s.term(a.then), s.term(a.other)),  # type: ignore[attr-defined]
    App: lambda s, a: app(a.fn, *(s.term(x) for x in a.args)),  # type: ignore[attr-defined]
    Load: lambda s, a: load(a.array, tuple(s.term(x) for x in a.index)),  # type: ignore[attr-defined]
    Lane: lambda s, a: s._lane(a),  # type: ignore[arg-type]
}

_SUBSTITUTE: Final[Mapping[str, Callable[[Substitution, Cond], Cond]]] = {
    "true": lambda s, c: c,
    "false": lambda s, c: c,
    "ge": lambda s, c: ge(s.term(c.term), 0),
    "eq": lambda s, c: eq(s.term(c.term), 0),
    "ne": lambda s, c: ne(s.term(c.term), 0),
    "bool": lambda s, c: s._bool(c),
    "and": lambda s, c: conj(*(s.cond(a) for a in c.args)),
    "or": lambda s, c: disj(*(s.cond(a) for a in c.args)),
}


def substitute(t: Term, mapping: Mapping[Atom, Term]) -> Term:
    return Substitution(mapping).term(t)


def substitute_cond(c: Cond, mapping: Mapping[Atom, Term]) -> Cond:
    return Substitution(mapping).cond(c)


def enforceable(c: Cond) -> bool:
    """Whether a launch can decide a condition from its scalars: nothing in it but symbols and known functions."""
    return c.op not in ("bool",) and all(
        isinstance(a, (Sym, FloorDiv, Mod, Min, Max, Ite)) or (isinstance(a, App) and a.fn in FUNCTIONS)
        for a in atoms_of(c)) and all(enforceable(part) for part in c.args)


# --- concrete evaluation ---------------------------------------------------------------------------------------------

Environment: TypeAlias = Mapping[Atom, int]
"""Values of symbols, coordinates, counters, lanes, opaques, loads and uninterpreted applications."""


def evaluate(t: Term, env: Environment) -> int:
    """The value of a term. Raises KeyError for an atom without a value and ArithmeticError outside a domain."""
    total = 0
    for m, c in t.monos.items():
        value = c
        for a in m:
            value *= _value(a, env)
        total += value
    return total


def _value(a: Atom, env: Environment) -> int:
    if a in env:
        return env[a]
    compute = _VALUE.get(type(a))
    if compute is None:
        raise KeyError(a)
    return compute(a, env)


def _apply(a: App, env: Environment) -> int:
    fn = FUNCTIONS.get(a.fn)
    if fn is None:
        raise KeyError(a)
    return fn(*(evaluate(x, env) for x in a.args))


_VALUE: Final[Mapping[type[Atom], Callable[..., int]]] = {
    FloorDiv: lambda a, env: evaluate(a.num, env) // evaluate(a.den, env),
    Mod: lambda a, env: evaluate(a.num, env) % evaluate(a.den, env),
    Min: lambda a, env: min(evaluate(x, env) for x in a.args),
    Max: lambda a, env: max(evaluate(x, env) for x in a.args),
    Ite: lambda a, env: evaluate(a.then if holds(a.cond, env) else a.other, env),
    App: _apply,
}


def holds(c: Cond, env: Environment) -> bool:
    """Whether a condition holds. Raises as `evaluate` does."""
    return _HOLDS[c.op](c, env)


_HOLDS: Final[Mapping[str, Callable[[Cond, Environment], bool]]] = {
    "true": lambda c, env: True,
    "false": lambda c, env: False,
    "ge": lambda c, env: evaluate(c.term, env) >= 0,
    "eq": lambda c, env: evaluate(c.term, env) == 0,
    "ne": lambda c, env: evaluate(c.term, env) != 0,
    "bool": lambda c, env: (_value(c.atom, env) != 0) == c.positive if c.atom is not None else False,
    "and": lambda c, env: all(holds(a, env) for a in c.args),
    "or": lambda c, env: any(holds(a, env) for a in c.args),
}
