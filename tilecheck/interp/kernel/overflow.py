"""Numbers that may have wrapped where they are used.

Sums, differences and products of numbers that wrapped are right again as soon as the result fits: what they are taken
for is right modulo 2**32. Quotients, remainders, comparisons, choices, conversions to a wider type, bounds of loops and
indices of elements are not. There a number has to fit in its type: what bounds it goes into the contract, and one that
nothing bounds is replaced by what it is after wrapping, a function of the number of which no law of arithmetic holds.
A few numbers that are held in 32 bits each are taken to have a sum that is, and so are counts of tiles.
"""

from __future__ import annotations

from typing import Final

from tilecheck.dtypes import I32, INTEGERS, UNSIGNED, DType, ElementType, Weak
from tilecheck.interp.kernel.interpreter import Machine
from tilecheck.interp.kernel.values import Int
from tilecheck.solver.overflow import grows, least, most, numbers, size_of
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
    ge,
    lt,
    negate,
    of,
)

__all__ = ["bits_of", "computed_in", "counted_up", "fitted", "not_below", "noted", "widened"]

_INDEX: Final = 32
"""Bits of what is computed from block coordinates, extents and numbers that a launch passes."""


def bits_of(dtype: ElementType | None) -> int:
    """The bits that a value is computed in, 32 where its type is not known."""
    return dtype.bits if isinstance(dtype, DType) and dtype in INTEGERS else _INDEX


def fitted(m: Machine, value: Int) -> Term:
    """The value where it is used in a way that wrapping changes."""
    t = value.term
    if _exact(m, value):
        return t
    bits = bits_of(value.dtype)
    # what has no type of integers is computed as an index is
    dtype = value.dtype if isinstance(value.dtype, DType) and value.dtype in INTEGERS else I32
    low = least(t) if dtype in UNSIGNED else 0
    if low is None or low < 0:
        return app(dtype.name, t)
    if dtype in UNSIGNED:
        m.sized |= numbers(t).difference(_shown(m.path))
    if bits < _INDEX:
        return t if _held(m, t, dtype) else app(dtype.name, t)
    if bits > _INDEX:
        fits = _fits_twice(m, t) or _few(m, t) or _asked(m, size_of(t), t, m.long, 2 * _INDEX)
        return t if fits else app(dtype.name, t)
    size = size_of(t)
    if size is not None:
        limit = 2 ** _INDEX + 1 if dtype in UNSIGNED else 2 ** (_INDEX - 1)
        return app(dtype.name, t) if (size.constant or 0) >= limit else t
    return t if _few(m, t) or _asked(m, None, t, m.products, _INDEX) else app(dtype.name, t)


def _fits_twice(m: Machine, t: Term) -> bool:
    """Whether 64 bits hold a term of values that 32 bits hold each, but for those that the launch passes in 64."""
    size: int = sum(abs(c) << sum(_bits_beside_sign(m, a) for a in k) for k, c in t.monos.items())
    return size < 1 << (2 * _INDEX - 1)


def _bits_beside_sign(m: Machine, a: Atom) -> int:
    return (_INDEX if m.doubled.isdisjoint(numbers(of(a))) else 2 * _INDEX) - 1


def _asked(m: Machine, size: Term | None, t: Term, into: set[Term], bits: int) -> bool:
    """Ask of the launch that a term fits in so many bits; false when nothing can be asked."""
    found = (size,) if size is not None else _needed(m, t, m.path)
    if found is None or any((b.constant or 0) >= 2 ** (bits - 1) for b in found):
        return False
    into.update(_positive(b) for b in found if grows(b))
    return True


def _positive(bound: Term) -> Term:
    return Term({m: c for m, c in bound.monos.items() if c > 0})


def noted(m: Machine, value: Int) -> Term:
    """The same, where nothing but this use shows that the value is computed."""
    t = fitted(m, value)
    if bits_of(value.dtype) == _INDEX and not _exact(m, value) and (t.varying or grows(t)):
        m.products.add(t)
    return t


def computed_in(m: Machine, result: Term, bits: int) -> None:
    """Keep what a quotient and the like is computed in. One that is computed in 64 bits somewhere, and in fewer
    elsewhere, is of fewer."""
    (m.wide if bits > _INDEX else m.narrow).update(a for k in result.monos for a in k)


def widened(m: Machine, a: Int, b: Int) -> tuple[Term, Term]:
    """Two values that are combined: the one of the narrower type is converted to the other type first."""
    first, second = bits_of(a.dtype), bits_of(b.dtype)
    x = noted(m, a) if first < second and not _loose(a) else a.term
    y = noted(m, b) if second < first and not _loose(b) else b.term
    return x, y


def not_below(m: Machine, value: Int) -> Term:
    """The end of a range that is counted up to: one that wrapped downwards ends the loop early."""
    t = value.term
    if _exact(m, value) or bits_of(value.dtype) != _INDEX or _few(m, t):
        return t
    signs: set[str] = set()
    low = most(-t, m.path, signs)
    if low is None:
        return fitted(m, value)
    m.sized |= signs.difference(_shown(m.path))
    if grows(low):
        m.products.add(_positive(low))
    return t


def counted_up(m: Machine, start: Int, at_start: Term, end: Term, known: Cond) -> bool:
    """Whether a variable of a loop is held in 32 bits in every iteration, because it is before the first one, and what
    an iteration leaves is where what it found is: `at_start` and `end`, under the condition of the loop."""
    return _few(m, start.term) and _held_after(m, at_start, end, known)


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
        found = None if part.op != "ge" or before.single in atoms_of(limit) else _needed(m, limit, m.path)
        if found is not None:
            m.products.update(_positive(b) for b in found if grows(b))
            return True
    return False


def _exact(m: Machine, value: Int) -> bool:
    """Whether nothing is lost: a number, or one that is computed before the kernel is compiled."""
    return m.host or m.trusted or m.knowledge.written is None or value.term.constant is not None or _loose(value)


def _loose(value: Int) -> bool:
    return value.dtype is Weak.INT and not value.term.varying


def _few(m: Machine, t: Term) -> bool:
    """Whether a term is a sum of a few values that are held in 32 bits each."""
    return any(all(abs(c) == 1 and len(k) == 1 and _is_held(m, k[0]) for k, c in (t - p).monos.items() if k)
               for p in (ZERO, *m.plain))


def _is_held(m: Machine, a: Atom) -> bool:
    """Whether a quantity is a value that is held somewhere, and not only part of one."""
    return _few(m, a.then) and _few(m, a.other) if isinstance(a, Ite) else not (
        isinstance(a, App) and a.fn in ("shl", "pow"))


def _needed(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    """What has to be less than 2**31 for a term to fit; None when no numbers of the launch bound it."""
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
        ways = _needed(m, a.then, conj(known, a.cond)), _needed(m, a.other, conj(known, negate(a.cond)))
        return None if ways[0] is None or ways[1] is None else (*ways[0], *ways[1])
    return () if (a is not None and _is_held(m, a)) or (part and all(map(_counts, part))) else None


def _counts(a: Atom) -> bool:
    """Whether a quantity is a scalar of the launch, or a quotient as a count of tiles is one."""
    if isinstance(a, Ite):
        return all(abs(c) == 1 and all(map(_counts, k)) for t in (a.then, a.other) for k, c in t.monos.items() if k)
    return isinstance(a, Symbol) or (isinstance(a, FloorDiv) and a.den.constant != 1 and not a.den.varying)


def _bounds(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    """What bounds a term from both sides, in the end or by the condition of the loop that is being tested."""
    if m.knowledge.ranges:
        known = conj(known, _declared(m, t))
    found = _both(m, t, known)
    if found is not None or m.supposed is None:
        return found
    counter, before = m.supposed
    first, later = _both(m, Substitution({counter: ZERO}).term(t), known), _both(m, t, conj(known, before))
    return None if first is None or later is None else (*first, *later)


def _declared(m: Machine, t: Term) -> Cond:
    """What the author says of the elements of arrays that a term is made of."""
    said = ((of(a), m.knowledge.ranges[a.array]) for a in sorted(atoms_of(t))
            if isinstance(a, Load) and a.array in m.knowledge.ranges)
    return conj(*(c for value, (low, high) in said for c in (ge(value, low), lt(value, high))))


def _both(m: Machine, t: Term, known: Cond) -> tuple[Term, ...] | None:
    signs: set[str] = set()
    high, low = most(t, known, signs), most(-t, known, signs)
    if high is None or low is None:
        return None
    m.sized |= signs.difference(_shown(known))
    return high, low


def _shown(known: Cond) -> set[str]:
    """Numbers of the launch that a condition says are not negative."""
    bounds = ((part.term.offset, part.term) for part in conjuncts(known) if part.op == "ge")
    atoms = ((t - offset).single for offset, t in bounds if offset <= 0)
    return {a.name for a in atoms if isinstance(a, Symbol)}


def _held(m: Machine, t: Term, dtype: DType) -> bool:
    """Whether a type of few bits holds a value for certain."""
    found = _bounds(m, t, m.path)
    low, high = dtype.limits or (0, 0)
    above = None if found is None else found[0].constant
    below = None if found is None else found[1].constant
    return above is not None and below is not None and above <= high and -below >= low
