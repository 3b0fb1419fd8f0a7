"""Case splits: a condition and its negation, which argument is the least, the parts of a disjunction."""

from __future__ import annotations

from collections.abc import Iterator

from tilecheck.solver.disjointness.state import State
from tilecheck.symbolic import Atom, Cond, Ite, Max, Min, Term, atoms_in, atoms_of, ge, negate, of

Case = tuple[Cond, dict[Atom, Term]]


def case_splits(state: State) -> Iterator[tuple[Cond | Term, tuple[Case, ...]]]:
    """Each split: the condition, or the least or greatest of terms, that it is on, and its cases."""
    atoms = atoms_in(*state.equations, *state.goals)
    for sides in (*state.quotients, *state.remainders):
        for t in sides:
            atoms_of(t, atoms)
    ordered = sorted(atoms, key=lambda a: (a.varying, a.key))
    for a in ordered:
        if isinstance(a, Ite):
            yes, no = a.cond, negate(a.cond)
            yield a.cond, tuple(
                (side, {b: b.then if (b.cond == side) else b.other
                        for b in ordered if isinstance(b, Ite) and b.cond in (yes, no)}) for side in (yes, no))
    for a in ordered:
        if isinstance(a, (Min, Max)) and len(a.args) == 2:
            x, y = a.args
            small = (ge(y, x), ge(x, y + 1)) if isinstance(a, Min) else (ge(x, y), ge(y, x + 1))
            yield of(a), ((small[0], {a: x}), (small[1], {a: y}))
    for c in state.conds:
        if c.op == "or" and len(c.args) <= 4:
            yield c, tuple((part, {}) for part in c.args)
