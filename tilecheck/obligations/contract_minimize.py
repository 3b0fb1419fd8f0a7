"""Contracts without clauses that follow from the others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tilecheck.contracts import render
from tilecheck.solver.inequalities import Assumed, Facts
from tilecheck.symbolic import Cond
from tilecheck.symbolic.footprint import Clause

__all__ = ["are_implied", "minimal"]


def minimal(clauses: Sequence[Clause]) -> tuple[Clause, ...]:
    """The clauses less the semantic ones that follow from the rest; of two that say the same, the first stays.

    The signs of launch scalars that this rests on become structural clauses.
    """
    kept = list(clauses)
    for c in reversed(clauses):
        if c.kind == "semantic" and c.cond is not None:
            rest = [d for d in kept if d is not c]
            assumed = _follows(_conds(rest), c.cond)
            if assumed is not None:
                kept = rest + [Clause(render(a), a, "structural") for a in sorted(assumed, key=lambda a: a.key)]
    return tuple(dict.fromkeys(kept))


def are_implied(clauses: Iterable[Clause], by: Iterable[Clause]) -> bool:
    """Whether clauses follow from others for launch scalars that are not negative; sizes and strides are not."""
    own, others = tuple(clauses), tuple(by)
    known = _conds(others)
    return all(c in others for c in own if c.cond is None) and all(_follows(known, c) is not None for c in _conds(own))


def _follows(known: Sequence[Cond], goal: Cond) -> Assumed | None:
    """Returns the assumptions on signs under which a condition follows from others; None if it does not follow.

    An assumption that a scalar is not negative, or not 0, is not enough by itself. A flag may have either value, and a
    position may have any.
    """
    plain = Facts(known, [goal.term], signs=False).holds(goal)
    if plain is not None:
        return plain
    return Facts(known, [goal.term]).holds(goal) if Facts((), [goal.term]).holds(goal) is None else None


def _conds(clauses: Iterable[Clause]) -> tuple[Cond, ...]:
    return tuple(c.cond for c in clauses if c.cond is not None)
