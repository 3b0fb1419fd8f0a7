"""The engine: rules to a fixpoint, then cases, then assumptions over launch scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Final

from tilecheck.proof.closure import data, digits, division, guards, linear
from tilecheck.proof.closure.assumptions import candidates
from tilecheck.proof.closure.cases import case_splits
from tilecheck.proof.closure.ceilings import name_ceilings
from tilecheck.proof.closure.problem import Assumption, Derivation, Problem
from tilecheck.proof.closure.state import State
from tilecheck.proof.facts import conjuncts
from tilecheck.proof.terms import Atom, Cond, Load, atoms_of, conj, ge, of

_ROUNDS: Final = 40


_SPLITS: Final = 5


_ASSUMPTIONS: Final = 3


Rule = Callable[[State], bool]

RULES: Final[dict[str, Rule]] = {
    "trivial": linear.drop_trivial,
    "merge": linear.merge,
    "factor": linear.factor,
    "peel": digits.peel,
    "inverse": division.inverse,
    "quotient": division.quotient,
    "congruent": division.congruent,
    "solve": linear.solve,
    "squeeze": guards.squeeze,
    "data": data.data,
    "segment": data.segment,
    "reduce": division.reduce,
    "range": guards.out_of_range,
    "exclusive": guards.exclusive,
    "order": guards.by_order,
}
"""Tried in this order until none changes the state; each returns whether it did."""


def derive(
    problem: Problem, acceptable: Callable[[tuple[Cond, ...]], bool] | None = None, runs: int = 14,
) -> Derivation:
    """Run the closure. With `acceptable`, inequalities over launch scalars may be assumed where that function admits
    the whole set of them (DESIGN 4.2: a clause must leave room for several blocks)."""
    named = name_ceilings(problem)
    out = _derive(named.problem, None if acceptable is None else lambda cs: acceptable(named.restore(cs)), runs)
    return replace(
        out, assumed=frozenset(named.restore(sorted(out.assumed, key=lambda c: c.key))),
        clauses=tuple(Assumption(c, a.semantic) for a in out.clauses for c in named.restore((a.cond,))),
        steps=tuple(named.text(s) for s in out.steps), stuck=tuple(named.back.term(t) for t in out.stuck))


def _derive(
    problem: Problem, acceptable: Callable[[tuple[Cond, ...]], bool] | None, runs: int,
) -> Derivation:
    first, stuck = _attempt(problem, ())
    if stuck is None or acceptable is None:
        return first
    tried: set[frozenset[Cond]] = set()
    queue: list[tuple[tuple[Assumption, ...], State]] = [((), stuck)]
    while queue and runs > 0:
        have, state = queue.pop(0)
        if len(have) >= _ASSUMPTIONS:
            continue
        for extra in candidates(state):
            clauses = (*have, *(x for x in extra if x.cond not in {h.cond for h in have}))
            key = frozenset(c.cond for c in clauses)
            if key in tried or not extra or not acceptable(tuple(c.cond for c in clauses)):
                continue
            tried.add(key)
            runs -= 1
            got, left = _attempt(problem, clauses)
            if left is None:
                return got
            queue.append((clauses, left))
            if runs <= 0:
                break
    return first


def start(problem: Problem, clauses: tuple[Assumption, ...]) -> State:
    state = State([], [], list(problem.goals), problem.annotations)
    state.equations = [e for e in problem.equations if e.monos]
    state.elements = list(problem.elements)
    for c in conjuncts(conj(*problem.conds, *(a.cond for a in clauses), *_declared_ranges(problem))):
        state.add_cond(c)
    return state


def _declared_ranges(problem: Problem) -> Iterator[Cond]:
    if not problem.annotations.ranges:
        return
    atoms: set[Atom] = set()
    for t in (*problem.equations, *problem.goals, *problem.elements):
        atoms_of(t, atoms)
    for c in problem.conds:
        atoms_of(c, atoms)
    for a in sorted(atoms):
        for array, low, high in problem.annotations.ranges:
            if isinstance(a, Load) and a.array == array:
                yield ge(of(a), low)
                yield ge(high - 1, of(a))


def _attempt(
    problem: Problem, clauses: tuple[Assumption, ...],
) -> tuple[Derivation, State | None]:
    """A derivation, and the state in which it is stuck before any case split unless it succeeded."""
    state = start(problem, clauses)
    fixpoint(state)
    stuck = None if state.solved else state.renewed()
    proved = stuck is None or _run(state, _SPLITS)
    data = tuple(dict.fromkeys(a.array for a, b in state.loads if a.index != b.index))
    return Derivation(
        proved, tuple(state.steps), tuple(dict.fromkeys(state.rules)), state.assumed, clauses,
        () if proved else tuple(state.equations), data), None if proved else stuck


def _run(state: State, splits: int) -> bool:
    fixpoint(state)
    if state.solved:
        return True
    if splits == 0:
        return False
    for what, cases in case_splits(state):
        branches: list[State] = []
        for cond, mapping in cases:
            branch = state.copy()
            branch.add_cond(cond)
            if mapping:
                branch.substitute(mapping)
            branch.use("split", what)
            if not (branch.absurd or _run(branch, splits - 1)):
                break
            branches.append(branch)
        else:
            for branch in branches:
                state.assumed |= branch.assumed
                state.rules += branch.rules
                state.steps += [s for s in branch.steps if s not in state.steps]
            state.absurd = True
            return True
        if splits == _SPLITS:
            continue
        return False
    return False


def fixpoint(state: State) -> None:
    for _ in range(_ROUNDS):
        if state.solved:
            return
        if not any(rule(state) for rule in RULES.values()):
            return
