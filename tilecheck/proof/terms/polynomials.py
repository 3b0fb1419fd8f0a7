"""Polynomials with integer coefficients over atoms."""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from tilecheck.proof.terms.atoms import Atom, Monomial


class Term:
    """A polynomial: monomials (sorted tuples of atoms, with repetition for powers) to non-zero coefficients."""

    # most terms are a step of a computation: what is asked of few of them is not there until it is asked for
    __slots__ = ("_hash", "_key", "_varying", "monos")

    monos: dict[Monomial, int]
    _key: str
    _hash: int
    _varying: bool

    def __init__(self, monos: dict[Monomial, int]) -> None:
        self.monos = monos

    @property
    def key(self) -> str:
        try:
            return self._key
        except AttributeError:
            self._key = _render(self.monos)
            return self._key

    @property
    def varying(self) -> bool:
        try:
            return self._varying
        except AttributeError:
            self._varying = any(map(depends_on_block, self.monos))
            return self._varying

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Term) and self.monos == other.monos)

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            self._hash = hash(frozenset(self.monos.items()))
            return self._hash

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> tuple[object, ...]:
        return (Term, (self.monos,))

    def __add__(self, other: Term | int) -> Term:
        right = other if type(other) is Term else of(other)
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
        right = other if type(other) is Term else of(other)
        if not right.monos:
            return self
        out = dict(self.monos)
        for m, c in right.monos.items():
            total = out.get(m, 0) - c
            if total:
                out[m] = total
            else:
                out.pop(m, None)
        return Term(out)

    def __rsub__(self, other: int) -> Term:
        return of(other) - self

    def __mul__(self, other: Term | int) -> Term:
        right = other if type(other) is Term else of(other)
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


@cache
def depends_on_block(m: Monomial) -> bool:
    """Whether the value may differ between two blocks of one launch."""
    return any(a.varying for a in m)


@cache
def text_of(m: Monomial) -> str:
    return "*".join([a.key for a in m])


@cache
def _place(m: Monomial) -> tuple[bool, tuple[str, ...]]:
    """The constant comes last."""
    return not m, tuple([a.key for a in m])


def _render(monos: dict[Monomial, int]) -> str:
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
    if isinstance(value, Term):
        return value
    return _alone(value) if isinstance(value, Atom) else const(value)


@cache
def _alone(a: Atom) -> Term:
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
