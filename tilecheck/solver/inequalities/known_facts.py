"""The facts of a proof: conditions as inequalities, and indices of them that the search for certificates uses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cache, cached_property, lru_cache

from tilecheck.solver.inequalities.definitions import all_nonnegative
from tilecheck.symbolic import (
    Atom,
    Bid,
    Cond,
    FloorDiv,
    Lane,
    Monomial,
    Term,
    atoms_at,
    atoms_of,
    conj,
    conjuncts,
    depends_on_block,
    grid,
    key_of,
)

__all__ = ["KnownFacts", "placed_in"]


@lru_cache(maxsize=1 << 13)
def _find_placed(c: Cond) -> frozenset[Atom]:
    """The coordinates and lanes in a condition. Most conditions are facts more than once."""
    return frozenset(a for a in atoms_of(c) if isinstance(a, (Lane, Bid)))


@cache
def _placed_at(a: Atom) -> frozenset[Atom]:
    """The coordinates and lanes in an atom."""
    return frozenset(b for b in atoms_at(a) if isinstance(b, (Lane, Bid)))


def placed_in(terms: Iterable[Term]) -> frozenset[Atom]:
    """The coordinates and lanes in terms: all that facts know by the terms that are mentioned to them."""
    return frozenset().union(*(_placed_at(a) for t in terms for m in t.monos for a in m))


class KnownFacts:
    """A conjunction of conditions as inequalities `p >= 0`, with the bounds that lanes and block coordinates imply.

    `mentioned` are terms whose lanes and coordinates count as well. The indices are built on first use.
    """

    def __init__(self, conds: Iterable[Cond], mentioned: Iterable[Term]) -> None:
        self.conds: tuple[Cond, ...] = conjuncts(conj(*conds))
        self.false = any(c.op == "false" for c in self.conds)
        self._ge: list[Term] = []
        self._ne: list[Term] = []
        placed: set[Atom] = set()
        for c in self.conds:
            placed |= _find_placed(c)
            if c.op == "ge":
                self._ge.append(c.term)
            elif c.op == "eq":
                self._ge += [c.term, -c.term]
            elif c.op == "ne":
                self._ne.append(c.term)
        placed |= placed_in(mentioned)
        for atom in sorted(placed, key=key_of):
            if isinstance(atom, Lane):
                # an element exists only in a tile that has elements
                self._ge.append(atom.size - 1)
            elif isinstance(atom, Bid):
                self._ge.append(grid(atom.axis) - 1)
        self._ge = list(dict.fromkeys(t for t in self._ge if t.constant is None))
        self._ge.sort(key=lambda t: (len(t.monos), t.key))
        self._strict()

    def _strict(self) -> None:
        """`p != 0` and `p >= 0` give `p >= 1`."""
        for t in self._ne:
            for side in (t, -t):
                if side in self._ge or all_nonnegative(side):
                    self._ge.append(side - 1)

    @property
    def inequalities(self) -> tuple[Term, ...]:
        return tuple(self._ge)

    @cached_property
    def bounded(self) -> frozenset[Atom]:
        """Atoms that some condition mentions."""
        return frozenset(a for g in self._ge for m in g.monos for a in m)

    @cached_property
    def raised(self) -> frozenset[Atom]:
        """Quotients that a condition says are at least some launch scalar."""
        return frozenset(
            m[0] for g in self._ge if sum(map(depends_on_block, g.monos)) == 1
            for m, c in g.monos.items() if c > 0 and len(m) == 1 and isinstance(m[0], FloorDiv) and m[0].varying)

    @cached_property
    def opposite(self) -> frozenset[Term]:
        """The inequalities that depend on the block and whose negation is an inequality as well."""
        sums = [sum(g.monos.values()) for g in self._ge]
        there = set(sums)
        known = set(self._ge)
        return frozenset(
            g for g, total in zip(self._ge, sums, strict=True) if -total in there and g.varying and -g in known)

    @cached_property
    def _with_monomial(self) -> dict[Monomial, list[tuple[int, int, Term]]]:
        """Where a monomial occurs among the facts: number of the fact, of the monomial in it, and the fact."""
        out: defaultdict[Monomial, list[tuple[int, int, Term]]] = defaultdict(list)
        for i, g in enumerate(self._ge):
            for j, m in enumerate(g.monos):
                out[m].append((i, j, g))
        return dict(out)

    @cached_property
    def _products(self) -> dict[Atom, list[Monomial]]:
        """For facts `a*r - x - c >= 0` with c >= 1: the atoms of r and of x, by a."""
        out: defaultdict[Atom, list[Monomial]] = defaultdict(list)
        for g in self._ge:
            if g.offset >= 0:
                continue
            positive = [m for m, c in g.monos.items() if c > 0 and m]
            if len(positive) != 1:
                continue
            others = tuple(a for m, c in g.monos.items() if c < 0 for a in m)
            for a in dict.fromkeys(positive[0]):
                if positive[0].count(a) == 1:
                    out[a].append((*(b for b in positive[0] if b is not a), *others))
        return dict(out)
