"""Polynomials with integer coefficients over atoms."""

from __future__ import annotations

from functools import cache, lru_cache
from operator import attrgetter
from typing import Final, final

from tilecheck.symbolic.atoms import Atom, Monomial


@final
class Term:
    """A polynomial: monomials (sorted tuples of atoms, with repetition for powers) to non-zero coefficients."""

    # most terms are intermediate results, so that keys and hashes are computed on first use
    __slots__ = ("_hash", "_key", "_varying", "monos")

    def __init__(self, monos: dict[Monomial, int]) -> None:
        self.monos = monos
        self._hash = 0
        self._key: str | None = None
        self._varying: bool | None = None

    @property
    def key(self) -> str:
        key = self._key
        if key is None:
            key = self._key = _text(self)
        return key

    @property
    def varying(self) -> bool:
        varying = self._varying
        if varying is None:
            varying = self._varying = True in map(depends_on_block, self.monos)
        return varying

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Term and self.monos == other.monos)

    def __hash__(self) -> int:
        found = self._hash
        if not found:
            self._hash = found = hash(frozenset(self.monos.items()))
        return found

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> tuple[object, ...]:
        return (Term, (self.monos,))

    def __add__(self, other: Term | int) -> Term:
        if type(other) is int:
            return self._add_constant(other)
        right = other if type(other) is Term else of(other)
        if not right.monos:
            return self
        if not self.monos:
            return right
        out = self.monos.copy()
        for m, c in right.monos.items():
            if m in out:
                total = out[m] + c
                if total:
                    out[m] = total
                else:
                    del out[m]
            else:
                out[m] = c
        return Term(out)

    def _add_constant(self, by: int) -> Term:
        """The sum with a number."""
        if not by:
            return self
        if not self.monos:
            return const(by)
        out = self.monos.copy()
        total = out.get((), 0) + by
        if total:
            out[()] = total
        else:
            del out[()]
        return Term(out)

    def __radd__(self, other: int) -> Term:
        return self + other

    def __neg__(self) -> Term:
        return Term({m: -c for m, c in self.monos.items()})

    def __sub__(self, other: Term | int) -> Term:
        if type(other) is int:
            return self._add_constant(-other)
        right = other if type(other) is Term else of(other)
        if not right.monos:
            return self
        out = self.monos.copy()
        for m, c in right.monos.items():
            if m in out:
                total = out[m] - c
                if total:
                    out[m] = total
                else:
                    del out[m]
            else:
                out[m] = -c
        return Term(out)

    def __rsub__(self, other: int) -> Term:
        return of(other) - self

    def __mul__(self, other: Term | int) -> Term:
        if type(other) is int:
            return self._times((), other) if other else ZERO
        right = other if type(other) is Term else of(other)
        if len(right.monos) == 1:
            ((n, d),) = right.monos.items()
            return self._times(n, d)
        if len(self.monos) == 1:
            ((m, c),) = self.monos.items()
            return right._times(m, c)
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

    def _times(self, n: Monomial, d: int) -> Term:
        """The product with one monomial, which makes different monomials of different ones."""
        if n:
            return Term({_join(m, n): c * d for m, c in self.monos.items()})
        return self if d == 1 else Term({m: c * d for m, c in self.monos.items()})

    def __rmul__(self, other: int) -> Term:
        return self * other

    @property
    def constant(self) -> int | None:
        """The value, when there is no atom in it; else None."""
        monos = self.monos
        if len(monos) > 1:
            return None
        return monos.get(()) if monos else 0

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
    return in_order(m + n)


def add_times(out: dict[Monomial, int], weight: Monomial, factor: int, term: Term) -> None:
    """Add `factor*weight*term` to the coefficients of a polynomial."""
    for n, d in term.monos.items():
        m = in_order(weight + n) if weight and n else weight or n
        if m in out:
            total = out[m] + factor * d
            if total:
                out[m] = total
            else:
                del out[m]
        else:
            out[m] = factor * d


key_of: Final = attrgetter("key")
"""By which atoms are put in order."""


@lru_cache(maxsize=1 << 16)
def in_order(atoms: Monomial) -> Monomial:
    """Atoms as a monomial, which has them sorted."""
    return tuple(sorted(atoms, key=key_of))


@cache
def depends_on_block(m: Monomial) -> bool:
    """Whether the value may differ between two blocks of one launch."""
    return any(a.varying for a in m)


@cache
def text_of(m: Monomial) -> str:
    return "*".join([a.key for a in m])


@cache
def keys_of(m: Monomial) -> tuple[str, ...]:
    """The keys of the atoms, by which monomials are put in order."""
    return tuple([a.key for a in m])


@cache
def _place(m: Monomial) -> tuple[bool, tuple[str, ...]]:
    """The constant comes last."""
    return not m, keys_of(m)


@lru_cache(maxsize=1 << 16)
def _text(term: Term) -> str:
    """The polynomial written out. Most are made more than once."""
    monos = term.monos
    if not monos:
        return "0"
    parts: list[str] = []
    for m in sorted(monos, key=_place):
        body, c = text_of(m), monos[m]
        magnitude = abs(c)
        text = str(magnitude) if not body else body if magnitude == 1 else f"{magnitude}*{body}"
        parts.append(("-" if c < 0 else "") + text if not parts else (" - " if c < 0 else " + ") + text)
    return "".join(parts)


ZERO: Final = Term({})


ONE: Final = Term({(): 1})


@lru_cache(maxsize=4096)
def const(value: int) -> Term:
    return Term({(): value}) if value else ZERO


def of(value: Term | Atom | int) -> Term:
    """A term from a term, an atom or an integer."""
    if type(value) is Term:
        return value
    return const(value) if isinstance(value, int) else _build_single(value)


@cache
def _build_single(a: Atom) -> Term:
    return Term({(a,): 1})


def divide_monomial(m: Monomial, d: Monomial) -> Monomial | None:
    """The monomial that times `d` is `m`, or None."""
    rest = m
    for a in d:
        if a not in rest:
            return None
        i = rest.index(a)
        rest = rest[:i] + rest[i + 1:]
    return rest


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
