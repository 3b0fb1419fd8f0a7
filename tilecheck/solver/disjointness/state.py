"""The equations and conditions of a derivation as it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from tilecheck.solver.disjointness.problem import Annotations
from tilecheck.solver.inequalities import Assumed, Budget, Facts, conjuncts, placed_in
from tilecheck.symbolic import Atom, Cond, GridDim, Load, Substitution, Term, of
from tilecheck.symbolic.steps import ProofStep

WORK = 900
"""Nodes of certificate search for one attempt at a derivation, its cases included."""
DECLARED = 4
"""How much more work is worth it where the author has declared what holds of data."""


def _of_grid(c: Cond) -> bool:
    """Whether a condition mentions only extents of the grid. These stay symbols, because ranges mention them."""
    return all(isinstance(a, GridDim) for a in c.term.atoms())


def work_for(annotations: Annotations) -> Budget:
    return Budget(WORK * DECLARED if annotations.segments or annotations.monotone else WORK)


@dataclass(eq=False)
class State:
    equations: list[Term]
    conds: list[Cond]
    goals: list[Term]
    annotations: Annotations
    quotients: list[tuple[Term, Term, Term, Term]] = field(default_factory=list)
    """(x, x', d, d') with x // d == x' // d'. Of use once d and d' are one."""
    remainders: list[tuple[Term, Term, Term, Term]] = field(default_factory=list)
    """(x, x', d, d') with x % d == x' % d'."""
    loads: list[tuple[Load, Load]] = field(default_factory=list)
    steps: list[ProofStep] = field(default_factory=list)
    rules: list[str] = field(default_factory=list)
    assumed: Assumed = frozenset()
    absurd: bool = False
    elements: list[Term] = field(default_factory=list)
    """Index terms of the first copy, for `segment`."""
    given: frozenset[Cond] = frozenset()
    """Conditions over launch scalars that hold for the launch, not only where an element is touched."""
    flags: list[Cond] = field(default_factory=list)
    """Conditions on launch scalars, as they were before anything was replaced, that chose this variant."""
    first: frozenset[Cond] = frozenset()
    """The conditions at the start."""
    budget: Budget = field(default_factory=lambda: Budget(WORK))
    _facts: Facts | None = None
    _mentioning: tuple[tuple[Cond, ...], dict[frozenset[Atom], Facts]] | None = None
    """The conditions, and the facts that follow from them with further coordinates and lanes, by these."""

    def equal_quotients(self) -> list[tuple[Term, Term, Term]]:
        """(x, x', d) with x // d == x' // d."""
        return [(x, y, d) for x, y, d, e in self.quotients if d == e]

    def equal_remainders(self) -> list[tuple[Term, Term, Term]]:
        """(x, x', d) with x % d == x' % d."""
        return [(x, y, d) for x, y, d, e in self.remainders if d == e]

    @property
    def facts(self) -> Facts:
        if self._facts is None:
            self._facts = Facts(self.conds, [*self.equations, *self.goals], budget=self.budget)
            if self._facts.false:
                self.absurd = True
        return self._facts

    def facts_with(self, *terms: Term) -> Facts:
        """The facts that follow from the conditions alone, for some terms."""
        conds = tuple(self.conds)
        if self._mentioning is None or self._mentioning[0] != conds:
            self._mentioning = conds, {}
        known = self._mentioning[1]
        placed = placed_in(terms)
        if placed not in known:
            known[placed] = Facts(conds, terms, budget=self.budget)
        return known[placed]

    def copy(self) -> State:
        return replace(
            self, equations=list(self.equations), conds=list(self.conds), goals=list(self.goals),
            quotients=list(self.quotients), remainders=list(self.remainders), loads=list(self.loads),
            steps=list(self.steps), rules=list(self.rules), elements=list(self.elements), flags=list(self.flags),
            _facts=None, _mentioning=None)

    def renew(self) -> State:
        """A copy with a full budget of its own."""
        return replace(self.copy(), budget=work_for(self.annotations))

    def add_cond(self, cond: Cond) -> None:
        self.conds.append(cond)
        self.flags += [c for c in conjuncts(cond) if not c.varying and c.op in ("eq", "ne", "bool")]
        self._facts = None
        if cond.op == "false":
            self.absurd = True
        for c in conjuncts(cond):
            if c.op == "eq" and not _of_grid(c):
                self.equations.append(c.term)

    def use(self, rule: str, step: ProofStep | None, assumed: Assumed = frozenset()) -> None:
        """Note that a rule was applied, the step that an explanation shows of it, and what it assumed."""
        self.rules.append(rule)
        if step is not None and (not self.steps or self.steps[-1] != step):
            self.steps.append(step)
        self.assumed |= assumed

    def substitute(self, mapping: dict[Atom, Term]) -> None:
        s = Substitution(mapping)
        self.equations = [t for e in self.equations if (t := s.term(e)).monos]
        conds: list[Cond] = []
        for c in self.conds:
            new = s.cond(c)
            for part in conjuncts(new):
                if part.op == "false":
                    self.absurd = True
                if part.op == "eq" and part != c and not _of_grid(part):
                    self.equations.append(part.term)
            conds.append(new)
        self.conds = conds
        self.goals = [s.term(g) for g in self.goals]
        self.quotients = [(s.term(x), s.term(y), s.term(d), s.term(e)) for x, y, d, e in self.quotients]
        self.remainders = [(s.term(x), s.term(y), s.term(d), s.term(e)) for x, y, d, e in self.remainders]
        loads: list[tuple[Load, Load]] = []
        for a, b in self.loads:
            x, y = s.term(of(Load(a.array, a.index))).single, s.term(of(Load(b.array, b.index))).single
            left = x if isinstance(x, Load) else a
            right = Load(b.array, tuple(s.term(i) for i in b.index))
            loads.append((left, y if isinstance(y, Load) and y != left else right))
        self.loads = loads
        self.elements = [s.term(t) for t in self.elements]
        self._facts = None

    @property
    def solved(self) -> bool:
        return self.absurd or not any(g.monos for g in self.goals)

    @property
    def reached(self) -> bool:
        """Whether each goal is 0, or one of the equations: two coordinates of one block that are equal stay two."""
        return self.absurd or not any(g.monos and g not in self.equations and -g not in self.equations
                                      for g in self.goals)
