"""Conditions over terms, in negation normal form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from math import gcd
from typing import Final, Literal, TypeAlias, final

from tilecheck.symbolic.atoms import Atom
from tilecheck.symbolic.polynomials import ZERO, Term, keys_of, of

Op: TypeAlias = Literal["true", "false", "ge", "eq", "ne", "bool", "and", "or"]


@final
class Cond:
    """A condition in negation normal form. It is not changed once it is made.

    op       ge: `term >= 0`; eq: `term == 0`; ne: `term != 0`; bool: an unknown truth value called `name`, or its
             negation when `positive` is false; and, or: of `args`, which are sorted; true, false.
    """

    # a frozen dataclass would take three times as long to make, and most conditions are a step of a computation
    __slots__ = ("_hash", "args", "atom", "key", "op", "positive", "term", "varying")

    def __init__(
        self, op: Op, key: str, varying: bool, term: Term = ZERO, args: tuple[Cond, ...] = (),
        atom: Atom | None = None, positive: bool = True,
    ) -> None:
        self.op: Op = op
        self.key = key
        self.varying = varying
        self.term = term
        self.args = args
        self.atom = atom
        self.positive = positive
        self._hash = hash(key)

    def __eq__(self, other: object) -> bool:
        return self is other or (type(other) is Cond and self.key == other.key)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return self.key

    def __reduce__(self) -> str | tuple[object, ...]:
        if self.op in _SINGLE:
            return _SINGLE[self.op]  # the very object: code asks `is TRUE`
        return (Cond, (self.op, self.key, self.varying, self.term, self.args, self.atom, self.positive))


TRUE: Final = Cond("true", "true", False)
FALSE: Final = Cond("false", "false", False)
_SINGLE: Final[dict[str, str]] = {"true": "TRUE", "false": "FALSE"}
"""Names of the conditions of which there is one."""


def _content(term: Term) -> int:
    """The greatest common divisor of the coefficients of atoms."""
    g = 0
    for m, c in term.monos.items():
        if m:
            g = gcd(g, c)
            if g == 1:
                break
    return g


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
    return _nonnegative(of(a) - b)


def gt(a: Term | int, b: Term | int) -> Cond:
    return _nonnegative(of(a) - b - 1)


def le(a: Term | int, b: Term | int) -> Cond:
    return ge(b, a)


def lt(a: Term | int, b: Term | int) -> Cond:
    return gt(b, a)


def _orient(term: Term) -> Term:
    """The term or its negation, whichever has a positive first coefficient, divided by the gcd of all coefficients."""
    first = min((m for m in term.monos if m), key=keys_of)
    g = gcd(*term.monos.values())
    sign = 1 if term.monos[first] > 0 else -1
    return Term({m: sign * c // g for m, c in term.monos.items()})


def eq(a: Term | int, b: Term | int) -> Cond:
    term = of(a) - b
    value = term.constant
    if value is not None:
        return TRUE if value == 0 else FALSE
    g = _content(term)
    if term.offset % g:
        return FALSE
    term = _orient(term)
    return Cond("eq", f"{term.key} == 0", term.varying, term)


def ne(a: Term | int, b: Term | int) -> Cond:
    same = eq(a, b)
    if same.op in ("true", "false"):
        return negate(same)
    return Cond("ne", f"{same.term.key} != 0", same.varying, same.term)


def bool_opaque(atom: Atom, positive: bool = True) -> Cond:
    """An unknown truth value. The atom tells where it comes from, and so whether it varies."""
    return Cond("bool", ("" if positive else "not ") + f"<{atom.key}>", atom.varying, ZERO, (), atom, positive)


_PLAIN: Final = frozenset(("ge", "eq", "ne", "bool"))


@lru_cache(maxsize=1 << 15)
def _combine(op: Literal["and", "or"], conds: tuple[Cond, ...]) -> Cond:
    absorbing, neutral = (FALSE, TRUE) if op == "and" else (TRUE, FALSE)
    parts: dict[str, Cond] = {}
    for c in conds:
        if c.op == absorbing.op:
            return absorbing
        if c.op == neutral.op:
            continue
        for part in c.args if c.op == op else (c,):
            parts[part.key] = part
    if len(parts) > 1 and not parts.keys().isdisjoint(
            [negate(p).key for p in parts.values() if p.op in _PLAIN]):
        return absorbing
    if not parts:
        return neutral
    ordered = tuple(parts[k] for k in sorted(parts))
    if len(ordered) == 1:
        return ordered[0]
    text = f" {op} ".join(f"({p.key})" if p.op in ("and", "or") else p.key for p in ordered)
    return Cond(op, text, any(p.varying for p in ordered), ZERO, ordered)


def conjuncts(cond: Cond) -> tuple[Cond, ...]:
    """The parts of a conjunction; none for TRUE."""
    return cond.args if cond.op == "and" else () if cond.op == "true" else (cond,)


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
