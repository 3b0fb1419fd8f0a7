"""Properties of a polynomial that do not depend on facts about its atoms.

The same polynomials occur among different facts, some many times. A result is cached under the polynomial and depends
on nothing else, not even on the order of its terms, which may differ in equal polynomials.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final, TypeAlias, final

from tilecheck.solver.inequalities.definitions import depth_of
from tilecheck.solver.inequalities.polynomials import shift_term
from tilecheck.symbolic import Atom, Ite, Lane, Max, Min, Monomial, Term, depends_on_block, text_of

_MAX_TERMS: Final = 24
_MAX_DEGREE: Final = 6
_SHIFTED_TERMS: Final = 96

Rank: TypeAlias = tuple[int, int, str]


@final
class Shape:
    """A polynomial, as the search sees it.

    large       it has too many terms, or too high a degree, to go on with
    lowest      the least coefficient, or 0
    open_terms  how many terms depend on the block and may be negative
    signed      it is small enough, and without open terms, to look at the signs of all its atoms
    choices     whether one of its atoms equals one of a few terms
    """

    __slots__ = ("_ranked", "_shiftable", "_term", "choices", "large", "lowest", "open_terms", "signed")

    def __init__(self, p: Term) -> None:
        self._term = p
        self._ranked: tuple[tuple[Monomial, bool], ...] | None = None
        monos = p.monos
        self._shiftable: bool | None = None
        lowest = open_terms = places = degree = 0
        choices = False
        for m, c in monos.items():
            size = len(m)
            places += 1 << size
            if size > degree:
                degree = size
            if c < 0:
                if c < lowest:
                    lowest = c
                if depends_on_block(m):
                    open_terms += 1
            choices = choices or chooses(m)
        self.large = len(monos) > _MAX_TERMS or degree > _MAX_DEGREE
        self.lowest = lowest
        self.open_terms = open_terms
        self.choices = choices
        self.signed = not open_terms and places <= _SHIFTED_TERMS

    @property
    def shiftable(self) -> bool:
        """Whether it may be that no coefficient is negative once each atom that is at least 1 is replaced by `1 + a`:
        what is not negative after some atoms are replaced is not after all of them are."""
        if self._shiftable is None:
            p = self._term
            self._shiftable = not self.lowest or (
                sum(p.monos.values()) >= 0 and min(shift_term(p, p.atoms()).values()) >= 0)
        return self._shiftable

    @property
    def ranked(self) -> tuple[tuple[Monomial, bool], ...]:
        """The monomials in the order in which they are cancelled, each with whether it depends on the block: those that
        do come first, then those with a negative coefficient, then the largest."""
        if self._ranked is None:
            monos = self._term.monos
            parts = [(depends_on_block(m), c < 0, rank(m), m) for m, c in monos.items()]
            parts.sort(key=_by_rank, reverse=True)
            self._ranked = tuple([(m, varying) for varying, _, _, m in parts])
        return self._ranked


def _by_rank(part: tuple[bool, bool, Rank, Monomial]) -> tuple[bool, bool, Rank]:
    return part[:3]


@lru_cache(maxsize=1 << 15)
def shape_of(p: Term) -> Shape:
    return Shape(p)


@cache
def rank(m: Monomial) -> Rank:
    """Among monomials that depend on the block, or do not: the one of the highest atom is cancelled first."""
    return max((depth_of(a) for a in m), default=0), len(m), text_of(m)


@cache
def choices_of(a: Atom) -> tuple[Term, ...]:
    """The terms of which an atom equals one."""
    return a.args if isinstance(a, (Min, Max)) else (a.then, a.other) if isinstance(a, Ite) else ()


@cache
def chooses(m: Monomial) -> bool:
    return any(map(choices_of, m))


@cache
def parts_of(m: Monomial) -> tuple[tuple[Atom, ...], tuple[Atom, ...]]:
    """The atoms of a monomial, each once: lanes, and the others."""
    atoms = tuple(dict.fromkeys(m))
    return tuple(a for a in atoms if isinstance(a, Lane)), tuple(a for a in atoms if not isinstance(a, Lane))
