"""Problems of the closure, and its answers."""

from __future__ import annotations

from msgspec import Struct

from tilecheck.solver.inequalities import Assumed
from tilecheck.symbolic import Array, Cond, Term
from tilecheck.symbolic.steps import ProofStep


class Annotations(Struct, frozen=True):
    """Declared facts about data, by array."""

    injective: frozenset[Array] = frozenset()
    below: tuple[tuple[Array, Term], ...] = ()
    """(array, n): the array holds no value twice of those from 0 up to n."""
    monotone: frozenset[Array] = frozenset()
    segments: tuple[tuple[Array, Array], ...] = ()
    """(offsets, lengths): the ranges [offsets[i], offsets[i] + lengths[i]) do not overlap."""
    tickets: frozenset[Array] = frozenset()
    """Counters whose atomic_add gives every caller another value."""
    locks: frozenset[Array] = frozenset()
    """Arrays of locks: two blocks that touch one element of a written array hold one of these locks meanwhile."""
    ranges: tuple[tuple[Array, Term, Term], ...] = ()
    """(array, lo, hi): every element x of the array has lo <= x < hi."""
    multiples: tuple[tuple[Array, Term], ...] = ()
    """(array, d): every element of the array is a multiple of d."""

    @property
    def terms(self) -> tuple[Term, ...]:
        """All terms in them."""
        return (*(n for _, n in self.below), *(t for _, low, high in self.ranges for t in (low, high)),
                *(d for _, d in self.multiples))


class Problem(Struct, frozen=True):
    """Show that the equations (each `== 0`) and conditions force each goal to be 0."""

    equations: tuple[Term, ...]
    conds: tuple[Cond, ...]
    goals: tuple[Term, ...]
    annotations: Annotations = Annotations()
    launch: tuple[Cond, ...] = ()
    """Conditions (among `conds`) that hold for the whole launch, not only where an element is touched."""
    elements: tuple[Term, ...] = ()
    """Index terms of both copies: what a declared segment may contain."""


class Assumption(Struct, frozen=True):
    """An inequality over launch scalars that completes a proof. `semantic` when a collision may be what it excludes."""

    cond: Cond
    semantic: bool


class Derivation(Struct, frozen=True):
    """The outcome: `assumed` are signs of launch scalars, `clauses` what had to be assumed besides.

    stuck     equations that were left, when it failed
    data      arrays whose elements were found equal without their places being known equal
    """

    proved: bool
    steps: tuple[ProofStep, ...] = ()
    rules: tuple[str, ...] = ()
    assumed: Assumed = frozenset()
    clauses: tuple[Assumption, ...] = ()
    stuck: tuple[Term, ...] = ()
    data: tuple[Array, ...] = ()
