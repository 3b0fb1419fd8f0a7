"""Tile counts as symbols, so that their products stay monomials."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from tilecheck.solver.disjointness.problem import Assumption, Problem
from tilecheck.solver.inequalities import Facts
from tilecheck.symbolic import (
    Atom,
    Cond,
    FloorDiv,
    Opaque,
    Stand,
    Substitution,
    Term,
    atoms_in,
    enforceable,
    ge,
    key_of,
    of,
)
from tilecheck.symbolic.steps import ProofStep


class Named(Struct, frozen=True):
    """A problem in which every `ceil(x / d)` over launch scalars is one symbol, and the way back."""

    problem: Problem
    back: Substitution
    there: Substitution

    def hide(self, clauses: tuple[Assumption, ...]) -> tuple[Assumption, ...]:
        return tuple(Assumption(self.there.cond(a.cond), a.semantic) for a in clauses)

    def restore(self, conds: Iterable[Cond]) -> tuple[Cond, ...]:
        return tuple(self.back.cond(c) for c in conds)

    def restore_step(self, step: ProofStep) -> ProofStep:
        """A step about the problem as it was posed."""
        return ProofStep(step.rule, tuple(map(self._restore_operand, step.operands)))

    def _restore_operand(self, operand: object) -> object:
        return self.back.term(operand) if isinstance(operand, Term) else self.back.cond(operand) if isinstance(
            operand, Cond) else operand


def name_ceilings(problem: Problem) -> Named:
    """Products of tile counts stay monomials when `(x - 1)//d + 1` is one symbol c, with `d*(c-1) < x <= d*c` for
    d >= 1. Where d is not known to be positive the symbol is known only by an assumption."""
    atoms = atoms_in(*problem.equations, *problem.goals, *problem.conds)
    there: dict[Atom, Term] = {}
    back: dict[Atom, Term] = {}
    conds = list(problem.conds)
    defined: list[Cond] = []
    facts: Facts | None = None
    for a in sorted((a for a in atoms if isinstance(a, FloorDiv)), key=key_of):
        if a.varying or a.num.offset != -1:
            continue
        name = f"ceil<{len(there)}>"
        # no sign may be assumed of one that depends on data
        named: Atom = Stand(name) if enforceable(ge(of(a), 0)) else Opaque(name, uniform=True)
        symbol = of(named)
        there[a] = symbol - 1
        back[named] = of(a) + 1
        facts = facts or Facts(problem.conds, (*problem.equations, *problem.goals), signs=False)
        if facts.prove_positive(a.den) is not None:
            defined += [ge(a.den * symbol, a.num + 1), ge(a.num, a.den * (symbol - 1))]
    if not there:
        return Named(problem, Substitution({}), Substitution({}))
    s = Substitution(there)
    restored = Substitution(back)
    for _ in range(3):
        back = {a: restored.term(t) for a, t in back.items()}
        restored = Substitution(back)
    return Named(
        replace(
            problem, equations=tuple(s.term(t) for t in problem.equations),
            conds=tuple(s.cond(c) for c in (*conds, *defined)),
            goals=tuple(s.term(t) for t in problem.goals), elements=tuple(s.term(t) for t in problem.elements),
            launch=tuple(s.cond(c) for c in (*problem.launch, *defined))),
        restored, s)
