"""The engine: rules to a fixpoint, then cases, then assumptions over launch scalars."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.solver.disjointness import data, digits, division, guards, linear
from tilecheck.solver.disjointness.assumptions import candidates
from tilecheck.solver.disjointness.cases import case_splits
from tilecheck.solver.disjointness.ceilings import name_ceilings
from tilecheck.solver.disjointness.problem import Assumption, Derivation, Problem
from tilecheck.solver.disjointness.state import State, work_for
from tilecheck.solver.inequalities import conjuncts
from tilecheck.symbolic import Cond, Term, conj
from tilecheck.symbolic.steps import Lemma, ProofStep

_ROUNDS: Final = 40


_SPLITS: Final = 5
_FIRST_SPLITS: Final = 1


_ASSUMPTIONS: Final = 3
RUNS: Final = 14
"""Sets of assumptions that one derivation may try."""


Rule = Callable[[State], bool]

RULES: Final[dict[str, Rule]] = {
    "trivial": linear.drop_trivial,
    "merge": linear.merge,
    "factor": linear.factor,
    "inverse": division.inverse,
    "quotient": division.quotient,
    "squeeze": guards.squeeze,
    "peel": digits.peel,
    "congruent": division.congruent,
    "solve": linear.solve,
    "exact": division.divide_exactly,
    "data": data.data,
    "segment": data.segment,
    "range": guards.out_of_range,
    "reduce": division.reduce,
    "peel deeply": digits.peel_deeply,
    "exclusive": guards.exclusive,
    "order": guards.by_order,
}
"""Tried in this order until none changes the state; each returns whether it did."""

CHEAP: Final[dict[str, Rule]] = {n: r for n, r in RULES.items() if n not in ("peel deeply", "exclusive", "order")}


def derive(
    problem: Problem, acceptable: Callable[[tuple[Cond, ...]], bool] | None = None,
    hints: Iterable[tuple[Assumption, ...]] = (), runs: int = RUNS,
) -> Derivation:
    """Derive each goal of a problem from its equations and conditions.

    acceptable  decides whether a set of inequalities over launch scalars may be assumed: a clause of a contract must
                leave room for several blocks. None if nothing may be assumed
    hints       sets of assumptions that proved a related problem; they are tried first
    runs        how many sets of assumptions are tried
    """
    named = name_ceilings(problem)
    out = _derive(named.problem, None if acceptable is None else lambda cs: acceptable(named.restore(cs)),
                  tuple(named.hide(h) for h in hints), runs)
    return replace(
        out, assumed=frozenset(named.restore(sorted(out.assumed, key=lambda c: c.key))),
        clauses=tuple(Assumption(c, a.semantic) for a in out.clauses for c in named.restore((a.cond,))),
        steps=tuple(map(named.restore_step, out.steps)), stuck=tuple(named.back.term(t) for t in out.stuck))


def _derive(
    problem: Problem, acceptable: Callable[[tuple[Cond, ...]], bool] | None,
    hints: tuple[tuple[Assumption, ...], ...], runs: int,
) -> Derivation:
    served: list[tuple[tuple[Assumption, ...], _Stuck]] = []
    if hints and acceptable is not None:
        # where the kernel's contract has clauses anyway, a deep search for a proof without them is not worth its time
        for clauses in ((), *(h for h in hints if acceptable(tuple(a.cond for a in h)))):
            got, left = _attempt(problem, clauses, deep=bool(clauses))
            if left is None:
                return got
            if clauses:
                served.append((clauses, left))
    first, stuck = _attempt(problem, ())
    if stuck is None or acceptable is None:
        return first
    tried: set[frozenset[Cond]] = set()
    order = count()
    # what served a related problem and goes further here is a better place to start from
    queue: list[tuple[tuple[int, int], int, tuple[Assumption, ...], _Stuck]] = [
        *((left.rank, next(order), have, left) for have, left in served if left.rank < stuck.rank),
        (stuck.rank if served else (0, 0), next(order), (), stuck)]
    heapify(queue)
    while queue and runs > 0:
        rank, _, have, place = heappop(queue)
        if len(have) >= _ASSUMPTIONS:
            continue
        for extra in candidates(place.whole, place.case):
            clauses = (*have, *(x for x in extra if x.cond not in {h.cond for h in have}))
            key = frozenset(c.cond for c in clauses)
            if key in tried or not acceptable(tuple(c.cond for c in clauses)):
                continue
            tried.add(key)
            runs -= 1
            got, left = _attempt(problem, clauses)
            if left is None:
                return _drop_needless(problem, got)
            heappush(queue, (left.rank, next(order), clauses, left))
            if runs <= 0:
                break
            if left.rank < place.rank:
                # what makes headway is followed up before its alternatives
                heappush(queue, (rank, next(order), have, place))
                break
    return first


def _drop_needless(problem: Problem, d: Derivation) -> Derivation:
    """A proof without the assumptions that a later one made needless."""
    for a in d.clauses[:-1]:
        got, left = _attempt(problem, tuple(x for x in d.clauses if x is not a))
        if left is None:
            d = got
    return d


class _Stuck(Struct, frozen=True):
    """Where a derivation is stuck: before any case split, and in the first case that failed after `settled` others."""

    whole: State
    case: State | None
    settled: int

    def renew(self) -> _Stuck:
        """The same with states of its own, and with full budgets."""
        return _Stuck(self.whole.renew(), None if self.case is None else self.case.renew(), self.settled)

    @property
    def rank(self) -> tuple[int, int]:
        """Less is closer to a proof."""
        state = self.case or self.whole
        return -self.settled, sum(len(e.monos) for e in state.equations) + 2 * sum(bool(g.monos) for g in state.goals)


def start(problem: Problem, clauses: tuple[Assumption, ...]) -> State:
    state = State(
        [], [], list(problem.goals), problem.annotations, budget=work_for(problem.annotations))
    state.equations = [e for e in problem.equations if e.monos]
    state.elements = list(problem.elements)
    state.given = frozenset(c for c in conjuncts(conj(*problem.launch, *(a.cond for a in clauses))))
    for c in conjuncts(conj(*problem.conds, *(a.cond for a in clauses))):
        state.add_cond(c)
        for shared in _in_every_alternative(c):
            state.add_cond(shared)
    data.declare_ranges(state)
    data.declare_multiples(state)
    state.first = frozenset(p for c in state.conds for p in conjuncts(c))
    return state


def _in_every_alternative(c: Cond) -> tuple[Cond, ...]:
    """The conditions that all alternatives of a disjunction have in common."""
    if c.op != "or":
        return ()
    first, *others = (conjuncts(a) for a in c.args)
    return tuple(part for part in first if all(part in other for other in others))


def _attempt(
    problem: Problem, clauses: tuple[Assumption, ...], deep: bool = True,
) -> tuple[Derivation, _Stuck | None]:
    """A derivation, and where it is stuck; one that is not deep uses cheap rules and splits no cases."""
    terms = (problem.equations, problem.goals, problem.elements, problem.annotations.terms)
    conds = (problem.conds, problem.launch, tuple(a.cond for a in clauses))
    derivation, left = _attempt_cached(
        problem, clauses, deep, tuple(_order(value) for values in (*terms, *conds) for value in values))
    return derivation, None if left is None else left.renew()


def _order(value: Term | Cond) -> tuple[object, ...]:
    """The order in which monomials are listed: rules follow it, and it may differ in terms that are equal.
    Cached results must not depend on earlier questions."""
    if isinstance(value, Term):
        return tuple(value.monos)
    return tuple(value.term.monos), *map(_order, value.args)


@lru_cache(maxsize=1024)
def _attempt_cached(
    problem: Problem, clauses: tuple[Assumption, ...], deep: bool, order: tuple[object, ...],
) -> tuple[Derivation, _Stuck | None]:
    """`_attempt` with a cache: similar variants, arrays and kernels pose the same problem. Callers must not change the
    result."""
    state = start(problem, clauses)
    fixpoint(state, RULES if deep else CHEAP)
    stuck = state.renew()
    failed = None if state.reached else _cases(state, _SPLITS) if deep else state
    settled = state.budget.settled
    data = tuple(dict.fromkeys(a.array for a, b in state.loads if a.index != b.index))
    proved = failed is None
    derivation = Derivation(
        proved, tuple(state.steps), tuple(dict.fromkeys(state.rules)), state.assumed, clauses,
        () if proved else tuple(state.equations), data)
    if failed is None:
        return derivation, None
    return derivation, _Stuck(stuck, None if failed is state else failed.renew(), settled)


def _run(state: State, splits: int) -> State | None:
    """Derive as far as possible; None when that succeeds, else the state in which it is stuck.

    The rules that search deeply come last: most cases are closed by one more split.
    """
    fixpoint(state, CHEAP)
    if state.reached:
        return None
    left = _cases(state, splits)
    if left is None:
        return None
    fixpoint(state)
    return None if state.reached else left


def _cases(state: State, splits: int) -> State | None:
    """Try case splits in turn: several at the first level, only the most promising one below."""
    stuck = state
    for tried, (what, cases) in enumerate(case_splits(state) if splits else (), 1):
        branches: list[State] = []
        for cond, mapping in cases:
            branch = state.copy()
            branch.add_cond(cond)
            if mapping:
                branch.substitute(mapping)
            branch.use("split", ProofStep(Lemma.CASES, (what,)))
            left = None if branch.absurd else _run(branch, splits - 1)
            if left is not None:
                stuck = left if stuck is state else stuck
                break
            branches.append(branch)
            state.budget.settled += 1
        else:
            for branch in branches:
                state.assumed |= branch.assumed
                state.rules += branch.rules
                state.steps += [s for s in branch.steps if s not in state.steps]
            state.absurd = True
            return None
        if splits < _SPLITS or tried == _FIRST_SPLITS:
            break
    return stuck


def fixpoint(state: State, rules: Mapping[str, Rule] = RULES) -> None:
    for _ in range(_ROUNDS):
        if state.solved or not any(rule(state) for rule in rules.values()):
            return
