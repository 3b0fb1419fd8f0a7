"""Inequalities that follow from a set of conditions and from the definitions of atoms.

`Facts.prove(p)` looks for a certificate of `p >= 0`: it cancels each term of `p` that may be negative against a fact
`g >= 0`, using that `p - w*g >= 0` and `w, g >= 0` give `p >= 0`. The facts are the given conditions, and the
inequalities that the definitions of atoms imply: a remainder is below its divisor, a minimum is not above its
arguments. The result of a proof is its assumptions on the signs of launch scalars. A proof assumes nothing else.

`Facts.residuals(p)` cancels only the terms that depend on the block. It returns the remaining inequalities over launch
scalars, which would complete the proof.

Everything is over the mathematical integers: that index arithmetic does not wrap is a clause of every contract.
"""

from __future__ import annotations

from tilecheck.solver.inequalities.assumed import NOTHING, Assumed
from tilecheck.solver.inequalities.certificates import MOST, Facts
from tilecheck.solver.inequalities.effort import Budget
from tilecheck.solver.inequalities.factored import prove_factored
from tilecheck.solver.inequalities.known_facts import placed_in
from tilecheck.solver.inequalities.models import Model, models
from tilecheck.symbolic import Cond, conjuncts

__all__ = [
    "MOST", "NOTHING", "Assumed", "Budget", "Facts", "Model", "conjuncts", "entails", "models", "placed_in",
    "prove_factored",
]


def entails(facts: Cond, goal: Cond, *, signs: bool = False) -> bool:
    """Whether a condition follows from another for all values; with `signs`, for positive launch scalars."""
    if goal.op == "true" or facts.op == "false":
        return True
    known = Facts([facts], [goal.term], signs=signs)
    return known.holds(goal) is not None
