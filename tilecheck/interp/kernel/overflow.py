"""Numbers that may have wrapped where they are used.

Sums, differences and products of wrapped numbers are correct as soon as the result fits, because the model is correct
modulo 2**32. Quotients, remainders, comparisons, choices, conversions to a wider type, bounds of loops and indices of
elements are not. There a number has to fit in its type. The conditions that bound it become clauses of the contract.
A number without a bound is replaced by its wrapped value, which is a function of the number without any arithmetic law.
The analysis assumes that the sum of a few 32-bit numbers fits in 32 bits, and so do counts of tiles.
"""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import I32, INTEGERS, UNSIGNED, DType, ElementType, Weak, holds
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import Int, with_term
from tilecheck.solver.overflow import bound_above, bound_below, grows, numbers, size_of
from tilecheck.symbolic import (
    ZERO,
    App,
    Atom,
    Cond,
    FloorDiv,
    Ite,
    Load,
    Monomial,
    Substitution,
    Symbol,
    Term,
    app,
    atoms_of,
    conj,
    conjuncts,
    const,
    ge,
    lt,
    negate,
    of,
)

__all__ = [
    "bits_of", "computed_in", "counted_up", "fit_unrecorded", "fit_value", "not_below", "widen_operands",
    "wrap_constant",
]

_INDEX: Final = 32
"""Bits of values computed from block coordinates, extents and numbers that a launch passes."""


def bits_of(dtype: ElementType | None) -> int:
    """The bits that a value is computed in, 32 where its type is not known."""
    return dtype.bits if isinstance(dtype, DType) and dtype in INTEGERS else _INDEX


def wrap_constant(m: Machine, value: Int) -> Int:
    """A number that its type does not hold, as the device computes it. It is not known where the type is not."""
    number, dtype = value.term.constant, value.dtype
    if number is None or dtype is Weak.INT or m.host or m.knowledge.written is None:
        return value
    if not isinstance(dtype, DType):
        return value if holds(I32, number) else with_term(value, app("wrapped", const(number)))
    limits = dtype.limits
    if limits is None or holds(dtype, number):
        return value
    return with_term(value, const((number - limits[0]) % (1 << dtype.bits) + limits[0]))


def fit_value(m: Machine, value: Int) -> Term:
    """The value where it is used in a way that wrapping changes."""
    value = wrap_constant(m, value)
    t = value.term
    if _is_exact(m, value):
        return t
    bits = bits_of(value.dtype)
    # what has no type of integers is computed as an index is
    dtype = value.dtype if isinstance(value.dtype, DType) and value.dtype in INTEGERS else I32
    low = bound_below(t) if dtype in UNSIGNED else 0
    if low is None or low < 0:
        return app(dtype.name, t)
    if dtype in UNSIGNED:
        m.sized |= numbers(t).difference(_find_nonnegative(m.path))
    if bits < _INDEX:
        return t if _fits_type(m, t, dtype) else app(dtype.name, t)
    if bits > _INDEX:
        fits = _fits_twice(m, t) or _is_small_sum(m, t) or _require_width(m, size_of(t), t, m.long, 2 * _INDEX)
        return t if fits else app(dtype.name, t)
    size = size_of(t)
    if size is not None:
        limit = 2 ** _INDEX + 1 if dtype in UNSIGNED else 2 ** (_INDEX - 1)
        return app(dtype.name, t) if (size.constant or 0) >= limit else t
    if _is_small_sum(m, t):
        # a value from memory and the terms of its sum are assumed to fit
        if numbers(t):
            _require_width(m, None, t, m.products, _INDEX)
        return t
    return t if _require_width(m, None, t, m.products, _INDEX) else app(dtype.name, t)


def _fits_twice(m: Machine, t: Term) -> bool:
    """Whether 64 bits hold a term of values that 32 bits hold each, but for those that the launch passes in 64."""
    size: int = sum(abs(c) << sum(_bits_beside_sign(m, a) for a in k) for k, c in t.monos.items())
    return size < 1 << (2 * _INDEX - 1)


def _bits_beside_sign(m: Machine, a: Atom) -> int:
    return (_INDEX if m.doubled.isdisjoint(numbers(of(a))) else 2 * _INDEX) - 1


def _require_width(m: Machine, size: Term | None, t: Term, into: set[Term], bits: int) -> bool:
    """Ask of the launch that a term fits in so many bits; false when nothing can be asked."""
    found = (size,) if size is not None else _find_needs(m, t, m.path)
    if found is None or any((b.constant or 0) >= 2 ** (bits - 1) for b in found):
        return False
    into.update(_drop_negative(b) for b in found if grows(b))
    return True


def _drop_negative(bound: Term) -> Term:
    return Term({m: c for m, c in bound.monos.items() if c > 0})


def fit_unrecorded(m: Machine, value: Int) -> Term:
    """The same, where nothing but this use shows that the value is computed."""
    t = fit_value(m, value)
    if bits_of(value.dtype) == _INDEX and not _is_exact(m, value):
        m.products.add(t)
    return t


def computed_in(m: Machine, result: Term, bits: int) -> None:
    """Keep what a quotient and the like is computed in. One that is computed in 64 bits somewhere, and in fewer
    elsewhere, is of fewer."""
    (m.wide if bits > _INDEX else m.narrow).update(a for k in result.monos for a in k)


def widen_operands(m: Machine, a: Int, b: Int) -> tuple[Term, Term]:
    """Two values that are combined: the one of the narrower type is converted to the other type first."""
    first, second = bits_of(a.dtype), bits_of(b.dtype)
    x = fit_unrecorded(m, a) if first < second and not _is_loose(a) else a.term
    y = fit_unrecorded(m, b) if second < first and not _is_loose(b) else b.term
    return x, y


def not_below(m: Machine, value: Int) -> Term:
    """The end of a range that is counted up to: one that wrapped downwards ends the loop early."""
    t = value.term
    if _is_exact(m, value) or bits_of(value.dtype) != _INDEX or _is_small_sum(m, t):
        return t
    signs: set[str] = set()
    low = bound_above(-t, m.path, signs)
    if low is None:
        return fit_value(m, value)
    m.sized |= signs.difference(_find_nonnegative(m.path))
    if grows(low):
        m.products.add(_drop_negative(low))
    return t


def counted_up(m: Machine, start: Int, at_start: Term, end: Term, known: Cond) -> bool:
    """Whether a variable of a loop is held in 32 bits in every iteration, because it is before the first one, and what
    an iteration leaves is where what it found is: `at_start` and `end`, under the condition of the loop."""
    return _is_small_sum(m, start.term) and _held_after(m, at_start, end, known)


def _held_after(m: Machine, before: Term, end: Term, known: Cond) -> bool:
    only = end.single
    if isinstance(only, Ite):
        return _held_after(m, before, only.then, known) and _held_after(m, before, only.other, known)
    step = end - before
    if not step.monos or end - end.offset in m.plain:
        return True
    if any(c != 1 or len(k) > 1 for k, c in step.monos.items() if k) or before.single is None:
        return False
    for part in conjuncts(known):
        limit = part.term + before
        found = None if part.op != "ge" or before.single in atoms_of(limit) else _find_needs(m, limit, m.path)
        if found is not None:
            m.products.update(_drop_negative(b) for b in found if grows(b))
            return True
    return False


def _is_exact(m: Machine, value: Int) -> bool:
    """Whether nothing is lost: a number, or one that is computed before the kernel is compiled."""
    return m.host or m.trusted or m.knowledge.written is None or value.term.constant is not None or _is_loose(value)


def _is_loose(value: Int) -> bool:
    return value.dtype is Weak.INT and not value.term.varying


def _is_small_sum(m: Machine, t: Term) -> bool:
    """Whether a term is a sum of a few values that are held in 32 bits each."""
    return any(all(abs(c) == 1 and len(k) == 1 and _is_held(m, k[0]) for k, c in (t - p).monos.items() if k)
               for p in (ZERO, *m.plain))


def _is_held(m: Machine, a: Atom) -> bool:
    """Whether a quantity is a value that is held somewhere, and not only part of one."""
    return _is_small_sum(m, a.then) and _is_small_sum(m, a.other) if isinstance(a, Ite) else not (
        isinstance(a, App) and a.fn in ("shl", "pow"))


def _find_needs(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    """Returns terms that must be less than 2**31 for the given term to fit; None if no launch numbers bound it."""
    found = _bounds(m, t, known)
    if found is not None:
        return found
    rest = t
    out: tuple[Term, ...] = ()
    for part, c in t.monos.items():
        inner = _of_part(m, part, known) if abs(c) == 1 else None
        if inner is not None:
            rest, out = rest - Term({part: c}), (*out, *inner)
    found = None if rest == t else _bounds(m, rest, known)
    return None if found is None else (*out, *found)


def _of_part(m: Machine, part: Monomial, known: Cond) -> tuple[Term, ...] | None:
    """The same for a value that is held by itself, or counts tiles by a number that lies in memory."""
    a = part[0] if len(part) == 1 else None
    if isinstance(a, Ite):
        ways = _find_needs(m, a.then, conj(known, a.cond)), _find_needs(m, a.other, conj(known, negate(a.cond)))
        return None if ways[0] is None or ways[1] is None else (*ways[0], *ways[1])
    return () if (a is not None and _is_held(m, a)) or (part and all(map(_counts, part))) else None


def _counts(a: Atom) -> bool:
    """Whether a quantity is a scalar of the launch, or a quotient as a count of tiles is one."""
    if isinstance(a, Ite):
        return all(abs(c) == 1 and all(map(_counts, k)) for t in (a.then, a.other) for k, c in t.monos.items() if k)
    return isinstance(a, Symbol) or (isinstance(a, FloorDiv) and a.den.constant != 1 and not a.den.varying)


def _bounds(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    """Returns bounds of a term from both sides, in general or by the condition of the loop under test."""
    if m.knowledge.ranges:
        known = conj(known, _get_declared_ranges(m, t))
    found = _join_needs(m, t, known)
    if found is not None or m.supposed is None:
        return found
    counter, before = m.supposed
    first, later = _join_needs(m, Substitution({counter: ZERO}).term(t), known), _join_needs(m, t, conj(known, before))
    return None if first is None or later is None else (*first, *later)


def _get_declared_ranges(m: Machine, t: Term) -> Cond:
    """Returns the declared ranges of the array elements in a term as a condition."""
    said = ((of(a), m.knowledge.ranges[a.array]) for a in sorted(atoms_of(t))
            if isinstance(a, Load) and a.array in m.knowledge.ranges)
    return conj(*(c for value, (low, high) in said for c in (ge(value, low), lt(value, high))))


def _join_needs(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    signs: set[str] = set()
    high, low = bound_above(t, known, signs), bound_above(-t, known, signs)
    if high is None or low is None:
        return None
    m.sized |= signs.difference(_find_nonnegative(known))
    return high, low


def _find_nonnegative(known: Cond) -> set[str]:
    """Numbers of the launch that a condition says are not negative."""
    bounds = ((part.term.offset, part.term) for part in conjuncts(known) if part.op == "ge")
    atoms = ((t - offset).single for offset, t in bounds if offset <= 0)
    return {a.name for a in atoms if isinstance(a, Symbol)}


def _fits_type(m: Machine, t: Term, dtype: DType) -> bool:
    """Whether a type of few bits holds a value for certain."""
    found = _bounds(m, t, m.path)
    low, high = dtype.limits or (0, 0)
    above = None if found is None else found[0].constant
    below = None if found is None else found[1].constant
    return above is not None and below is not None and above <= high and -below >= low
